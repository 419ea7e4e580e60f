package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link RunSuite} on the in-memory store.
 */
class InMemoryRunSuiteTests extends RunSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
