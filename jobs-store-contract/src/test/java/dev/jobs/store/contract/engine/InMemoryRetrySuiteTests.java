package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link RetrySuite} on the in-memory store.
 */
class InMemoryRetrySuiteTests extends RetrySuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
