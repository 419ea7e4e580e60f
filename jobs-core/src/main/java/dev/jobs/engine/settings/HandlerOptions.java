package dev.jobs.engine.settings;

import java.time.Duration;

import dev.jobs.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * How the jobs of one handler are run.
 *
 * @param priority the weight among the handlers of a pool, from 1 to 100000
 * @param retryPolicy what becomes of a failed attempt
 * @param timeout how long one run may take, or {@code null} for any time
 * @param maxConcurrency how many may run at once on all workers; 0 for no limit
 * @param localConcurrency how many may run at once in this process; 0 for no limit
 * @param keepHistory whether jobs that succeeded or were cancelled are kept
 * @param transactional whether a run is a transaction that is committed together with the
 * end of its job
 */
public record HandlerOptions(int priority, RetryPolicy retryPolicy, @Nullable Duration timeout, int maxConcurrency,
		int localConcurrency, boolean keepHistory, boolean transactional) {

	private static final int HIGHEST_PRIORITY = 100_000;

	private static final HandlerOptions DEFAULTS = new HandlerOptions(1, RetryPolicy.defaults(), null, 0, 0, false,
			false);

	public HandlerOptions {
		priority = (priority == 0) ? 1 : priority;
		if (priority < 0 || priority > HIGHEST_PRIORITY) {
			throw new IllegalArgumentException(
					"'priority' must be from 1 to %d but was %d".formatted(HIGHEST_PRIORITY, priority));
		}
		if (maxConcurrency < 0 || localConcurrency < 0) {
			throw new IllegalArgumentException("'maxConcurrency' and 'localConcurrency' must not be negative");
		}
		if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
			throw new IllegalArgumentException("'timeout' must be positive but was " + timeout);
		}
	}

	/**
	 * Return the options used where nothing else is said.
	 * @return the options
	 */
	public static HandlerOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Set the weight.
	 * @param priority from 1 to 100000; 0 is taken as 1
	 * @return the changed options
	 */
	public HandlerOptions withPriority(int priority) {
		return new HandlerOptions(priority, this.retryPolicy, this.timeout, this.maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Set what becomes of failed attempts.
	 * @param retryPolicy the policy
	 * @return the changed options
	 */
	public HandlerOptions withRetryPolicy(RetryPolicy retryPolicy) {
		return new HandlerOptions(this.priority, retryPolicy, this.timeout, this.maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Bound the time of a run.
	 * @param timeout the time, or {@code null} for any
	 * @return the changed options
	 */
	public HandlerOptions withTimeout(@Nullable Duration timeout) {
		return new HandlerOptions(this.priority, this.retryPolicy, timeout, this.maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Bound how many run at once on all workers.
	 * @param maxConcurrency the limit; 0 for none
	 * @return the changed options
	 */
	public HandlerOptions withMaxConcurrency(int maxConcurrency) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Bound how many run at once in this process.
	 * @param localConcurrency the limit; 0 for none
	 * @return the changed options
	 */
	public HandlerOptions withLocalConcurrency(int localConcurrency) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency, localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Keep jobs that succeeded or were cancelled, or do not.
	 * @param keepHistory whether to keep them
	 * @return the changed options
	 */
	public HandlerOptions withKeepHistory(boolean keepHistory) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency,
				this.localConcurrency, keepHistory, this.transactional);
	}

	/**
	 * Run each job in a transaction that is committed together with the end of the job,
	 * so that what the handler writes to the database of the jobs happens exactly once.
	 * @param transactional whether to do so
	 * @return the changed options
	 */
	public HandlerOptions withTransactional(boolean transactional) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency,
				this.localConcurrency, this.keepHistory, transactional);
	}

}
