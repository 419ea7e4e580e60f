package dev.jobs.engine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.Trail.End;
import dev.jobs.store.Claim;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what becomes of a job that ended, and has it written. It is the only place that
 * asks a retry policy, and the only one that turns an {@link Outcome} into a
 * {@link Transition}.
 * <p>
 * Ended jobs are collected and written in batches: what ends while one batch is being
 * written goes into the next. A batch whose writing fails is written again until the
 * store has decided about it; the jobs stay covered by the worker's lease meanwhile.
 */
final class Settler implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Settler.class);

	private static final int LARGEST_BATCH = 500;

	private static final int LONGEST_ERROR = 1000;

	private static final int LONGEST_STACK = 8000;

	private static final Duration REST = Duration.ofMinutes(1);

	private final JobStore store;

	private final HandlerRegistry registry;

	private final EventBus events;

	private final StoreClock clock;

	private final RandomGenerator random;

	private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private List<Ending> batch = List.of();

	private boolean repeated;

	private Runnable onPending = () -> {
	};

	Settler(Shared shared, RandomGenerator random) {
		this.store = shared.store();
		this.registry = shared.registry();
		this.events = shared.events();
		this.clock = shared.clock();
		this.random = random;
	}

	void onPending(Runnable onPending) {
		this.onPending = onPending;
	}

	/**
	 * Return how many ended jobs the store has not decided about yet.
	 * @return the number
	 */
	int pending() {
		return this.pending.get();
	}

	/**
	 * Decide about a job and have it written soon.
	 * @param claim the job
	 * @param outcome how it ended
	 * @param took how long the run took
	 */
	void settle(Claim claim, Outcome outcome, Duration took) {
		this.pending.incrementAndGet();
		this.endings.add(decide(claim, outcome, took));
		this.onPending.run();
	}

	/**
	 * Put a job that was not started off for a moment, so that others get their turn.
	 * @param claim the job
	 * @param delay for how long
	 */
	void putOff(Claim claim, Duration delay) {
		this.pending.incrementAndGet();
		Instant dueAt = this.clock.now().plus(delay);
		this.endings.add(new Ending(Transition.scheduled(claim, dueAt, claim.job().trail()), null));
		this.onPending.run();
	}

	@Override
	public Duration poll() {
		if (this.batch.isEmpty()) {
			this.batch = nextBatch();
			this.repeated = false;
		}
		if (this.batch.isEmpty()) {
			return REST;
		}
		List<Transition> transitions = new ArrayList<>(this.batch.size());
		this.batch.forEach((ending) -> transitions.add(ending.transition()));
		List<Settled> settled = write(transitions);
		List<Ending> done = this.batch;
		this.batch = List.of();
		this.pending.addAndGet(-done.size());
		for (int i = 0; i < done.size(); i++) {
			tell(done.get(i), settled.get(i));
		}
		return this.endings.isEmpty() ? REST : Duration.ZERO;
	}

	/**
	 * Have the store decide about all jobs that ended so far.
	 */
	void pollAll() {
		while (pending() > 0) {
			poll();
		}
	}

	private List<Ending> nextBatch() {
		Ending next = this.endings.poll();
		if (next == null) {
			return List.of();
		}
		List<Ending> batch = new ArrayList<>();
		while (next != null) {
			batch.add(next);
			next = (batch.size() < LARGEST_BATCH) ? this.endings.poll() : null;
		}
		return batch;
	}

	private List<Settled> write(List<Transition> transitions) {
		try {
			return this.store.settle(transitions, this.clock.now());
		}
		catch (RuntimeException ex) {
			this.repeated = true;
			throw ex;
		}
	}

	private void tell(Ending ending, Settled settled) {
		Transition transition = ending.transition();
		if (logger.isDebugEnabled()) {
			logger.debug("Job '{}' {} attempt {} -> {}: {}", transition.queue(), transition.id(),
					transition.trail().attempt(), transition.to(), settled);
		}
		Supplier<JobEvent> event = ending.event();
		if (settled == Settled.APPLIED || (settled == Settled.GONE && this.repeated)) {
			if (event != null) {
				this.events.publish(event);
			}
		}
		else {
			logger.info("Job '{}' {} was no longer held when its run ended; the end changed nothing ({})",
					transition.queue(), transition.id(), settled);
			if (ending.lost() != null) {
				this.events.publish(ending.lost());
			}
		}
	}

	// --- decisions: Outcome to Transition

	private Ending decide(Claim claim, Outcome outcome, Duration took) {
		try {
			return new Decision(claim, took, this.clock.now()).about(outcome);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Could not decide about job '{}' {}; it is tried again", claim.job().name(), claim.job().id(),
					ex);
			Trail trail = claim.job().trail().failed(attempt(claim.job(), ex, this.clock.now()));
			Instant dueAt = this.clock.now().plusSeconds(60);
			return new Ending(Transition.scheduled(claim, dueAt, trail), null);
		}
	}

	private static Attempt attempt(Job job, Throwable cause, Instant at) {
		return new Attempt(job.attempt(), at, describe(cause), stackOf(cause));
	}

	/**
	 * Describe an exception in one line.
	 * @param cause the exception
	 * @return its type and message, bounded, without control characters
	 */
	static String describe(Throwable cause) {
		String message;
		try {
			message = cause.getMessage();
		}
		catch (Throwable ex) {
			message = "(its message cannot be read)";
		}
		String type = cause.getClass().getName();
		return clean((message != null) ? type + ": " + message : type);
	}

	private static String clean(String text) {
		String cut = (text.length() > LONGEST_ERROR) ? text.substring(0, LONGEST_ERROR) + "…" : text;
		StringBuilder clean = new StringBuilder(cut.length());
		cut.codePoints()
			.map((c) -> (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) ? ' ' : c)
			.forEach(clean::appendCodePoint);
		return clean.toString();
	}

	private static @Nullable String stackOf(Throwable cause) {
		try {
			StringWriter stack = new StringWriter();
			cause.printStackTrace(new PrintWriter(stack));
			String text = stack.toString();
			return (text.length() > LONGEST_STACK) ? text.substring(0, LONGEST_STACK) + "…" : text;
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * What is to be written about a job, and what is to be told once it is.
	 *
	 * @param transition what to write
	 * @param event what to tell when it is written, or {@code null} for nothing
	 * @param lost what to tell when the job was not held any more, or {@code null}
	 */
	private record Ending(Transition transition, @Nullable Supplier<JobEvent> event,
			@Nullable Supplier<JobEvent> lost) {

		Ending(Transition transition, @Nullable Supplier<JobEvent> event) {
			this(transition, event, null);
		}

	}

	/**
	 * One decision about one job.
	 */
	private final class Decision {

		private final Claim claim;

		private final Job job;

		private final Duration took;

		private final Instant now;

		private final RetryPolicy policy;

		private final boolean keepHistory;

		Decision(Claim claim, Duration took, Instant now) {
			this.claim = claim;
			this.job = claim.job();
			this.took = took;
			this.now = now;
			HandlerRegistry.Registered registered = Settler.this.registry.find(this.job.name());
			HandlerOptions options = (registered != null) ? registered.definition().options()
					: HandlerOptions.defaults();
			this.policy = options.retryPolicy();
			this.keepHistory = options.keepHistory();
		}

		Ending about(Outcome outcome) {
			if (outcome instanceof Outcome.Returned returned) {
				return returned(returned.result());
			}
			if (outcome instanceof Outcome.Threw threw) {
				return threw(threw.cause());
			}
			if (outcome instanceof Outcome.TimedOut) {
				return failed("timed out after " + this.took.toMillis() + " ms", null, null);
			}
			if (outcome instanceof Outcome.Unreadable unreadable) {
				logger.warn("Job '{}' {} has a payload that cannot be read", this.job.name(), this.job.id(),
						unreadable.cause());
				return dead(DeadReason.UNREADABLE, describe(unreadable.cause()), unreadable.cause(), this.job.trail(),
						true);
			}
			if (outcome instanceof Outcome.Cancelled) {
				Transition transition = this.keepHistory ? Transition.cancelled(this.claim, this.now)
						: Transition.removed(this.claim, this.now);
				return ending(transition, () -> new JobEvent.Cancelled(this.job, this.now));
			}
			if (outcome instanceof Outcome.Interrupted) {
				return ending(Transition.released(this.claim, this.now, this.job.trail()),
						() -> new JobEvent.Released(this.job, this.now));
			}
			return abandoned();
		}

		private Ending returned(JobResult result) {
			switch (result.kind()) {
				case DONE:
					Transition transition = this.keepHistory ? Transition.kept(this.claim, this.now)
							: Transition.removed(this.claim, this.now);
					return ending(transition, () -> new JobEvent.Succeeded(this.job, this.took, this.now));
				case RETRY:
					return failed(textOf(result, "asked to be retried"), null, dueAt(result));
				case SNOOZE:
					return postponed(dueAt(result));
				case REQUEUE:
					logger.info("Job '{}' {} goes to the back of its queue: {}", this.job.name(), this.job.id(),
							textOf(result, "no reason given"));
					return postponed(this.now.plus(this.policy.requeueDelay()));
				case DISCARD:
				default:
					String reason = textOf(result, "discarded");
					return dead(DeadReason.DISCARDED, reason, null, failure(reason, null), true);
			}
		}

		private String textOf(JobResult result, String otherwise) {
			return (result.message() != null) ? clean(result.message()) : otherwise;
		}

		private Instant dueAt(JobResult result) {
			if (result.at() != null) {
				return StoreClock.roundUp(result.at());
			}
			return (result.in() != null) ? StoreClock.roundUp(this.now.plus(result.in())) : this.now;
		}

		private Ending postponed(Instant dueAt) {
			return ending(Transition.scheduled(this.claim, dueAt, this.job.trail().postponed()),
					() -> new JobEvent.Postponed(this.job, dueAt, this.now));
		}

		private Ending threw(Throwable cause) {
			String error = describe(cause);
			if (this.policy.onException() == OnException.FAIL || this.policy.terminal().test(cause)) {
				return dead(DeadReason.DISCARDED, error, cause, failure(error, cause), true);
			}
			return failed(error, cause, null);
		}

		private Ending failed(String error, @Nullable Throwable cause, @Nullable Instant wanted) {
			Trail trail = failure(error, cause);
			if (trail.failures() >= this.policy.maxAttempts()) {
				return dead(DeadReason.EXHAUSTED, error, cause, trail, this.policy.keepDead());
			}
			Instant dueAt = (wanted != null) ? wanted : this.now.plus(backoff(trail.failures()));
			logger.warn("Job '{}' {} failed in attempt {} of {} and runs again at {}: {}", this.job.name(),
					this.job.id(), trail.failures(), this.policy.maxAttempts(), dueAt, error, cause);
			return ending(Transition.scheduled(this.claim, dueAt, trail),
					() -> new JobEvent.Retrying(seen(trail), error, cause, dueAt, this.now));
		}

		private Duration backoff(int failures) {
			Duration delay = this.policy.backoff().delay(this.job, failures, Settler.this.random);
			return delay.isNegative() ? Duration.ZERO : delay;
		}

		private Ending abandoned() {
			Trail trail = this.job.trail()
				.abandoned(new Attempt(this.job.attempt(), this.now, "its worker vanished", null));
			if (trail.crashes() >= this.policy.maxCrashes()) {
				return dead(DeadReason.CRASH_LOOP,
						"its worker vanished " + trail.abandonments() + " times while running it", null, trail, true);
			}
			logger.warn("Job '{}' {} is taken over from a worker that vanished ({} time(s))", this.job.name(),
					this.job.id(), trail.abandonments());
			return ending(Transition.released(this.claim, this.now, trail),
					() -> new JobEvent.Rescued(seen(trail), this.now));
		}

		private Ending dead(DeadReason reason, String error, @Nullable Throwable cause, Trail trail, boolean kept) {
			Trail ended = trail.ended(new End(reason, error, this.now));
			logger.error("Job '{}' {} is dead ({}{}): {}", this.job.name(), this.job.id(), reason,
					kept ? "" : ", not kept", error, cause);
			Transition transition = kept ? Transition.dead(this.claim, this.now, ended)
					: Transition.removed(this.claim, this.now);
			return ending(transition, () -> new JobEvent.Died(seen(ended), reason, error, cause, kept, this.now));
		}

		private Trail failure(String error, @Nullable Throwable cause) {
			return this.job.trail()
				.failed(new Attempt(this.job.attempt(), this.now, error, (cause != null) ? stackOf(cause) : null));
		}

		private Job seen(Trail trail) {
			return new Job(this.job.id(), this.job.name(), this.job.payload(), this.job.headers(), this.job.state(),
					this.job.createdAt(), this.job.dueAt(), trail, this.job.run());
		}

		private Ending ending(Transition transition, Supplier<JobEvent> event) {
			return new Ending(transition, event, () -> new JobEvent.LeaseLost(this.job, this.now));
		}

	}

}
