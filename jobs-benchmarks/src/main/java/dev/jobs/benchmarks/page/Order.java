package dev.jobs.benchmarks.page;

import java.util.List;

import dev.jobs.benchmarks.load.Payload;
import dev.jobs.serialization.PayloadReader;

/**
 * What a job of a shop carries.
 *
 * @param i the job's number
 * @param number the order's number
 * @param email who ordered
 * @param items what
 */
record Order(int i, String number, String email, List<String> items) {

	static final PayloadReader READER = Payload.SERIALIZER.reader(Order.class);

	Order(int i) {
		this(i, number(i), "customer" + i % 10_000 + "@example.org", List.of("blue shirt", "umbrella"));
	}

	/**
	 * Return the number of an order, which is nobody else's.
	 */
	static String number(int i) {
		return "ab-%07d".formatted(i);
	}

}
