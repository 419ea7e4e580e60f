package dev.jobs;

import dev.jobs.text.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store of jobs cannot do what was asked, mostly because it is out of
 * reach. Its message has no password, but the message of its cause comes from a driver
 * and may have one.
 * <p>
 * If an enqueue throws it, the job is not stored; an enqueue whose fate is unknown throws
 * {@link EnqueueUnconfirmedException}. After any other call, {@link #isRefused()} says
 * whether it certainly changed nothing.
 * <p>
 * A conflict within a transaction of the application that an enqueue is a part of is
 * thrown as Spring's {@code ConcurrencyFailureException} instead, so that retries of
 * transactions see it. <pre class="code">{@code
 * try {
 *     jobs.cancel(id);
 * }
 * catch (JobStoreException ex) {
 *     return ex.isTemporary() ? "Try again later" : ex.getMessage();
 * }
 * }</pre>
 */
public class JobStoreException extends JobException {

	private final boolean temporary;

	private final boolean refused;

	private final boolean late;

	/**
	 * Create an exception for a call whose outcome is unknown: it may have been applied,
	 * all or in part.
	 * @param message what went wrong
	 * @param cause the cause, or {@code null}
	 * @param temporary whether the same call may succeed later
	 */
	public JobStoreException(String message, @Nullable Throwable cause, boolean temporary) {
		this(message, cause, temporary, false, false);
	}

	private JobStoreException(String message, @Nullable Throwable cause, boolean temporary, boolean refused,
			boolean late) {
		super(Credentials.hidden(message), cause);
		this.temporary = temporary;
		this.refused = refused;
		this.late = late;
	}

	/**
	 * Create an exception for a call that certainly changed nothing: it never reached the
	 * store, or the store did not take it.
	 * @param message what went wrong
	 * @param cause the cause, or {@code null}
	 * @param temporary whether the same call may succeed later
	 */
	public static JobStoreException refused(String message, @Nullable Throwable cause, boolean temporary) {
		return new JobStoreException(message, cause, temporary, true, false);
	}

	/**
	 * Create an exception for a call that was given up because it took too long, although
	 * the store is in reach. It changed nothing.
	 * @param message what took too long
	 * @param cause the cause, or {@code null}
	 */
	public static JobStoreException late(String message, @Nullable Throwable cause) {
		return new JobStoreException(message, cause, true, true, true);
	}

	/**
	 * Return whether the same call may succeed later.
	 */
	public boolean isTemporary() {
		return this.temporary;
	}

	/**
	 * Return whether the call took too long, although the store is in reach. Then ask for
	 * less.
	 * @return {@code true} if it was given up for that
	 */
	public boolean isLate() {
		return this.late;
	}

	/**
	 * Return whether the call certainly changed nothing. If not, its outcome is unknown.
	 * @return {@code true} if nothing was applied
	 */
	public boolean isRefused() {
		return this.refused;
	}

}
