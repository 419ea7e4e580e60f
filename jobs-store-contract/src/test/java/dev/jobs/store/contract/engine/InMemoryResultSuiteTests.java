package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link ResultSuite} on the in-memory store.
 */
class InMemoryResultSuiteTests extends ResultSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
