package dev.jobs.engine.claim;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.jobs.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Throughput}.
 */
class ThroughputTests {

	private final AtomicLong nanos = new AtomicLong();

	private final Throughput throughput = new Throughput(this.nanos::get);

	private long finished;

	/**
	 * Let claims take a time while a pool finishes a job each millisecond.
	 */
	private int expectedWithClaimsOf(long millis) {
		int expected = 0;
		for (int i = 0; i < 50; i++) {
			long sent = this.nanos.get();
			this.nanos.addAndGet(Duration.ofMillis(millis).toNanos());
			this.finished += millis;
			this.throughput.called(sent);
			expected = this.throughput.expected(this.finished);
		}
		return expected;
	}

	@ParameterizedTest
	@CsvSource({ "1, 4", "5, 20", "25, 100", "40, 100", "50, 100", "80, 160", "500, 1000", "5000, 2000" })
	void claimsAheadForFourCallsAndForTwoOnceCallsAreSlow(long millis, int ahead) {
		assertThat(expectedWithClaimsOf(millis)).isBetween(ahead - 1, ahead);
	}

	@Test
	void claimsLessAheadOnceCallsAreFastAgain() {
		assertThat(expectedWithClaimsOf(200)).isGreaterThan(300);
		assertThat(expectedWithClaimsOf(2)).isBetween(7, 9);
	}

	@ParameterizedTest
	@CsvSource({ "1, 60000, 1, 100", "100, 60000, 1, 10", "1000, 5000, 1000, 50", "10, 1000, 10, 10" })
	void startsMayTakeAHundredthOfTheTimeOfABurst(int starts, long window, int burst, long patience) {
		Rate rate = Rate.of(starts, Duration.ofMillis(window)).burst(burst);
		assertThat(this.throughput.patience(Stream.of(rate))).isEqualTo(Duration.ofMillis(patience));
		expectedWithClaimsOf(50);
		assertThat(this.throughput.patience(Stream.of(rate))).isEqualTo(Duration.ofMillis(Math.max(patience, 200)));
	}

	@Test
	void claimsNothingAheadOfAPoolThatFinishesNothing() {
		this.throughput.called(this.nanos.getAndAdd(Duration.ofSeconds(1).toNanos()));
		assertThat(this.throughput.expected(0)).isZero();
	}

}
