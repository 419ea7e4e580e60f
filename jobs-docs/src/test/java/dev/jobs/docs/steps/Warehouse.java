package dev.jobs.docs.steps;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class Warehouse {

	final Mailer mailer = new Mailer();

	private final JdbcClient jdbc;

	Warehouse(JdbcClient jdbc) {
		this.jdbc = jdbc;
		jdbc.sql("create table stock (pieces integer)").update();
		jdbc.sql("insert into stock values (0)").update();
	}

	@JobHandler
	void restock(Delivery delivery, JobContext context) {
		int pieces = context.transactionalStep("book", Integer.class, () -> book(delivery));
		context.step("tell", () -> this.mailer.arrived(delivery, pieces));
	}

	private int book(Delivery delivery) {
		this.jdbc.sql("update stock set pieces = pieces + ?").param(delivery.pieces()).update();
		return pieces();
	}

	int pieces() {
		return this.jdbc.sql("select pieces from stock").query(Integer.class).single();
	}

	@JobType("delivery")
	record Delivery(int pieces) {

	}

	/** Writes mails. */
	static class Mailer {

		final List<String> sent = new ArrayList<>();

		void arrived(Delivery delivery, int pieces) {
			this.sent.add(delivery.pieces() + " pieces, now " + pieces);
		}

	}

}
