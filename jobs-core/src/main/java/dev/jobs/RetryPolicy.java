package dev.jobs;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * What becomes of a job whose attempt failed.
 *
 * @param maxAttempts how often the job may run before it is dead, at least 1
 * @param backoff how long it waits in between
 * @param keepDead whether it is kept in the morgue, or dropped
 * @param onException whether an exception leads to another attempt at all; a
 * {@link JobResult} asks for one in any case
 * @param terminal selects the exceptions after which the job is dead at once
 * @param maxCrashes how often the process may die after it has started the job as a
 * suspect before it is dead
 * @param requeueDelay how soon a {@linkplain JobResult#requeue(String) requeued} job may
 * run again
 */
public record RetryPolicy(int maxAttempts, Backoff backoff, boolean keepDead, OnException onException,
		Predicate<Throwable> terminal, int maxCrashes, Duration requeueDelay) {

	private static final RetryPolicy DEFAULTS = new RetryPolicy(4, Backoff.polynomial(), true, OnException.RETRY,
			(ex) -> false, 2, Duration.ofSeconds(1));

	public RetryPolicy {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("'maxAttempts' must be at least 1 but was " + maxAttempts);
		}
		if (maxCrashes < 1) {
			throw new IllegalArgumentException("'maxCrashes' must be at least 1 but was " + maxCrashes);
		}
		if (requeueDelay.isNegative()) {
			throw new IllegalArgumentException("'requeueDelay' must not be negative but was " + requeueDelay);
		}
	}

	/**
	 * Return the policy used where nothing else is said: four attempts, polynomial
	 * backoff, dead jobs kept.
	 * @return the policy
	 */
	public static RetryPolicy defaults() {
		return DEFAULTS;
	}

	/**
	 * Allow another number of attempts.
	 * @param maxAttempts the number
	 * @return the changed policy
	 */
	public RetryPolicy withMaxAttempts(int maxAttempts) {
		return new RetryPolicy(maxAttempts, this.backoff, this.keepDead, this.onException, this.terminal,
				this.maxCrashes, this.requeueDelay);
	}

	/**
	 * Wait otherwise between attempts.
	 * @param backoff the rule
	 * @return the changed policy
	 */
	public RetryPolicy withBackoff(Backoff backoff) {
		return new RetryPolicy(this.maxAttempts, backoff, this.keepDead, this.onException, this.terminal,
				this.maxCrashes, this.requeueDelay);
	}

	/**
	 * Keep or drop exhausted jobs.
	 * @param keepDead whether to keep them
	 * @return the changed policy
	 */
	public RetryPolicy withKeepDead(boolean keepDead) {
		return new RetryPolicy(this.maxAttempts, this.backoff, keepDead, this.onException, this.terminal,
				this.maxCrashes, this.requeueDelay);
	}

	/**
	 * Treat exceptions otherwise.
	 * @param onException how
	 * @return the changed policy
	 */
	public RetryPolicy withOnException(OnException onException) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, onException, this.terminal,
				this.maxCrashes, this.requeueDelay);
	}

	/**
	 * Give jobs up at once after some exceptions, besides those given up already.
	 * @param terminal selects the exceptions
	 * @return the changed policy
	 */
	public RetryPolicy withTerminal(Predicate<Throwable> terminal) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException,
				this.terminal.or(terminal), this.maxCrashes, this.requeueDelay);
	}

	/**
	 * Bound the crashes otherwise.
	 * @param maxCrashes the bound
	 * @return the changed policy
	 */
	public RetryPolicy withMaxCrashes(int maxCrashes) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException, this.terminal,
				maxCrashes, this.requeueDelay);
	}

	/**
	 * Let requeued jobs wait otherwise.
	 * @param requeueDelay how long
	 * @return the changed policy
	 */
	public RetryPolicy withRequeueDelay(Duration requeueDelay) {
		return new RetryPolicy(this.maxAttempts, this.backoff, this.keepDead, this.onException, this.terminal,
				this.maxCrashes, requeueDelay);
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
