package dev.jobs;

import java.time.Instant;

/**
 * What an enqueue did.
 *
 * @param id the id of the job: the new one, or the one that holds the unique key
 * @param outcome what happened
 * @param dueAt when the job may run
 */
public record Enqueued(String id, Outcome outcome, Instant dueAt) {

	/**
	 * Return whether a new job was stored.
	 * @return {@code true} if the outcome is {@link Outcome#NEW}
	 */
	public boolean isNew() {
		return this.outcome == Outcome.NEW;
	}

	/**
	 * What an enqueue may do.
	 */
	public enum Outcome {

		/** The job is stored. */
		NEW,

		/** Another job holds the unique key; nothing was stored. */
		DUPLICATE,

		/** The waiting owner of the unique key got the payload. */
		REPLACED,

		/** The waiting owner of the unique key got the payload and the due time. */
		RESCHEDULED,

		/** The queue is at its maximum length; nothing was stored. */
		FULL,

		/** An interceptor stopped it; nothing was stored. */
		STOPPED

	}

}
