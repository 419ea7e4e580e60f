package dev.jobs.sample;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.JobClient;
import org.springframework.stereotype.Component;

/**
 * Takes orders. What a customer need not wait for becomes a job.
 */
@Component
class Shop {

	private final JobClient jobs;

	private final AtomicLong orders = new AtomicLong();

	private final Map<String, Long> sold = new ConcurrentHashMap<>();

	Shop(JobClient jobs) {
		this.jobs = jobs;
	}

	long place(OrderPlaced order) {
		long number = this.orders.incrementAndGet();
		this.sold.merge(order.article(), 1L, Long::sum);
		this.jobs.enqueue(new OrderMail(order.customer(), number, "Thank you for buying a " + order.article() + "."));
		this.jobs.enqueue(new ResizeImage(order.article(), 320));
		return number;
	}

	long orders() {
		return this.orders.get();
	}

	String calculateBestSeller() {
		return this.sold.entrySet()
			.stream()
			.max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
			.map(Map.Entry::getKey)
			.orElse("nothing yet");
	}

}
