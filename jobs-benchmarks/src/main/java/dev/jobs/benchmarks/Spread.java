package dev.jobs.benchmarks;

import java.util.List;

/**
 * What came out of all rounds for one metric.
 *
 * @param median the middle
 * @param min the least
 * @param max the most
 */
record Spread(double median, double min, double max) {

	static Spread of(List<Double> values) {
		List<Double> sorted = values.stream().sorted().toList();
		int middle = sorted.size() / 2;
		double median = (sorted.size() % 2 == 1) ? sorted.get(middle)
				: (sorted.get(middle - 1) + sorted.get(middle)) / 2;
		return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1));
	}

}
