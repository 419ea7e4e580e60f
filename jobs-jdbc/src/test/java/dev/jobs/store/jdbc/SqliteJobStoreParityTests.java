package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

/**
 * The {@link JobStoreParity} on Sqlite.
 */
class SqliteJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestDatabase.SQLITE.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.SQLITE.closeStore(store);
	}

}
