package dev.jobs.store.contract.engine;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.Cursor;
import dev.jobs.DeadReason;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs that save as much as they may. The bounds are those of the engine, so
 * one store is enough.
 */
class StepBoundsTests extends EngineSuite {

	private static final int MOST = 10_000;

	private final AtomicInteger effects = new AtomicInteger();

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	private void run(JobEngine engine, int runs) {
		engine.client().enqueue("work", "x");
		for (int i = 0; i < runs; i++) {
			engine.runUntilIdle();
		}
	}

	private void assertThatAllIsDeadFor(String bound) {
		assertThat(jobs()).singleElement()
			.extracting((job) -> Objects.requireNonNull(job.trail().end()))
			.satisfies((end) -> assertThat(end.reason()).isEqualTo(DeadReason.DISCARDED))
			.satisfies((end) -> assertThat(end.message()).contains("10,000 values of 16 MB").contains(bound));
	}

	@Test
	void tenThousandStepsAreDoneOnceAndPassedByTheNextRun() {
		JobEngine engine = build(builder().handler("work", String.class, (payload, context) -> {
			for (int i = 0; i < MOST; i++) {
				int turn = i;
				assertThat(context.step("turn " + i, Integer.class, () -> {
					this.effects.incrementAndGet();
					return turn;
				})).isEqualTo(i);
			}
			return (this.effects.getAndAdd(1) == MOST) ? JobResult.yield() : JobResult.done();
		}));
		run(engine, 1);
		assertThat(this.effects).hasValue(MOST + 2);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void oneNameMoreThanAJobMaySaveEndsInDeathAndSaysSo() {
		JobEngine engine = build(builder().handler("work", String.class, (payload, context) -> {
			for (int i = 0; i <= MOST; i++) {
				context.step("turn " + i, this.effects::incrementAndGet);
			}
			return JobResult.done();
		}));
		run(engine, 2);
		assertThat(this.effects).hasValue(MOST + 1);
		assertThatAllIsDeadFor("10,001 values");
	}

	@Test
	void positionsThatAreSavedTogetherAreBoundedTogether() {
		JobEngine engine = build(builder().handler("work", String.class, (payload, context) -> {
			List<Cursor<String>> cursors = IntStream.range(0, 20)
				.mapToObj((i) -> context.cursor("cursor " + i, String.class, ""))
				.toList();
			cursors.forEach((cursor) -> cursor.moveTo("x".repeat(1_000_000)));
			return JobResult.retry();
		}));
		run(engine, 2);
		assertThatAllIsDeadFor("17 values");
	}

}
