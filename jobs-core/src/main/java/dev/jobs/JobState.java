package dev.jobs;

/**
 * The state of a job. A job is in exactly one state at any time.
 * <p>
 * A job that waits for its next attempt is {@link #SCHEDULED}; its {@link Trail}, not its
 * state, shows that it failed before. A scheduled or waiting job whose time has come
 * counts as {@link #READY}. More states will be added, so a {@code switch} needs a
 * {@code default}.
 */
public enum JobState {

	/**
	 * Waits for a signal or for the end of another job, until its due instant at the
	 * latest.
	 */
	WAITING,

	/** Waits for its due instant, either first or after a failed attempt. */
	SCHEDULED,

	/** Waits for a worker. */
	READY,

	/** Claimed by a worker whose lease is alive or not yet taken over. */
	RUNNING,

	/** Succeeded and kept as history. */
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
