package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Tests for the {@link FaultSuite} on the in-memory store.
 */
class InMemoryFaultSuiteTests extends FaultSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
