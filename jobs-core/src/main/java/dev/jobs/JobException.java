package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Jobs cannot do what was asked. Its types tell why: a job is
 * {@linkplain JobRejectedException rejected}, the {@linkplain JobStoreException store}
 * fails, or it is {@linkplain EnqueueUnconfirmedException unknown} whether a job was
 * stored. More types may come.
 */
public abstract class JobException extends RuntimeException {

	JobException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
