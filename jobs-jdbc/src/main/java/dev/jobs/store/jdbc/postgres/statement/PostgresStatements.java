package dev.jobs.store.jdbc.postgres.statement;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.function.Function;

import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;

/**
 * Runs statements that take arrays.
 */
public final class PostgresStatements {

	private PostgresStatements() {
	}

	public static <T> Listed texts(List<T> values, Function<T, @Nullable String> text) {
		return new Listed("text", values.stream().map(text).toArray());
	}

	public static <T> Listed numbers(List<T> values, Function<T, Long> number) {
		return new Listed("bigint", values.stream().map(number).toArray());
	}

	public static <T> Listed bytes(List<T> values, Function<T, byte @Nullable []> bytes) {
		return new Listed("bytea", values.stream().map(bytes).toArray(byte[][]::new));
	}

	/**
	 * Run a statement.
	 */
	public static <T> List<T> run(Statements statements, PostgresSql sql, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		return run(statements, sql.text(), 1, mapper, arguments);
	}

	/**
	 * Run a statement with the settings for its plan.
	 */
	public static <T> List<T> runByIndex(Statements statements, PostgresSql sql, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		return run(statements, sql.byIndex(), 2, mapper, arguments);
	}

	/**
	 * Run a statement that is not a file, with the settings for its plan unless they
	 * would apply to the rest of the application's transaction.
	 */
	public static <T> List<T> runByIndex(Statements statements, String sql, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		return statements.isAlone() ? run(statements, PostgresSql.PLANS + sql, 2, mapper, arguments)
				: run(statements, sql, 1, mapper, arguments);
	}

	/**
	 * Run a text.
	 * @param last the number of the statement in the text whose result is wanted
	 */
	private static <T> List<T> run(Statements statements, String text, int last, RowMapper<T> mapper,
			@Nullable Object... arguments) {
		RowMapperResultSetExtractor<T> extractor = new RowMapperResultSetExtractor<>(mapper);
		List<T> rows = statements.jdbc().execute((Connection connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(text));
			for (int i = 0; i < arguments.length; i++) {
				Object argument = arguments[i];
				prepared.setObject(i + 1, (argument instanceof Listed listed)
						? connection.createArrayOf(listed.type(), listed.values()) : argument);
			}
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (last > 1) {
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
	public record Listed(String type, @Nullable Object[] values) {

	}

}
