package dev.jobs.docs.enqueueing;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.jobs.BulkStatus;
import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.JobType;
import dev.jobs.Unique;
import dev.jobs.operations.JobOperations;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * What docs/enqueueing.md shows.
 */
@Component
class Orders {

	private final JobClient jobs;

	Orders(JobClient jobs) {
		this.jobs = jobs;
	}

	Enqueued now(OrderMail mail) {
		Enqueued enqueued = this.jobs.enqueue(mail);
		return enqueued;
	}

	void later(OrderMail mail, Instant instant) {
		this.jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)));
		this.jobs.enqueue(mail, (options) -> options.at(instant));
	}

	Enqueued atNineInParis(OrderMail mail, LocalDate day) {
		Instant nine = day.atTime(9, 0).atZone(ZoneId.of("Europe/Paris")).toInstant();
		return this.jobs.enqueue(mail, (options) -> options.at(nine));
	}

	void byName(String text) {
		this.jobs.enqueue("rebuild-index");
		this.jobs.enqueue("send-sms", Map.of("to", "+33123456789", "text", "Your order is here"));
		this.jobs.enqueue(JobRequest.named("print").payload(text));
	}

	List<Enqueued> many(List<OrderMail> mails) {
		List<Enqueued> all = this.jobs.enqueueAll(mails, (options) -> options.tags("newsletter"));
		return all;
	}

	void withOptions(OrderMail mail) {
		this.jobs.enqueue(mail,
				(options) -> options.delay(Duration.ofHours(1))
					.unique("reminder-" + mail.order(), (rule) -> rule.onDuplicate(Unique.OnDuplicate.REPLACE))
					.tags("customer:42")
					.header("source", "checkout"));
	}

	void withOptionsThatDepend(OrderMail mail, boolean quiet) {
		this.jobs.enqueue(mail, (options) -> {
			options.tags("order " + mail.order());
			if (quiet) {
				options.delay(Duration.ofHours(8));
			}
		});
	}

	@Transactional
	void inATransaction(OrderMail mail, OrderMail audit) {
		this.jobs.enqueue(mail);
		this.jobs.enqueue(audit, (options) -> options.ignoreTransaction());
	}

	String andItsErrors(OrderMail mail) {
		try {
			return this.jobs.enqueue(mail).id();
		}
		catch (JobRejectedException ex) {
			return "full, try again in " + ex.getRetryAfter();
		}
		catch (EnqueueUnconfirmedException ex) {
			return "perhaps stored as " + ex.getIds();
		}
		catch (JobStoreException ex) {
			return "not stored: " + ex.getMessage();
		}
	}

	String afterwards(String id) {
		Optional<Job> job = this.jobs.find(id);
		String state = job.map((found) -> found.state() + ", attempt " + found.attempt())
			.orElse("gone: done or cancelled");
		this.jobs.reschedule(id, Instant.parse("2030-06-01T00:00:00Z"));
		this.jobs.cancel(id);
		return state;
	}

	int retryTimeouts(JobOperations operations) {
		JobFilter timeouts = JobFilter.of((only) -> only.states(JobState.DEAD).name("send-email").text("timeout"));
		int retried = operations.jobs(timeouts).retry();
		return retried;
	}

	BulkStatus retryInTheBackground(JobOperations operations, JobFilter timeouts) {
		BulkStatus started = operations.by("ada").jobs(timeouts).startRetry();
		operations.bulkAction(started.id()).stop();
		operations.bulkAction(started.id()).resume();
		BulkStatus now = operations.bulkAction(started.id()).status().orElseThrow();
		return now;
	}

	@JobType("send-email")
	record OrderMail(String to, long order) {

	}

}
