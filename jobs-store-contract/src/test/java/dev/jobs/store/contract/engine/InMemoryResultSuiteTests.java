package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * {@link ResultSuite} on the in-memory store.
 */
class InMemoryResultSuiteTests extends ResultSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	/**
	 * It takes some seconds of the real time, so one store shows it.
	 */
	@Test
	void manyWhoWaitCostAsFewCallsAsOne() {
		AtomicInteger looks = new AtomicInteger();
		JobEngine caller = build(new JobEngineBuilder(new ForwardingStore(new InMemoryJobStore()) {

			@Override
			public JobInspector inspector() {
				looks.incrementAndGet();
				return super.inspector();
			}

		}));
		caller.client()
			.enqueueAll(IntStream.range(0, 3000).mapToObj((i) -> work()).toList())
			.forEach((job) -> caller.client().completion(job.id(), String.class));
		await("all were looked at, and some again", () -> looks.get() > 3);
		int before = looks.get();
		Awaitility.await()
			.during(Duration.ofSeconds(4))
			.atMost(Duration.ofSeconds(5))
			.until(() -> looks.get() - before <= 2);
	}

}
