package dev.jobs.sample;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Shows how many of each article are left. The counts come more often than they can be
 * shown.
 */
@Component
class Stock {

	private static final Logger logger = LoggerFactory.getLogger(Stock.class);

	private static final int LOW = 5;

	private final JobClient jobs;

	Stock(JobClient jobs) {
		this.jobs = jobs;
	}

	/**
	 * Show a count. While one of the article is being shown, only the latest other one
	 * waits. The buyer hears of a low one once an hour, however often it changes.
	 */
	Enqueued count(String article, int left) {
		if (left < LOW) {
			this.jobs.enqueue(new OrderMail("buyer@example.org", 0, "Only " + left + " left: " + article),
					(options) -> options.throttle("low-" + article, Duration.ofHours(1)));
		}
		return this.jobs.enqueue(new ShowStock(article, left), (options) -> options.keepLast(article));
	}

	@JobHandler(lanes = @JobHandler.Lanes(maxConcurrency = 1))
	void show(ShowStock stock) throws InterruptedException {
		TimeUnit.SECONDS.sleep(2);
		logger.info("There are {} of {}", stock.left(), stock.article());
	}

}
