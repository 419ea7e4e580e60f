package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

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
