package dev.jobs.docs.handlers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

@Component
class Billing {

	final Cards cards = new Cards();

	final Crm crm = new Crm();

	final List<String> log = new ArrayList<>();

	@JobHandler(value = "charge-card", maxAttempts = 5, timeout = "30s", priority = 10, maxConcurrency = 10,
			noRetryFor = CardDeclinedException.class, tags = "team:billing",
			backoff = @JobHandler.RetryDelay(type = "exponential", delay = "15s", maxDelay = "1h", jitter = 0.2))
	void charge(ChargeCard charge, JobContext context) {
		this.cards.charge(charge.order(), charge.cents(), context.id());
	}

	@JobHandler("sync-customer")
	JobResult sync(SyncCustomer sync) {
		Answer answer = this.crm.push(sync.customer());
		return switch (answer.status()) {
			case 429 -> JobResult.holdBack(answer.retryAfter()).message("rate limited");
			case 410 -> JobResult.discard().message("the customer is gone");
			case 503 -> JobResult.retry().message("the CRM is down");
			default -> JobResult.done();
		};
	}

	@JobHandler("import-lines")
	void importLines(ImportLines wish, JobContext context) {
		for (int line = 0; line < wish.lines().size() && !context.cancelled(); line++) {
			store(wish.lines().get(line));
			context.checkIn("line " + (line + 1));
			context.progress(line + 1, wish.lines().size());
		}
	}

	@JobHandler(value = "poll-bank", backoff = @JobHandler.RetryDelay(bean = "quickThenHourly"))
	void poll() {
		this.log.add(Tenant.current());
	}

	private void store(String line) {
		this.log.add(line);
	}

	@JobType("charge-card")
	record ChargeCard(long order, long cents) {

	}

	record RefundCard(long order) {

	}

	@JobType("sync-customer")
	record SyncCustomer(long customer) {

	}

	@JobType("import-lines")
	record ImportLines(List<String> lines) {

	}

	record Answer(int status, Duration retryAfter) {

	}

	static final class Cards {

		RuntimeException failure;

		final List<String> keys = new ArrayList<>();

		void charge(long order, long cents, String idempotencyKey) {
			if (this.failure != null) {
				throw this.failure;
			}
			this.keys.add(idempotencyKey);
		}

	}

	static final class Crm {

		Answer answer = new Answer(200, Duration.ZERO);

		Answer push(long customer) {
			return this.answer;
		}

	}

	static final class CardDeclinedException extends RuntimeException {

	}

}
