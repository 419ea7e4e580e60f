package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The result of a handler, which decides what happens to its job.
 * <p>
 * Each result may have a {@linkplain #message(String) message}, as in
 * {@code JobResult.retryIn(ofMinutes(5)).message("rate limited")}.
 * <pre class="code">{@code
 * if (busy) {
 *     return JobResult.retryIn(Duration.ofMinutes(5)).message("The mail server is busy");
 * }
 * return JobResult.done();
 * }</pre>
 */
public final class JobResult extends Parts {

	private static final JobResult DONE = new JobResult(Kind.DONE, null, null, null, null);

	private final Kind kind;

	private final @Nullable Object value;

	private final @Nullable Duration delay;

	private final @Nullable Instant at;

	private final @Nullable String message;

	private JobResult(Kind kind, @Nullable Object value, @Nullable Duration delay, @Nullable Instant at,
			@Nullable String message) {
		super("JobResult[kind=%s, value=%s, delay=%s, at=%s, message=%s]");
		this.kind = kind;
		this.value = value;
		this.delay = delay;
		this.at = at;
		this.message = message;
	}

	/**
	 * The job is done.
	 * @return the result
	 */
	public static JobResult done() {
		return DONE;
	}

	/**
	 * The job is done and returns a value, which is kept if the handler
	 * {@linkplain HandlerOptions.Builder#keepResult keeps results}. A method with
	 * {@link JobHandler} may also return the value itself.
	 * @param value the value, which may be {@code null}
	 * @return the result
	 * @throws IllegalArgumentException if the value is a result
	 */
	public static JobResult done(@Nullable Object value) {
		if (value instanceof JobResult) {
			throw new IllegalArgumentException("The value is a JobResult; return that as it is");
		}
		return new JobResult(Kind.DONE, value, null, null, null);
	}

	/**
	 * Count a failed attempt and run again after the {@linkplain Backoff backoff} of the
	 * handler, if an attempt is left.
	 * @return the result
	 */
	public static JobResult retry() {
		return new JobResult(Kind.RETRY, null, null, null, null);
	}

	/**
	 * Count a failed attempt and run again after a time, if an attempt is left.
	 * @return the result
	 * @throws IllegalArgumentException if the time is negative
	 */
	public static JobResult retryIn(Duration delay) {
		if (Objects.requireNonNull(delay, "A retry after a time needs one").isNegative()) {
			throw new IllegalArgumentException("'delay' must not be negative but was " + delay);
		}
		return new JobResult(Kind.RETRY, null, delay, null, null);
	}

	/**
	 * Count a failed attempt and run again at an instant, if an attempt is left.
	 * @return the result
	 */
	public static JobResult retryAt(Instant instant) {
		return new JobResult(Kind.RETRY, null, null, Objects.requireNonNull(instant, "A retry at an instant needs one"),
				null);
	}

	/**
	 * Put the job off without using an attempt: it goes to the back of its queue, and
	 * runs again no sooner than the {@linkplain RetryPolicy#getSnoozeDelay() snooze
	 * delay}, so that a lone job does not spin.
	 * @return the result
	 */
	public static JobResult snooze() {
		return new JobResult(Kind.SNOOZE, null, null, null, null);
	}

	/**
	 * Put the job off for a time without using an attempt.
	 * @param delay for how long; zero or less is the
	 * {@linkplain RetryPolicy#getSnoozeDelay() snooze delay}
	 * @return the result
	 */
	public static JobResult snooze(Duration delay) {
		return new JobResult(Kind.SNOOZE, null, Objects.requireNonNull(delay, "A snooze for a time needs one"), null,
				null);
	}

	/**
	 * Put the job off until an instant without using an attempt.
	 * @param instant until when; one in the past is the
	 * {@linkplain RetryPolicy#getSnoozeDelay() snooze delay} from now
	 * @return the result
	 */
	public static JobResult snoozeUntil(Instant instant) {
		return new JobResult(Kind.SNOOZE, null, null,
				Objects.requireNonNull(instant, "A snooze until an instant needs one"), null);
	}

	/**
	 * Hold back the whole queue or, if the job has one, its lane: until the time is over,
	 * nothing of it starts on any worker. Jobs that run continue. This job goes to the
	 * front without using an attempt. It is the answer to a service that says when it may
	 * be asked again, as HTTP does by status 429 and {@code Retry-After}.
	 * @param delay for how long, a day at most; zero or less is the
	 * {@linkplain RetryPolicy#getSnoozeDelay() snooze delay}
	 * @return the result
	 */
	public static JobResult holdBack(Duration delay) {
		return new JobResult(Kind.HOLD_BACK, null, Objects.requireNonNull(delay, "A hold needs a time"), null, null);
	}

	/**
	 * Give the job back to the front of its queue without using an attempt, so that
	 * another worker goes on with it. A long handler returns this when it
	 * {@linkplain JobContext#shouldYield() should yield}, and goes on from its
	 * {@linkplain JobContext#cursor cursor} or its last step.
	 * @return the result
	 */
	public static JobResult yield() {
		return new JobResult(Kind.YIELD, null, null, null, null);
	}

	/**
	 * Give the job up: it is dead and not run again unless an operator retries it.
	 * @return the result
	 */
	public static JobResult discard() {
		return new JobResult(Kind.DISCARD, null, null, null, null);
	}

	/**
	 * Give the reason. The message of a retry or a discard is kept with the job, the
	 * message of a snooze or a hold is logged.
	 * @return the changed result
	 */
	public JobResult message(String message) {
		return new JobResult(this.kind, this.value, this.delay, this.at, message);
	}

	/**
	 * Return what happens to the job.
	 */
	public Kind getKind() {
		return this.kind;
	}

	/**
	 * Return the value that the job returns.
	 * @return the value, or {@code null} if there is none
	 */
	public @Nullable Object getValue() {
		return this.value;
	}

	/**
	 * Return after which time the job runs again.
	 * @return the time, or {@code null} if not given
	 */
	public @Nullable Duration getDelay() {
		return this.delay;
	}

	/**
	 * Return at which instant the job runs again.
	 * @return the instant, or {@code null} if not given
	 */
	public @Nullable Instant getAt() {
		return this.at;
	}

	/**
	 * Return the reason.
	 * @return the message, or {@code null} if not given
	 */
	public @Nullable String getMessage() {
		return this.message;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.kind, this.value, this.delay, this.at, this.message);
	}

	/**
	 * The kinds of results. More kinds will be added, so a {@code switch} needs a
	 * {@code default}.
	 */
	public enum Kind {

		/** It succeeded. */
		DONE,

		/** It failed and runs again, if an attempt is left. */
		RETRY,

		/** It is put off without using an attempt. */
		SNOOZE,

		/** Its queue or lane is held back, and it goes to the front. */
		HOLD_BACK,

		/** It goes to the front of its queue without using an attempt. */
		YIELD,

		/** It is dead at once. */
		DISCARD

	}

}
