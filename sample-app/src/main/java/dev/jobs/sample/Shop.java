package dev.jobs.sample;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.Urgency;
import org.springframework.stereotype.Component;

/**
 * Takes orders. What a customer need not wait for becomes a job.
 */
@Component
class Shop {

	private final JobClient jobs;

	private final AtomicLong orders = new AtomicLong();

	private final Map<String, Long> sold = new ConcurrentHashMap<>();

	/** The number of the latest order of each customer. */
	private final Map<String, Long> customers = new ConcurrentHashMap<>();

	/** How many of each article are reserved. */
	private final Map<String, Long> reserved = new ConcurrentHashMap<>();

	private final Set<Long> paid = ConcurrentHashMap.newKeySet();

	Shop(JobClient jobs) {
		this.jobs = jobs;
	}

	long place(OrderPlaced order) {
		long number = this.orders.incrementAndGet();
		this.sold.merge(order.article(), 1L, Long::sum);
		this.customers.put(order.customer(), number);
		this.jobs.enqueue(new OrderMail(order.customer(), number, "Thank you for buying a " + order.article() + "."));
		this.jobs.enqueue(new ResizeImage(order.article(), 320));
		return number;
	}

	/**
	 * Offer a new article: a picture of it, for which there may be no room at first, and
	 * a mail to each customer, which goes behind all others and not at all a day later.
	 */
	int offer(String article) {
		this.jobs.enqueue(new ResizeImage(article, 640), (options) -> options.waitForRoom(Duration.ofSeconds(10)));
		return this.jobs
			.enqueueAll(this.customers.entrySet()
				.stream()
				.map((customer) -> JobRequest
					.ofPayload(new OrderMail(customer.getKey(), customer.getValue(),
							"New in the shop: a " + article + "."))
					.options((options) -> options.urgency(Urgency.LOW).expiresIn(Duration.ofDays(1))))
				.toList())
			.size();
	}

	/**
	 * Sell something whose order is fulfilled in steps.
	 */
	Enqueued sell(OrderPlaced order) {
		long number = this.orders.incrementAndGet();
		return this.jobs.enqueue(new FulfilOrder(number, order.customer(), order.article()));
	}

	void add(String article) {
		this.reserved.putIfAbsent(article, 0L);
	}

	void reserve(String article) {
		this.reserved.merge(article, 1L, Long::sum);
	}

	Map<String, Long> reserved() {
		return Map.copyOf(this.reserved);
	}

	void pay(long order) {
		this.paid.add(order);
	}

	boolean isPaid(long order) {
		return this.paid.contains(order);
	}

	long orders() {
		return this.orders.get();
	}

	long sold(String article) {
		return this.sold.getOrDefault(article, 0L);
	}

	String calculateBestSeller() {
		return this.sold.entrySet()
			.stream()
			.max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
			.map(Map.Entry::getKey)
			.orElse("nothing yet");
	}

}
