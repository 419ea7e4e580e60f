package dev.jobs.docs.results;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.NoResultException;

import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

@Component
class Shop {

	final Mailer mailer = new Mailer();

	private final JobClient jobs;

	Shop(JobClient jobs) {
		this.jobs = jobs;
	}

	Receipt charge(Order order) throws InterruptedException {
		return this.jobs.call(new Charge(order.number(), 4200), Receipt.class, Duration.ofSeconds(30));
	}

	ResponseEntity<Exported> file(String id) {
		try {
			return this.jobs.result(id, Exported.class)
				.map(ResponseEntity::ok)
				.orElse(ResponseEntity.accepted().build());
		}
		catch (NoResultException ex) {
			return ResponseEntity.notFound().build();
		}
	}

	CompletableFuture<Void> tellWhenDone(String id) {
		return this.jobs.completion(id, Exported.class).thenAccept((file) -> this.mailer.ready(file.name()));
	}

	@Component
	static class Handlers {

		private final Cards cards = new Cards();

		@JobHandler
		Receipt charge(Charge wish, JobContext context) {
			return this.cards.charge(wish, context.id());
		}

		@JobHandler(value = "export", keepResult = "1h")
		Exported export(Export wish) {
			return new Exported("orders-" + wish.year() + ".csv", 200);
		}

	}

	record Order(long number) {

	}

	@JobType("charge")
	record Charge(long order, long cents) {

	}

	record Receipt(String payment, long cents) {

	}

	@JobType("export")
	record Export(int year) {

	}

	record Exported(String name, int orders) {

	}

	/** Charges cards. */
	static class Cards {

		Receipt charge(Charge wish, String key) {
			return new Receipt("payment-" + wish.order(), wish.cents());
		}

	}

	/** Writes mails. */
	static class Mailer {

		final List<String> sent = new ArrayList<>();

		void ready(String file) {
			this.sent.add(file + " is ready");
		}

	}

}
