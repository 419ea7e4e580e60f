package dev.jobs;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to a job whose attempt failed.
 * <p>
 * A {@link Builder} sets it. <pre class="code">{@code
 * RetryPolicy policy = RetryPolicy.of((retry) -> retry.maxAttempts(10)
 *     .backoff(Backoff.fixed(Duration.ofMinutes(1)))
 *     .noRetryFor((ex) -> ex instanceof IllegalArgumentException));
 * }</pre>
 */
public final class RetryPolicy extends Parts {

	private static final RetryPolicy DEFAULTS = new RetryPolicy(new Builder());

	private final Builder values;

	private RetryPolicy(Builder values) {
		super("RetryPolicy[maxAttempts=%s, backoff=%s, keepDead=%s, onException=%s, noRetryFor=%s, maxCrashes=%s, snoozeDelay=%s]");
		this.values = values;
	}

	/**
	 * Return the default policy: twelve attempts, polynomial backoff, dead jobs kept. The
	 * last attempt is 11 to 12 hours after the first.
	 */
	public static RetryPolicy defaults() {
		return DEFAULTS;
	}

	/**
	 * Return the default policy with changes.
	 */
	public static RetryPolicy of(Consumer<? super Builder> retry) {
		return DEFAULTS.with(retry);
	}

	/**
	 * Return a copy with changes.
	 * @param retry sets it
	 */
	public RetryPolicy with(Consumer<? super Builder> retry) {
		return new RetryPolicy(Values.changed(this.values, retry));
	}

	/**
	 * Return how often the job may run before it is dead.
	 * @return the number, at least 1
	 */
	public int getMaxAttempts() {
		return this.values.maxAttempts;
	}

	/**
	 * Return how long the job waits between attempts.
	 */
	public Backoff getBackoff() {
		return this.values.backoff;
	}

	/**
	 * Return whether a job that has used up its attempts is kept.
	 * @return {@code false} if it is dropped
	 */
	public boolean isKeepDead() {
		return this.values.keepDead;
	}

	/**
	 * Return the consequence of an exception.
	 */
	public OnException getOnException() {
		return this.values.onException;
	}

	/**
	 * Return which exceptions end a job at once.
	 */
	public Predicate<Throwable> getNoRetryFor() {
		return this.values.noRetryFor;
	}

	/**
	 * Return how often the job may kill its process before the job is dead.
	 * @return the number, at least 1
	 */
	public int getMaxCrashes() {
		return this.values.maxCrashes;
	}

	/**
	 * Return how soon a job that was put off may run again.
	 * @return how long it waits
	 */
	public Duration getSnoozeDelay() {
		return this.values.snoozeDelay;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.values.maxAttempts, this.values.backoff, this.values.keepDead,
				this.values.onException, this.values.noRetryFor, this.values.maxCrashes, this.values.snoozeDelay);
	}

	/**
	 * Sets a policy. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private int maxAttempts = 12;

		private Backoff backoff = Backoff.polynomial();

		private boolean keepDead = true;

		private OnException onException = OnException.RETRY;

		private Predicate<Throwable> noRetryFor = (ex) -> false;

		private int maxCrashes = 2;

		private Duration snoozeDelay = Duration.ofSeconds(1);

		private Builder() {
		}

		/**
		 * Set how often the job may run before it is dead.
		 * @param maxAttempts the number, at least 1
		 */
		public Builder maxAttempts(int maxAttempts) {
			if (maxAttempts < 1) {
				throw new IllegalArgumentException("'maxAttempts' must be at least 1 but was " + maxAttempts);
			}
			this.maxAttempts = maxAttempts;
			return this;
		}

		/**
		 * Set how long the job waits between attempts.
		 * @param backoff the rule
		 */
		public Builder backoff(Backoff backoff) {
			this.backoff = Objects.requireNonNull(backoff, "'backoff' must not be null");
			return this;
		}

		/**
		 * Set whether a job that has used up its attempts is kept among the dead jobs, or
		 * dropped.
		 * @param keepDead whether to keep it
		 */
		public Builder keepDead(boolean keepDead) {
			this.keepDead = keepDead;
			return this;
		}

		/**
		 * Set whether an exception leads to another attempt at all; a {@link JobResult}
		 * asks for one in any case.
		 * @param onException what an exception leads to
		 */
		public Builder onException(OnException onException) {
			this.onException = Objects.requireNonNull(onException, "'onException' must not be null");
			return this;
		}

		/**
		 * Give jobs up at once after some exceptions, besides those selected before.
		 * @param noRetryFor selects the exceptions
		 */
		public Builder noRetryFor(Predicate<Throwable> noRetryFor) {
			this.noRetryFor = this.noRetryFor.or(noRetryFor);
			return this;
		}

		/**
		 * Set how many process deaths a suspect job may cause before it is dead.
		 * @param maxCrashes the number, at least 1
		 */
		public Builder maxCrashes(int maxCrashes) {
			if (maxCrashes < 1) {
				throw new IllegalArgumentException("'maxCrashes' must be at least 1 but was " + maxCrashes);
			}
			this.maxCrashes = maxCrashes;
			return this;
		}

		/**
		 * Set how soon a job that was {@linkplain JobResult#snooze() put off} may run
		 * again.
		 * @param snoozeDelay how long it waits
		 */
		public Builder snoozeDelay(Duration snoozeDelay) {
			if (snoozeDelay.isNegative()) {
				throw new IllegalArgumentException("'snoozeDelay' must not be negative but was " + snoozeDelay);
			}
			this.snoozeDelay = snoozeDelay;
			return this;
		}

	}

	/**
	 * The consequence of an exception in a handler. More may be added, so a
	 * {@code switch} needs a {@code default}.
	 */
	public enum OnException {

		/** Another attempt, while one is left. */
		RETRY,

		/** The job's death. */
		FAIL

	}

}
