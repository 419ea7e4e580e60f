package dev.jobs.store.view;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.jobs.QueueStatistics;
import org.jspecify.annotations.Nullable;

/**
 * How long things took, counted in {@value #SIZE} buckets whose bounds double: the first
 * is for less than a millisecond, bucket <i>n</i> for less than 2<sup>n</sup>
 * milliseconds, the last for 70 minutes and more. Histograms of any spans of time and any
 * queues can be added, so quantiles can be computed for any of them.
 *
 * @param counts how often each bucket was hit
 */
public record DurationHistogram(List<Long> counts) implements QueueStatistics.Times {

	/** How many buckets there are. */
	public static final int SIZE = 24;

	/** The empty histogram. */
	public static final DurationHistogram EMPTY = new DurationHistogram(Collections.nCopies(SIZE, 0L));

	public DurationHistogram {
		counts = List.copyOf(counts);
		if (counts.size() != SIZE) {
			throw new IllegalArgumentException("There must be " + SIZE + " counts but were " + counts.size());
		}
	}

	/**
	 * Return the bucket that a time belongs to.
	 * @return the bucket, from 0
	 */
	public static int bucketOf(Duration time) {
		long millis = time.isNegative() ? 0 : time.toMillis();
		return Math.min(Long.SIZE - Long.numberOfLeadingZeros(millis), SIZE - 1);
	}

	@Override
	public long total() {
		return this.counts.stream().mapToLong(Long::longValue).sum();
	}

	@Override
	public @Nullable Duration quantile(double share) {
		double wanted = share * total();
		long passed = 0;
		Duration quantile = null;
		for (int i = 0; i < SIZE; i++) {
			long count = this.counts.get(i);
			if (count > 0) {
				double low = (i == 0) ? 0 : 1L << (i - 1);
				double part = Math.min(Math.max((wanted - passed) / count, 0), 1);
				quantile = Duration.ofNanos((long) ((low + part * ((1L << i) - low)) * 1_000_000));
			}
			passed += count;
			if (count > 0 && passed >= wanted) {
				return quantile;
			}
		}
		return quantile;
	}

	/**
	 * Return the sum of this histogram and another.
	 */
	public DurationHistogram plus(QueueStatistics.Times other) {
		List<Long> sums = new ArrayList<>(SIZE);
		for (int i = 0; i < SIZE; i++) {
			sums.add(this.counts.get(i) + other.counts().get(i));
		}
		return new DurationHistogram(sums);
	}

}
