package dev.jobs.engine.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import dev.jobs.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * How the jobs of one handler are run.
 * <p>
 * Options are set by a chain that begins with {@link #defaults()}. Each call returns a
 * copy that keeps what was set before. <pre class="code">{@code
 * HandlerOptions options = HandlerOptions.defaults().priority(3).timeout(Duration.ofMinutes(5));
 * }</pre>
 */
public final class HandlerOptions {

	private static final int HIGHEST_PRIORITY = 100_000;

	private static final HandlerOptions DEFAULTS = new HandlerOptions(1, RetryPolicy.defaults(), null, 0, 0, false,
			false);

	private final int priority;

	private final RetryPolicy retryPolicy;

	private final @Nullable Duration timeout;

	private final int maxConcurrency;

	private final int localConcurrency;

	private final boolean keepHistory;

	private final boolean transactional;

	private HandlerOptions(int priority, RetryPolicy retryPolicy, @Nullable Duration timeout, int maxConcurrency,
			int localConcurrency, boolean keepHistory, boolean transactional) {
		this.priority = priority;
		this.retryPolicy = retryPolicy;
		this.timeout = timeout;
		this.maxConcurrency = maxConcurrency;
		this.localConcurrency = localConcurrency;
		this.keepHistory = keepHistory;
		this.transactional = transactional;
	}

	/**
	 * Return the options that hold where nothing else is set.
	 * @return the options
	 */
	public static HandlerOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Set the weight among the handlers of a pool.
	 * @param priority from 1 to 100000; 0 is taken as 1
	 * @return the changed options
	 */
	public HandlerOptions priority(int priority) {
		if (priority < 0 || priority > HIGHEST_PRIORITY) {
			throw new IllegalArgumentException(
					"'priority' must be from 1 to %d but was %d".formatted(HIGHEST_PRIORITY, priority));
		}
		return new HandlerOptions(Math.max(priority, 1), this.retryPolicy, this.timeout, this.maxConcurrency,
				this.localConcurrency, this.keepHistory, this.transactional);
	}

	/**
	 * Set what becomes of failed attempts.
	 * @param retryPolicy the policy
	 * @return the changed options
	 */
	public HandlerOptions retryPolicy(RetryPolicy retryPolicy) {
		return new HandlerOptions(this.priority, Objects.requireNonNull(retryPolicy, "'retryPolicy' must not be null"),
				this.timeout, this.maxConcurrency, this.localConcurrency, this.keepHistory, this.transactional);
	}

	/**
	 * Bound the time of a run.
	 * @param timeout the time, or {@code null} for any
	 * @return the changed options
	 */
	public HandlerOptions timeout(@Nullable Duration timeout) {
		if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
			throw new IllegalArgumentException("'timeout' must be positive but was " + timeout);
		}
		return new HandlerOptions(this.priority, this.retryPolicy, timeout, this.maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	/**
	 * Bound how many run at once on all workers.
	 * @param maxConcurrency the limit; 0 for none
	 * @return the changed options
	 */
	public HandlerOptions maxConcurrency(int maxConcurrency) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout,
				notNegative("maxConcurrency", maxConcurrency), this.localConcurrency, this.keepHistory,
				this.transactional);
	}

	/**
	 * Bound how many run at once in this process.
	 * @param localConcurrency the limit; 0 for none
	 * @return the changed options
	 */
	public HandlerOptions localConcurrency(int localConcurrency) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency,
				notNegative("localConcurrency", localConcurrency), this.keepHistory, this.transactional);
	}

	/**
	 * Set whether jobs that succeeded or were cancelled are kept for a while.
	 * @param keepHistory whether to keep them
	 * @return the changed options
	 */
	public HandlerOptions keepHistory(boolean keepHistory) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency,
				this.localConcurrency, keepHistory, this.transactional);
	}

	/**
	 * Set whether each run is a transaction that is committed together with the end of
	 * the job, so that what the handler writes to the database of the jobs happens
	 * exactly once.
	 * @param transactional whether to do so
	 * @return the changed options
	 */
	public HandlerOptions transactional(boolean transactional) {
		return new HandlerOptions(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency,
				this.localConcurrency, this.keepHistory, transactional);
	}

	/**
	 * Return the weight among the handlers of a pool.
	 * @return from 1 to 100000
	 */
	public int getPriority() {
		return this.priority;
	}

	/**
	 * Return what becomes of failed attempts.
	 * @return the policy
	 */
	public RetryPolicy getRetryPolicy() {
		return this.retryPolicy;
	}

	/**
	 * Return how long one run may take.
	 * @return the time, or {@code null} for any
	 */
	public @Nullable Duration getTimeout() {
		return this.timeout;
	}

	/**
	 * Return how many may run at once on all workers.
	 * @return the limit; 0 for none
	 */
	public int getMaxConcurrency() {
		return this.maxConcurrency;
	}

	/**
	 * Return how many may run at once in this process.
	 * @return the limit; 0 for none
	 */
	public int getLocalConcurrency() {
		return this.localConcurrency;
	}

	/**
	 * Return whether jobs that succeeded or were cancelled are kept for a while.
	 * @return {@code true} to keep them
	 */
	public boolean isKeepHistory() {
		return this.keepHistory;
	}

	/**
	 * Return whether each run is a transaction that is committed together with the end of
	 * the job.
	 * @return {@code true} to run in a transaction
	 */
	public boolean isTransactional() {
		return this.transactional;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof HandlerOptions options && values().equals(options.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	@Override
	public String toString() {
		return "HandlerOptions[priority=%s, retryPolicy=%s, timeout=%s, maxConcurrency=%s, localConcurrency=%s, keepHistory=%s, transactional=%s]"
			.formatted(values().toArray());
	}

	private List<@Nullable Object> values() {
		return Arrays.asList(this.priority, this.retryPolicy, this.timeout, this.maxConcurrency, this.localConcurrency,
				this.keepHistory, this.transactional);
	}

	private static int notNegative(String name, int value) {
		if (value < 0) {
			throw new IllegalArgumentException("'%s' must not be negative but was %d".formatted(name, value));
		}
		return value;
	}

}
