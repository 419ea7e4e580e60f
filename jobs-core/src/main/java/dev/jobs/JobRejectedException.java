package dev.jobs;

import java.time.Duration;

/**
 * Thrown when a job cannot be taken now: its queue or its lane is full, or the client is
 * closing. Nothing was stored. A web application replies with 503 and a
 * {@code Retry-After} header. <pre class="code">{@code
 * try {
 *     jobs.enqueue(mail);
 * }
 * catch (JobRejectedException ex) {
 *     return ex.getRetryAfter();
 * }
 * }</pre>
 */
public class JobRejectedException extends JobException {

	private final Duration retryAfter;

	/**
	 * Create an exception.
	 * @param message what was refused and why
	 * @param retryAfter when another try makes sense
	 */
	public JobRejectedException(String message, Duration retryAfter) {
		super(message, null);
		this.retryAfter = retryAfter;
	}

	/**
	 * Return when another try makes sense.
	 * @return the time to wait
	 */
	public Duration getRetryAfter() {
		return this.retryAfter;
	}

}
