package dev.jobs.store.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.QueueStatistics;

/**
 * What happened to the jobs of a queue in a span of time.
 *
 * @param queue the queue
 * @param start when the span began
 * @param enqueued jobs that were enqueued
 * @param succeeded jobs that succeeded
 * @param retried attempts that failed and were followed by another
 * @param dead jobs that died
 * @param expired jobs that were not started in time
 * @param waited how long jobs had been due when they started
 * @param ran how long runs took
 */
public record Tally(String queue, Instant start, long enqueued, long succeeded, long retried, long dead, long expired,
		DurationHistogram waited, DurationHistogram ran) implements QueueStatistics {

	/** How many numbers a tally has: its counts and those of its histograms. */
	public static final int CELLS = 5 + 2 * DurationHistogram.SIZE;

	/**
	 * Return a tally of numbers in the order of {@link #cells()}.
	 * @param queue the queue
	 * @param start when the span began
	 * @param cells the numbers
	 */
	public static Tally of(String queue, Instant start, long[] cells) {
		return new Tally(queue, start, cells[0], cells[1], cells[2], cells[3], cells[CELLS - 1], histogram(cells, 4),
				histogram(cells, 4 + DurationHistogram.SIZE));
	}

	private static DurationHistogram histogram(long[] cells, int from) {
		List<Long> counts = new ArrayList<>(DurationHistogram.SIZE);
		for (int i = from; i < from + DurationHistogram.SIZE; i++) {
			counts.add(cells[i]);
		}
		return new DurationHistogram(counts);
	}

	/**
	 * Return the numbers that a store adds up: enqueued, succeeded, retried and dead,
	 * then the buckets of the waiting times and of the running times, then expired.
	 */
	public long[] cells() {
		long[] cells = new long[CELLS];
		cells[0] = this.enqueued;
		cells[1] = this.succeeded;
		cells[2] = this.retried;
		cells[3] = this.dead;
		cells[CELLS - 1] = this.expired;
		for (int i = 0; i < DurationHistogram.SIZE; i++) {
			cells[4 + i] = this.waited.counts().get(i);
			cells[4 + DurationHistogram.SIZE + i] = this.ran.counts().get(i);
		}
		return cells;
	}

	@Override
	public Tally plus(QueueStatistics other) {
		return new Tally(this.queue, this.start, this.enqueued + other.enqueued(), this.succeeded + other.succeeded(),
				this.retried + other.retried(), this.dead + other.dead(), this.expired + other.expired(),
				this.waited.plus(other.waited()), this.ran.plus(other.ran()));
	}

	/**
	 * A length of the spans for which a store keeps tallies. A store adds each tally to
	 * one span of each length, so nothing has to be summed up later.
	 */
	public enum Span {

		/** A minute, kept for three hours. */
		MINUTE(Duration.ofMinutes(1), Duration.ofHours(3)),

		/** Ten minutes, kept for two days. */
		TEN_MINUTES(Duration.ofMinutes(10), Duration.ofDays(2));

		private final Duration length;

		private final Duration kept;

		Span(Duration length, Duration kept) {
			this.length = length;
			this.kept = kept;
		}

		/**
		 * Return how long a span of this length is.
		 */
		public Duration length() {
			return this.length;
		}

		/**
		 * Return the start of the span that contains an instant.
		 */
		public Instant startOf(Instant instant) {
			return floor(instant, this.length);
		}

		/**
		 * Return the start of the oldest span that is kept.
		 * @param now the current time
		 * @return the start; spans that began earlier are removed
		 */
		public Instant keptSince(Instant now) {
			return startOf(now.minus(this.kept));
		}

		static Instant floor(Instant instant, Duration length) {
			long seconds = instant.getEpochSecond();
			return Instant.ofEpochSecond(seconds - Math.floorMod(seconds, length.toSeconds()));
		}

	}

}
