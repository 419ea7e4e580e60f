package dev.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What a handler wants to become of its job.
 *
 * @param kind what
 * @param in after which time, or {@code null}
 * @param at at which instant, or {@code null}
 * @param message why, or {@code null}
 */
public record JobResult(Kind kind, @Nullable Duration in, @Nullable Instant at, @Nullable String message) {

	private static final JobResult DONE = new JobResult(Kind.DONE, null, null, null);

	public JobResult {
		if ((kind == Kind.RETRY || kind == Kind.SNOOZE) && in == null && at == null) {
			throw new IllegalArgumentException("A retry or snooze needs a delay or an instant");
		}
	}

	/**
	 * The job is done.
	 * @return the result
	 */
	public static JobResult done() {
		return DONE;
	}

	/**
	 * Count a failed attempt and run again after a time, if an attempt is left.
	 * @param delay the time
	 * @param message why
	 * @return the result
	 */
	public static JobResult retryIn(Duration delay, String message) {
		return new JobResult(Kind.RETRY, delay, null, message);
	}

	/**
	 * Count a failed attempt and run again at an instant, if an attempt is left.
	 * @param instant the instant
	 * @param message why
	 * @return the result
	 */
	public static JobResult retryAt(Instant instant, String message) {
		return new JobResult(Kind.RETRY, null, instant, message);
	}

	/**
	 * Put the job off without using an attempt.
	 * @param delay for how long; zero or less is the
	 * {@linkplain RetryPolicy#getRequeueDelay() requeue delay}
	 * @return the result
	 */
	public static JobResult snooze(Duration delay) {
		return new JobResult(Kind.SNOOZE, delay, null, null);
	}

	/**
	 * Put the job off without using an attempt.
	 * @param instant until when; one in the past is the
	 * {@linkplain RetryPolicy#getRequeueDelay() requeue delay} from now
	 * @return the result
	 */
	public static JobResult snoozeUntil(Instant instant) {
		return new JobResult(Kind.SNOOZE, null, instant, null);
	}

	/**
	 * Send the job to the back of its queue without using an attempt. It runs again no
	 * sooner than the {@linkplain RetryPolicy#getRequeueDelay() requeue delay}, so that a
	 * lone job does not spin.
	 * @param message why; logged
	 * @return the result
	 */
	public static JobResult requeue(String message) {
		return new JobResult(Kind.REQUEUE, null, null, message);
	}

	/**
	 * Give the job up: it is dead and not run again unless a person retries it.
	 * @param reason why
	 * @return the result
	 */
	public static JobResult discard(String reason) {
		return new JobResult(Kind.DISCARD, null, null, reason);
	}

	/**
	 * What may become of a job.
	 */
	public enum Kind {

		/** It succeeded. */
		DONE,

		/** It failed and runs again when told, if an attempt is left. */
		RETRY,

		/** It is put off without using an attempt. */
		SNOOZE,

		/** It goes to the back of its queue without using an attempt. */
		REQUEUE,

		/** It is dead at once. */
		DISCARD

	}

}
