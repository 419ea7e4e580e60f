package dev.jobs.store.contract.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LimitSuite} on the in-memory store.
 */
class InMemoryLimitSuiteTests extends LimitSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	/**
	 * No matter of the store, but quick enough in memory to meet the moment.
	 */
	@Test
	void jobThatAThreadTakesAsItsQueueIsPausedIsNotGivenBackAsWell() {
		AtomicInteger runs = new AtomicInteger();
		Set<String> ran = ConcurrentHashMap.newKeySet();
		JobEngine engine = start(
				builder().concurrency(4).handler(HandlerDefinition.of("a", Integer.class, (payload, context) -> {
					ran.add(context.id());
					runs.incrementAndGet();
					return JobResult.done();
				})));
		engine.client().enqueueAll(IntStream.range(0, 5000).mapToObj((i) -> JobRequest.named("a").payload(i)).toList());
		await("the runs", () -> {
			for (int i = 0; i < 100; i++) {
				engine.operations().queue("a").pause();
				engine.operations().queue("a").resume();
			}
			return ran.size() == 5000;
		});
		await("the end", () -> jobs().isEmpty() && engine.status().busy() == 0);
		assertThat(runs).hasValue(5000);
	}

}
