package dev.jobs.engine.claim;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply.Left;

/**
 * Whose turn it is among the lanes of a queue. A lane with a weight that has given fewer
 * jobs than its weight, since claims are small, continues with the next one.
 *
 * @param after the lane behind which the next claim begins
 * @param last the lane that gave jobs last, if it may continue, or an empty text
 * @param given how many it has given in this round
 */
record LaneTurn(String after, String last, int given) {

	/** The turn of a queue that has given no jobs yet. */
	static final LaneTurn FIRST = new LaneTurn("", "", 0);

	/**
	 * Return whose turn it is after a claim.
	 * @param left what the claim reported about the queue
	 * @param weights the weights of lanes that have one
	 * @param claims the jobs that the claim gave, in their order
	 */
	LaneTurn next(Left left, Map<String, Integer> weights, List<Claim> claims) {
		if (weights.isEmpty()) {
			return new LaneTurn(left.lane(), "", 0);
		}
		List<String> lanes = claims.stream()
			.map(Claim::job)
			.filter((job) -> job.name().equals(left.queue()))
			.map((job) -> Objects.requireNonNullElse(job.lane(), ""))
			.toList();
		if (lanes.isEmpty()) {
			return this;
		}
		String lane = lanes.get(lanes.size() - 1);
		int run = 1;
		while (run < lanes.size() && lanes.get(lanes.size() - 1 - run).equals(lane)) {
			run++;
		}
		boolean alone = run == lanes.size();
		int given = (alone && lane.equals(this.last)) ? this.given + run : run;
		String before = alone ? this.after : lanes.get(lanes.size() - 1 - run);
		return (given < weights.getOrDefault(lane, 1)) ? new LaneTurn(before, lane, given)
				: new LaneTurn(left.lane(), "", 0);
	}

}
