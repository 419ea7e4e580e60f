package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;

/**
 * The {@link JobStoreContract} on H2.
 */
class H2JobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestDatabase.H2.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.H2.closeStore(store);
	}

}
