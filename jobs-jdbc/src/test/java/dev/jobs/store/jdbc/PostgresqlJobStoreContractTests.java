package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;

/**
 * The {@link JobStoreContract} on Postgresql.
 */
class PostgresqlJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestDatabase.POSTGRESQL.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.POSTGRESQL.closeStore(store);
	}

}
