package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreContract;

/**
 * The {@link JobStoreContract} on MySQL.
 */
class MysqlJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestDatabase.MYSQL.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.MYSQL.closeStore(store);
	}

}
