package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreParity;

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
