package dev.jobs.store.contract;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Compares the {@link InMemoryJobStore} with itself, to test the comparison.
 */
class InMemoryJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
	}

}
