package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link EnqueueSuite} on the in-memory store.
 */
class InMemoryEnqueueSuiteTests extends EnqueueSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
