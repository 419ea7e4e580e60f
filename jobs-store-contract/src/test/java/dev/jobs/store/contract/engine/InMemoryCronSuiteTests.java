package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Tests for the {@link CronSuite} on the in-memory store.
 */
class InMemoryCronSuiteTests extends CronSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
