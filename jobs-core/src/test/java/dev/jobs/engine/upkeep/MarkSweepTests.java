package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.Backoff;
import dev.jobs.HandlerOptions;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Save;
import dev.jobs.store.StepMarks;
import dev.jobs.store.memory.InMemoryJobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MarkSweep}.
 */
class MarkSweepTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private volatile Instant now = START;

	private final Marks marks = new Marks();

	private final JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(() -> this.now, "test")
		.handler(HandlerDefinition.of("work", String.class, (payload, context) -> switch (payload) {
			case "sleeps" -> JobResult.snooze(Duration.ofDays(9));
			case "dies" -> JobResult.discard();
			default -> JobResult.done();
		})
			.with(HandlerOptions.of((set) -> set
				.retryPolicy(RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(Duration.ofDays(9))))))))
		.stepMarks(this.marks)
		.build();

	@Test
	void marksOfJobsThatCannotRunAgainAreForgottenAfterAnHour() {
		String done = markOf("is done");
		String sleeping = markOf("sleeps");
		String dead = markOf("dies");
		this.engine.runUntilIdle();
		sweep();
		assertThat(this.marks.made).containsOnlyKeys(done, sleeping, dead);
		this.now = START.plus(Duration.ofMinutes(61));
		String late = markOf("is done");
		this.engine.runUntilIdle();
		sweep();
		assertThat(this.marks.made).containsOnlyKeys(sleeping, dead, late);
		this.engine.operations().job(sleeping).cancel();
		this.engine.operations().job(dead).delete();
		sweep();
		assertThat(this.marks.made).containsOnlyKeys(late);
	}

	/**
	 * Start the worker, and stop it after its first round.
	 */
	private void sweep() {
		this.marks.empty.clear();
		this.engine.start();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !this.marks.empty.isEmpty());
		this.engine.stopNow();
	}

	private String markOf(String payload) {
		String id = this.engine.client().enqueue("work", payload).id();
		this.marks.made.put(id, this.now);
		return id;
	}

	/**
	 * Marks in memory.
	 */
	private static final class Marks implements StepMarks {

		private final Map<String, Instant> made = new ConcurrentHashMap<>();

		private final List<Instant> empty = new CopyOnWriteArrayList<>();

		@Override
		public Map<String, byte[]> find(String job, String payload) {
			return Map.of();
		}

		@Override
		public boolean inTransaction() {
			return false;
		}

		@Override
		public void write(Save step, String payload, Instant now) {
		}

		@Override
		public Map<String, Instant> jobs(Instant after, Instant before, int limit) {
			Map<String, Instant> found = new HashMap<>();
			this.made.forEach((job, time) -> {
				if (time.isAfter(after) && time.isBefore(before)) {
					found.put(job, time);
				}
			});
			if (found.isEmpty()) {
				this.empty.add(before);
			}
			return found;
		}

		@Override
		public void forget(Collection<String> jobs, Instant before) {
			jobs.forEach((job) -> this.made.computeIfPresent(job, (id, time) -> time.isBefore(before) ? null : time));
		}

		@Override
		public boolean forget(String job, String step) {
			return false;
		}

	}

}
