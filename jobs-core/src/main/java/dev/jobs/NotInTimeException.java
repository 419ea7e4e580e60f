package dev.jobs;

/**
 * Thrown when what a caller or a job waited for did not happen in the time that it gave.
 */
public final class NotInTimeException extends JobException {

	private final String jobId;

	/**
	 * Create an exception.
	 * @param message what was waited for, and how long
	 * @param jobId the id of the job that was called or that waited
	 */
	public NotInTimeException(String message, String jobId) {
		super(message, null);
		this.jobId = jobId;
	}

	/**
	 * Return the id of the job: the one that waited for a signal, or the one that was
	 * called, which goes on, and whose result can be asked for later.
	 */
	public String getJobId() {
		return this.jobId;
	}

}
