package dev.jobs.store;

import java.time.Instant;

import dev.jobs.Enqueued;

/**
 * The result of an enqueue in a store that waits for replicas to have the job.
 *
 * @param id the id of the job: the new one, or the one that holds the unique key
 * @param outcome what happened
 * @param dueAt when the job may run
 * @param replicas how many replicas are known to have the job
 */
public record ReplicatedEnqueued(String id, Outcome outcome, Instant dueAt, int replicas) implements Enqueued {

	/**
	 * Add the number of replicas to a result.
	 * @param enqueued the result
	 * @param replicas how many replicas are known to have the job
	 * @return the result with both
	 */
	public static ReplicatedEnqueued of(Enqueued enqueued, int replicas) {
		return new ReplicatedEnqueued(enqueued.id(), enqueued.outcome(), enqueued.dueAt(), replicas);
	}

}
