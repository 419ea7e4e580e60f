package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the Javadoc of {@code dev.jobs} shows, compiled. Each part between a line
 * {@code // example Type} and {@code // end} is the example of that type.
 */
final class JavadocExamples {

	private JavadocExamples() {
	}

	static Enqueued jobClient(JobClient jobs, OrderMail mail, List<OrderMail> mails) {
		// example JobClient
		jobs.enqueue(mail);
		jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)).unique("order-7"));
		jobs.enqueue("send-email", mail, (options) -> options.tags("customer:42"));
		jobs.enqueueAll(mails);
		Enqueued enqueued = jobs.tryEnqueue(mail);
		// end
		return enqueued;
	}

	static EnqueueOptions enqueueOptions() {
		// example EnqueueOptions
		EnqueueOptions options = EnqueueOptions.defaults()
			.delay(Duration.ofMinutes(10))
			.unique("order-7")
			.tags("customer:42");
		// end
		return options;
	}

	static Unique unique() {
		// example Unique
		Unique unique = Unique.byKey("order-7").window(Duration.ofHours(1)).onDuplicate(Unique.OnDuplicate.REPLACE);
		// end
		return unique;
	}

	static JobFilter jobFilter() {
		// example JobFilter
		JobFilter timeouts = JobFilter.all().states(JobState.DEAD).name("send-email").text("timeout");
		// end
		return timeouts;
	}

	static JobRequest jobRequest(OrderMail mail) {
		// example JobRequest
		JobRequest request = JobRequest.ofPayload(mail).options((options) -> options.delay(Duration.ofMinutes(10)));
		// end
		return request;
	}

	static RetryPolicy retryPolicy() {
		// example RetryPolicy
		RetryPolicy policy = RetryPolicy.defaults()
			.maxAttempts(10)
			.backoff(Backoff.fixed(Duration.ofMinutes(1)))
			.noRetryFor((ex) -> ex instanceof IllegalArgumentException);
		// end
		return policy;
	}

	static Backoff backoff() {
		// example Backoff
		Backoff backoff = Backoff.exponential(Duration.ofSeconds(15), 2, Duration.ofHours(1)).jitter(0.2);
		// end
		return backoff;
	}

	static JobResult jobResult(boolean busy) {
		// example JobResult
		if (busy) {
			return JobResult.retryIn(Duration.ofMinutes(5)).message("The mail server is busy");
		}
		return JobResult.done();
		// end
	}

	static int jobOperations(JobOperations operations, JobFilter timeouts) {
		// example JobOperations
		operations.pause("send-email");
		operations.limit("resize-image", 3);
		int retried = operations.retryAll(timeouts);
		operations.resume("send-email");
		// end
		return retried;
	}

	static Optional<OrderMail> job(JobClient jobs, String id) {
		// example Job
		Optional<OrderMail> mail = jobs.find(id).map((job) -> job.payloadAs(OrderMail.class));
		// end
		return mail;
	}

	static boolean enqueued(JobClient jobs, OrderMail mail) {
		// example Enqueued
		Enqueued enqueued = jobs.tryEnqueue(mail);
		boolean accepted = !enqueued.isFull();
		String id = enqueued.id();
		Instant dueAt = enqueued.dueAt();
		// end
		return accepted && !id.isEmpty() && dueAt != null;
	}

	/**
	 * A payload.
	 *
	 * @param to to whom
	 * @param order the number of the order
	 */
	@JobType("send-email")
	record OrderMail(String to, long order) {

	}

}
