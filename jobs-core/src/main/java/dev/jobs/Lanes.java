package dev.jobs;

import java.util.Map;

/**
 * How the lane of a job travels: as a header, so that a job without one is as small as
 * before.
 */
final class Lanes {

	/** The name of the header that it travels in. */
	static final String HEADER = "jobs.lane";

	private static final int LONGEST = 100;

	private static final int GREATEST_WEIGHT = 100;

	private Lanes() {
	}

	static String requireValid(String lane) {
		if (lane.isEmpty() || lane.length() > LONGEST || !lane.equals(lane.strip())
				|| lane.chars().anyMatch(Character::isISOControl)) {
			String shown = (lane.length() > LONGEST + 20) ? lane.substring(0, LONGEST + 20) + "…" : lane;
			throw new IllegalArgumentException("The lane '" + shown + "' is not valid: a lane has 1 to " + LONGEST
					+ " characters, no control character, and no space at its ends");
		}
		return lane;
	}

	static Map<String, Integer> requireValidWeights(Map<String, Integer> weights) {
		weights.forEach((lane, weight) -> {
			requireValid(lane);
			if (weight < 1 || weight > GREATEST_WEIGHT) {
				throw new IllegalArgumentException("The weight of the lane '" + lane + "' must be from 1 to "
						+ GREATEST_WEIGHT + " but was " + weight);
			}
		});
		return Map.copyOf(weights);
	}

}
