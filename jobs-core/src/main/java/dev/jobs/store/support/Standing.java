package dev.jobs.store.support;

import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Urgency;
import org.jspecify.annotations.Nullable;

/**
 * Where a job stands once it is ready. Jobs of normal urgency without a lane stand in the
 * line of their queue, all others in lanes.
 *
 * @param lane the lane; empty for the jobs without one, {@code null} for the line of the
 * queue
 * @param urgency decides first within a lane
 */
public record Standing(@Nullable String lane, Urgency urgency) {

	private static final Standing IN_LINE = new Standing(null, Urgency.NORMAL);

	/** In so many starts each level but the first has one turn. */
	public static final int ROUND = 16;

	/** The distance between two turns of different levels. */
	private static final int DISTANCE = 5;

	/**
	 * Return where a job with some headers stands.
	 */
	public static Standing of(Map<String, String> headers) {
		if (headers.isEmpty()) {
			return IN_LINE;
		}
		String lane = headers.get(Job.LANE_HEADER);
		Urgency urgency = Urgency.in(headers);
		if (urgency == Urgency.NORMAL) {
			return (lane != null) ? new Standing(lane, urgency) : IN_LINE;
		}
		return new Standing((lane != null) ? lane : "", urgency);
	}

	/**
	 * Return how many turns a level has in some starts. In its turn a job of the level
	 * starts though more urgent ones wait; otherwise the most urgent does.
	 * @param turn how many starts were before
	 * @param starts how many starts there are
	 */
	public static int turns(Urgency urgency, int turn, int starts) {
		int place = urgency.ordinal() * DISTANCE;
		return (place == 0) ? 0
				: Math.floorDiv(turn + starts - 1 - place, ROUND) - Math.floorDiv(turn - 1 - place, ROUND);
	}

}
