package dev.jobs;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What an enqueue did. <pre class="code">{@code
 * Enqueued enqueued = jobs.tryEnqueue(mail);
 * boolean accepted = !enqueued.isFull();
 * String id = enqueued.id();
 * Instant dueAt = enqueued.dueAt();
 * }</pre>
 *
 * @param id the id of the job: the new one, or the one that holds the unique key
 * @param outcome what happened
 * @param dueAt when the job may run
 * @param replicas how many replicas are known to have it, or {@code null} if the store
 * did not wait for any
 */
public record Enqueued(String id, Outcome outcome, Instant dueAt, @Nullable Integer replicas) {

	/**
	 * Create a result of a store that waits for no replicas.
	 * @param id the id of the job
	 * @param outcome what happened
	 * @param dueAt when the job may run
	 */
	public Enqueued(String id, Outcome outcome, Instant dueAt) {
		this(id, outcome, dueAt, null);
	}

	/**
	 * Return this result with what became of its replication.
	 * @param replicas how many replicas are known to have the job
	 * @return the changed result
	 */
	public Enqueued withReplicas(int replicas) {
		return new Enqueued(this.id, this.outcome, this.dueAt, replicas);
	}

	/**
	 * Return whether a new job was stored.
	 * @return {@code true} if the outcome is {@link Outcome#NEW}
	 */
	public boolean isNew() {
		return this.outcome == Outcome.NEW;
	}

	/**
	 * Return whether nothing was stored because the queue was full.
	 * @return {@code true} if the outcome is {@link Outcome#FULL}
	 */
	public boolean isFull() {
		return this.outcome == Outcome.FULL;
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

		/** As many jobs as may wait do so; nothing was stored. */
		FULL,

		/** An interceptor stopped it; nothing was stored. */
		STOPPED,

		/**
		 * The job will be stored once the transaction has been committed. The id is that
		 * of the new job, even if another one turns out to hold the unique key.
		 */
		DEFERRED

	}

}
