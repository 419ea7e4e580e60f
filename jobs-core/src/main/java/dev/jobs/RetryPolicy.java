package dev.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of a job whose attempt failed.
 * <p>
 * A policy is set by a chain that begins with {@link #defaults()}. Each call returns a
 * copy that keeps what was set before. <pre class="code">{@code
 * RetryPolicy policy = RetryPolicy.defaults()
 *     .maxAttempts(10)
 *     .backoff(Backoff.fixed(Duration.ofMinutes(1)))
 *     .noRetryFor((ex) -> ex instanceof IllegalArgumentException);
 * }</pre>
 */
public final class RetryPolicy {

	private static final RetryPolicy DEFAULTS = new RetryPolicy(12, Backoff.polynomial(), true, OnException.RETRY,
			(ex) -> false, 2, Duration.ofSeconds(1));

	private final int maxAttempts;

	private final Backoff backoff;

	private final boolean keepDead;

	private final OnException onException;

	private final Predicate<Throwable> noRetryFor;

	private final int maxCrashes;

	private final Duration snoozeDelay;

	private RetryPolicy(int maxAttempts, Backoff backoff, boolean keepDead, OnException onException,
			Predicate<Throwable> noRetryFor, int maxCrashes, Duration snoozeDelay) {
		this.maxAttempts = maxAttempts;
		this.backoff = backoff;
		this.keepDead = keepDead;
		this.onException = onException;
		this.noRetryFor = noRetryFor;
		this.maxCrashes = maxCrashes;
		this.snoozeDelay = snoozeDelay;
	}

	/**
	 * Return the policy that holds where nothing else is set: twelve attempts, polynomial
	 * backoff, dead jobs kept. The last attempt is 11 to 12 hours after the first.
	 * @return the policy
	 */
	public static RetryPolicy defaults() {
		return DEFAULTS;
	}

	/**
	 * Set how often the job may run before it is dead.
	 * @param maxAttempts the number, at least 1
	 * @return the changed policy
	 */
	public RetryPolicy maxAttempts(int maxAttempts) {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("'maxAttempts' must be at least 1 but was " + maxAttempts);
		}
		return new RetryPolicy(maxAttempts, this.backoff, this.keepDead, this.onException, this.noRetryFor,
				this.maxCrashes, this.snoozeDelay);
	}

	/**
	 * Set how long the job waits between attempts.
	 * @param backoff the rule
	 * @return the changed policy
	 */
	public RetryPolicy backoff(Backoff backoff) {
		return new RetryPolicy(this.maxAttempts, Objects.requireNonNull(backoff, "'backoff' must not be null"),
				this.keepDead, this.onException, this.noRetryFor, this.maxCrashes, this.snoozeDelay);
	}

	/**
	 * Set whether a job that has used up its attempts is kept among the dead jobs, or
	 * dropped.
	 * @param keepDead whether to keep it
	 * @return the changed policy
	 */
	public RetryPolicy keepDead(boolean keepDead) {
		return new RetryPolicy(this.maxAttempts, this.backoff, keepDead, this.onException, this.noRetryFor,
				this.maxCrashes, this.snoozeDelay);
	}

	/**
	 * Set whether an exception leads to another attempt at all; a {@link JobResult} asks
	 * for one in any case.
	 * @param onException what an exception leads to
	 * @return the changed policy
	 */
	public RetryPolicy onException(OnException onException) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead,
				Objects.requireNonNull(onException, "'onException' must not be null"), this.noRetryFor, this.maxCrashes,
				this.snoozeDelay);
	}

	/**
	 * Give jobs up at once after some exceptions, besides those selected before.
	 * @param noRetryFor selects the exceptions
	 * @return the changed policy
	 */
	public RetryPolicy noRetryFor(Predicate<Throwable> noRetryFor) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException,
				this.noRetryFor.or(noRetryFor), this.maxCrashes, this.snoozeDelay);
	}

	/**
	 * Set how often the process may die after it has started the job as a suspect before
	 * the job is dead.
	 * @param maxCrashes the number, at least 1
	 * @return the changed policy
	 */
	public RetryPolicy maxCrashes(int maxCrashes) {
		if (maxCrashes < 1) {
			throw new IllegalArgumentException("'maxCrashes' must be at least 1 but was " + maxCrashes);
		}
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException, this.noRetryFor,
				maxCrashes, this.snoozeDelay);
	}

	/**
	 * Set how soon a job that was {@linkplain JobResult#snooze() put off} may run again.
	 * @param snoozeDelay how long it waits
	 * @return the changed policy
	 */
	public RetryPolicy snoozeDelay(Duration snoozeDelay) {
		if (snoozeDelay.isNegative()) {
			throw new IllegalArgumentException("'snoozeDelay' must not be negative but was " + snoozeDelay);
		}
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException, this.noRetryFor,
				this.maxCrashes, snoozeDelay);
	}

	/**
	 * Return how often the job may run before it is dead.
	 * @return the number, at least 1
	 */
	public int getMaxAttempts() {
		return this.maxAttempts;
	}

	/**
	 * Return how long the job waits between attempts.
	 * @return the rule
	 */
	public Backoff getBackoff() {
		return this.backoff;
	}

	/**
	 * Return whether a job that has used up its attempts is kept.
	 * @return {@code false} if it is dropped
	 */
	public boolean isKeepDead() {
		return this.keepDead;
	}

	/**
	 * Return what an exception leads to.
	 * @return what it leads to
	 */
	public OnException getOnException() {
		return this.onException;
	}

	/**
	 * Return which exceptions end a job at once.
	 * @return selects the exceptions
	 */
	public Predicate<Throwable> getNoRetryFor() {
		return this.noRetryFor;
	}

	/**
	 * Return how often the process may die of the job before that is dead.
	 * @return the number, at least 1
	 */
	public int getMaxCrashes() {
		return this.maxCrashes;
	}

	/**
	 * Return how soon a job that was put off may run again.
	 * @return how long it waits
	 */
	public Duration getSnoozeDelay() {
		return this.snoozeDelay;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RetryPolicy policy && values().equals(policy.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	@Override
	public String toString() {
		return "RetryPolicy[maxAttempts=%s, backoff=%s, keepDead=%s, onException=%s, noRetryFor=%s, maxCrashes=%s, snoozeDelay=%s]"
			.formatted(values().toArray());
	}

	private List<Object> values() {
		return List.of(this.maxAttempts, this.backoff, this.keepDead, this.onException, this.noRetryFor,
				this.maxCrashes, this.snoozeDelay);
	}

	/**
	 * What an exception in a handler leads to.
	 */
	public enum OnException {

		/** Another attempt, while one is left. */
		RETRY,

		/** The job's death. */
		FAIL

	}

}
