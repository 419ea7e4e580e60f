package dev.jobs.audit;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.jobs.BulkStatus;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.ScheduleRequest;
import dev.jobs.Signal;
import dev.jobs.Trail;
import dev.jobs.UnknownNameException;
import dev.jobs.operations.BulkOperations;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.PoolOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.operations.SingleJobOperations;
import dev.jobs.operations.WorkerOperations;
import dev.jobs.query.RefusedException;
import dev.jobs.query.SentSchedule;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the actions of operators and records them, whichever surface they come
 * from.
 *
 * @param operations the operations
 * @param audit records the actions
 */
public record RecordedActions(JobOperations operations, Audit audit) {

	/**
	 * Pause or resume a queue, or set its limit, weight or attempts.
	 * @param operator who acts
	 * @param action what to do
	 * @param name the queue
	 * @param number what to set, or {@code null} to use the number of the workers
	 */
	public void onQueue(Operator operator, String action, String name, @Nullable Integer number) {
		QueueOperations queue = this.operations.by(operator.name()).queue(name);
		String target = "queue " + LogText.quoted(name);
		switch (action) {
			case "pause" -> this.audit.record(operator, action, target, queue::pause);
			case "resume" -> this.audit.record(operator, action, target, queue::resume);
			case "limit" -> set(operator, action, target, number, queue::limit, queue::removeLimit);
			case "weight" -> set(operator, action, target, number, queue::weight, queue::removeWeight);
			case "attempts" -> set(operator, action, target, number, queue::attempts, queue::removeAttempts);
			default -> throw RefusedException
				.badRequest("'action' must be pause, resume, limit, weight, attempts, rate or lanes-rate");
		}
	}

	/**
	 * Set the rate of a queue or of its lanes.
	 * @param operator who acts
	 * @param action {@code rate}, or {@code lanes-rate} for that of each lane
	 * @param name the queue
	 * @param rate the rate as a text, or {@code null} to use that of the handler
	 */
	public void onRate(Operator operator, String action, String name, @Nullable String rate) {
		QueueOperations queue = this.operations.by(operator.name()).queue(name);
		Rate parsed = (rate != null) ? RefusedException.orBadRequest(() -> Rate.parse(rate)) : null;
		Consumer<Rate> setter = action.equals("rate") ? queue::rate : queue::rateOfLanes;
		Runnable remover = action.equals("rate") ? queue::removeRate : queue::removeRateOfLanes;
		this.audit.record(operator, action,
				"queue " + LogText.quoted(name) + " to " + ((parsed != null) ? parsed.toText() : "none"),
				(parsed != null) ? () -> setter.accept(parsed) : remover);
	}

	/**
	 * Pause or resume a lane, or set its limit or weight.
	 * @param operator who acts
	 * @param action what to do
	 * @param queue the queue of the lane
	 * @param name the lane
	 * @param number what to set, or {@code null} to use the number of the workers
	 */
	public void onLane(Operator operator, String action, String queue, String name, @Nullable Integer number) {
		LaneOperations lane = this.operations.by(operator.name()).queue(queue).lane(name);
		String target = "lane " + LogText.quoted(name) + " of " + LogText.quoted(queue);
		switch (action) {
			case "pause" -> this.audit.record(operator, action, target, lane::pause);
			case "resume" -> this.audit.record(operator, action, target, lane::resume);
			case "limit" -> set(operator, action, target, number, lane::limit, lane::removeLimit);
			case "weight" -> set(operator, action, target, number, lane::weight, lane::removeWeight);
			default -> throw RefusedException.badRequest("'action' must be pause, resume, limit or weight for a lane");
		}
	}

	/**
	 * Pause or resume a pool, or set its concurrency.
	 * @param operator who acts
	 * @param action what to do
	 * @param name the pool
	 * @param number what to set, or {@code null} to use the number of the workers
	 */
	public void onPool(Operator operator, String action, String name, @Nullable Integer number) {
		PoolOperations pool = this.operations.by(operator.name()).pool(name);
		String target = "pool " + LogText.quoted(name);
		switch (action) {
			case "pause" -> this.audit.record(operator, action, target, pool::pause);
			case "resume" -> this.audit.record(operator, action, target, pool::resume);
			case "concurrency" -> set(operator, action, target, number, pool::concurrency, pool::removeConcurrency);
			default -> throw RefusedException.badRequest("'action' must be pause, resume or concurrency");
		}
	}

	/**
	 * Make a worker take no more jobs, or take jobs again.
	 * @param operator who acts
	 * @param action what to do
	 * @param id the worker
	 */
	public void onWorker(Operator operator, String action, String id) {
		WorkerOperations worker = this.operations.by(operator.name()).worker(id);
		String target = "worker " + LogText.quoted(id);
		switch (action) {
			case "quiet" -> this.audit.record(operator, action, target, worker::quiet);
			case "resume" -> this.audit.record(operator, action, target, worker::resume);
			default -> throw RefusedException.badRequest("'action' must be quiet or resume");
		}
	}

	private void set(Operator operator, String action, String target, @Nullable Integer number, IntConsumer setter,
			Runnable remover) {
		this.audit.record(operator, action, target + " to " + ((number != null) ? number : "none"),
				(number != null) ? () -> setter.accept(number) : remover);
	}

	/**
	 * Pause, resume or drop a schedule.
	 * @param operator who acts
	 * @param action what to do
	 * @param name the schedule
	 */
	public void onSchedule(Operator operator, String action, String name) {
		ScheduleOperations schedule = this.operations.schedule(name);
		String target = "schedule " + LogText.quoted(name);
		switch (action) {
			case "pause" -> this.audit.record(operator, action, target, schedule::pause);
			case "resume" -> this.audit.record(operator, action, target, schedule::resume);
			case "drop" -> this.audit.record(operator, action, target, schedule::drop);
			default -> throw RefusedException.badRequest("'action' must be trigger, pause, resume, put or drop");
		}
	}

	/**
	 * Create or change a schedule.
	 * @param operator who acts
	 * @param name the schedule
	 * @param what what the operator set
	 * @param request describes all of it
	 * @return what was done
	 */
	public ScheduleOperations.Put put(Operator operator, String name, String what, ScheduleRequest request) {
		AtomicReference<ScheduleOperations.Put> done = new AtomicReference<>();
		this.audit.record(operator, "put", "schedule " + LogText.quoted(name) + " " + what,
				() -> done.set(this.operations.schedule(name).put(request)));
		return Objects.requireNonNull(done.get());
	}

	/**
	 * Enqueue the job of a schedule now.
	 * @param operator who acts
	 * @param schedule the schedule
	 * @return what happened
	 */
	public Enqueued trigger(Operator operator, String schedule) {
		return enqueue(operator, "trigger", "schedule " + LogText.quoted(schedule),
				() -> this.operations.schedule(schedule).runNow());
	}

	/**
	 * Enqueue a job.
	 * @param operator who acts
	 * @param action the name of the action
	 * @param target what it is done to
	 * @param enqueuer enqueues the job
	 * @return what happened
	 */
	public Enqueued enqueue(Operator operator, String action, String target, Supplier<Enqueued> enqueuer) {
		AtomicReference<Enqueued> result = new AtomicReference<>();
		this.audit.record(operator, action, target, (changed) -> {
			Enqueued enqueued = enqueuer.get();
			result.set(enqueued);
			if (enqueued.isNew()) {
				changed.accept(enqueued.id());
			}
		});
		return Objects.requireNonNull(result.get());
	}

	/**
	 * Retry, cancel, delete, reschedule or move jobs one by one.
	 * @param operator who acts
	 * @param action what to do
	 * @param target which jobs these are
	 * @param dueAt the new due time, or {@code null} unless they are rescheduled
	 * @param toLane the new lane, empty for none, or {@code null} unless they are moved
	 * @param jobs passes on their ids
	 * @return how many were changed
	 */
	public int onJobs(Operator operator, String action, String target, @Nullable Instant dueAt, @Nullable String toLane,
			Consumer<Consumer<String>> jobs) {
		requireFor(action, dueAt, toLane);
		Predicate<SingleJobOperations> change = switch (action) {
			case "retry" -> SingleJobOperations::retry;
			case "cancel" -> SingleJobOperations::cancel;
			case "delete" -> SingleJobOperations::delete;
			case "reschedule" -> (job) -> job.reschedule(Objects.requireNonNull(dueAt));
			case "move" -> (job) -> job.moveTo(laneOf(toLane));
			default -> throw unknown();
		};
		return this.audit.record(operator, action, target + to(dueAt, toLane), (changed) -> jobs.accept((id) -> {
			if (change.test(this.operations.job(id))) {
				changed.accept(id);
			}
		}));
	}

	/**
	 * Forget what a job has saved under a name.
	 * @param operator who acts
	 * @param id the job
	 * @param step the name of the step, the cursor or the sleep
	 */
	public void forgetStep(Operator operator, String id, String step) {
		SingleJobOperations job = this.operations.job(id);
		int forgotten = this.audit.record(operator, "forget-step",
				"step " + LogText.quoted(step) + " of " + LogText.quoted(id), (changed) -> {
					if (job.forgetStep(step)) {
						changed.accept(id);
					}
				});
		if (forgotten == 0) {
			throw job.find().isPresent()
					? RefusedException.conflict("The job runs, or has saved nothing under this name")
					: RefusedException.notFound("There is no such job");
		}
	}

	/**
	 * Send the signal that a job waits for.
	 * @param operator who acts
	 * @param id the job
	 * @param value its value as JSON, or {@code null} or blank for none
	 * @return what became of it
	 */
	public Signal.Sent sendSignal(Operator operator, String id, @Nullable String value) {
		byte[] json = (value != null && !value.isBlank())
				? RefusedException.orBadRequest(() -> SentSchedule.json("value", value)) : null;
		SingleJobOperations job = this.operations.job(id);
		Job found = job.find().orElseThrow(() -> RefusedException.notFound("There is no such job"));
		Trail.Wait wait = (found.state() == JobState.WAITING) ? found.trail().waitsFor() : null;
		String signal = (wait != null) ? wait.signal() : null;
		if (signal == null) {
			throw RefusedException.conflict("The job waits for no signal");
		}
		AtomicReference<Signal.Sent> sent = new AtomicReference<>();
		this.audit.record(operator, "send-signal", "signal " + LogText.quoted(signal) + " of " + LogText.quoted(id),
				(changed) -> {
					sent.set(RefusedException.orRefused(() -> job.send(json)));
					if (sent.get() != Signal.Sent.ALREADY) {
						changed.accept(id);
					}
				});
		return Objects.requireNonNull(sent.get());
	}

	/**
	 * Forget the signal about a subject that is kept.
	 * @param operator who acts
	 * @param name the name of the signal
	 * @param subject what it is about
	 */
	public void forgetSignal(Operator operator, String name, String subject) {
		String signal = RefusedException.orBadRequest(() -> Signal.of(name, Object.class).about(subject));
		this.audit.record(operator, "forget-signal", "signal " + LogText.quoted(signal), () -> {
			if (!this.operations.forgetSignal(name, subject)) {
				throw new UnknownNameException("No such signal is kept");
			}
		});
	}

	/**
	 * Retry, cancel or delete all jobs that a filter selects.
	 * @param operator who acts
	 * @param action what to do
	 * @param target which jobs these are
	 * @param filter selects them
	 * @return how many were changed
	 */
	public int onSelection(Operator operator, String action, String target, JobFilter filter) {
		SelectionOperations jobs = this.operations.jobs(filter);
		Consumer<Consumer<String>> change = switch (action) {
			case "retry" -> jobs::retry;
			case "cancel" -> jobs::cancel;
			case "delete" -> jobs::delete;
			default -> throw unknown();
		};
		return this.audit.record(operator, action, target, change);
	}

	/**
	 * Start a bulk action: retry, cancel, delete, reschedule or move all jobs that a
	 * filter selects.
	 * @param operator who acts
	 * @param action what to do
	 * @param target which jobs these are
	 * @param filter selects them
	 * @param dueAt the new due time, or {@code null} unless they are rescheduled
	 * @param toLane the new lane, empty for none, or {@code null} unless they are moved
	 * @return the bulk action
	 */
	public BulkStatus start(Operator operator, String action, String target, JobFilter filter, @Nullable Instant dueAt,
			@Nullable String toLane) {
		requireFor(action, dueAt, toLane);
		SelectionOperations jobs = this.operations.by(operator.name()).jobs(filter);
		Supplier<BulkStatus> start = switch (action) {
			case "retry" -> jobs::startRetry;
			case "cancel" -> jobs::startCancel;
			case "delete" -> jobs::startDelete;
			case "reschedule" -> () -> jobs.startReschedule(Objects.requireNonNull(dueAt));
			case "move" -> () -> jobs.startMove(laneOf(toLane));
			default -> throw RefusedException.badRequest("'action' must be retry, cancel, delete, reschedule or move");
		};
		AtomicReference<BulkStatus> started = new AtomicReference<>();
		this.audit.record(operator, action, target + to(dueAt, toLane) + ", in the background",
				() -> started.set(start.get()));
		return Objects.requireNonNull(started.get());
	}

	private static void requireFor(String action, @Nullable Instant dueAt, @Nullable String toLane) {
		if (action.equals("reschedule") == (dueAt == null)) {
			throw RefusedException
				.badRequest("A 'dueAt', when the jobs are to run, belongs to 'reschedule' and to no other");
		}
		if (action.equals("move") == (toLane == null)) {
			throw RefusedException.badRequest(
					"A 'toLane', the new lane of the jobs or empty for none, belongs to 'move' and to no other");
		}
	}

	private static @Nullable String laneOf(@Nullable String toLane) {
		return "".equals(toLane) ? null : toLane;
	}

	private static String to(@Nullable Instant dueAt, @Nullable String toLane) {
		return (dueAt != null) ? " to " + dueAt
				: (toLane != null) ? " to " + (toLane.isEmpty() ? "no lane" : LogText.quoted(toLane)) : "";
	}

	/**
	 * Stop or resume a bulk action.
	 * @param operator who acts
	 * @param action what to do
	 * @param id the bulk action
	 */
	public void onBulk(Operator operator, String action, String id) {
		BulkOperations bulk = this.operations.bulkAction(id);
		String target = "bulk action " + LogText.quoted(id);
		switch (action) {
			case "stop" -> this.audit.record(operator, action, target, bulk::stop);
			case "resume" -> this.audit.record(operator, action, target, bulk::resume);
			default -> throw RefusedException.badRequest("'action' must be stop or resume");
		}
	}

	private static RefusedException unknown() {
		return RefusedException.badRequest("'action' must be retry, cancel or delete");
	}

}
