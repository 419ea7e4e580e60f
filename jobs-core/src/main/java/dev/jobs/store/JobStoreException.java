package dev.jobs.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store cannot do what was asked.
 */
public class JobStoreException extends RuntimeException {

	private final boolean temporary;

	/**
	 * Create an exception.
	 * @param message what went wrong
	 * @param cause the cause, or {@code null}
	 * @param temporary whether the same call may go well later
	 */
	public JobStoreException(String message, @Nullable Throwable cause, boolean temporary) {
		super(message, cause);
		this.temporary = temporary;
	}

	/**
	 * Return whether the same call may go well later.
	 * @return {@code true} if it may
	 */
	public boolean isTemporary() {
		return this.temporary;
	}

}
