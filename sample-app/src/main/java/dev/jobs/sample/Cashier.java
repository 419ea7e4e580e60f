package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Pays money back. It decides itself what becomes of its jobs: the bank does not answer
 * the first time, and what cannot be paid is given up. The refund behind that is paid.
 */
@Component
class Cashier {

	private static final Logger logger = LoggerFactory.getLogger(Cashier.class);

	@JobHandler(value = "refund", tags = "team:billing", lanes = @JobHandler.Lanes(ordered = true, onDead = "skip"))
	JobResult refund(Refund refund, JobContext context) {
		if (refund.cents() <= 0) {
			return JobResult.discard().message("There is nothing to refund");
		}
		if (context.attempt() == 1) {
			return JobResult.retryIn(Duration.ofSeconds(5)).message("The bank did not answer");
		}
		logger.info("Refunded {} cents to {}", refund.cents(), refund.customer());
		return JobResult.done();
	}

}
