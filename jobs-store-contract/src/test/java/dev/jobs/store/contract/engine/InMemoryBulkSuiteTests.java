package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link BulkSuite} on the in-memory store.
 */
class InMemoryBulkSuiteTests extends BulkSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	/**
	 * The way to the store is long, so the time for the jobs of a step stays below it.
	 */
	@Test
	void stepsGrowToFiveHundredJobsIfTheStoreIsFast() {
		List<Integer> sizes = new ArrayList<>();
		JobEngine engine = build(
				builder().handler(HandlerDefinition.of("a", Void.class, (none, context) -> JobResult.done())));
		engine.client()
			.enqueueAll(IntStream.range(0, 4000)
				.mapToObj((i) -> JobRequest.named("a").options((set) -> set.delay(Duration.ofHours(1))))
				.toList());
		engine.operations().jobs(JobFilter.of((only) -> only.name("a"))).startCancel();
		build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				if (changes.get(0) instanceof Change.OfJob) {
					sizes.add(changes.size());
				}
				else {
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
				}
				return super.change(changes, now);
			}

		}).clock(this.clock)).runUntilIdle();
		assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(4000);
		assertThat(Collections.max(sizes)).isEqualTo(500);
	}

}
