package dev.jobs.engine.claim;

import java.util.random.RandomGenerator;

/**
 * Shares free slots out among queues at random, in proportion to their weights.
 * <p>
 * The weights are laid in a circle, and a comb of equally spaced teeth is put on it at a
 * random place; each tooth gives its slots to the queue it hits. So a round asks no more
 * queues than there are teeth, and over many rounds each queue gets its share. If all
 * queues may be asked, the teeth go all around, and every queue gets its share to within
 * one tooth. With more queues a round takes neighbours: these were often enqueued
 * together, so their jobs are close in the server's memory and cheaper to read.
 */
final class QueueSampler {

	private static final int MOST_TEETH = 64;

	private final RandomGenerator random;

	QueueSampler(RandomGenerator random) {
		this.random = random;
	}

	/**
	 * Share slots out.
	 * @param weights the weight of each queue, at least 1
	 * @param slots how many slots there are
	 * @param most the most queues that get slots, up to 64
	 * @return how many slots each queue gets, in the order of the weights
	 */
	int[] share(int[] weights, int slots, int most) {
		int[] shares = new int[weights.length];
		long sum = 0;
		for (int weight : weights) {
			sum += weight;
		}
		int teeth = Math.min(slots, (weights.length > most) ? most : MOST_TEETH);
		int rotation = this.random.nextInt(teeth);
		boolean neighbours = weights.length > most;
		double gap = (double) sum / (neighbours ? weights.length : teeth);
		double place = this.random.nextDouble() * (neighbours ? sum : gap);
		double upTo = 0;
		int tooth = 0;
		for (int i = 0; tooth < teeth; i = (i + 1) % weights.length) {
			upTo += weights[i];
			while (tooth < teeth && place < upTo) {
				boolean extra = (tooth + rotation) % teeth < slots % teeth;
				shares[i] += slots / teeth + (extra ? 1 : 0);
				place += gap;
				tooth++;
			}
		}
		return shares;
	}

}
