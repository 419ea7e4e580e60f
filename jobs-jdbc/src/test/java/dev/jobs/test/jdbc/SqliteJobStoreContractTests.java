package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreContract;

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
