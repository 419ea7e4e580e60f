package dev.jobs;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * How the jobs of one handler are run.
 * <p>
 * A {@link Builder} sets them. <pre class="code">{@code
 * HandlerOptions options = HandlerOptions.of((handler) -> handler.priority(3).timeout(Duration.ofMinutes(5)));
 * }</pre>
 */
public final class HandlerOptions extends Parts {

	private static final int HIGHEST_PRIORITY = 100_000;

	private static final Duration LONGEST_KEPT = Duration.ofDays(365);

	private static final HandlerOptions DEFAULTS = new HandlerOptions(new Builder());

	private final Builder values;

	private HandlerOptions(Builder values) {
		super("HandlerOptions[priority=%s, retryPolicy=%s, timeout=%s, maxConcurrency=%s, localConcurrency=%s, laneConcurrency=%s, laneWeights=%s, orderedLanes=%s, onDeadInLane=%s, rate=%s, laneRate=%s, keepHistory=%s, keepResult=%s, transactional=%s]");
		this.values = values;
	}

	/**
	 * Return the default options.
	 */
	public static HandlerOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the default options with some changed.
	 */
	public static HandlerOptions of(Consumer<? super Builder> options) {
		return DEFAULTS.with(options);
	}

	/**
	 * Return a copy with some options changed.
	 * @param options sets them
	 */
	public HandlerOptions with(Consumer<? super Builder> options) {
		return new HandlerOptions(Values.changed(this.values, options));
	}

	/**
	 * Return the weight among the handlers of a pool.
	 * @return from 1 to 100000
	 */
	public int getPriority() {
		return this.values.priority;
	}

	/**
	 * Return what becomes of failed attempts.
	 */
	public RetryPolicy getRetryPolicy() {
		return this.values.retryPolicy;
	}

	/**
	 * Return how long one run may take.
	 * @return the time, or {@code null} for any
	 */
	public @Nullable Duration getTimeout() {
		return this.values.timeout;
	}

	/**
	 * Return how many may run at once on all workers.
	 * @return the limit; 0 for none
	 */
	public int getMaxConcurrency() {
		return this.values.maxConcurrency;
	}

	/**
	 * Return how many may run at once in this process.
	 * @return the limit; 0 for none
	 */
	public int getLocalConcurrency() {
		return this.values.localConcurrency;
	}

	/**
	 * Return how many of each lane may run at once on all workers.
	 * @return the limit, 1 for ordered lanes; 0 for none
	 */
	public int getLaneConcurrency() {
		return this.values.orderedLanes ? 1 : this.values.laneConcurrency;
	}

	/**
	 * Return whether the jobs of a lane run one after the other, through all retries.
	 */
	public boolean isOrderedLanes() {
		return this.values.orderedLanes;
	}

	/**
	 * Return what becomes of an ordered lane whose job is dead.
	 */
	public OnDead getOnDeadInLane() {
		return this.values.onDeadInLane;
	}

	/**
	 * Return how many jobs some lanes give for each one of another lane.
	 * @return the weight of each lane that has one, from 1 to 100
	 */
	public Map<String, Integer> getLaneWeights() {
		return this.values.laneWeights;
	}

	/**
	 * Return how many may start in any window on all workers.
	 * @return the rate, or {@code null} for any number
	 */
	public @Nullable Rate getRate() {
		return this.values.rate;
	}

	/**
	 * Return how many of each lane may start in any window on all workers.
	 * @return the rate, or {@code null} for any number
	 */
	public @Nullable Rate getLaneRate() {
		return this.values.laneRate;
	}

	/**
	 * Return whether jobs that succeeded or were cancelled are kept for a while.
	 * @return {@code true} to keep them
	 */
	public boolean isKeepHistory() {
		return this.values.keepHistory;
	}

	/**
	 * Return how long the end of a job is kept, with the value that it returned.
	 * @return the time, or {@code null} if it is not kept
	 */
	public @Nullable Duration getKeepResult() {
		return this.values.keepResult;
	}

	/**
	 * Return whether each run is a transaction that is committed together with the end of
	 * the job.
	 */
	public boolean isTransactional() {
		return this.values.transactional;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.values.priority, this.values.retryPolicy, this.values.timeout,
				this.values.maxConcurrency, this.values.localConcurrency, this.values.laneConcurrency,
				this.values.laneWeights, this.values.orderedLanes, this.values.onDeadInLane, this.values.rate,
				this.values.laneRate, this.values.keepHistory, this.values.keepResult, this.values.transactional);
	}

	private static int notNegative(String name, int value) {
		if (value < 0) {
			throw new IllegalArgumentException("'%s' must not be negative but was %d".formatted(name, value));
		}
		return value;
	}

	/**
	 * Sets options. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private int priority = 1;

		private RetryPolicy retryPolicy = RetryPolicy.defaults();

		private @Nullable Duration timeout;

		private int maxConcurrency;

		private int localConcurrency;

		private int laneConcurrency;

		private Map<String, Integer> laneWeights = Map.of();

		private boolean orderedLanes;

		private OnDead onDeadInLane = OnDead.HOLD;

		private @Nullable Rate rate;

		private @Nullable Rate laneRate;

		private boolean keepHistory;

		private @Nullable Duration keepResult;

		private boolean transactional;

		private Builder() {
		}

		/**
		 * Set the weight among the handlers of a pool, as {@link JobHandler#priority()}
		 * has it.
		 * @param priority from 1 to 100000; 0 is taken as 1
		 */
		public Builder priority(int priority) {
			if (priority < 0 || priority > HIGHEST_PRIORITY) {
				throw new IllegalArgumentException(
						"'priority' must be from 1 to %d but was %d".formatted(HIGHEST_PRIORITY, priority));
			}
			this.priority = Math.max(priority, 1);
			return this;
		}

		/**
		 * Set what becomes of failed attempts.
		 */
		public Builder retryPolicy(RetryPolicy retryPolicy) {
			this.retryPolicy = Objects.requireNonNull(retryPolicy, "'retryPolicy' must not be null");
			return this;
		}

		/**
		 * Bound the time of a run.
		 * @param timeout the time, or {@code null} for any
		 */
		public Builder timeout(@Nullable Duration timeout) {
			if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
				throw new IllegalArgumentException("'timeout' must be positive but was " + timeout);
			}
			this.timeout = timeout;
			return this;
		}

		/**
		 * Bound how many run at once on all workers.
		 * @param maxConcurrency the limit; 0 for none
		 */
		public Builder maxConcurrency(int maxConcurrency) {
			this.maxConcurrency = notNegative("maxConcurrency", maxConcurrency);
			return this;
		}

		/**
		 * Bound how many run at once in this process.
		 * @param localConcurrency the limit; 0 for none
		 */
		public Builder localConcurrency(int localConcurrency) {
			this.localConcurrency = notNegative("localConcurrency", localConcurrency);
			return this;
		}

		/**
		 * Bound how many of each lane run at once on all workers.
		 * @param laneConcurrency the limit; 0 for none
		 * @see EnqueueOptions.Builder#lane
		 */
		public Builder laneConcurrency(int laneConcurrency) {
			this.laneConcurrency = notNegative("laneConcurrency", laneConcurrency);
			return this;
		}

		/**
		 * Give some lanes a weight: while several lanes have jobs, a lane of the weight 4
		 * gives up to four for each one of a lane without a weight.
		 * @param laneWeights the weight of each lane, from 1 to 100; each claim names all
		 * of them, so they should be few
		 * @see EnqueueOptions.Builder#lane
		 */
		public Builder laneWeights(Map<String, Integer> laneWeights) {
			this.laneWeights = Lanes.requireValidWeights(laneWeights);
			return this;
		}

		/**
		 * Set whether the jobs of a lane run strictly one after the other: a job that has
		 * begun comes first until it ends, however often it is retried, snoozed or given
		 * back.
		 * @param orderedLanes whether they do
		 */
		public Builder orderedLanes(boolean orderedLanes) {
			this.orderedLanes = orderedLanes;
			return this;
		}

		/**
		 * Set what becomes of an ordered lane whose job is dead.
		 * @param onDeadInLane what becomes of it
		 */
		public Builder onDeadInLane(OnDead onDeadInLane) {
			this.onDeadInLane = Objects.requireNonNull(onDeadInLane, "'onDeadInLane' must not be null");
			return this;
		}

		/**
		 * Bound how many start in any window on all workers.
		 * @param rate the rate, or {@code null} for any number
		 */
		public Builder rate(@Nullable Rate rate) {
			this.rate = rate;
			return this;
		}

		/**
		 * Bound how many of each lane start in any window on all workers.
		 * @param laneRate the rate, or {@code null} for any number
		 * @see EnqueueOptions.Builder#lane
		 */
		public Builder laneRate(@Nullable Rate laneRate) {
			this.laneRate = laneRate;
			return this;
		}

		/**
		 * Set whether jobs that succeeded or were cancelled are kept for a while.
		 * @param keepHistory whether to keep them
		 */
		public Builder keepHistory(boolean keepHistory) {
			this.keepHistory = keepHistory;
			return this;
		}

		/**
		 * Keep the end of each job for a time, with the value that it returned, for those
		 * who ask for it.
		 * @param keepResult the time, at most 365 days; {@code null} or zero to keep
		 * nothing
		 */
		public Builder keepResult(@Nullable Duration keepResult) {
			if (keepResult != null && (keepResult.isNegative() || keepResult.compareTo(LONGEST_KEPT) > 0)) {
				throw new IllegalArgumentException("'keepResult' must be from 0 to 365 days but was " + keepResult);
			}
			this.keepResult = (keepResult != null && keepResult.isZero()) ? null : keepResult;
			return this;
		}

		/**
		 * Set whether each run is a transaction that is committed together with the end
		 * of the job, so that the handler's writes to the database of the jobs happen
		 * exactly once.
		 * @param transactional whether to do so
		 */
		public Builder transactional(boolean transactional) {
			this.transactional = transactional;
			return this;
		}

		/**
		 * Change what becomes of failed attempts.
		 * @param retry changes the policy
		 */
		public Builder retry(Consumer<? super RetryPolicy.Builder> retry) {
			return retryPolicy(this.retryPolicy.with(retry));
		}

	}

	/**
	 * The consequence of a dead job for its ordered lane. More may be added, so a
	 * {@code switch} needs a {@code default}.
	 */
	public enum OnDead {

		/** No other job of the lane starts until it is retried or deleted. */
		HOLD,

		/** The next job of the lane starts. */
		SKIP

	}

}
