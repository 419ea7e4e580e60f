package dev.jobs.engine.settle;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

import dev.jobs.Backoff;
import dev.jobs.DeadReason;
import dev.jobs.HandlerOptions;
import dev.jobs.HandlerOptions.OnDead;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.Trail.End;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.Millis;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.result.Keeping;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.store.Claim;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what becomes of a job whose delivery ended, by success, failure, crash or
 * shutdown. Only here is a retry policy asked and an {@link Outcome} turned into a
 * {@link Transition}. The {@link EndingWriter} writes it; the end of a
 * {@link dev.jobs.engine.run.TransactionalRun} is written in its transaction.
 */
public record Settler(WorkerContext context, Lease lease, EndingWriter writer) {

	private static final Logger logger = LoggerFactory.getLogger(Settler.class);

	private static final Duration AFTER_FAULTY_POLICY = Duration.ofMinutes(1);

	/** A run that continues for so long after its interruption ignores it. */
	private static final Duration IGNORED = Duration.ofSeconds(1);

	private static final Duration LONGEST_HOLD = Duration.ofDays(1);

	private static final int LEASES_AFTER_CRASH = 4;

	private static final Duration LONGEST_AFTER_CRASH = Duration.ofHours(1);

	/**
	 * Return how many ends the store has not decided about yet.
	 */
	public int pending() {
		return this.writer.pending();
	}

	/**
	 * Decide about a job that ran; the decision is written soon.
	 * @param claim the job
	 * @param outcome how its run ended
	 * @param took how long the run took
	 * @param log what the run has logged, or {@code null} if nothing
	 * @param saved whether the job may have saved values
	 */
	public void settle(Claim claim, Outcome outcome, Duration took, @Nullable String log, boolean saved) {
		Ending ending = decide(claim, outcome, took, log);
		this.writer.write(saved ? ending.withSaved() : ending);
	}

	/**
	 * Decide about a job that did not run here; the decision is written soon.
	 * @param claim the job
	 * @param outcome how its delivery ended
	 */
	public void settle(Claim claim, Outcome outcome) {
		settle(claim, outcome, Duration.ZERO, null, false);
	}

	private Ending decide(Claim claim, Outcome outcome, Duration took, @Nullable String log) {
		Decision decision = new Decision(claim, took, log);
		try {
			return decision.about(outcome);
		}
		catch (Throwable ex) {
			logger.error("The retry policy of job '{}' failed; job {} is put off", claim.job().name(), claim.job().id(),
					ErrorText.loggable(ex));
			return decision.failed(ErrorText.of(ex), ex, decision.now.plus(AFTER_FAULTY_POLICY));
		}
	}

	/**
	 * Decide about a job and write it at once, as a part of the transaction of its run.
	 * @param claim the job
	 * @param outcome how its run ended
	 * @param took how long the run took
	 * @param log what the run has logged, or {@code null} if nothing
	 * @param joined the store, which has joined the transaction
	 * @return the event to publish once the transaction is committed, or {@code null} if
	 * the job is no longer held, so that the transaction must not be committed
	 */
	public @Nullable JobEvent settleJoined(Claim claim, Outcome outcome, Duration took, @Nullable String log,
			JobStore joined) {
		Ending ending = decide(claim, outcome, took, log);
		Settled settled = joined.settle(List.of(ending.transition()), this.context.clock().now()).get(0);
		if (settled == Settled.APPLIED) {
			return ending.event();
		}
		logger.info("Job '{}' {} was no longer held when its run ended ({}); its transaction is rolled back",
				claim.job().name(), claim.job().id(), settled);
		this.writer.lost(ending);
		this.lease.ended(claim.job().id(), claim.token());
		return null;
	}

	/**
	 * Publish the end of a job that was committed with the transaction of its run.
	 * @param claim the job
	 * @param event what happened
	 */
	public void committed(Claim claim, JobEvent event) {
		this.lease.ended(claim.job().id(), claim.token());
		this.writer.committed(claim.job(), event, Keeping.of(claim.job(), options(claim.job())) != null);
	}

	/**
	 * Find out whether the transaction of a run was committed: if the job is still held,
	 * it was not.
	 * @param claim the job
	 * @param took how long the run took
	 * @param log what the run has logged, or {@code null} if nothing
	 * @param committed what happened if the transaction was committed
	 * @param cause why nobody knows
	 */
	public void settleInDoubt(Claim claim, Duration took, @Nullable String log, JobEvent committed, Throwable cause) {
		Ending ending = decide(claim, new Outcome.Unconfirmed(cause), took, log);
		this.writer.write(new Ending(ending.transition(), ending.job(), ending.event(), committed));
	}

	/**
	 * Give a job back that was not started.
	 */
	public void giveBack(Claim claim) {
		this.writer.write(silent(claim, Transition.released(claim, this.context.clock().now(), claim.job().trail())));
	}

	/**
	 * Put off a job that was not started, so that others get their turn.
	 * @param claim the job
	 * @param delay for how long
	 */
	public void putOff(Claim claim, Duration delay) {
		Instant dueAt = this.context.clock().now().plus(delay);
		Instant deadline = claim.job().deadline();
		dueAt = (deadline != null && deadline.isBefore(dueAt)) ? deadline : dueAt;
		this.writer.write(silent(claim, Transition.scheduled(claim, dueAt, claim.job().trail())));
	}

	private Ending silent(Claim claim, Transition transition) {
		HandlerOptions options = options(claim.job());
		return new Ending(inItsLane(claim.job(), transition, options, options.getOnDeadInLane()), claim.job(), null,
				null);
	}

	private HandlerOptions options(Job job) {
		Registered registered = this.context.registry().find(job.name());
		return (registered != null) ? registered.options() : HandlerOptions.defaults();
	}

	/**
	 * Let a job keep the place of its lane, if that is ordered.
	 */
	private static Transition inItsLane(Job job, Transition transition, HandlerOptions options, OnDead onDead) {
		boolean keeps = options.isOrderedLanes() && job.lane() != null
				&& (transition.to() != Transition.To.DEAD || onDead == OnDead.HOLD);
		return keeps ? transition.keepingLane() : transition;
	}

	/**
	 * The decision about one job.
	 */
	private final class Decision {

		private final Claim claim;

		private final Job job;

		private final Duration took;

		private final @Nullable String log;

		private final Instant now = Settler.this.context.clock().now();

		private final HandlerOptions options;

		private final RetryPolicy policy;

		private final @Nullable Duration kept;

		private OnDead onDead;

		Decision(Claim claim, Duration took, @Nullable String log) {
			this.claim = claim;
			this.job = claim.job();
			this.took = took;
			this.log = log;
			this.options = options(this.job);
			this.policy = this.options.getRetryPolicy();
			this.kept = Keeping.of(this.job, this.options);
			this.onDead = this.options.getOnDeadInLane();
		}

		Ending about(Outcome outcome) {
			if (outcome instanceof Outcome.Returned returned) {
				return returned(returned.result(), returned.value());
			}
			if (outcome instanceof Outcome.Threw threw) {
				return threw(threw.cause());
			}
			if (outcome instanceof Outcome.Parked parked) {
				return parked(parked.need(), Millis.roundUp(parked.until()));
			}
			if (outcome instanceof Outcome.TimedOut timedOut) {
				return failed(timedOut(timedOut.ignored()), null, null);
			}
			if (outcome instanceof Outcome.Exited) {
				return failed("the handler called System.exit", null, null);
			}
			if (outcome instanceof Outcome.Unreadable unreadable) {
				return dead(DeadReason.UNREADABLE, ErrorText.of(unreadable.cause()), unreadable.cause(),
						this.job.trail(), true);
			}
			if (outcome instanceof Outcome.Expired) {
				return expired();
			}
			if (outcome instanceof Outcome.Cancelled cancelled) {
				Trail trail = (cancelled.begun() && keepsTrail()) ? finished() : this.job.trail();
				return ending(
						keeping(JobState.CANCELLED, trail, null,
								this.options.isKeepHistory() ? Transition.cancelled(this.claim, this.now, trail)
										: Transition.removed(this.claim, this.now)),
						new Events.Cancelled(this.job, this.took, this.now));
			}
			if (outcome instanceof Outcome.Interrupted) {
				Trail trail = (this.job.expiresAt() != null) ? TrailRules.postponed(this.job.trail())
						: this.job.trail();
				return ending(Transition.released(this.claim, this.now, trail),
						new Events.Released(this.job, this.took, this.now));
			}
			if (outcome instanceof Outcome.Unconfirmed unconfirmed) {
				logger.warn("It is unknown whether the transaction of job '{}' {} was committed: {}", this.job.name(),
						this.job.id(), ErrorText.of(unconfirmed.cause()), ErrorText.loggable(unconfirmed.cause()));
				String why = "its transaction was not committed: " + ErrorText.of(unconfirmed.cause());
				return abandoned(why, attempt(why, null));
			}
			// Abandoned. A watched job reports its start before it begins.
			Job.Run run = this.job.run();
			if (this.job.trail().watched() && (run == null || run.progress() == null)) {
				return unstarted();
			}
			String why = "its worker vanished";
			return abandoned(why, Attempt.of(this.job.attempt(), this.now, why));
		}

		private Ending returned(JobResult result, byte @Nullable [] value) {
			return switch (result.getKind()) {
				case DONE -> succeeded(value);
				case RETRY -> failed(textOf(result), null, dueAt(result));
				case SNOOZE -> snoozed(result);
				case HOLD_BACK -> heldBack(result);
				case YIELD -> ending(Transition.released(this.claim, this.now, TrailRules.postponed(this.job.trail())),
						new Events.Released(this.job, this.took, this.now));
				case DISCARD -> dead(DeadReason.DISCARDED, textOf(result), null, failure(textOf(result), null), true);
			};
		}

		private Ending succeeded(byte @Nullable [] value) {
			Trail trail = keepsTrail() ? finished() : this.job.trail();
			Transition transition = this.options.isKeepHistory() ? Transition.kept(this.claim, this.now, trail)
					: Transition.removed(this.claim, this.now);
			return ending(keeping(JobState.SUCCEEDED, trail, value, transition),
					new Events.Succeeded(this.job, this.took, this.now));
		}

		private boolean keepsTrail() {
			return this.options.isKeepHistory() || this.kept != null;
		}

		/**
		 * Keep the end of the job for those who ask, if anybody may.
		 */
		private Transition keeping(JobState state, Trail trail, byte @Nullable [] value, Transition transition) {
			return (this.kept != null)
					? transition.keeping(new dev.jobs.store.End(state, trail, value, this.now.plus(this.kept)))
					: transition;
		}

		private String timedOut(Duration ignored) {
			Duration timeout = this.options.getTimeout();
			Instant deadline = this.job.deadline();
			if (deadline != null && !deadline.isAfter(this.now)) {
				return "was stopped at its deadline after " + this.took.toMillis() + " ms";
			}
			return (timeout == null || ignored.compareTo(IGNORED) < 0)
					? "timed out after " + this.took.toMillis() + " ms"
					: "exceeded its timeout of %d ms and ignored the interruption for %d ms"
						.formatted(timeout.toMillis(), ignored.toMillis());
		}

		private String textOf(JobResult result) {
			if (result.getMessage() != null) {
				return ErrorText.clean(result.getMessage());
			}
			return (result.getKind() == JobResult.Kind.DISCARD) ? "the handler discarded the job"
					: "the handler asked for a retry";
		}

		private @Nullable Instant dueAt(JobResult result) {
			if (result.getAt() != null) {
				return Millis.roundUp(result.getAt());
			}
			return (result.getDelay() != null) ? Settler.this.context.clock().due(this.now, result.getDelay()) : null;
		}

		/**
		 * Put the job off. Since that uses no attempt, it would spin if it could come
		 * back at once.
		 */
		private Ending snoozed(JobResult result) {
			Instant wanted = dueAt(result);
			Instant dueAt = (wanted != null && wanted.isAfter(this.now)) ? wanted
					: Millis.later(this.now, this.policy.getSnoozeDelay());
			if (isTooLate(dueAt)) {
				return tooLate("the handler put the job off until " + dueAt, null,
						TrailRules.postponed(this.job.trail()));
			}
			if (result.getMessage() != null) {
				logger.info("Job '{}' {} is put off until {}: {}", this.job.name(), this.job.id(), dueAt,
						textOf(result));
			}
			return ending(Transition.scheduled(this.claim, dueAt, TrailRules.postponed(this.job.trail())),
					new Events.Postponed(this.job, dueAt, this.took, this.now));
		}

		private Ending parked(Trail.Wait wait, Instant until) {
			Instant deadline = this.job.deadline();
			Instant latest = (deadline != null && deadline.isBefore(until)) ? deadline : until;
			return ending(Transition.waiting(this.claim, latest, TrailRules.parked(this.job.trail(), wait)),
					new Events.Postponed(this.job, latest, this.took, this.now));
		}

		private Ending heldBack(JobResult result) {
			Duration wanted = Objects.requireNonNull(result.getDelay());
			Duration delay = (wanted.isZero() || wanted.isNegative()) ? this.policy.getSnoozeDelay() : wanted;
			Instant until = Settler.this.context.clock()
				.due(this.now, (delay.compareTo(LONGEST_HOLD) < 0) ? delay : LONGEST_HOLD);
			String lane = this.job.lane();
			logger.info("{} is held back until {} by job {}{}",
					(lane != null) ? "Lane '" + lane + "' of queue '" + this.job.name() + "'"
							: "Queue '" + this.job.name() + "'",
					until, this.job.id(), (result.getMessage() != null) ? ": " + textOf(result) : "");
			return ending(Transition.heldBack(this.claim, until, TrailRules.postponed(this.job.trail())),
					new Events.Postponed(this.job, until, this.took, this.now));
		}

		private Ending threw(Throwable cause) {
			String error = ErrorText.of(cause);
			if (this.policy.getOnException() == OnException.FAIL || this.policy.getNoRetryFor().test(cause)) {
				return dead(DeadReason.DISCARDED, error, cause, failure(error, cause), true);
			}
			return failed(error, cause, null);
		}

		private Ending failed(String error, @Nullable Throwable cause, @Nullable Instant wanted) {
			Trail trail = failure(error, cause);
			if (trail.failures() >= this.policy.getMaxAttempts()) {
				return dead(DeadReason.EXHAUSTED, error, cause, trail, this.policy.isKeepDead());
			}
			Instant dueAt = (wanted != null) ? wanted
					: Settler.this.context.clock().due(this.now, backoff(trail.failures()));
			if (isTooLate(dueAt)) {
				return tooLate(error, cause, trail);
			}
			logger.warn("Job '{}' {} failed in attempt {} of {} and runs again at {}: {}", this.job.name(),
					this.job.id(), trail.failures(), this.policy.getMaxAttempts(), dueAt, error,
					ErrorText.loggable(cause));
			return ending(Transition.scheduled(this.claim, dueAt, trail),
					new Events.Retrying(seen(trail), error, cause, dueAt, this.took, this.now));
		}

		private Duration backoff(int failures) {
			Duration delay = this.policy.getBackoff().delay(this.job, failures, Settler.this.context.random());
			return (delay.compareTo(Backoff.LONGEST) < 0) ? delay : Backoff.LONGEST;
		}

		/**
		 * Give back a job that a vanished worker had not started: a handler waits until
		 * the store has recorded the start.
		 */
		private Ending unstarted() {
			logger.info("Job '{}' {} returned to its queue: its worker vanished before it was started", this.job.name(),
					this.job.id());
			return released(this.job.trail());
		}

		private Ending abandoned(String why, Attempt attempt) {
			Trail trail = TrailRules.abandoned(this.job.trail(), attempt);
			if (trail.crashes() >= this.policy.getMaxCrashes()) {
				return dead(DeadReason.CRASH_LOOP, why + " " + trail.abandonments() + " times while running it", null,
						trail, true);
			}
			if (trail.crashes() > 0) {
				Instant dueAt = Millis.later(this.now, afterCrash(trail.crashes()));
				if (isTooLate(dueAt)) {
					return tooLate(why, null, trail);
				}
				logger.warn(
						"Job '{}' {} may be what ends the processes that run it and runs again at {}, since {}; "
								+ "crash {} of {}",
						this.job.name(), this.job.id(), dueAt, why, trail.crashes(), this.policy.getMaxCrashes());
				return ending(Transition.scheduled(this.claim, dueAt, trail),
						new Events.Rescued(seen(trail), this.now));
			}
			logger.warn("Job '{}' {} returned to its queue (delivery {} abandoned): {}", this.job.name(), this.job.id(),
					trail.abandonments(), why);
			return released(trail);
		}

		private Ending released(Trail trail) {
			return ending(Transition.released(this.claim, this.now, trail), new Events.Rescued(seen(trail), this.now));
		}

		/**
		 * Return how long a suspect waits that may have crashed its process: until other
		 * reasons for process deaths have passed, and the jobs held beside it are back.
		 */
		private Duration afterCrash(int crashes) {
			Duration first = Settler.this.context.settings().lease().multipliedBy(LEASES_AFTER_CRASH);
			Duration delay = first.multipliedBy(1L << Math.min(crashes - 1, 20));
			return (delay.compareTo(LONGEST_AFTER_CRASH) < 0) ? delay : LONGEST_AFTER_CRASH;
		}

		/**
		 * End a job that was not started in time. It frees its lane, as it does if the
		 * store finds it.
		 */
		private Ending expired() {
			this.onDead = OnDead.SKIP;
			Instant expiresAt = this.job.expiresAt();
			String error = (expiresAt != null && !expiresAt.isAfter(this.now))
					? "it was not started before it expired at " + expiresAt
					: "it was not started before its deadline at " + this.job.deadline();
			if (this.job.hasBegun()) {
				return dead(DeadReason.EXPIRED, error, null, this.job.trail(), this.policy.isKeepDead());
			}
			boolean kept = this.job.onExpiry() == OnExpiry.DEAD;
			logger.info("Job '{}' {} is {}: {}", this.job.name(), this.job.id(), kept ? "dead" : "discarded", error);
			Trail ended = TrailBuilder.ended(this.job.trail(), End.of(DeadReason.EXPIRED, error, this.now));
			return ending(died(kept, ended), new Events.Expired(this.job.name(), this.job.id(), kept, this.now));
		}

		/**
		 * Return whether the job cannot run again at an instant.
		 */
		private boolean isTooLate(Instant dueAt) {
			Instant deadline = this.job.deadline();
			return deadline != null && !dueAt.isBefore(deadline);
		}

		private Ending tooLate(String error, @Nullable Throwable cause, Trail trail) {
			return dead(DeadReason.EXPIRED, error + "; its deadline at " + this.job.deadline() + " allows no other run",
					cause, trail, this.policy.isKeepDead());
		}

		private Ending dead(DeadReason reason, String error, @Nullable Throwable cause, Trail trail, boolean kept) {
			Trail ended = TrailBuilder.ended(trail, End.of(reason, error, this.now));
			logger.error("Job '{}' {} is dead ({}{}): {}", this.job.name(), this.job.id(), reason,
					kept ? "" : ", not kept", error, ErrorText.loggable(cause));
			return ending(died(kept, ended),
					new Events.Died(seen(ended), reason, error, cause, kept, this.took, this.now));
		}

		private Transition died(boolean kept, Trail ended) {
			return keeping(JobState.DEAD, ended, null,
					kept ? Transition.dead(this.claim, this.now, ended) : Transition.removed(this.claim, this.now));
		}

		private Trail finished() {
			return TrailRules.finished(this.job.trail(), attempt(null, null));
		}

		private Trail failure(String error, @Nullable Throwable cause) {
			String stack = (cause != null) ? ErrorText.stackOf(cause) : null;
			return TrailRules.failed(this.job.trail(), attempt(error, stack));
		}

		private Attempt attempt(@Nullable String error, @Nullable String stack) {
			Job.Run run = this.job.run();
			return Attempt.of(this.job.attempt(), this.now, error)
				.withStart(this.now.minus(this.took).truncatedTo(ChronoUnit.MILLIS),
						(run != null) ? run.worker() : null)
				.withStackTrace(stack)
				.withLog(this.log);
		}

		private Job seen(Trail trail) {
			return this.job.toBuilder().trail(trail).build();
		}

		private Ending ending(Transition transition, JobEvent event) {
			return new Ending(inItsLane(this.job, transition, this.options, this.onDead), this.job, event, null);
		}

	}

}
