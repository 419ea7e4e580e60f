package dev.jobs;

/**
 * Thrown by a run that wants to save something though another worker may have its job.
 * Nothing was saved. The handler is to let it through: what the run returns or throws
 * changes nothing any more.
 */
public final class LeaseLostException extends JobException {

	/**
	 * Create an exception.
	 * @param message which job it is
	 */
	public LeaseLostException(String message) {
		super(message, null);
	}

}
