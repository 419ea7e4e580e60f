package dev.jobs.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ErrorText;
import dev.jobs.store.NewJob;
import dev.jobs.store.QueueView;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.util.StopWatch;

/**
 * PostgreSQL: a batch is one statement over arrays.
 */
final class PostgresDialect implements Dialect {

	private static final Logger logger = LoggerFactory.getLogger(PostgresDialect.class);

	private static final long REST = 60_000;

	private static final long LONGEST_REST = 20 * REST;

	/**
	 * The tables grow and shrink faster than their statistics are renewed, so plans are
	 * not left to them: every statement here is meant to go by an index.
	 */
	private static final String BEGIN = "set transaction isolation level read committed; set local enable_seqscan = off; "
			+ "set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off; ";

	private static final String LOCK_BRIEFLY = "set local idle_in_transaction_session_timeout = '%ds'";

	/** The same for a statement that follows in the same text, without a transaction. */
	static final String PLANS = "select set_config('enable_seqscan', 'off', true), "
			+ "set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
			+ "set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true), "
			+ "set_config('plan_cache_mode', 'force_generic_plan', true); ";

	/**
	 * Jobs of a queue that is known are not looked for: that may mean to pass over all
	 * that have left it.
	 */
	private static final String ADOPT = """
			insert into {queue} (name) select distinct served.name from unnest(?::text[]) as served (name)
			where case when exists (select 1 from {queue} q where q.name = served.name) then false
				else exists (select 1 from {job} j where j.queue = served.name and j.state = 0)
					or exists (select 1 from {job} j where j.queue = served.name and j.state = 1) end
			order by name on conflict do nothing""";

	private static final String BEAT_IDLE = PLANS + "with adopted as (" + ADOPT + """
			)
			update {worker} w set last_beat = ?, lease_until = ?, info = coalesce(?::text, info)
			where w.id = ? and not exists (select 1 from\s""" + LiveDeliveries.ROWS_BY_ARRAY + """
			 d where d.worker = w.id)
			returning floor(extract(epoch from clock_timestamp()) * 1000)::bigint, (\s""" + LiveDeliveries.LAST + ")";

	private static final String INSERT = """
			insert into {job} (id, queue, state, place, due_at, since, created_at, payload, headers)
			select t.id, t.queue, case when t.due_at > ? then 0 else 1 end, nextval('{place}'),
				t.due_at, t.due_at, t.created_at, t.payload, t.headers
			from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[])
				as t (id, queue, due_at, created_at, payload, headers)
			on conflict do nothing
			returning id""";

	/** The same that also makes the queues known, in an order that all take. */
	private static final String INSERT_AND_OPEN = "with added as (" + INSERT + """
			, queue), opened as (
				insert into {queue} (name) select distinct queue from added order by queue on conflict do nothing)
			select id from added""";

	/**
	 * That a job has a token tells that it runs. To name its state would tempt the
	 * planner to go by the index of running jobs.
	 */
	private static final String REMOVE = """
			delete from {job} j using unnest(?::text[], ?::bigint[]) as ended (id, token)
			where j.id = ended.id and j.token = ended.token
			returning j.id""";

	/**
	 * Locks no row, but takes the lock of the table by which {@link Writers} are known,
	 * and keeps it until what the numbers are for is committed.
	 */
	private static final String NEXT = "select nextval('{%s}') from generate_series(1, ?) "
			+ "where not exists (select 1 from {%s} where false for update)";

	private static final String ERRORS = "split_part(" + StoredJob.TRAIL + ", '" + StoredTrail.STACKS + "', 1)";

	private final LowWater lowWater = new LowWater();

	private final LiveDeliveries deliveries = new LiveDeliveries();

	private final AtomicLong nextLookThrough = new AtomicLong();

	private final PostgresClaims claims = new PostgresClaims(this.lowWater);

	private final PostgresQueues queues = new PostgresQueues(this.lowWater, this.deliveries);

	@Override
	public void begin(Statements statements) {
		statements.jdbc().execute(BEGIN + lockBriefly(statements));
	}

	@Override
	public void beginSnapshot(Statements statements) {
		statements.jdbc().execute("set transaction isolation level repeatable read, read only");
	}

	@Override
	public void beginEnd(Statements statements) {
		statements.jdbc().execute(lockBriefly(statements));
	}

	private static String lockBriefly(Statements statements) {
		return LOCK_BRIEFLY.formatted(statements.jdbc().getQueryTimeout());
	}

	@Override
	public String locking() {
		return " for update";
	}

	@Override
	public String skipping() {
		return " for update skip locked";
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
	public boolean addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
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
		return true;
	}

	@Override
	public Set<String> insertPlain(UnitOfWork work, List<NewJob> jobs, long now) {
		Set<String> news = new HashSet<>(returned(work.statements(), work.mayLock() ? INSERT_AND_OPEN : INSERT, now,
				texts(jobs, NewJob::id), texts(jobs, NewJob::name), numbers(jobs, (job) -> EpochMillis.of(job.dueAt())),
				numbers(jobs, (job) -> EpochMillis.of(job.createdAt())),
				new Listed("bytea", jobs.stream().map(NewJob::payload).toArray(byte[][]::new)),
				texts(jobs, (job) -> JsonColumns.headers(job.headers()))));
		if (!work.mayLock()) {
			jobs.stream()
				.filter((job) -> news.contains(job.id()))
				.map(NewJob::name)
				.distinct()
				.forEach(work::openQueue);
		}
		return news;
	}

	@Override
	public @Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		return this.claims.look(statements, request);
	}

	@Override
	public @Nullable FirstLook lookAndHold(Statements statements, ClaimRequest request, List<Wanted> wanted,
			int limit) {
		return this.claims.lookAndHold(statements, request, wanted, limit);
	}

	@Override
	public @Nullable Long beatIdle(Statements statements, WorkerBeat beat, List<String> served) {
		LiveDeliveries.Known live = this.deliveries.known();
		List<Long> time = run(statements, BEAT_IDLE, (row, n) -> {
			this.deliveries.saw(row.getLong(2));
			return row.getLong(1);
		}, texts(served, (queue) -> queue), EpochMillis.of(beat.now()), EpochMillis.of(beat.now().plus(beat.lease())),
				JsonColumns.info(beat.info()), beat.worker(), live.mark(), numbers(live.kept(), (token) -> token));
		return time.isEmpty() ? null : time.get(0);
	}

	@Override
	public void raiseMarks(Statements statements) {
		this.deliveries.raise(statements);
	}

	/**
	 * Look through all, so seldom that it takes a hundredth of the time.
	 */
	@Override
	public void lookThrough(Statements statements, long now) {
		long next = this.nextLookThrough.get();
		if ((now < next && next - now <= LONGEST_REST) || !this.nextLookThrough.compareAndSet(next, now + REST)) {
			return;
		}
		StopWatch watch = new StopWatch();
		watch.start();
		double part = 1;
		try {
			part = this.lowWater.lookThrough(statements);
			this.deliveries.lookThrough(statements);
		}
		catch (DataAccessException ex) {
			logger.debug("Could not look through everything", ErrorText.loggable(ex));
		}
		watch.stop();
		long rest = Math.max((long) (REST * part), watch.getTotalTimeMillis() * 100);
		this.nextLookThrough.set(now + Math.min(rest, LONGEST_REST));
	}

	@Override
	public Live live() {
		return this.deliveries.live();
	}

	@Override
	public List<StoredJob> hold(Statements statements, List<Wanted> wanted, int limit, String worker, long now) {
		return this.claims.hold(statements, wanted, limit, worker, now);
	}

	@Override
	public Set<String> withReady(Statements statements, Map<String, Long> queues) {
		return this.claims.withReady(statements, queues);
	}

	@Override
	public Set<String> remove(Statements statements, List<Transition> transitions) {
		return new HashSet<>(returned(statements, REMOVE, texts(transitions, Transition::id),
				numbers(transitions, Transition::token)));
	}

	@Override
	public void removeFromOutbox(Statements statements, List<Long> places) {
		statements.update("delete from {outbox} where place in (??)", places);
	}

	@Override
	public void adopt(Statements statements, Collection<String> queues) {
		statements.update(ADOPT, (Object) queues.toArray(String[]::new));
	}

	@Override
	public String isAmong(String column, int count) {
		return column + " = any (?)";
	}

	@Override
	public List<Object> arguments(Collection<?> values) {
		boolean numbers = !values.isEmpty() && values.iterator().next() instanceof Number;
		Object array = numbers ? values.toArray(Long[]::new) : values.toArray(String[]::new);
		return List.of(array);
	}

	@Override
	public Long time(Statements statements) {
		return statements.number("select floor(extract(epoch from clock_timestamp()) * 1000)::bigint");
	}

	@Override
	public List<QueueView> queues(Statements statements, long now) {
		return this.queues.views(statements, now);
	}

	@Override
	public List<String> names(Statements statements) {
		return PostgresPages.names(statements);
	}

	@Override
	public long count(Statements statements, Selection selection, int most) {
		return PostgresPages.count(statements, selection, most);
	}

	@Override
	public List<Candidate> some(Statements statements, Selection selection, int most) {
		return PostgresPages.some(statements, selection, most);
	}

	@Override
	public List<Candidate> line(Statements statements, Selection selection, Selection.Part line,
			@Nullable ListPosition after, int many) {
		return PostgresPages.line(statements, selection, line, after, many);
	}

	@Override
	public List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst,
			List<OrderedScan.Start> starts) {
		return PostgresPages.timed(statements, part, newestFirst, starts);
	}

	@Override
	public @Nullable List<Candidate> tagged(Statements statements, String tag, @Nullable String after,
			boolean newestFirst) {
		return PostgresPages.tagged(statements, tag, after, newestFirst);
	}

	@Override
	public String having(String tag, List<@Nullable Object> arguments) {
		arguments.add(tag);
		return PostgresPages.HAS_TAG + " and ";
	}

	@Override
	public String errors() {
		return ERRORS + " || '}'";
	}

	@Override
	public String containing(String plainPart, List<@Nullable Object> arguments) {
		arguments.addAll(List.of(plainPart, plainPart, plainPart.getBytes(StandardCharsets.US_ASCII)));
		return "(strpos(j.id, ?) > 0 or strpos(" + ERRORS + ", ?) > 0 or position(? in j.payload) > 0) and ";
	}

	static <T> Listed texts(List<T> values, Function<T, @Nullable String> text) {
		return new Listed("text", values.stream().map(text).toArray());
	}

	static <T> Listed numbers(List<T> values, Function<T, Long> number) {
		return new Listed("bigint", values.stream().map(number).toArray());
	}

	static List<String> returned(Statements statements, String sql, Object... arguments) {
		return run(statements, sql, (row, n) -> row.getString(1), arguments);
	}

	/**
	 * Run a statement. If others come before it in the same text, its result is the last.
	 */
	static <T> List<T> run(Statements statements, String sql, RowMapper<T> mapper, @Nullable Object... arguments) {
		RowMapperResultSetExtractor<T> extractor = new RowMapperResultSetExtractor<>(mapper);
		List<T> rows = statements.jdbc().execute((Connection connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(sql));
			for (int i = 0; i < arguments.length; i++) {
				Object argument = arguments[i];
				prepared.setObject(i + 1, (argument instanceof Listed listed)
						? connection.createArrayOf(listed.type(), listed.values()) : argument);
			}
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (sql.startsWith(PLANS)) {
				prepared.getMoreResults();
			}
			try (ResultSet found = prepared.getResultSet()) {
				return extractor.extractData(found);
			}
		});
		return (rows != null) ? rows : List.of();
	}

	/**
	 * An array to be passed on.
	 *
	 * @param type the type of its elements
	 * @param values its elements
	 */
	record Listed(String type, @Nullable Object[] values) {

	}

}
