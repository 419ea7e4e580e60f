package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Tests for the {@link StopSuite} on the in-memory store.
 */
class InMemoryStopSuiteTests extends StopSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
