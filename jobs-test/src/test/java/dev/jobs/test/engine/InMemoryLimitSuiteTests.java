package dev.jobs.test.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link LimitSuite} on the in-memory store.
 */
class InMemoryLimitSuiteTests extends LimitSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
