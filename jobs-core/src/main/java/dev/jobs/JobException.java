package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Jobs cannot do what was asked. Its subclass gives the reason: a job is
 * {@linkplain JobRejectedException rejected}, the {@linkplain JobStoreException store}
 * fails, it is {@linkplain EnqueueUnconfirmedException uncertain} whether a job was
 * stored, a {@linkplain UnknownNameException name} is not known, or a payload cannot be
 * written or read ({@code PayloadException}). More subclasses may come.
 */
public abstract class JobException extends RuntimeException {

	/**
	 * Create an exception.
	 * @param message what could not be done and why
	 * @param cause the cause, or {@code null}
	 */
	protected JobException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
