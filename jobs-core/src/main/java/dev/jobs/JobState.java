package dev.jobs;

/**
 * Where a job stands. A job is in exactly one state at any time.
 * <p>
 * A job that waits for its next attempt is {@link #SCHEDULED}; that it failed before is
 * in its {@link Trail}, not a state of its own. A scheduled job whose time has come
 * counts as {@link #READY}. More states will be added, so a {@code switch} needs a
 * {@code default}.
 */
public enum JobState {

	/**
	 * Waits for something else than its due instant or a worker, such as the end of
	 * another job. Nothing brings a job into this state yet.
	 */
	WAITING,

	/** Waits for its due instant, either first or after a failed attempt. */
	SCHEDULED,

	/** Waits for a worker. */
	READY,

	/** Claimed by a worker whose lease is alive or not yet taken over. */
	RUNNING,

	/** Ended well and kept as history. */
	SUCCEEDED,

	/** Will not run again unless an operator retries it. */
	DEAD,

	/** Ended by an operator and kept as history. */
	CANCELLED;

	/**
	 * Return whether a job in this state waits to be run.
	 * @return {@code true} for {@link #WAITING}, {@link #SCHEDULED} and {@link #READY}
	 */
	public boolean isWaiting() {
		return this == WAITING || this == SCHEDULED || this == READY;
	}

}
