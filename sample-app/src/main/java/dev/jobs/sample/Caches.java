package dev.jobs.sample;

import dev.jobs.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Keeps the shop's best sellers at hand. When it runs is said in the configuration.
 */
@Component
class Caches {

	private static final Logger logger = LoggerFactory.getLogger(Caches.class);

	private final Shop shop;

	Caches(Shop shop) {
		this.shop = shop;
	}

	@JobHandler("calculate-caches")
	void calculate() {
		logger.info("Best seller of {} orders: {}", this.shop.orders(), this.shop.calculateBestSeller());
	}

}
