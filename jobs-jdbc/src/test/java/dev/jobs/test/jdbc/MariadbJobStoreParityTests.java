package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreParity;

/**
 * The {@link JobStoreParity} on MariaDB.
 */
class MariadbJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestDatabase.MARIADB.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.MARIADB.closeStore(store);
	}

}
