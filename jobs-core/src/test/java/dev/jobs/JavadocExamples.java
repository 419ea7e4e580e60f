package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.jobs.operations.JobOperations;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.SelectionOperations;

/**
 * The examples in the Javadoc of {@code dev.jobs}, compiled. Each part between a line
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

	static void enqueueOptions(JobClient jobs, OrderMail mail) {
		// example EnqueueOptions
		jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)).unique("order-7").tags("customer:42"));
		// end
	}

	static Unique unique() {
		// example Unique
		Unique unique = Unique.byKey("order-7",
				(rule) -> rule.window(Duration.ofHours(1)).onDuplicate(Unique.OnDuplicate.REPLACE));
		// end
		return unique;
	}

	static JobFilter jobFilter() {
		// example JobFilter
		JobFilter timeouts = JobFilter.of((only) -> only.states(JobState.DEAD).name("send-email").text("timeout"));
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
		RetryPolicy policy = RetryPolicy.of((retry) -> retry.maxAttempts(10)
			.backoff(Backoff.fixed(Duration.ofMinutes(1)))
			.noRetryFor((ex) -> ex instanceof IllegalArgumentException));
		// end
		return policy;
	}

	static List<Rate> rate() {
		// example Rate
		Rate rate = Rate.of(100, Duration.ofMinutes(1)).burst(10);
		Rate same = Rate.parse("100/1m burst 10");
		// end
		return List.of(rate, same);
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
		operations.queue("send-email").pause();
		operations.queue("resize-image").limit(3);
		int retried = operations.jobs(timeouts).retry();
		operations.queue("send-email").resume();
		// end
		return retried;
	}

	static String bulkStatus(JobOperations operations, JobFilter timeouts) {
		// example BulkStatus
		BulkStatus started = operations.jobs(timeouts).startRetry();
		String shown = operations.bulkAction(started.id())
			.status()
			.map((bulk) -> bulk.done() + " of " + bulk.total() + " retried")
			.orElse("unknown");
		// end
		return shown;
	}

	static Optional<OrderMail> job(JobClient jobs, String id) {
		// example Job
		Optional<OrderMail> mail = jobs.find(id).map((job) -> job.payloadAs(OrderMail.class));
		// end
		return mail;
	}

	static String enqueued(JobClient jobs, OrderMail mail) {
		// example Enqueued
		Enqueued enqueued = jobs.tryEnqueue(mail);
		if (enqueued.isFull()) {
			return "Try again later";
		}
		String line = "Job " + enqueued.id() + " may run at " + enqueued.dueAt();
		// end
		return line;
	}

	static Handler<OrderMail> handler() {
		// example Handler
		Handler<OrderMail> handler = (mail, context) -> {
			context.checkIn("to " + mail.to());
			return JobResult.done();
		};
		// end
		return handler;
	}

	static void jobContext(JobContext context, int lines) {
		// example JobContext
		for (int line = 1; line <= lines && !context.cancelled(); line++) {
			context.progress(line, lines);
		}
		// end
	}

	static JobListener jobListener(List<String> lines) {
		// example JobListener
		JobListener listener = (event) -> lines.add(event.at() + " " + event.name());
		// end
		return listener;
	}

	static JobListener jobEvent(List<String> alerts) {
		// example JobEvent
		JobListener listener = (event) -> {
			if (event instanceof JobEvent.Died died) {
				alerts.add(died.name() + " died of " + died.error());
			}
		};
		// end
		return listener;
	}

	static EnqueueInterceptor enqueueInterceptor() {
		// example EnqueueInterceptor
		EnqueueInterceptor interceptor = (requests, next) -> next
			.proceed(requests.stream().map((request) -> request.header("tenant", "acme")).toList());
		// end
		return interceptor;
	}

	static RunInterceptor runInterceptor() {
		// example RunInterceptor
		RunInterceptor interceptor = (context, next) -> {
			String tenant = context.headers().get("tenant");
			return (tenant != null) ? next.proceed() : JobResult.discard().message("No tenant");
		};
		// end
		return interceptor;
	}

	static String jobArgs() {
		// example JobArgs
		JobArgs args = JobArgs.of(Map.of("to", "ada", "copies", 2));
		String to = args.string("to");
		long copies = args.integer("copies");
		args.check();
		// end
		return to + copies;
	}

	static Duration jobRejectedException(JobClient jobs, OrderMail mail) {
		// example JobRejectedException
		try {
			jobs.enqueue(mail);
		}
		catch (JobRejectedException ex) {
			return ex.getRetryAfter();
		}
		// end
		return Duration.ZERO;
	}

	static String jobStoreException(JobClient jobs, String id) {
		// example JobStoreException
		try {
			jobs.cancel(id);
		}
		catch (JobStoreException ex) {
			return ex.isTemporary() ? "Try again later" : ex.getMessage();
		}
		// end
		return "Done";
	}

	static String unknownNameException(JobOperations operations) {
		// example UnknownNameException
		try {
			operations.queue("send-mial").pause();
		}
		catch (UnknownNameException ex) {
			return ex.getMessage();
		}
		// end
		return "Paused";
	}

	static List<String> enqueueUnconfirmedException(JobClient jobs, List<OrderMail> mails) {
		// example EnqueueUnconfirmedException
		try {
			jobs.enqueueAll(mails);
		}
		catch (EnqueueUnconfirmedException ex) {
			return ex.getIds();
		}
		// end
		return List.of();
	}

	static List<String> queueStatus(JobOperations operations) {
		// example QueueStatus
		List<String> unserved = operations.queues()
			.stream()
			.filter((queue) -> !queue.served())
			.map(QueueStatus::name)
			.toList();
		// end
		return unserved;
	}

	static List<String> laneStatus(JobOperations operations) {
		// example LaneStatus
		List<String> full = operations.queue("send-invoice")
			.busiestLanes(10)
			.stream()
			.filter(LaneStatus::full)
			.map(LaneStatus::name)
			.toList();
		// end
		return full;
	}

	static int laneOperations(JobOperations operations) {
		// example LaneOperations
		LaneOperations lane = operations.by("ada").queue("send-invoice").lane("tenant:42");
		lane.limit(1);
		int deleted = lane.deleteWaiting();
		lane.removeLimit();
		// end
		return deleted;
	}

	static long workerStatus(JobOperations operations) {
		// example WorkerStatus
		long running = operations.workers().stream().mapToLong(WorkerStatus::running).sum();
		// end
		return running;
	}

	static List<String> scheduleStatus(JobOperations operations) {
		// example ScheduleStatus
		List<String> overdue = operations.schedules()
			.stream()
			.filter((schedule) -> schedule.overdueSince() != null)
			.map(ScheduleStatus::name)
			.toList();
		// end
		return overdue;
	}

	static ScheduleRequest scheduleRequest() {
		// example ScheduleRequest
		ScheduleRequest daily = ScheduleRequest
			.of((schedule) -> schedule.cron("0 0 7 * * MON-FRI").zone("Europe/Berlin").job("send-report", "42"));
		// end
		return daily;
	}

	static List<String> storeStatus(JobOperations operations) {
		// example StoreStatus
		List<String> faults = operations.store()
			.faults()
			.stream()
			.filter(StoreStatus.Fault::stopsWork)
			.map(StoreStatus.Fault::text)
			.toList();
		// end
		return faults;
	}

	static long queueStatistics(JobOperations operations, Instant now) {
		// example QueueStatistics
		Instant hourAgo = now.minus(Duration.ofHours(1));
		List<QueueStatistics> minutes = operations.queue("send-email").statistics(hourAgo, now, Duration.ofMinutes(1));
		long succeeded = minutes.stream().mapToLong(QueueStatistics::succeeded).sum();
		// end
		return succeeded;
	}

	static boolean waitReason(JobOperations operations, Job job) {
		// example WaitReason
		WaitReason reason = operations.waitReason(job);
		boolean paused = reason.kind() == WaitReason.Kind.PAUSED;
		// end
		return paused;
	}

	static void deaths(JobOperations operations, List<String> lines) {
		// example Deaths
		for (Deaths.Cause cause : operations.jobs(JobFilter.all()).deaths().causes()) {
			lines.add(cause.count() + " died of " + cause.error());
		}
		// end
	}

	static List<Job> pageRequest(JobOperations operations, JobFilter timeouts) {
		// example PageRequest
		PageRequest request = PageRequest.oldestFirst(100);
		JobPage page = operations.jobs(timeouts).page(request);
		List<Job> jobs = new ArrayList<>(page.jobs());
		while (page.next() != null) {
			page = operations.jobs(timeouts).page(request.after(page.next()));
			jobs.addAll(page.jobs());
		}
		// end
		return jobs;
	}

	static JobPage jobPage(JobOperations operations) {
		// example JobPage
		SelectionOperations dead = operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD)));
		JobPage page = dead.page(PageRequest.newestFirst(50));
		String next = page.next();
		if (next != null) {
			page = dead.page(PageRequest.newestFirst(50).after(next));
		}
		// end
		return page;
	}

	static String jobCount(JobOperations operations) {
		// example JobCount
		JobCount dead = operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).count(10_000);
		String shown = dead + " dead jobs";
		// end
		return shown;
	}

	static String trail(Job job) {
		// example Trail
		Trail trail = job.trail();
		Trail.Attempt last = trail.lastFailure();
		String error = (last != null) ? last.error() : "no failure so far";
		String line = "attempt " + trail.attempt() + ", " + trail.failures() + " failed: " + error;
		// end
		return line;
	}

	/** Example of a bean. */
	static class Mails {

		// example JobHandler
		@JobHandler(value = "send-email", maxAttempts = 5, timeout = "1m")
		JobResult send(OrderMail mail, JobContext context) {
			if (mail.to().isEmpty()) {
				return JobResult.discard().message("Nobody to send it to");
			}
			context.checkIn("to " + mail.to());
			return JobResult.done();
		}
		// end

	}

	// example JobType
	@JobType(value = "resize-image", maxWaiting = 100)
	record ResizeImage(String file, int width) {
	}
	// end

	// example UniqueJob
	@JobType("rebuild-index")
	@UniqueJob(window = "10m")
	record RebuildIndex(String shop) {
	}
	// end

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
