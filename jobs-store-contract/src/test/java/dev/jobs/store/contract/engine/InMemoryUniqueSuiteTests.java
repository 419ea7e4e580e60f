package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link UniqueSuite} on the in-memory store.
 */
class InMemoryUniqueSuiteTests extends UniqueSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
