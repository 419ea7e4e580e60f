package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreContract;

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
