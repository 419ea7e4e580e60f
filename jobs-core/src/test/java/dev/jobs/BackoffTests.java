package dev.jobs;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Backoff}.
 */
class BackoffTests {

	private static final Job JOB = Job.builder("id", "name").state(JobState.RUNNING).build();

	private final SplittableRandom random = new SplittableRandom(7);

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 10, 60 })
	void polynomialStaysInItsRange(int failures) {
		long least = (long) Math.pow(failures, 4) + 15;
		for (int i = 0; i < 1000; i++) {
			assertThat(Backoff.polynomial().delay(JOB, failures, this.random)).isBetween(Duration.ofSeconds(least),
					Duration.ofSeconds(least + 29L * (failures + 1)));
		}
	}

	@Test
	void polynomialVaries() {
		assertThat(IntStream.range(0, 100).mapToObj((i) -> Backoff.polynomial().delay(JOB, 1, this.random)).distinct())
			.hasSizeGreaterThan(90);
	}

	@Test
	void defaultAttemptsOutlastANightAndEndWithinHalfADay() {
		Duration sum = IntStream.range(1, RetryPolicy.defaults().getMaxAttempts())
			.mapToObj((failures) -> Backoff.polynomial().delay(JOB, failures, this.random))
			.reduce(Duration.ZERO, Duration::plus);
		assertThat(sum).isBetween(Duration.ofHours(11), Duration.ofHours(12));
	}

	@ParameterizedTest
	@ValueSource(ints = { 60, 1000, Integer.MAX_VALUE })
	void noDelayOverflows(int failures) {
		assertThat(Backoff.polynomial().delay(JOB, failures, this.random)).isBetween(Duration.ofDays(100),
				Backoff.LONGEST);
		assertThat(Backoff.exponential(Duration.ofSeconds(5), 2, Duration.ofHours(1)).delay(JOB, failures, this.random))
			.isEqualTo(Duration.ofHours(1));
		assertThat(Backoff.exponential(Duration.ofSeconds(5), 2, Backoff.LONGEST)
			.jitter(1)
			.delay(JOB, failures, this.random)).isBetween(Duration.ZERO, Backoff.LONGEST);
	}

	@Test
	void fixedIsAlwaysTheSame() {
		assertThat(Backoff.fixed(Duration.ofSeconds(7)).delay(JOB, 9, this.random)).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void exponentialMultipliesUpToItsLongest() {
		Backoff backoff = Backoff.exponential(Duration.ofSeconds(15), 3, Duration.ofMinutes(5));
		assertThat(IntStream.rangeClosed(1, 5).mapToObj((f) -> backoff.delay(JOB, f, this.random))).containsExactly(
				Duration.ofSeconds(15), Duration.ofSeconds(45), Duration.ofSeconds(135), Duration.ofMinutes(5),
				Duration.ofMinutes(5));
	}

	@Test
	void jitterStaysWithinItsShare() {
		Backoff backoff = Backoff.fixed(Duration.ofSeconds(100)).jitter(0.2);
		for (int i = 0; i < 1000; i++) {
			assertThat(backoff.delay(JOB, 1, this.random)).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(120));
		}
	}

	@Test
	void senselessNumbersAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Backoff.exponential(Duration.ofSeconds(1), 0.5, Duration.ofDays(1)))
			.withMessageContaining("'multiplier'");
		assertThatIllegalArgumentException().isThrownBy(() -> Backoff.fixed(Duration.ZERO).jitter(1.1))
			.withMessageContaining("'jitter'");
		assertThatIllegalArgumentException().isThrownBy(() -> Backoff.fixed(Duration.ZERO).jitter(Double.NaN));
	}

}
