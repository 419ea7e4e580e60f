package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link FreshnessSuite} on the in-memory store.
 */
class InMemoryFreshnessSuiteTests extends FreshnessSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
