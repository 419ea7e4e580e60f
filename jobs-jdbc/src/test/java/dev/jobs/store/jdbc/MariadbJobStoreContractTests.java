package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;

/**
 * The {@link JobStoreContract} on MariaDB.
 */
class MariadbJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestDatabase.MARIADB.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.MARIADB.closeStore(store);
	}

}
