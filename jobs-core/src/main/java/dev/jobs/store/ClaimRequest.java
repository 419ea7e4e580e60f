package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.jobs.Rate;
import org.jspecify.annotations.Nullable;

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
	 * @param laneWeights how many jobs some lanes give for each one of another lane
	 * @param rates how many of its jobs may start in a window; {@code null} for any
	 * number
	 */
	public record Quota(String queue, int share, int most, int maxRunning, int maxInLane, String after, int turn,
			Map<String, Integer> laneWeights, @Nullable Rates rates) {

		/**
		 * Return a quota of a queue without a limit, whose share is its maximum.
		 * @param queue the queue
		 * @param most how many jobs it may give at most
		 * @return the quota
		 */
		public static Quota of(String queue, int most) {
			return new Quota(queue, most, most, 0, 0, "", 0, Map.of(), null);
		}

		/**
		 * Return this quota with another maximum, all of which is wanted first.
		 * @param most how many jobs the queue may give at most
		 * @return the changed quota
		 */
		public Quota limitedTo(int most) {
			return new Quota(this.queue, most, most, this.maxRunning, this.maxInLane, this.after, this.turn,
					this.laneWeights, this.rates);
		}

		/**
		 * Return this quota with another share.
		 * @param share how many jobs are wanted of the queue first
		 * @return the changed quota
		 */
		public Quota withShare(int share) {
			return new Quota(this.queue, share, this.most, this.maxRunning, this.maxInLane, this.after, this.turn,
					this.laneWeights, this.rates);
		}

		/**
		 * Return this quota with a limit.
		 * @param maxRunning how many jobs may run at once, or 0
		 * @return the changed quota
		 */
		public Quota withMaxRunning(int maxRunning) {
			return new Quota(this.queue, this.share, this.most, maxRunning, this.maxInLane, this.after, this.turn,
					this.laneWeights, this.rates);
		}

		/**
		 * Return this quota with a limit for each lane, and where to continue.
		 * @param maxInLane how many jobs of a lane may run at once, or 0
		 * @param after the lane that gave jobs last, or an empty text
		 * @return the changed quota
		 */
		public Quota withLanes(int maxInLane, String after) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, maxInLane, after, this.turn,
					this.laneWeights, this.rates);
		}

		/**
		 * Return this quota with the number of jobs that the worker got before.
		 * @param turn the number; only its remainder by 16 matters
		 * @return the changed quota
		 */
		public Quota withTurn(int turn) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, this.maxInLane, this.after, turn,
					this.laneWeights, this.rates);
		}

		/**
		 * Return this quota with weights of lanes.
		 * @param laneWeights the weight of each lane that has another one than 1
		 * @return the changed quota
		 */
		public Quota withLaneWeights(Map<String, Integer> laneWeights) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, this.maxInLane, this.after, this.turn,
					laneWeights, this.rates);
		}

		/**
		 * Return this quota with other rates.
		 * @param rates how many jobs may start in a window, or {@code null}
		 * @return the changed quota
		 */
		public Quota withRates(@Nullable Rates rates) {
			return new Quota(this.queue, this.share, this.most, this.maxRunning, this.maxInLane, this.after, this.turn,
					this.laneWeights, rates);
		}

		/**
		 * Return how many jobs a lane gives for each one of another lane.
		 */
		public int laneWeight(String lane) {
			return this.laneWeights.getOrDefault(lane, 1);
		}

	}

	/**
	 * How many jobs of a queue may start in a window.
	 *
	 * @param ofQueue the rate of the queue, or {@code null} if it has none
	 * @param ofLane the rate of each of its lanes, or {@code null} if they have none
	 * @param patience how long after {@code now} a claimed job may still start. The
	 * worker gives back those that have not begun by then, so that no window has more
	 * starts than the rate, however long the reply takes
	 */
	public record Rates(@Nullable Rate ofQueue, @Nullable Rate ofLane, Duration patience) {

	}

}
