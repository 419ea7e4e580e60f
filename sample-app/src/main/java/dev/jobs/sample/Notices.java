package dev.jobs.sample;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;

/**
 * Tells customers something. The gateway for text messages is busy at first, refuses what
 * is no number, and asks for a rest now and then.
 */
@Component
class Notices {

	private static final Logger logger = LoggerFactory.getLogger(Notices.class);

	private final AtomicInteger calls = new AtomicInteger();

	@JobHandler(backoff = @JobHandler.RetryDelay(bean = "soonThenHourly"))
	JobResult send(Notice notice, JobContext context) {
		try {
			if (notice.contact() instanceof Notice.Phone phone) {
				callGateway(phone, context.attempt());
			}
		}
		catch (HttpClientErrorException.TooManyRequests ex) {
			// The next text message would be refused too, so all of their lane wait.
			return JobResult.holdBack(retryAfter(ex)).message("The gateway asks for a rest");
		}
		logger.info("To {}: {}", notice.contact(), notice.text());
		return JobResult.done();
	}

	private static Duration retryAfter(HttpClientErrorException ex) {
		HttpHeaders headers = Objects.requireNonNull(ex.getResponseHeaders());
		return Duration.ofSeconds(Long.parseLong(Objects.requireNonNull(headers.getFirst(HttpHeaders.RETRY_AFTER))));
	}

	private void callGateway(Notice.Phone phone, int attempt) {
		if (!phone.number().matches("[+\\d ]+")) {
			throw new HttpClientErrorException(HttpStatus.BAD_REQUEST, "no number");
		}
		if (attempt == 1) {
			throw new HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE, "busy");
		}
		if (this.calls.incrementAndGet() % 3 == 0) {
			HttpHeaders headers = new HttpHeaders();
			headers.set(HttpHeaders.RETRY_AFTER, "20");
			throw HttpClientErrorException.create(HttpStatus.TOO_MANY_REQUESTS, "", headers, new byte[0], null);
		}
	}

}
