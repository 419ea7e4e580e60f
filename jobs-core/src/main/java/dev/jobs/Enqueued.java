package dev.jobs;

import java.time.Instant;

/**
 * The result of an enqueue. A store may return more than this, such as how many replicas
 * have the job. <pre class="code">{@code
 * Enqueued enqueued = jobs.tryEnqueue(mail);
 * if (enqueued.isFull()) {
 *     return "Try again later";
 * }
 * String line = "Job " + enqueued.id() + " may run at " + enqueued.dueAt();
 * }</pre>
 */
public interface Enqueued {

	/**
	 * Create a result, as stores do, and interceptors that stop an enqueue.
	 * @param id the id of the job
	 * @param outcome what happened
	 * @param dueAt when the job may run
	 */
	static Enqueued of(String id, Outcome outcome, Instant dueAt) {
		record Result(String id, Outcome outcome, Instant dueAt) implements Enqueued {

			@Override
			public String toString() {
				return "Enqueued[id=%s, outcome=%s, dueAt=%s]".formatted(this.id, this.outcome, this.dueAt);
			}

		}
		return new Result(id, outcome, dueAt);
	}

	/**
	 * Return the id of the job: the new one, or the one that holds the unique key. If the
	 * outcome is {@link Outcome#FULL} or {@link Outcome#STOPPED}, no job has it.
	 */
	String id();

	/**
	 * Return what happened.
	 */
	Outcome outcome();

	/**
	 * Return when the job may run.
	 */
	Instant dueAt();

	/**
	 * Return whether a new job was stored.
	 * @return {@code true} if the outcome is {@link Outcome#NEW}
	 */
	default boolean isNew() {
		return outcome() == Outcome.NEW;
	}

	/**
	 * Return whether nothing was stored because another job holds the unique key.
	 * @return {@code true} if the outcome is {@link Outcome#DUPLICATE}
	 */
	default boolean isDuplicate() {
		return outcome() == Outcome.DUPLICATE;
	}

	/**
	 * Return whether nothing was stored because the queue or lane was full.
	 * @return {@code true} if the outcome is {@link Outcome#FULL}
	 */
	default boolean isFull() {
		return outcome() == Outcome.FULL;
	}

	/**
	 * The outcomes of an enqueue. More outcomes will be added, so a {@code switch} needs
	 * a {@code default}.
	 */
	enum Outcome {

		/** The job is stored. */
		NEW,

		/** Another job holds the unique key; nothing was stored. */
		DUPLICATE,

		/** The waiting owner of the unique key got the payload. */
		REPLACED,

		/** The waiting owner of the unique key got the payload and the due time. */
		RESCHEDULED,

		/** The queue holds as many waiting jobs as it may; nothing was stored. */
		FULL,

		/** An interceptor stopped it; nothing was stored. */
		STOPPED,

		/**
		 * The job will be stored once the transaction has been committed. The id belongs
		 * to the new job, even if another job turns out to hold the unique key. Before
		 * the commit no job has this id, so it cannot be found, cancelled or moved.
		 */
		DEFERRED

	}

}
