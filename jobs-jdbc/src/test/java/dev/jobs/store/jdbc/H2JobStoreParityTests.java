package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

/**
 * The {@link JobStoreParity} on H2.
 */
class H2JobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestDatabase.H2.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.H2.closeStore(store);
	}

}
