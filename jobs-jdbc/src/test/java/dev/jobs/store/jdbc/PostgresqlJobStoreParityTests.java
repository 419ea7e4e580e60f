package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

/**
 * The {@link JobStoreParity} on Postgresql.
 */
class PostgresqlJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestDatabase.POSTGRESQL.openStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestDatabase.POSTGRESQL.closeStore(store);
	}

}
