package dev.jobs.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import dev.jobs.Job;
import dev.jobs.engine.context.Events;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobCounts}.
 */
class JobCountsTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private Timer start(Instant dueAt) {
		Job job = Job.builder("1", "a").createdAt(dueAt).dueAt(dueAt).build();
		new JobCounts(this.registry, 10).on(new Events.Started(job, NOW));
		return this.registry.get("jobs.wait").timer();
	}

	@Test
	void savedStepsAreCounted() {
		Job job = Job.builder("1", "a").createdAt(NOW).dueAt(NOW).build();
		JobCounts counts = new JobCounts(this.registry, 10);
		counts.on(new Events.StepSaved(job, "charge", NOW));
		counts.on(new Events.StepSaved(job, "mail", NOW));
		assertThat(this.registry.get("jobs.steps").tag("handler", "a").counter().count()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 6, 3_600_000 })
	void startBeforeTheKnownDueTimeCountsAsNoWait(long early) {
		Timer timer = start(NOW.plusMillis(early));
		assertThat(timer.count()).isEqualTo(1);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "-140000-01-01T00:00:00Z", "+140000-01-01T00:00:00Z" })
	void timesThatATimerCannotHoldAreCutToWhatItHolds(Instant dueAt) {
		Timer timer = start(dueAt);
		assertThat(timer.count()).isEqualTo(1);
		assertThat(timer.max(TimeUnit.NANOSECONDS)).isIn(0d, (double) Duration.ofNanos(Long.MAX_VALUE).toNanos());
	}

}
