package dev.jobs.store;

import java.time.Instant;
import java.util.List;

/**
 * What a worker wants to claim.
 *
 * @param worker the worker's id
 * @param quotas what each queue may give, in the order to ask them
 * @param limit how many jobs are wanted in all
 * @param now the current time
 */
public record ClaimRequest(String worker, List<Quota> quotas, int limit, Instant now) {

	/**
	 * What one queue may give.
	 *
	 * @param queue the queue
	 * @param share how many are wanted of it first
	 * @param most how many it may give at most
	 * @param maxRunning how many of its jobs may run at once on all workers; 0 for no
	 * limit
	 */
	public record Quota(String queue, int share, int most, int maxRunning) {

	}

}
