package dev.jobs.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Shares free slots out among queues by chance, each queue's chance being its weight. It
 * needs a number of draws, not of queues.
 */
final class QueueSampler {

	private final RandomGenerator random;

	QueueSampler(RandomGenerator random) {
		this.random = random;
	}

	/**
	 * Share slots out.
	 * @param weights the weight of each queue, at least 1
	 * @param slots how many slots there are
	 * @return how many slots each queue gets, in the order of the weights
	 */
	int[] share(List<Integer> weights, int slots) {
		int[] shares = new int[weights.size()];
		if (weights.size() == 1) {
			shares[0] = slots;
			return shares;
		}
		long[] upTo = new long[weights.size()];
		long sum = 0;
		for (int i = 0; i < upTo.length; i++) {
			sum += weights.get(i);
			upTo[i] = sum;
		}
		for (int i = 0; i < slots; i++) {
			int found = Arrays.binarySearch(upTo, this.random.nextLong(sum) + 1);
			shares[(found >= 0) ? found : -found - 1]++;
		}
		return shares;
	}

	/**
	 * Vary a time at random, so that many processes do not act together.
	 * @param duration the time
	 * @return the time, a fifth shorter or longer at most
	 */
	Duration vary(Duration duration) {
		return Duration.ofNanos((long) (duration.toNanos() * (0.8 + 0.4 * this.random.nextDouble())));
	}

}
