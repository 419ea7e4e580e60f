package dev.jobs;

/**
 * Why a job is dead. More reasons will be added, so a {@code switch} needs a
 * {@code default}.
 */
public enum DeadReason {

	/** It failed as often as its retry policy allows. */
	EXHAUSTED,

	/** Its handler discarded it, or threw an exception that is never retried. */
	DISCARDED,

	/** Its payload could not be read; the bytes are kept as they are. */
	UNREADABLE,

	/** No live worker had a handler for it within the configured age limit. */
	NO_HANDLER,

	/** The process that ran it died too often while running it. */
	CRASH_LOOP,

	/** It was not started before it expired, or its deadline passed. */
	EXPIRED

}
