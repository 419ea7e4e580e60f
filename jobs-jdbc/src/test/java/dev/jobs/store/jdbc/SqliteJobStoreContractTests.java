package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;

/**
 * The {@link JobStoreContract} on Sqlite.
 */
class SqliteJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestDatabase.SQLITE.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.SQLITE.closeStore(store);
	}

}
