package dev.jobs.store.view;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DurationHistogram}.
 */
class DurationHistogramTests {

	private static DurationHistogram of(long... millis) {
		List<Long> counts = new ArrayList<>(Collections.nCopies(DurationHistogram.SIZE, 0L));
		for (long time : millis) {
			int bucket = DurationHistogram.bucketOf(Duration.ofMillis(time));
			counts.set(bucket, counts.get(bucket) + 1);
		}
		return new DurationHistogram(counts);
	}

	@Test
	void bucketsDouble() {
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(-1))).isZero();
		assertThat(DurationHistogram.bucketOf(Duration.ofNanos(999_999))).isZero();
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(1))).isEqualTo(1);
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(2))).isEqualTo(2);
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(3))).isEqualTo(2);
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(1023))).isEqualTo(10);
		assertThat(DurationHistogram.bucketOf(Duration.ofMillis(1024))).isEqualTo(11);
		assertThat(DurationHistogram.bucketOf(Duration.ofMinutes(70))).isEqualTo(DurationHistogram.SIZE - 1);
		assertThat(DurationHistogram.bucketOf(Duration.ofDays(9999))).isEqualTo(DurationHistogram.SIZE - 1);
	}

	@Test
	void quantileLiesInItsBucket() {
		DurationHistogram spread = of(1, 1, 5, 5, 5, 5, 5, 5, 300, 5000);
		assertThat(spread.total()).isEqualTo(10);
		assertThat(spread.quantile(0.1)).isBetween(Duration.ofMillis(1), Duration.ofMillis(2));
		assertThat(spread.quantile(0.5)).isBetween(Duration.ofMillis(4), Duration.ofMillis(8));
		assertThat(spread.quantile(0.9)).isBetween(Duration.ofMillis(256), Duration.ofMillis(512));
		assertThat(spread.quantile(0.99)).isBetween(Duration.ofMillis(4096), Duration.ofMillis(8192));
		assertThat(spread.quantile(1)).isEqualTo(Duration.ofMillis(8192));
	}

	@Test
	void quantileOfNothingIsUnknown() {
		assertThat(DurationHistogram.EMPTY.quantile(0.5)).isNull();
	}

	@Test
	void spreadsOfSpansAddUp() {
		assertThat(of(1, 300).plus(of(300, 9000))).isEqualTo(of(1, 300, 300, 9000));
	}

}
