package dev.jobs.serialization;

import dev.jobs.JobException;
import org.jspecify.annotations.Nullable;

/**
 * A payload that cannot be written, or bytes that cannot be read. The message is short,
 * names the type and shows nothing of the payload's values.
 */
public final class PayloadException extends JobException {

	public PayloadException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
