package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;

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
