package dev.jobs.benchmarks.store;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/**
 * Reports what a PostgreSQL spends its time on while a store is open, by
 * {@code pg_stat_statements}.
 */
public final class StatementLog {

	static final String LIBRARY = "pg_stat_statements";

	private static final String MOST = """
			select calls, total_exec_time, mean_exec_time, rows, wal_bytes / 1024 / 1024.0,
				regexp_replace(regexp_replace(query, 'benchmark_[0-9a-f]{12}_', '', 'g'), '\\s+', ' ', 'g')
			from pg_stat_statements where query not like '%pg_stat_statements%' order by total_exec_time desc limit 16""";

	private final PrintStream out;

	public StatementLog(PrintStream out) {
		this.out = out;
	}

	void begin(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("create extension if not exists " + LIBRARY);
			statement.execute("select pg_stat_statements_reset()");
		}
	}

	void end(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(MOST)) {
			this.out.printf("%10s %10s %9s %9s %8s%n", "calls", "total ms", "mean ms", "rows", "WAL MB");
			while (row.next()) {
				this.out.printf(Locale.ROOT, "%10d %10.1f %9.4f %9d %8.1f  %s%n", row.getLong(1), row.getDouble(2),
						row.getDouble(3), row.getLong(4), row.getDouble(5), row.getString(6));
			}
		}
	}

}
