package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link PrioritySuite} on the in-memory store.
 */
class InMemoryPrioritySuiteTests extends PrioritySuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
