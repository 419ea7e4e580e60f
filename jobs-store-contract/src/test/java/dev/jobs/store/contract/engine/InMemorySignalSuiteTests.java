package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link SignalSuite} on the in-memory store.
 */
class InMemorySignalSuiteTests extends SignalSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
