package dev.jobs.engine.claim;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import dev.jobs.Rate;

/**
 * Measures how fast a pool finishes jobs and how long a claim takes, and derives how many
 * jobs the pool will finish before a claim sent now is answered. Used by one thread.
 */
final class Throughput {

	private static final int MOST = 2000;

	private static final long SHORTEST_WINDOW = Duration.ofMillis(2).toNanos();

	private static final long LONG_WINDOW = Duration.ofMillis(100).toNanos();

	private static final long SHORTEST_MEASURE = Duration.ofMillis(1).toNanos();

	private static final long LONGEST_MEASURE = Duration.ofMillis(50).toNanos();

	private static final long LEAST_PATIENCE = 10;

	private static final long MOST_PATIENCE = 100;

	private final LongSupplier nanos;

	private double perNano;

	private double callNanos;

	private long lastNanos;

	private long lastFinished;

	/**
	 * Create a measurement.
	 * @param nanos a counter of nanoseconds
	 */
	Throughput(LongSupplier nanos) {
		this.nanos = nanos;
		this.lastNanos = nanos.getAsLong();
	}

	/**
	 * Record a claim.
	 * @param sentNanos when it was sent
	 */
	void called(long sentNanos) {
		double took = this.nanos.getAsLong() - sentNanos;
		this.callNanos = (this.callNanos == 0) ? took : 0.8 * this.callNanos + 0.2 * took;
	}

	/**
	 * Return how long after now a claimed job may take to start if its start counts for a
	 * rate: some claims' time, and a hundredth of the time in which a burst may start, so
	 * that few jobs come too late and no more permits than that come late.
	 */
	Duration patience(Stream<Rate> rates) {
		long burst = rates.mapToLong((rate) -> rate.getWindow().toMillis() * rate.getBurst() / rate.getStarts())
			.min()
			.orElse(0);
		long claims = (long) (4 * this.callNanos / 1_000_000);
		return Duration.ofMillis(Math.max(Math.max(LEAST_PATIENCE, claims), Math.min(burst / 100, MOST_PATIENCE)));
	}

	/**
	 * Return how many jobs are likely to finish during the next claim.
	 * @param finished how many the pool has finished so far
	 * @return the number, bounded
	 */
	int expected(long finished) {
		long now = this.nanos.getAsLong();
		long elapsed = now - this.lastNanos;
		if (elapsed >= SHORTEST_MEASURE) {
			double measured = (double) (finished - this.lastFinished) / elapsed;
			double weight = (elapsed >= LONGEST_MEASURE) ? 1 : 0.5;
			this.perNano = (1 - weight) * this.perNano + weight * measured;
			this.lastNanos = now;
			this.lastFinished = finished;
		}
		return (int) Math.min(MOST, this.perNano * window());
	}

	/**
	 * Return for how long jobs are claimed ahead. With less than two claims' time the
	 * pool would run dry during a claim, therefore seem slower, and claim even less.
	 */
	private double window() {
		double most = Math.max(LONG_WINDOW, 2 * this.callNanos);
		return Math.max(SHORTEST_WINDOW, Math.min(4 * this.callNanos, most));
	}

}
