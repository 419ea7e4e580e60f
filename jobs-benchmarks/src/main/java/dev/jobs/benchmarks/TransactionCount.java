package dev.jobs.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Counts the transactions that a PostgreSQL ends in this database, by its own statistics,
 * without those of the counter itself.
 */
final class TransactionCount implements Stores.Watch {

	static final String TRANSACTIONS = "transactions";

	/** The statistics of a session are told when it is idle, so late by one look. */
	private static final String SUM = "select sum(xact_commit + xact_rollback) from pg_stat_database "
			+ "where datname = current_database()";

	private final Connection connection;

	private long looks;

	TransactionCount(Connection connection) {
		this.connection = connection;
	}

	@Override
	public Map<String, Long> counts() {
		try (Statement statement = this.connection.createStatement(); ResultSet row = statement.executeQuery(SUM)) {
			row.next();
			return Map.of(TRANSACTIONS, row.getLong(1) - this.looks++);
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

}
