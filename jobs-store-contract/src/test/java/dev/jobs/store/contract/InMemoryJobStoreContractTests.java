package dev.jobs.store.contract;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * The {@link JobStoreContract} for the {@link InMemoryJobStore}.
 */
class InMemoryJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
	}

}
