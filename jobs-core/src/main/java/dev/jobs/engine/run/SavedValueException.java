package dev.jobs.engine.run;

import dev.jobs.JobException;
import org.jspecify.annotations.Nullable;

/**
 * A saved value that can no longer be read as the type that the handler wants.
 */
final class SavedValueException extends JobException {

	SavedValueException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
