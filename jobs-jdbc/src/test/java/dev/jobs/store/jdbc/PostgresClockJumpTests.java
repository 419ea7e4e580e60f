package dev.jobs.store.jdbc;

import java.util.List;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ClockJumps;

/**
 * Clocks that jump, with jobs in PostgreSQL.
 */
class PostgresClockJumpTests extends ClockJumps {

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	@Override
	protected void close() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	@Override
	protected JobStore store() {
		return this.store;
	}

	@Override
	protected List<String> place() {
		return List.of("server=" + TestDatabase.POSTGRESQL.connectionUrl(),
				"namespace=" + TestDatabase.POSTGRESQL.prefix(this.store));
	}

}
