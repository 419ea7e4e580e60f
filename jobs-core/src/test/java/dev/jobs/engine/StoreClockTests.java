package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreClock}.
 */
class StoreClockTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00.123456Z");

	@Test
	void followsTheTimeOfTheStore() {
		StoreClock clock = new StoreClock(InstantSource.fixed(NOW), true);
		clock.learn(NOW.plusSeconds(3600), clock.nanos());
		assertThat(Duration.between(NOW, clock.now())).isBetween(Duration.ofSeconds(3599), Duration.ofSeconds(3601));
	}

	@Test
	void differenceWithinTheRoundTripChangesNothing() {
		StoreClock clock = new StoreClock(InstantSource.fixed(NOW), true);
		clock.learn(NOW.minusMillis(40), clock.nanos() - Duration.ofMillis(100).toNanos());
		assertThat(clock.until(NOW)).isEqualTo(Duration.ZERO);
	}

	@Test
	void timeThatTheApplicationChoseIsNotCorrected() {
		StoreClock clock = new StoreClock(InstantSource.fixed(NOW));
		clock.learn(NOW.plusSeconds(3600), clock.nanos());
		assertThat(clock.until(NOW)).isEqualTo(Duration.ZERO);
	}

	@Test
	void timeOfTheMachineIsCorrected() {
		StoreClock clock = new StoreClock(StoreClock.SYSTEM);
		clock.learn(Instant.now().plusSeconds(3600), clock.nanos());
		assertThat(clock.now()).isAfter(Instant.now().plusSeconds(3500));
	}

}
