package dev.jobs.docs.signals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import org.springframework.stereotype.Component;

import static dev.jobs.docs.signals.Signals.SHIPPED;

@Component
class Orders {

	final Cards cards = new Cards();

	final Carrier carrier = new Carrier();

	final Mailer mailer = new Mailer();

	private final JobClient jobs;

	Orders(JobClient jobs) {
		this.jobs = jobs;
	}

	@JobHandler
	void fulfil(Order order, JobContext context) {
		Receipt receipt = context.step("charge", Receipt.class, () -> this.cards.charge(order, context.id()));
		context.step("order the parcel", () -> this.carrier.order(order));
		try {
			Shipped shipped = context.await(SHIPPED, order.number(), Duration.ofDays(14));
			context.step("mail", () -> this.mailer.send(order, "Parcel " + shipped.parcel() + " is on its way"));
		}
		catch (NotInTimeException ex) {
			context.step("refund", () -> this.cards.refund(receipt, context.id()));
		}
	}

	Signal.Sent shipped(long order, Shipped shipped) {
		return this.jobs.send(SHIPPED, order, shipped);
	}

	@JobHandler
	void report(Report wish, JobContext context) {
		String export = context.step("export", String.class, () -> this.jobs.enqueue(new Export(wish.year())).id());
		Exported file = context.await(export, Exported.class);
		context.step("mail", () -> this.mailer.send(wish, file.name()));
	}

	@JobHandler(value = "export-year", keepResult = "1h")
	Exported export(Export wish) {
		return new Exported("orders-" + wish.year() + ".csv");
	}

	@JobType("order-until-shipped")
	record Order(long number, String customer) {

	}

	record Receipt(String payment) {

	}

	record Shipped(String parcel) {

	}

	@JobType("report")
	record Report(int year) {

	}

	@JobType("export-year")
	record Export(int year) {

	}

	record Exported(String name) {

	}

	/** Charges cards. */
	static class Cards {

		final List<String> refunded = new ArrayList<>();

		Receipt charge(Order order, String key) {
			return new Receipt("payment-" + order.number());
		}

		void refund(Receipt receipt, String key) {
			this.refunded.add(receipt.payment());
		}

	}

	/** Takes orders for parcels. */
	static class Carrier {

		void order(Order order) {
		}

	}

	/** Writes mails. */
	static class Mailer {

		final List<String> sent = new ArrayList<>();

		void send(Object about, String text) {
			this.sent.add(text);
		}

	}

}
