package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link AwaitSuite} on the in-memory store.
 */
class InMemoryAwaitSuiteTests extends AwaitSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
