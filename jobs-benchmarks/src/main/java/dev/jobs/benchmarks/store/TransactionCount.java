package dev.jobs.benchmarks.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts the transactions that a PostgreSQL ends in this database and, if it is given
 * which statements it runs, also these, by its own statistics and without those of the
 * counter itself. A statement that begins or ends a transaction is one.
 */
final class TransactionCount implements Stores.Watch {

	static final String TRANSACTIONS = "transactions";

	/** The statistics of a session appear when it is idle, so they lag by one read. */
	// A look is counted only once its session has written its statistics.
	private static final String SUM = "select sum(xact_commit + xact_rollback), pg_stat_force_next_flush() "
			+ "from pg_stat_database where datname = current_database()";

	static final String STATEMENTS = "statements";

	private static final String CALLS = "select sum(calls), pg_stat_force_next_flush() from pg_stat_statements "
			+ "where query not like '%pg_stat_%'";

	private final Connection connection;

	private final boolean countsStatements;

	private long looks;

	TransactionCount(Connection connection, boolean countsStatements) {
		this.connection = connection;
		this.countsStatements = countsStatements;
	}

	@Override
	public Map<String, Long> counts() {
		Map<String, Long> counts = new LinkedHashMap<>();
		counts.put(TRANSACTIONS, number(SUM) - this.looks++);
		if (this.countsStatements) {
			counts.put(STATEMENTS, number(CALLS));
			this.looks++;
		}
		return counts;
	}

	private long number(String sql) {
		try (Statement statement = this.connection.createStatement(); ResultSet row = statement.executeQuery(sql)) {
			row.next();
			return row.getLong(1);
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
