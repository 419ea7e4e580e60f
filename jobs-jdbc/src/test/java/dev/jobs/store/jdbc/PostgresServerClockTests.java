package dev.jobs.store.jdbc;

import java.nio.file.Path;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ServerClock;
import dev.jobs.store.contract.process.ServerClockJumps;

/**
 * A PostgreSQL whose clock is set while it runs. The environment variable
 * {@code JOBS_TEST_FAKETIME} names the library for that; without it these tests are
 * skipped.
 */
class PostgresServerClockTests extends ServerClockJumps {

	private PostgresServer server;

	private HikariDataSource pool;

	private JdbcJobStore store;

	@Override
	protected JobStore start(ServerClock clock, Path directory) {
		this.server = new PostgresServer(directory.resolve("data"), clock);
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(PostgresServer.url(this.server.port()));
		this.pool = new HikariDataSource(config);
		TestDatabase.POSTGRESQL.createTables(this.pool, "clock_");
		this.store = JdbcJobStore.builder(this.pool).tablePrefix("clock_").build();
		return this.store;
	}

	@Override
	protected void close() {
		this.store.close();
		this.pool.close();
		this.server.close();
	}

}
