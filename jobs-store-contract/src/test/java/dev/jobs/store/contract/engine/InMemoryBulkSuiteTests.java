package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link BulkSuite} on the in-memory store.
 */
class InMemoryBulkSuiteTests extends BulkSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
