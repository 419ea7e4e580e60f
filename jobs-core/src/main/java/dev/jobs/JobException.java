package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Jobs cannot do what was asked. Its types tell why: a job is
 * {@linkplain JobRejectedException rejected}, the {@linkplain JobStoreException store}
 * fails, it is {@linkplain EnqueueUnconfirmedException uncertain} whether a job was
 * stored, or a {@linkplain UnknownNameException name} is not known. More types may come.
 */
public abstract class JobException extends RuntimeException {

	JobException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
