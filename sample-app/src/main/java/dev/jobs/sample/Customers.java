package dev.jobs.sample;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import dev.jobs.JobHandler;
import org.springframework.stereotype.Component;

/**
 * Buys something now and then, so that there is something to see.
 */
@Component
class Customers {

	private static final List<String> ARTICLES = List.of("teapot", "kettle", "lamp", "chair", "globe");

	private final Shop shop;

	Customers(Shop shop) {
		this.shop = shop;
	}

	@JobHandler(value = "simulate-customers", cron = "${sample.customers:@every 3s}", misfire = "skip")
	void buy() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		for (int i = random.nextInt(1, 4); i > 0; i--) {
			String customer = "customer" + random.nextInt(1000) + "@example.org";
			this.shop.place(new OrderPlaced(customer, ARTICLES.get(random.nextInt(ARTICLES.size()))));
		}
	}

}
