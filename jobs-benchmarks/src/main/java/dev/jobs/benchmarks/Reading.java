package dev.jobs.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One figure of one round.
 *
 * @param metric what was measured
 * @param value the value
 * @param unit its unit
 */
record Reading(String metric, double value, String unit) {

	static Reading rate(String metric, int jobs, long nanos) {
		return new Reading(metric, jobs * (double) TimeUnit.SECONDS.toNanos(1) / nanos, "jobs/s");
	}

	/**
	 * Sum samples up.
	 * @param nanos the samples in nanoseconds
	 * @return their p50, p99 and maximum in milliseconds
	 */
	static List<Reading> percentiles(long[] nanos) {
		long[] sorted = nanos.clone();
		Arrays.sort(sorted);
		return List.of(millis("p50", at(sorted, 0.50)), millis("p99", at(sorted, 0.99)), millis("max", at(sorted, 1)));
	}

	/**
	 * Sum samples of several things up.
	 * @param of what was measured
	 * @param nanos the samples in nanoseconds
	 * @return their p50, p99 and maximum in milliseconds
	 */
	static List<Reading> percentiles(String of, long[] nanos) {
		return percentiles(nanos).stream()
			.map((reading) -> new Reading(of + ", " + reading.metric(), reading.value(), reading.unit()))
			.toList();
	}

	/**
	 * Sum few samples up.
	 * @param metric what was measured
	 * @param nanos the samples in nanoseconds
	 * @return their p50 and maximum in milliseconds
	 */
	static List<Reading> typical(String metric, long[] nanos) {
		long[] sorted = nanos.clone();
		Arrays.sort(sorted);
		return List.of(millis(metric + ", p50", at(sorted, 0.50)), millis(metric + ", max", at(sorted, 1)));
	}

	static Reading seconds(String metric, long nanos) {
		return new Reading(metric, nanos / (double) TimeUnit.SECONDS.toNanos(1), "s");
	}

	private static long at(long[] sorted, double share) {
		return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
	}

	private static Reading millis(String metric, long nanos) {
		return new Reading(metric, nanos / (double) TimeUnit.MILLISECONDS.toNanos(1), "ms");
	}

}
