package dev.jobs;

/**
 * Thrown when what a caller waited for did not happen in the time that it gave. The job
 * goes on.
 */
public final class NotInTimeException extends JobException {

	private final String jobId;

	/**
	 * Create an exception.
	 * @param message what was waited for, and how long
	 * @param jobId the id of the job
	 */
	public NotInTimeException(String message, String jobId) {
		super(message, null);
		this.jobId = jobId;
	}

	/**
	 * Return the id of the job, by which its result can be asked for later.
	 */
	public String getJobId() {
		return this.jobId;
	}

}
