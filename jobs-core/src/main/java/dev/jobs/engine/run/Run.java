package dev.jobs.engine.run;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import dev.jobs.Cursor;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.Signal;
import dev.jobs.Step;
import dev.jobs.Trail;
import dev.jobs.engine.context.LogContext;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Heartbeat;
import dev.jobs.engine.result.JobEnd;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * One run of a claimed job on a thread. The handler sees it as its context, and the
 * engine asks it to stop. An interruption reaches the thread only while this run is on
 * it.
 */
public final class Run implements JobContext, SavedValues.Owner {

	private static final int LONGEST_CHECK_IN = 1000;

	private static final Duration MIN_RUN_BEFORE_LOGS = Duration.ofSeconds(1);

	private final Claim claim;

	private final WorkerContext context;

	private final StoreClock clock;

	private final StepTransactions transactions;

	private final BooleanSupplier stopping;

	private final long startedNanos;

	private final @Nullable Duration timeout;

	private final Heartbeat heartbeat;

	private final AtomicReference<@Nullable Progress> pending = new AtomicReference<>();

	private volatile @Nullable Job job;

	private volatile @Nullable LogTail log;

	private volatile @Nullable Instant deadline;

	private @Nullable Map<String, Object> attributes;

	private volatile @Nullable Progress progress;

	private volatile @Nullable Stop stop;

	private volatile @Nullable Instant stopAt;

	private volatile boolean reportedStuck;

	private @Nullable Thread thread = Thread.currentThread();

	private Map<String, String> logContext = Map.of();

	private volatile @Nullable SavedValues saved;

	private volatile @Nullable Unwinding unwinding;

	private volatile Outcome.@Nullable Parked parked;

	private volatile @Nullable PayloadException unreadable;

	Run(Claim claim, WorkerContext context, @Nullable Duration timeout, Heartbeat heartbeat,
			StepTransactions transactions, BooleanSupplier stopping) {
		this.transactions = transactions;
		this.claim = claim;
		this.context = context;
		this.clock = context.clock();
		this.stopping = stopping;
		this.timeout = timeout;
		this.heartbeat = heartbeat;
		this.startedNanos = this.clock.nanos();
	}

	/**
	 * Begin to count the time that the run may take.
	 */
	public void begin() {
		Duration timeout = this.timeout;
		Instant end = (timeout != null) ? this.clock.after(timeout) : null;
		Instant deadline = this.claim.job().deadline();
		if (end != null || deadline != null) {
			this.deadline = (end == null || (deadline != null && deadline.isBefore(end))) ? deadline : end;
		}
	}

	@Override
	public @Nullable Duration remaining() {
		Instant deadline = this.deadline;
		Duration remaining = (deadline != null) ? this.clock.until(deadline) : null;
		return (remaining != null && remaining.isNegative()) ? Duration.ZERO : remaining;
	}

	/**
	 * Return the job with a way to read its payload as its type. It is created on demand,
	 * since few handlers ask.
	 */
	@Override
	public Job job() {
		Job job = this.job;
		if (job == null) {
			job = this.context.registry().readable(this.claim.job());
			this.job = job;
		}
		return job;
	}

	@Override
	public String id() {
		return this.claim.job().id();
	}

	@Override
	public String name() {
		return this.claim.job().name();
	}

	@Override
	public int attempt() {
		return this.claim.job().attempt();
	}

	@Override
	public Instant createdAt() {
		return this.claim.job().createdAt();
	}

	@Override
	public Instant dueAt() {
		return this.claim.job().dueAt();
	}

	@Override
	public Map<String, String> headers() {
		return this.claim.job().headers();
	}

	@Override
	public Map<String, Object> attributes() {
		Map<String, Object> attributes = this.attributes;
		if (attributes == null) {
			attributes = new HashMap<>();
			this.attributes = attributes;
		}
		return attributes;
	}

	@Override
	public void checkIn(@Nullable String text) {
		Progress progress = this.progress;
		String cut = (text != null && text.length() > LONGEST_CHECK_IN) ? text.substring(0, LONGEST_CHECK_IN) : text;
		report(Progress.of(cut, (progress != null) ? progress.done() : 0, (progress != null) ? progress.total() : 0,
				this.clock.now()));
	}

	@Override
	public void progress(long done, long total) {
		Progress progress = this.progress;
		report(Progress.of((progress != null) ? progress.checkIn() : null, done, total, this.clock.now()));
	}

	private void report(Progress progress) {
		this.progress = progress;
		if (this.pending.getAndSet(progress) == null) {
			this.heartbeat.requestBeatSoon();
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Exception> T step(Step step, Class<T> type, Action<T, E> action)
			throws E {
		return saved().step(step, type, action);
	}

	@Override
	public <T extends @Nullable Object, E extends Exception> T transactionalStep(Step step, Class<T> type,
			Action<T, E> action) throws E {
		return saved().step(step, type, action, this.transactions);
	}

	@Override
	public <T extends @Nullable Object> Cursor<T> cursor(String name, Class<T> type, T first) {
		return saved().cursor(name, type, first);
	}

	@Override
	public void sleep(String name, Duration duration) {
		saved().sleep(name, duration);
	}

	@Override
	public <T> T await(Signal<T> signal, Object subject, Duration timeout) {
		return saved().await(signal, signal.about(subject), timeout);
	}

	@Override
	public <T extends @Nullable Object> T await(String job, Class<T> type) {
		return saved().await(job, type);
	}

	@Override
	public boolean shouldYield() {
		return this.stopping.getAsBoolean() || cancelled();
	}

	/**
	 * Reading may take long, so the lock is not the one that those need who end the run.
	 */
	private SavedValues saved() {
		if (this.context.inTransaction().getAsBoolean()) {
			throw new IllegalStateException("The handler of job '" + name() + "' has a transaction open, so its "
					+ "effects would be undone together if it fails, while steps stay done; begin the transaction "
					+ "within the step");
		}
		synchronized (this.pending) {
			SavedValues saved = this.saved;
			if (saved == null) {
				saved = new SavedValues(this.claim, this.context, this);
				this.saved = saved;
			}
			return saved;
		}
	}

	/**
	 * Return whether the job may have saved values.
	 */
	public boolean hasSaved() {
		SavedValues saved = this.saved;
		return saved != null && !saved.isEmpty();
	}

	/**
	 * Save what has moved and is not saved yet, since the job is to run again.
	 */
	void flush() {
		SavedValues saved = this.saved;
		if (saved != null && !leaseLost()) {
			saved.flush(true);
		}
	}

	@Override
	public Unwinding unwind(JobResult result) {
		Unwinding unwinding = new Unwinding(result, "This ends the run of job '" + name() + "'; let it through");
		this.unwinding = unwinding;
		return unwinding;
	}

	@Override
	public Unwinding park(Trail.Wait wait, Instant until) {
		this.parked = new Outcome.Parked(wait, until);
		return unwind(JobResult.snoozeUntil(until));
	}

	/**
	 * Return how this run ended if it waits for something, and its outcome else.
	 */
	Outcome parkedOr(Outcome outcome) {
		Outcome.Parked parked = this.parked;
		return (parked != null && outcome instanceof Outcome.Returned returned
				&& returned.result().getKind() == JobResult.Kind.SNOOZE) ? parked : outcome;
	}

	/**
	 * Lose this run, as if the process had been killed now.
	 */
	@Override
	public synchronized Unwinding kill() {
		this.stop = Stop.KILLED;
		return unwind(JobResult.yield());
	}

	@Override
	public @Nullable Unwinding unwinding() {
		return this.unwinding;
	}

	@Override
	public boolean isSure() {
		return this.heartbeat.isSure();
	}

	@Override
	public void lost() {
		stop(Stop.LEASE_LOST);
	}

	@Override
	public void unreadable(PayloadException cause) {
		this.unreadable = cause;
	}

	/**
	 * Return how this run ended, whatever its handler made of the exceptions and errors
	 * that were thrown in it.
	 */
	Outcome decided(Outcome outcome) {
		PayloadException unreadable = this.unreadable;
		if (unreadable != null) {
			return new Outcome.Unreadable(unreadable);
		}
		Unwinding unwinding = this.unwinding;
		return (unwinding != null && outcome instanceof Outcome.Threw) ? new Outcome.Returned(unwinding.result())
				: outcome;
	}

	/**
	 * Return whether the handler went on though its run was to end, once.
	 */
	@Nullable Unwinding takeUnwinding() {
		Unwinding unwinding = this.unwinding;
		this.unwinding = null;
		return unwinding;
	}

	/**
	 * Write what the handler returned.
	 * @throws dev.jobs.serialization.PayloadException if it cannot be written or is too
	 * large
	 */
	byte[] write(@Nullable Object value) {
		return this.context.registry().serializer().write(value, JobEnd.LARGEST_VALUE);
	}

	/**
	 * Record a line that the handler wrote to its log.
	 * @return whether it was recorded; not if the run has ended
	 */
	public boolean log(String line) {
		LogTail log;
		synchronized (this) {
			if (this.thread == null) {
				return false;
			}
			log = this.log;
			if (log == null) {
				log = new LogTail();
				this.log = log;
			}
		}
		log.add(line);
		return true;
	}

	/**
	 * Return the newest lines that the handler has written to its log.
	 * @return the lines, or {@code null} if there are none
	 */
	public @Nullable String logged() {
		LogTail log = this.log;
		return (log != null) ? log.text() : null;
	}

	/**
	 * Take the progress and the log since the last call. The log alone counts only once
	 * the run is long enough for people to watch.
	 * @return the progress, or {@code null} if nothing new
	 */
	public @Nullable Progress drainPendingProgress() {
		Progress pending = this.pending.getAndSet(null);
		LogTail log = isOver() ? null : this.log;
		if (log == null || (pending == null && took().compareTo(MIN_RUN_BEFORE_LOGS) < 0)) {
			return pending;
		}
		String news = log.takeNews();
		if (pending == null && news == null) {
			return null;
		}
		Progress latest = (pending != null) ? pending : this.progress;
		String lines = (news != null) ? news : log.text();
		return (latest != null)
				? Progress.of(latest.checkIn(), latest.done(), latest.total(), latest.at()).withLog(lines)
				: Progress.of(null, 0, 0, this.clock.now()).withLog(lines);
	}

	/**
	 * Keep the log context, unless one was kept before.
	 */
	void keepLogContext() {
		if (this.logContext.isEmpty()) {
			this.logContext = LogContext.current();
		}
	}

	Map<String, String> logContext() {
		return this.logContext;
	}

	@Override
	public boolean cancelled() {
		return this.stop != null;
	}

	@Override
	public boolean leaseLost() {
		return this.stop == Stop.LEASE_LOST || this.stop == Stop.KILLED;
	}

	@Override
	public long fencingToken() {
		return this.claim.token();
	}

	public Claim claim() {
		return this.claim;
	}

	public Duration took() {
		return Duration.ofNanos(this.clock.nanos() - this.startedNanos);
	}

	/**
	 * Return when this run must have ended.
	 * @return the instant, or {@code null} if it has no limit or has not begun
	 */
	@Nullable Instant deadline() {
		return this.deadline;
	}

	/**
	 * Ask the run to stop and interrupt its thread. The first reason counts, but a lost
	 * lease outweighs any other.
	 * @param reason why
	 */
	public synchronized void stop(Stop reason) {
		if (this.thread == null || (this.stop != null && reason != Stop.LEASE_LOST)) {
			return;
		}
		this.stop = reason;
		this.stopAt = this.clock.now();
		this.thread.interrupt();
	}

	/**
	 * Take the run off its thread. After this it can no longer be interrupted.
	 * @return why the run was asked to stop, or {@code null} if it was not
	 */
	public synchronized @Nullable Stop end() {
		if (this.thread == null) {
			return this.stop;
		}
		this.thread = null;
		Thread.interrupted();
		return this.stop;
	}

	private synchronized boolean isOver() {
		return this.thread == null;
	}

	@Nullable Stop stopped() {
		return this.stop;
	}

	/**
	 * Return when the run should have ended, once it is long overdue.
	 * @param patience how long an interrupted run may take
	 * @return the instant, at the first call for a stuck run, or {@code null}
	 */
	@Nullable Instant newlyStuckSince(Duration patience) {
		Instant stopAt = this.stopAt;
		if (stopAt == null || this.reportedStuck || stopAt.plus(patience).isAfter(this.clock.now())) {
			return null;
		}
		this.reportedStuck = true;
		return stopAt;
	}

	/**
	 * Return how long ago the run was asked to stop.
	 * @return the time; zero if it was not
	 */
	Duration sinceStop() {
		Instant stopAt = this.stopAt;
		return (stopAt != null) ? Duration.between(stopAt, this.clock.now()) : Duration.ZERO;
	}

	public boolean isStuck() {
		return this.reportedStuck;
	}

	/**
	 * Return whether the handler has called {@link System#exit}, which does not return.
	 * @return whether the thread of this run waits in that call
	 */
	public synchronized boolean isExiting() {
		Thread thread = this.thread;
		return thread != null && Stream.of(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(Runtime.class.getName())
					&& frame.getMethodName().equals("exit"));
	}

	/**
	 * Return whether this run is on the calling thread.
	 */
	public boolean isOnThisThread() {
		return this.thread == Thread.currentThread();
	}

	/**
	 * Why a run is asked to stop.
	 */
	public enum Stop {

		/** It took too long. */
		TIMED_OUT,

		/** An operator cancelled it. */
		CANCELLED,

		/** The worker stops. */
		STOPPING,

		/** Another worker may have the job. */
		LEASE_LOST,

		/** A test wants to lose it. */
		KILLED

	}

}
