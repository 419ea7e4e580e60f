package dev.jobs.sample;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;

/**
 * Tells customers something. The gateway for text messages is busy at first, and refuses
 * what is no number.
 */
@Component
class Notices {

	private static final Logger logger = LoggerFactory.getLogger(Notices.class);

	@JobHandler(backoff = @JobHandler.RetryDelay(bean = "soonThenHourly"))
	void send(Notice notice, JobContext context) {
		if (notice.contact() instanceof Notice.Phone phone) {
			callGateway(phone, context.attempt());
		}
		logger.info("To {}: {}", notice.contact(), notice.text());
	}

	private static void callGateway(Notice.Phone phone, int attempt) {
		if (!phone.number().matches("[+\\d ]+")) {
			throw new HttpClientErrorException(HttpStatus.BAD_REQUEST, "no number");
		}
		if (attempt == 1) {
			throw new HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE, "busy");
		}
	}

}
