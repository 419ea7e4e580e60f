package dev.jobs;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown to a caller who wants the result of a job that ended without one, or whose
 * result is not kept.
 */
public final class NoResultException extends JobException {

	private final String jobId;

	private final @Nullable JobState state;

	private final @Nullable Trail trail;

	/**
	 * Create an exception.
	 * @param message which job it is and why there is no result
	 * @param jobId the id of the job
	 * @param state how it ended, or {@code null} if nobody knows any more
	 * @param trail its trail as last seen, or {@code null} if it was never seen
	 */
	public NoResultException(String message, String jobId, @Nullable JobState state, @Nullable Trail trail) {
		super(message, null);
		this.jobId = jobId;
		this.state = state;
		this.trail = trail;
	}

	/**
	 * Return the id of the job.
	 */
	public String getJobId() {
		return this.jobId;
	}

	/**
	 * Return how the job ended: {@link JobState#DEAD}, {@link JobState#CANCELLED}, or
	 * {@link JobState#SUCCEEDED} if its result was not kept. Empty if it is gone:
	 * deleted, or cancelled or expired while it waited, or ended long ago.
	 */
	public Optional<JobState> getState() {
		return Optional.ofNullable(this.state);
	}

	/**
	 * Return its attempts and end, as last seen.
	 * @return the trail, or empty if the job was gone from the start
	 */
	public Optional<Trail> getTrail() {
		return Optional.ofNullable(this.trail);
	}

}
