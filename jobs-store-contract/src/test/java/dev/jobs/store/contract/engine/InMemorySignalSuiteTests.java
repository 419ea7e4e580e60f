package dev.jobs.store.contract.engine;

import dev.jobs.JobState;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

/**
 * {@link SignalSuite} on the in-memory store.
 */
class InMemorySignalSuiteTests extends SignalSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	/**
	 * It takes a round of the real time, so one store shows it.
	 */
	@Test
	void startedWorkerFindsASignalThatReleasedNobody() {
		JobEngine engine = start(parts());
		waitingFor(7);
		String id = enqueue(engine);
		await("it waits", () -> job(id).state() == JobState.WAITING);
		keep("JD7");
		await("it is done", () -> jobs().isEmpty());
	}

}
