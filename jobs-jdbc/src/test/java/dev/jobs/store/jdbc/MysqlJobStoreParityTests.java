package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

/**
 * The {@link JobStoreParity} on MySQL.
 */
class MysqlJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestDatabase.MYSQL.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.MYSQL.closeStore(store);
	}

}
