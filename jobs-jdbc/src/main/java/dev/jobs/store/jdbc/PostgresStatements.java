package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;

/**
 * Runs statements that take arrays, and those whose plans must not depend on the
 * statistics of the tables.
 */
final class PostgresStatements {

	/**
	 * The tables grow and shrink faster than their statistics are renewed, so plans are
	 * not left to them: every statement here is meant to use an index. These settings
	 * come in the same text as the statement and hold for that alone, unless it is part
	 * of a transaction.
	 */
	static final String PLANS = "select set_config('enable_seqscan', 'off', true), "
			+ "set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
			+ "set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true), "
			+ "set_config('plan_cache_mode', 'force_generic_plan', true); ";

	private PostgresStatements() {
	}

	static <T> Listed texts(List<T> values, Function<T, @Nullable String> text) {
		return new Listed("text", values.stream().map(text).toArray());
	}

	static <T> Listed numbers(List<T> values, Function<T, Long> number) {
		return new Listed("bigint", values.stream().map(number).toArray());
	}

	/**
	 * Run a statement.
	 */
	static <T> List<T> run(Statements statements, String sql, RowMapper<T> mapper, @Nullable Object... arguments) {
		return run(statements, "", sql, mapper, arguments);
	}

	/**
	 * Run a statement by indexes.
	 */
	static <T> List<T> runByIndex(Statements statements, String sql, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		return run(statements, PLANS, sql, mapper, arguments);
	}

	private static <T> List<T> run(Statements statements, String settings, String sql, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		RowMapperResultSetExtractor<T> extractor = new RowMapperResultSetExtractor<>(mapper);
		List<T> rows = statements.jdbc().execute((Connection connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(settings + sql));
			for (int i = 0; i < arguments.length; i++) {
				Object argument = arguments[i];
				prepared.setObject(i + 1, (argument instanceof Listed listed)
						? connection.createArrayOf(listed.type(), listed.values()) : argument);
			}
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (!settings.isEmpty()) {
				prepared.getMoreResults();
			}
			try (ResultSet found = prepared.getResultSet()) {
				return extractor.extractData(found);
			}
		});
		return (rows != null) ? rows : List.of();
	}

	/**
	 * An argument that is an array.
	 *
	 * @param type the type of its elements
	 * @param values its elements
	 */
	record Listed(String type, @Nullable Object[] values) {

	}

}
