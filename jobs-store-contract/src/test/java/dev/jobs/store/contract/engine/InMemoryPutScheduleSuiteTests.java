package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Tests for the {@link PutScheduleSuite} on the in-memory store.
 */
class InMemoryPutScheduleSuiteTests extends PutScheduleSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
