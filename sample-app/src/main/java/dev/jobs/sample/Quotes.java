package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import org.springframework.stereotype.Component;

/**
 * Asks a carrier for prices while a customer waits. The carrier does not answer the first
 * time, which the customer does not notice: the job is tried again, on any machine.
 */
@Component
class Quotes {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final JobClient jobs;

	Quotes(JobClient jobs) {
		this.jobs = jobs;
	}

	Quote of(String article, String country) throws InterruptedException {
		return this.jobs.call(new AskForQuote(article, country), Quote.class, PATIENCE);
	}

	@JobHandler(maxAttempts = 3, backoff = @JobHandler.RetryDelay(type = "fixed", delay = "500ms"))
	Quote ask(AskForQuote wish, JobContext context) {
		if (context.attempt() == 1) {
			throw new IllegalStateException("The carrier does not answer");
		}
		return new Quote("Snail & Co", 490L + 10L * wish.country().length());
	}

}
