package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.EnqueueOptions;
import dev.jobs.Job;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.HandlerDefinition;
import dev.jobs.engine.HandlerOptions;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TestJobs}.
 */
class TestJobsTests {

	private final SettableClock clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"));

	private final JobEngine engine = JobEngine.builder(new InMemoryJobStore())
		.clock(this.clock)
		.handler(HandlerDefinition.of("greet", Greeting.class, (greeting, context) -> {
			if (greeting.name().isEmpty()) {
				throw new IllegalStateException("Nobody to greet");
			}
			return JobResult.done();
		}).with(HandlerOptions.defaults().withRetryPolicy(RetryPolicy.defaults().withMaxAttempts(2))))
		.build();

	private final TestJobs jobs = new TestJobs(this.engine, this.clock);

	@Test
	void waitingJobsAreSeenBeforeTheyRun() {
		this.engine.client().enqueue(new Greeting("Ada"));
		assertThat(this.jobs.payloads("greet", Greeting.class)).containsExactly(new Greeting("Ada"));
		assertThat(this.jobs.waiting()).extracting(Job::name).containsExactly("greet");
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.waiting("greet")).isEmpty();
	}

	@Test
	void advancingRunsWhatBecomesDue() {
		this.engine.client().enqueue(new Greeting("Ada"), EnqueueOptions.in(Duration.ofHours(1)));
		assertThat(this.jobs.advance(Duration.ofMinutes(59))).isZero();
		assertThat(this.jobs.advance(Duration.ofMinutes(1))).isOne();
	}

	@Test
	void failedJobIsRetriedAndThenDead() {
		this.engine.client().enqueue(new Greeting(""));
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.dead()).isEmpty();
		assertThat(this.jobs.advance(Duration.ofMinutes(2))).isOne();
		assertThat(this.jobs.dead()).singleElement()
			.satisfies((job) -> assertThat(job.trail().failures()).isEqualTo(2));
	}

	@Test
	void clearingLeavesNothing() {
		this.engine.client().enqueue(new Greeting("Ada"));
		this.jobs.clear();
		assertThat(this.jobs.waiting()).isEmpty();
		assertThat(this.jobs.runUntilIdle()).isZero();
	}

	record Greeting(String name) {

	}

}
