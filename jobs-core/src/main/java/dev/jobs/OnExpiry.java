package dev.jobs;

/**
 * The end of a job that was not started in time. More may be added, so a {@code switch}
 * needs a {@code default}.
 *
 * @see EnqueueOptions.Builder#expiresIn
 */
public enum OnExpiry {

	/** It is removed, and counted as expired. */
	DISCARD,

	/** It is dead with {@link DeadReason#EXPIRED}, and kept for an operator. */
	DEAD

}
