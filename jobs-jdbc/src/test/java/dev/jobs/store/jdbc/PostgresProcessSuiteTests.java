package dev.jobs.store.jdbc;

import java.util.List;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.ProcessSuite;

/**
 * Several processes, with jobs in PostgreSQL.
 */
class PostgresProcessSuiteTests extends ProcessSuite {

	/** Makes the tables and is closed with them. */
	private final JobStore first = TestDatabase.POSTGRESQL.createStore();

	private final PostgresApplication application = new PostgresApplication(TestDatabase.POSTGRESQL.connectionUrl(),
			TestDatabase.POSTGRESQL.prefix(this.first), new Ledger());

	@Override
	protected void close() {
		this.application.close();
		TestDatabase.POSTGRESQL.destroyStore(this.first);
	}

	@Override
	protected JobStore store() {
		return this.application.store();
	}

	@Override
	protected List<String> place() {
		return List.of("server=" + TestDatabase.POSTGRESQL.connectionUrl(),
				"namespace=" + TestDatabase.POSTGRESQL.prefix(this.first));
	}

}
