package dev.jobs.store.jdbc.postgres;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.store.Save;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.postgres.mark.Writers;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements.Listed;
import dev.jobs.store.jdbc.row.KeptEnd;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.TransactionSettings;
import dev.jobs.store.jdbc.sql.ValueLists;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;

/**
 * PostgreSQL: a batch is one statement over arrays.
 */
public final class PostgresDialect implements Dialect {

	/**
	 * Makes the database end a transaction whose process is silent.
	 */
	private static final String END_WHEN_SILENT = "set local idle_in_transaction_session_timeout = '%ds'";

	/**
	 * The isolation is set with the first statement, since reading it, as the driver
	 * does, takes a round trip. The rest is as in {@link PostgresSql#PLANS}.
	 */
	private static final String BEGIN = "set transaction isolation level read committed; set local enable_seqscan = off; "
			+ "set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off; "
			+ "set local enable_sort = off; set local jit = off; set local plan_cache_mode = force_generic_plan; "
			+ END_WHEN_SILENT;

	/** Compiling a statement for a page takes longer than running it. */
	private static final String BEGIN_SNAPSHOT = "set transaction isolation level repeatable read, read only; "
			+ "set local jit = off";

	/**
	 * Locks no row, but takes the table lock by which {@link Writers} are known, and
	 * keeps it until the rows with these numbers are committed.
	 */
	private static final String NEXT = "select nextval('{%s}') from generate_series(1, ?) "
			+ "where not exists (select 1 from {%s} where false for update)";

	@Override
	public TransactionSettings transactions(int timeoutSeconds) {
		return new TransactionSettings(TransactionDefinition.ISOLATION_DEFAULT, TransactionDefinition.ISOLATION_DEFAULT,
				BEGIN.formatted(timeoutSeconds), BEGIN_SNAPSHOT, false, true);
	}

	/**
	 * Make the database end the caller's transaction if its process is silent: others
	 * could not take over the job that it has locked.
	 */
	static void endWhenSilent(Statements statements) {
		statements.execute(END_WHEN_SILENT.formatted(statements.jdbc().getQueryTimeout()));
	}

	@Override
	public ValueLists valueLists() {
		return ByArray.INSTANCE;
	}

	@Override
	public String locking() {
		return " for update";
	}

	@Override
	public String skippingLocked() {
		return " for update skip locked";
	}

	@Override
	public String timeExpression() {
		return "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
	}

	@Override
	public List<String> untilDue() {
		return List.of("j.state in ({waiting}, {scheduled})");
	}

	@Override
	public List<Long> next(Statements statements, String sequence, int count) {
		return statements
			.query(NEXT.formatted(sequence, sequence.equals("token") ? "delivery" : "job"), (row, n) -> row.getLong(1),
					count)
			.stream()
			.sorted()
			.toList();
	}

	@Override
	public boolean insertNew(Statements statements, String table, String columns, @Nullable Object... values) {
		String marks = "?" + ", ?".repeat(values.length - 1);
		return statements.update(
				"insert into {" + table + "} (" + columns + ") values (" + marks + ") on conflict do nothing",
				values) > 0;
	}

	@Override
	public void addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
			List<@Nullable Object[]> rows) {
		String arrays = String.join(", ",
				IntStream.range(0, columns.size()).mapToObj((i) -> (i < texts) ? "?::text[]" : "?::bigint[]").toList());
		String sums = String.join(", ",
				columns.stream()
					.skip(texts + fixed)
					.map((column) -> column + " = known." + column + " + case when known." + column + " > " + FULL
							+ " then 0 else excluded." + column + " end")
					.toList());
		String sql = "insert into {" + table + "} as known (" + String.join(", ", columns) + ") select * from unnest("
				+ arrays + ") on conflict (" + columns.get(0) + ") do update set " + sums;
		statements.update(sql, IntStream.range(0, columns.size()).mapToObj((i) -> {
			Stream<@Nullable Object> values = rows.stream().map((row) -> row[i]);
			return (i < texts) ? values.toArray(String[]::new) : values.toArray(Long[]::new);
		}).toArray());
	}

	@Override
	public String sum(String column) {
		return "sum(" + column + ")";
	}

	@Override
	public Deleted deleteHeld(Statements statements, List<Transition> transitions) {
		Listed ids = PostgresStatements.texts(transitions, Transition::id);
		List<Listed> arguments = new ArrayList<>(
				List.of(ids, ids, PostgresStatements.numbers(transitions, Transition::token)));
		List<KeptEnd> ends = KeptEnd.of(transitions);
		arguments.addAll(ends.isEmpty() ? List.of() : columns(ends));
		PostgresSql sql = ends.isEmpty() ? PostgresSql.DELETE_HELD : PostgresSql.DELETE_HELD_AND_KEEP_ENDS;
		Deleted deleted = new Deleted(new HashSet<>(), new HashSet<>());
		PostgresStatements.runByIndex(statements, sql.text(), (row, n) -> {
			String id = row.getString(1);
			return (id != null) ? deleted.ids().add(id) : deleted.queues().add(row.getString(2));
		}, arguments.toArray());
		return deleted;
	}

	@Override
	public void keep(Statements statements, List<KeptEnd> ends) {
		if (!ends.isEmpty()) {
			PostgresStatements.run(statements, PostgresSql.KEEP_ENDS, (row, n) -> row.getString(1),
					columns(ends).toArray());
		}
	}

	private static List<Listed> columns(List<KeptEnd> ends) {
		return List.of(PostgresStatements.texts(ends, KeptEnd::id), PostgresStatements.numbers(ends, KeptEnd::token),
				PostgresStatements.numbers(ends, (end) -> (long) end.state()),
				PostgresStatements.numbers(ends, KeptEnd::until), PostgresStatements.texts(ends, KeptEnd::trail),
				PostgresStatements.bytes(ends, KeptEnd::value));
	}

	/**
	 * In a joined transaction the locks stay until the commit of the application.
	 */
	@Override
	public Map<String, Long> save(Statements statements, List<Save> saves, long now) {
		if (!statements.isAlone()) {
			endWhenSilent(statements);
		}
		Listed jobs = PostgresStatements.texts(saves, Save::job);
		Map<String, Long> tokens = new HashMap<>();
		PostgresStatements.runByIndex(statements, PostgresSql.SAVE.text(),
				(row, n) -> tokens.put(row.getString(1), row.getLong(2)), jobs, now, jobs,
				PostgresStatements.numbers(saves, Save::token), PostgresStatements.texts(saves, Save::name),
				PostgresStatements.bytes(saves, Save::value));
		return tokens;
	}

	@Override
	public void deleteFromOutbox(Statements statements, List<Long> places) {
		statements.update("delete from {outbox} where place in (??)", places);
	}

	@Override
	public void openQueuesWithJobs(Statements statements, Collection<String> queues) {
		statements.update(PostgresSql.OPEN_QUEUES_WITH_JOBS.text(), (Object) queues.toArray(String[]::new));
	}

	/** An array of values. */
	private enum ByArray implements ValueLists {

		INSTANCE;

		@Override
		public String condition(String column, int count) {
			return column + " = any (?)";
		}

		@Override
		public List<Object> arguments(Collection<?> values) {
			boolean numbers = !values.isEmpty() && values.iterator().next() instanceof Number;
			Object array = numbers ? values.toArray(Long[]::new) : values.toArray(String[]::new);
			return List.of(array);
		}

	}

}
