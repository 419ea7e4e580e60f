package dev.jobs.store;

/**
 * The result of settling a job.
 */
public enum Settled {

	/** The transition was applied. */
	APPLIED,

	/**
	 * The job does not run: it was removed or settled before, perhaps by the same
	 * transition whose reply got lost. Nothing was changed.
	 */
	GONE,

	/** The job runs under another token. Nothing was changed. */
	LOST,

	/**
	 * The part of the store that keeps the job did not answer, though others did. The
	 * transition may have been applied or not; it is to be settled again.
	 */
	UNDECIDED

}
