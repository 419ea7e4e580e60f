package dev.jobs.store.jdbc.plain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.store.Save;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.row.KeptEnd;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.TransactionSettings;
import dev.jobs.store.jdbc.sql.ValueLists;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.TransactionDefinition;

/**
 * Databases without arrays: rows are found first and then written one by one, in batches
 * of the driver.
 *
 * @param locking the end of a query that locks its rows
 * @param sharing the end of a query that keeps others from changing its rows
 * @param skippingLocked the end of a query that locks its rows and skips locked ones
 * @param sequence draws numbers
 * @param transactions how transactions are begun
 * @param timeExpression the time of the server, or {@code null} if the server is this
 * machine
 * @param nowhere the {@code from} clause of a query without a table
 * @param sum the pattern of a sum
 * @param replace inserts a row in place of the one with the same key
 */
public record PlainDialect(String locking, String sharing, String skippingLocked, NumberSequence sequence,
		TransactionSettings transactions, @Nullable String timeExpression, String nowhere, String sum,
		String replace) implements Dialect {

	private static PlainDialect withRowLocks(String sharing, NumberSequence sequence, @Nullable String time,
			String nowhere, String replace) {
		return new PlainDialect(" for update", sharing, " for update skip locked", sequence,
				new TransactionSettings(TransactionDefinition.ISOLATION_READ_COMMITTED,
						TransactionDefinition.ISOLATION_REPEATABLE_READ, null, null, false, false),
				time, nowhere, "sum(%s)", replace);
	}

	public static PlainDialect h2() {
		return withRowLocks(" for update",
				NumberSequence.sequence("select next value for {%s} from system_range(1, ?)"), null, "", "merge");
	}

	public static PlainDialect mariadb() {
		return withRowLocks(" lock in share mode",
				NumberSequence.sequence(
						"with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ?) "
								+ "select next value for {%s} from numbers"),
				"timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(3)) div 1000", " from dual",
				"replace");
	}

	/**
	 * There is one writer at a time, so nothing is locked, and numbers are drawn from a
	 * table. The first statement writes, so that a transaction never turns into a writing
	 * one after others wrote. All transactions see one moment. Number columns take any
	 * number; these overflow in a {@code sum}, but not in a {@code total}.
	 */
	public static PlainDialect sqlite() {
		return new PlainDialect("", "", "", NumberSequence.counter(),
				new TransactionSettings(TransactionDefinition.ISOLATION_DEFAULT,
						TransactionDefinition.ISOLATION_DEFAULT,
						"update {counter} set last = last where name = 'place'", null, true, false),
				null, "", "cast(total(%s) as integer)", "replace");
	}

	@Override
	public TransactionSettings transactions(int timeoutSeconds) {
		return this.transactions;
	}

	@Override
	public ValueLists valueLists() {
		return ByMarks.INSTANCE;
	}

	@Override
	public List<String> untilDue() {
		return List.of("j.state = {scheduled}", "j.state = {waiting}");
	}

	@Override
	public List<Long> next(Statements statements, String sequence, int count) {
		return this.sequence.next(statements, sequence, count);
	}

	@Override
	public boolean insertNew(Statements statements, String table, String columns, @Nullable Object... values) {
		String key = columns.split(",", 2)[0];
		@Nullable Object[] arguments = new @Nullable Object[values.length + 1];
		System.arraycopy(values, 0, arguments, 0, values.length);
		arguments[values.length] = values[0];
		String marks = String.join(", ", Collections.nCopies(values.length, "?"));
		String sql = "insert into {" + table + "} (" + columns + ") select " + marks + this.nowhere
				+ " where not exists (select 1 from {" + table + "} where " + key + " = ?)";
		try {
			return statements.update(sql, arguments) > 0;
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}

	@Override
	public void addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
			List<@Nullable Object[]> rows) {
		int first = texts + fixed;
		String add = columns.stream()
			.skip(first)
			.map((column) -> column + " = " + column + " + case when " + column + " > " + FULL + " then 0 else ? end")
			.collect(Collectors.joining(", ", "update {" + table + "} set ", " where " + columns.get(0) + " = ?"));
		List<@Nullable Object[]> added = rows.stream().map((row) -> added(row, first)).toList();
		int[] changed = statements.batchCounted(add, added);
		for (int i = 0; i < changed.length; i++) {
			if (changed[i] == 0 && !insertNew(statements, table, String.join(", ", columns), rows.get(i))) {
				statements.update(add, added.get(i));
			}
		}
	}

	/**
	 * Return the numbers to add, and the key of the row.
	 */
	private static @Nullable Object[] added(@Nullable Object[] row, int first) {
		@Nullable Object[] arguments = Arrays.copyOfRange(row, first, row.length + 1);
		arguments[arguments.length - 1] = row[0];
		return arguments;
	}

	@Override
	public String sum(String column) {
		return this.sum.formatted(column);
	}

	@Override
	public Deleted deleteHeld(Statements statements, List<Transition> transitions) {
		List<Transition> deleted = statements.changed("delete from {job} where id = ? and token = ?", transitions,
				transitions.stream()
					.map((transition) -> new @Nullable Object[] { transition.id(), transition.token() })
					.toList());
		keep(statements, KeptEnd.of(deleted));
		return new Deleted(deleted.stream().map(Transition::id).collect(Collectors.toCollection(HashSet::new)),
				deleted.stream().map(Transition::queue).collect(Collectors.toSet()));
	}

	@Override
	public void keep(Statements statements, List<KeptEnd> ends) {
		statements
			.batch(this.replace + " into {end} (id, state, until_at, trail, body) values (?, ?, ?, ?, ?)", ends.stream()
				.map((end) -> new @Nullable Object[] { end.id(), end.state(), end.until(), end.trail(), end.value() })
				.toList());
	}

	@Override
	public Map<String, Long> save(Statements statements, List<Save> saves, long now) {
		Map<String, Long> tokens = new HashMap<>();
		statements.query(
				"select id, token from {job} where id in (??) and token is not null order by id" + this.sharing,
				(row, n) -> tokens.put(row.getString(1), row.getLong(2)),
				saves.stream().map(Save::job).distinct().toList());
		statements.batch(this.replace + " into {saved} (job, name, saved_at, body) values (?, ?, ?, ?)",
				saves.stream()
					.filter((save) -> Objects.equals(tokens.get(save.job()), save.token()))
					.map((save) -> new @Nullable Object[] { save.job(), save.name(), now, save.value() })
					.toList());
		return tokens;
	}

	@Override
	public void deleteFromOutbox(Statements statements, List<Long> places) {
		statements.batch("delete from {outbox} where place = ?",
				places.stream().map((place) -> new @Nullable Object[] { place }).toList());
	}

	@Override
	public void openQueuesWithJobs(Statements statements, Collection<String> queues) {
		Set<String> unknown = new LinkedHashSet<>(queues);
		statements.query("select name from {queue} where name in (??)", (row, n) -> row.getString(1), unknown)
			.forEach(unknown::remove);
		for (String queue : unknown) {
			if (statements.first("select id from {job} where queue = ? limit 1", (row, n) -> row.getString(1),
					queue) != null) {
				insertNew(statements, "queue", "name", queue);
			}
		}
	}

	/** A mark for each value. */
	private enum ByMarks implements ValueLists {

		INSTANCE;

		@Override
		public String condition(String column, int count) {
			return (count > 0) ? column + " in (" + String.join(", ", Collections.nCopies(count, "?")) + ")" : "1 = 0";
		}

		@Override
		public List<Object> arguments(Collection<?> values) {
			return new ArrayList<>(values);
		}

	}

}
