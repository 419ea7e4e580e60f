package dev.jobs.autoconfigure.handler.producer;

import dev.jobs.JobClient;
import dev.jobs.JobType;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;

/**
 * An application that only enqueues.
 */
@AutoConfigurationPackage
public class Producer {

	void produce(JobClient jobs) {
		jobs.enqueue(new Order(new Item("teapot")));
		jobs.enqueue(new ByCard("1"));
	}

	@JobType("order")
	private record Order(Item item) {

	}

	record Item(String article) {

	}

	/**
	 * A payload of several kinds.
	 */
	@JobType("pay")
	interface Payment {

	}

	record ByCard(String number) implements Payment {

	}

	record Unrelated(String text) {

	}

}
