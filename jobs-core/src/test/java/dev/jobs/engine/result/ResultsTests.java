package dev.jobs.engine.result;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Results}, polled by hand.
 */
class ResultsTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:30Z");

	/** A slow machine may need any time between two readings of the clock. */
	@Test
	void firstLookMayBecomeDueWhileOthersAreMade() {
		for (long millis = 100; millis < 1200; millis += 100) {
			Duration step = Duration.ofMillis(millis);
			AtomicLong nanos = new AtomicLong();
			StoreClock clock = new StoreClock(InstantSource.fixed(NOW), false, () -> nanos.addAndGet(step.toNanos()));
			Results results = new Results(new InMemoryJobStore(), clock, () -> NOW);
			results.open().stop();
			CompletableFuture<JobEnd> end = results.await("job", true);
			results.stored("job");
			for (int i = 0; i < 20; i++) {
				assertThat(results.poll()).isGreaterThanOrEqualTo(Duration.ZERO);
			}
			assertThat(end).as("end with steps of " + step).isDone();
			results.close();
		}
	}

}
