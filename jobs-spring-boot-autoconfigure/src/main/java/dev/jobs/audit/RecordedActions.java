package dev.jobs.audit;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;
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

	/** The actions that set a number. */
	public static final Set<String> NUMBERS = Set.of("limit", "weight", "attempts", "concurrency");

	/**
	 * Act on one thing: pause it, for example, or set a number of it.
	 * @param operator who acts
	 * @param action what to do
	 * @param kind queue, pool, worker, schedule or bulk
	 * @param name the name of the thing
	 * @param lane the lane of the queue to act on instead, or {@code null}
	 * @param number what to set, or {@code null} to use the number of the workers
	 */
	public void on(Operator operator, String action, String kind, String name, @Nullable String lane,
			@Nullable Integer number) {
		if (lane != null && !kind.equals("queue")) {
			throw RefusedException.badRequest("A 'lane' belongs to a 'queue'");
		}
		JobOperations own = this.operations.by(operator.name());
		Runnable deed = switch (kind) {
			case "queue" -> (lane != null) ? onLane(own.queue(name).lane(lane), action, number)
					: onQueue(own.queue(name), action, number);
			case "pool" -> onPool(own.pool(name), action, number);
			case "worker" -> onWorker(own.worker(name), action);
			case "schedule" -> onSchedule(own.schedule(name), action);
			default -> onBulk(own.bulkAction(name), action);
		};
		String target = (lane != null) ? "lane " + LogText.quoted(lane) + " of " + LogText.quoted(name)
				: (kind.equals("bulk") ? "bulk action" : kind) + " " + LogText.quoted(name);
		String to = NUMBERS.contains(action) ? " to " + ((number != null) ? number : "none") : "";
		this.audit.record(operator, action, target + to, deed);
	}

	private static Runnable onQueue(QueueOperations queue, String action, @Nullable Integer number) {
		return switch (action) {
			case "pause" -> queue::pause;
			case "resume" -> queue::resume;
			case "limit" -> set(number, queue::limit, queue::removeLimit);
			case "weight" -> set(number, queue::weight, queue::removeWeight);
			case "attempts" -> set(number, queue::attempts, queue::removeAttempts);
			default -> throw RefusedException
				.badRequest("'action' must be pause, resume, limit, weight, attempts, rate or lanes-rate");
		};
	}

	private static Runnable onLane(LaneOperations lane, String action, @Nullable Integer number) {
		return switch (action) {
			case "pause" -> lane::pause;
			case "resume" -> lane::resume;
			case "limit" -> set(number, lane::limit, lane::removeLimit);
			case "weight" -> set(number, lane::weight, lane::removeWeight);
			default -> throw RefusedException.badRequest("'action' must be pause, resume, limit or weight for a lane");
		};
	}

	private static Runnable onPool(PoolOperations pool, String action, @Nullable Integer number) {
		return switch (action) {
			case "pause" -> pool::pause;
			case "resume" -> pool::resume;
			case "concurrency" -> set(number, pool::concurrency, pool::removeConcurrency);
			default -> throw RefusedException.badRequest("'action' must be pause, resume or concurrency");
		};
	}

	private static Runnable onWorker(WorkerOperations worker, String action) {
		return switch (action) {
			case "quiet" -> worker::quiet;
			case "resume" -> worker::resume;
			default -> throw RefusedException.badRequest("'action' must be quiet or resume");
		};
	}

	private static Runnable onSchedule(ScheduleOperations schedule, String action) {
		return switch (action) {
			case "pause" -> schedule::pause;
			case "resume" -> schedule::resume;
			case "drop" -> schedule::drop;
			default -> throw RefusedException.badRequest("'action' must be trigger, pause, resume, put or drop");
		};
	}

	private static Runnable onBulk(BulkOperations bulk, String action) {
		return switch (action) {
			case "stop" -> bulk::stop;
			case "resume" -> bulk::resume;
			default -> throw RefusedException.badRequest("'action' must be stop or resume");
		};
	}

	private static Runnable set(@Nullable Integer number, IntConsumer setter, Runnable remover) {
		return (number != null) ? () -> setter.accept(number) : remover;
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

	private static RefusedException unknown() {
		return RefusedException.badRequest("'action' must be retry, cancel or delete");
	}

}
