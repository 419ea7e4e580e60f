package dev.jobs.store.jdbc.sql;

import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;

/**
 * Runs statements. Names of tables are in braces, and {@code in (??)} takes a collection
 * as its argument.
 */
public final class Statements {

	private static final Pattern AMONG = Pattern.compile("([\\w.]+) in \\(\\?\\?\\)");

	/** Changes no row and locks none. */
	private static final String NOTHING = "update {worker} set last_beat = last_beat where 1 = 0 and id = ?";

	private final JdbcTemplate jdbc;

	private final Tables tables;

	private final ValueLists lists;

	private final boolean alone;

	private volatile @Nullable Boolean countsBatches;

	public Statements(JdbcTemplate jdbc, Tables tables, ValueLists lists, boolean alone) {
		this.jdbc = jdbc;
		this.tables = tables;
		this.lists = lists;
		this.alone = alone;
	}

	static Statements of(DataSource dataSource, Tables tables, ValueLists lists, int timeoutSeconds, boolean alone) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.setQueryTimeout(timeoutSeconds);
		return new Statements(jdbc, tables, lists, alone);
	}

	/**
	 * Return statements that fail if one takes longer.
	 */
	public Statements within(int seconds) {
		return of(Objects.requireNonNull(this.jdbc.getDataSource()), this.tables, this.lists,
				Math.min(seconds, this.jdbc.getQueryTimeout()), this.alone);
	}

	/**
	 * Return whether transactions are never the application's.
	 */
	public boolean isAlone() {
		return this.alone;
	}

	public JdbcTemplate jdbc() {
		return this.jdbc;
	}

	public String text(String sql) {
		return this.tables.in(sql);
	}

	public String name(String table) {
		return this.tables.name(table);
	}

	public void execute(String sql) {
		this.jdbc.execute(text(sql));
	}

	public <T> List<T> query(String sql, RowMapper<T> mapper, @Nullable Object... arguments) {
		return this.jdbc.query(text(expanded(sql, arguments)), mapper, flattened(arguments));
	}

	public <T> @Nullable T first(String sql, RowMapper<T> mapper, @Nullable Object... arguments) {
		List<T> found = query(sql, mapper, arguments);
		return found.isEmpty() ? null : found.get(0);
	}

	public long number(String sql, @Nullable Object... arguments) {
		Long number = first(sql, (row, n) -> row.getLong(1), arguments);
		return (number != null) ? number : 0;
	}

	public int update(String sql, @Nullable Object... arguments) {
		return this.jdbc.update(text(expanded(sql, arguments)), flattened(arguments));
	}

	/**
	 * Run a statement in a transaction that continues if the database refuses it.
	 * @return why it refuses, or {@code null} if the statement was run
	 */
	@Nullable DataAccessException attempt(String sql, @Nullable Object[] arguments) {
		return Objects
			.requireNonNull(this.jdbc.execute((ConnectionCallback<Optional<DataAccessException>>) (connection) -> {
				Savepoint before = connection.setSavepoint();
				try {
					this.jdbc.update(text(sql), arguments);
					connection.releaseSavepoint(before);
					return Optional.empty();
				}
				catch (DataAccessException ex) {
					if (!Faults.isOfRow(ex)) {
						throw ex;
					}
					connection.rollback(before);
					return Optional.of(ex);
				}
			}))
			.orElse(null);
	}

	/**
	 * Run a statement once for each row of arguments.
	 */
	public void batch(String sql, List<@Nullable Object[]> rows) {
		if (!rows.isEmpty()) {
			this.jdbc.batchUpdate(text(sql), rows);
		}
	}

	/**
	 * Run a statement once for each row of arguments.
	 * @return how many rows each run changed
	 */
	public int[] batchCounted(String sql, List<@Nullable Object[]> rows) {
		if (rows.isEmpty()) {
			return new int[0];
		}
		return (rows.size() > 1 && countsBatches()) ? this.jdbc.batchUpdate(text(sql), rows)
				: rows.stream().mapToInt((row) -> this.jdbc.update(text(sql), row)).toArray();
	}

	/**
	 * Run a statement once for each value, with the value's row of arguments.
	 * @return the values whose run changed a row
	 */
	public <T> List<T> changed(String sql, List<T> values, List<@Nullable Object[]> rows) {
		int[] counts = batchCounted(sql, rows);
		return IntStream.range(0, counts.length).filter((i) -> counts[i] != 0).mapToObj(values::get).toList();
	}

	/**
	 * Return whether the driver reports the counts of a batch. MariaDB's does not if its
	 * URL allows bulk batches.
	 */
	private boolean countsBatches() {
		Boolean known = this.countsBatches;
		if (known == null) {
			List<@Nullable Object[]> rows = Collections.nCopies(4, new @Nullable Object[] { "" });
			int[] counts = this.jdbc.batchUpdate(text(NOTHING), rows);
			known = Arrays.stream(counts).allMatch((count) -> count == 0);
			this.countsBatches = known;
		}
		return known;
	}

	private String expanded(String sql, @Nullable Object[] arguments) {
		Iterator<Collection<?>> lists = lists(arguments).iterator();
		return lists.hasNext() ? AMONG.matcher(sql)
			.replaceAll((found) -> Matcher.quoteReplacement(this.lists.condition(found.group(1), lists.next().size())))
				: sql;
	}

	private static List<Collection<?>> lists(@Nullable Object[] arguments) {
		List<Collection<?>> lists = new ArrayList<>();
		for (Object argument : arguments) {
			if (argument instanceof Collection<?> list) {
				lists.add(list);
			}
		}
		return lists;
	}

	private @Nullable Object[] flattened(@Nullable Object[] arguments) {
		if (Arrays.stream(arguments).noneMatch((argument) -> argument instanceof Collection)) {
			return arguments;
		}
		List<@Nullable Object> flat = new ArrayList<>();
		for (Object argument : arguments) {
			if (argument instanceof Collection<?> list) {
				flat.addAll(this.lists.arguments(list));
			}
			else {
				flat.add(argument);
			}
		}
		return flat.toArray();
	}

}
