package dev.jobs.store;

import java.time.Instant;
import java.util.List;

/**
 * A worker's request to claim jobs.
 *
 * @param worker the worker's id
 * @param quotas what each queue may give, in the order to ask them
 * @param limit how many jobs are wanted in all
 * @param now the current time
 */
public record ClaimRequest(String worker, List<Quota> quotas, int limit, Instant now) {

	/**
	 * The share of one queue in a claim.
	 *
	 * @param queue the queue
	 * @param share how many it gives first
	 * @param most how many it may give at most
	 * @param maxRunning how many of its jobs may run at once on all workers; 0 for no
	 * limit
	 * @param maxInLane the same for each lane of it
	 * @param after the lane it gave jobs of last, as {@link ClaimReply.Left#lane} said;
	 * empty if none
	 * @param turn how many of its jobs the worker got before, by which less urgent ones
	 * have their turn
	 */
	public record Quota(String queue, int share, int most, int maxRunning, int maxInLane, String after, int turn) {

		/**
		 * Return a quota of a queue without a limit, whose share is its maximum.
		 * @param queue the queue
		 * @param most how many jobs it may give at most
		 * @return the quota
		 */
		public static Quota of(String queue, int most) {
			return new Quota(queue, most, most, 0, 0, "", 0);
		}

		/**
		 * Return this quota with another maximum, all of which is wanted first.
		 * @param most how many jobs the queue may give at most
		 * @return the changed quota
		 */
		public Quota limitedTo(int most) {
			return new Quota(this.queue, most, most, this.maxRunning, this.maxInLane, this.after, this.turn);
		}

		/**
		 * Return this quota with another share.
		 * @param share how many jobs are wanted of the queue first
		 * @return the changed quota
		 */
		public Quota withShare(int share) {
			return new Quota(this.queue, share, this.most, this.maxRunning, this.maxInLane, this.after, this.turn);
		}

		/**
		 * Return this quota with a limit.
		 * @param maxRunning how many jobs may run at once, or 0
		 * @return the changed quota
		 */
		public Quota withMaxRunning(int maxRunning) {
			return new Quota(this.queue, this.share, this.most, maxRunning, this.maxInLane, this.after, this.turn);
		}

		/**
		 * Return this quota with a limit for each lane, and where to continue.
		 * @param maxInLane how many jobs of a lane may run at once, or 0
		 * @param after the lane that gave jobs last, or an empty text
		 * @return the changed quota
		 */
		public Quota withLanes(int maxInLane, String after) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, maxInLane, after, this.turn);
		}

		/**
		 * Return this quota with the number of jobs that the worker got before.
		 * @param turn the number; only its remainder by 16 matters
		 * @return the changed quota
		 */
		public Quota withTurn(int turn) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, this.maxInLane, this.after, turn);
		}

	}

}
