package dev.jobs.docs.steps;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.Cursor;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import dev.jobs.JobType;
import dev.jobs.Step;

import org.springframework.stereotype.Component;

@Component
class Orders {

	final Cards cards = new Cards();

	final Stock stock = new Stock();

	final Carrier carrier = new Carrier();

	final Mailer mailer = new Mailer();

	final Files files = new Files();

	final List<String> saved = new ArrayList<>();

	@JobHandler
	JobResult fulfil(Order order, JobContext context) {
		Payment payment = context.step("charge", Payment.class, () -> this.cards.charge(order, context.id()));
		if (!payment.accepted()) {
			context.step("tell", () -> this.mailer.declined(order));
			return JobResult.done();
		}
		context.step("reserve", () -> this.stock.reserve(order, context.id()));
		String parcel = context.step("ship", String.class, () -> this.carrier.pickUp(order, context.id()));
		context.step("mail", () -> this.mailer.onItsWay(order, parcel));
		context.sleep("before the review", Duration.ofDays(14));
		context.step("ask", () -> this.mailer.review(order));
		return JobResult.done();
	}

	@JobHandler
	JobResult importRows(ImportFile file, JobContext context) {
		Cursor<Long> line = context.cursor("line", Long.class, 0L);
		for (Row row : this.files.from(file, line.get())) {
			save(row);
			line.moveTo(row.number());
			if (context.shouldYield()) {
				return JobResult.yield();
			}
		}
		return JobResult.done();
	}

	@JobHandler
	void remind(RemindAll wish, JobContext context) {
		for (String customer : wish.customers()) {
			context.step("mail " + customer, () -> this.mailer.remind(customer));
		}
	}

	@JobHandler
	void refund(Refund refund, JobContext context) {
		context.step(Step.named("pay back").formerly("refund"), Payment.class,
				() -> this.cards.refund(refund.charge(), context.id()));
	}

	private void save(Row row) {
		this.saved.add(row.text());
	}

	@JobType("order")
	record Order(long id, String customer, long cents) {

	}

	record Payment(String id, boolean accepted) {

	}

	@JobType("import-rows")
	record ImportFile(String name) {

	}

	record Row(long number, String text) {

	}

	@JobType("remind-all")
	record RemindAll(List<String> customers) {

	}

	@JobType("refund-order")
	record Refund(String charge) {

	}

	/** Pays each key once. */
	static class Cards {

		final List<String> keys = new ArrayList<>();

		boolean declines;

		Payment charge(Order order, String key) {
			this.keys.add(key);
			return new Payment("ch-" + order.id(), !this.declines);
		}

		Payment refund(String charge, String key) {
			this.keys.add(key);
			return new Payment(charge, true);
		}

	}

	/** Reserves for each key once. */
	static class Stock {

		final List<String> keys = new ArrayList<>();

		void reserve(Order order, String key) {
			this.keys.add(key);
		}

	}

	/** Picks up for each key once. */
	static class Carrier {

		final List<String> keys = new ArrayList<>();

		String pickUp(Order order, String key) {
			this.keys.add(key);
			return "JD" + order.id();
		}

	}

	/** Writes mails. */
	static class Mailer {

		final List<String> sent = new ArrayList<>();

		void onItsWay(Order order, String parcel) {
			this.sent.add(parcel + " is on its way");
		}

		void review(Order order) {
			this.sent.add("How do you like it?");
		}

		void declined(Order order) {
			this.sent.add("Your card was declined");
		}

		void remind(String customer) {
			this.sent.add("reminder to " + customer);
		}

	}

	/** Reads files. */
	static class Files {

		int rows = 5;

		List<Row> from(ImportFile file, long after) {
			return IntStream.rangeClosed((int) after + 1, this.rows)
				.mapToObj((number) -> new Row(number, file.name() + " " + number))
				.toList();
		}

	}

}
