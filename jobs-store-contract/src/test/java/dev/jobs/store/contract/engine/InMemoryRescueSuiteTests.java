package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Tests for the {@link RescueSuite} on the in-memory store.
 */
class InMemoryRescueSuiteTests extends RescueSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
