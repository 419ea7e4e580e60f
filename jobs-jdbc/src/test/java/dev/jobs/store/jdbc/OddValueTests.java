package dev.jobs.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Rate;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import dev.jobs.test.SettableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever another program, an older version or a broken disk has put into any column: it
 * may cost the job of that row its past or its life, but never anybody else anything. The
 * columns are those that the database names, so that a new one is among them. Each is
 * tried on one of the databases that have it, of which SQLite takes any type in any
 * column.
 */
class OddValueTests {

	private static final Logger logger = LoggerFactory.getLogger(OddValueTests.class);

	private static final long SEED = 20260301;

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:30Z");

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final JsonMapper MAPPER = new JsonMapper();

	/** What the rows have in their keys that nothing odd is done to. */
	private static final String GOOD = "good";

	private static final int QUEUES = 6;

	private static final int JOBS = 10;

	private static final int ROWS = 32;

	private static final List<Object> ODD_NUMBERS = List.of(0L, 1L, 2L, 3L, 4L, 5L, -1L, -2L, 6L, 7L, 100L, -100L,
			(long) Short.MAX_VALUE, (long) Short.MIN_VALUE, (long) Integer.MAX_VALUE, (long) Integer.MIN_VALUE,
			1L << 53, -(1L << 53), Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE + 1, "x", 0.5);

	private static final List<Object> ODD_TEXTS = List.of("", " ", "x", "0", "-1", "null", "true", "{}", "[]", "[null]",
			"[[]]", "[{}]", "{\"attempts\":null}", "{\"attempt\":1}", "{\"attempts\":[null]}", "{\"attempts\":[{}]}",
			"{\"end\":{}}", "{\"stacks\":[null]}", "{\"pools\":[null]}", "{\"\":null}", "{", "\"", "[".repeat(3000),
			"{\"a\":".repeat(3000), "1e999999999", "\u0001\u007f\u0085", "\ud83d\ude00", "'; drop", "%s {job} ?",
			"y".repeat(70_000), 7L);

	private static final List<Object> ODD_BYTES = List.of(new byte[0], new byte[] { 0 }, new byte[] { -1, -2 },
			"{".getBytes(StandardCharsets.UTF_8), new byte[70_000], "x");

	private static final List<@Nullable Object> ODD_NODES = Arrays.asList(null, 0, -1, 7, Integer.MAX_VALUE,
			Integer.MIN_VALUE, Long.MAX_VALUE, 1e300, true, "", "x", "+1000000000-12-31T23:59:59Z", "9e18", List.of(),
			Map.of(), Collections.singletonList(null), List.of(List.of()));

	private final ch.qos.logback.classic.Logger storeLogger = (ch.qos.logback.classic.Logger) LoggerFactory
		.getLogger("dev.jobs.store.jdbc");

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	private final SettableClock clock = SettableClock.at(NOW);

	private final Set<String> ran = new TreeSet<>();

	private final Set<String> ticked = new TreeSet<>();

	private TestDatabase database;

	private JobStore store;

	/**
	 * Return each column that the databases name, those together that are numbered. H2
	 * and MariaDB are read by the code that reads SQLite, whose columns hold anything.
	 */
	static List<Place> places() throws SQLException {
		logger.info("Odd values are made with the seed {}", SEED);
		Map<String, List<Place>> places = new TreeMap<>();
		for (TestDatabase database : List.of(TestDatabase.POSTGRESQL, TestDatabase.SQLITE)) {
			JobStore store = database.openStore();
			try {
				places(database, database.prefix(store)).forEach(
						(place) -> places.computeIfAbsent(place.table() + place.columns(), (added) -> new ArrayList<>())
							.add(place));
			}
			finally {
				database.closeStore(store);
			}
		}
		return places.entrySet()
			.stream()
			.map((column) -> column.getValue().get(Math.floorMod(column.getKey().hashCode(), column.getValue().size())))
			.toList();
	}

	private static List<Place> places(TestDatabase database, String prefix) throws SQLException {
		Map<List<String>, List<String>> columns = new LinkedHashMap<>();
		Map<List<String>, Integer> types = new LinkedHashMap<>();
		try (Connection connection = database.dataSource().getConnection()) {
			DatabaseMetaData metaData = connection.getMetaData();
			// One table after the other: SQLite's driver joins all it is asked for in one
			// query.
			for (String named : tables(metaData, connection.getCatalog(), prefix)) {
				String table = named.toLowerCase(Locale.ROOT);
				try (ResultSet rows = metaData.getColumns(connection.getCatalog(), null, named, null)) {
					while (rows.next()) {
						String column = rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT);
						if (named.equals(rows.getString("TABLE_NAME"))
								&& isTable(database, table.substring(prefix.length()))) {
							List<String> key = List.of(table.substring(prefix.length()),
									column.replaceAll("\\d+", "#"));
							columns.computeIfAbsent(key, (added) -> new ArrayList<>()).add(column);
							types.put(key, rows.getInt("DATA_TYPE"));
						}
					}
				}
			}
		}
		assertThat(columns).hasSizeGreaterThan(40);
		return columns.entrySet()
			.stream()
			.map((entry) -> new Place(database, entry.getKey().get(0), entry.getValue(), types.get(entry.getKey())))
			.toList();
	}

	private static List<String> tables(DatabaseMetaData metaData, String catalog, String prefix) throws SQLException {
		List<String> tables = new ArrayList<>();
		try (ResultSet rows = metaData.getTables(catalog, null, null, null)) {
			while (rows.next()) {
				String table = rows.getString("TABLE_NAME");
				if (table.toLowerCase(Locale.ROOT).startsWith(prefix)) {
					tables.add(table);
				}
			}
		}
		return tables;
	}

	/**
	 * Some databases name indexes and sequences, too.
	 */
	private static boolean isTable(TestDatabase database, String name) {
		return !name.contains("_") && !name.equals("place") && !name.equals("token");
	}

	@BeforeEach
	void listenToTheLog() {
		this.logged.start();
		this.storeLogger.addAppender(this.logged);
	}

	@AfterEach
	void closeStore() {
		this.storeLogger.detachAppender(this.logged);
		if (this.store != null) {
			this.database.closeStore(this.store);
		}
	}

	@ParameterizedTest
	@MethodSource("places")
	void noValueOfAColumnHarmsAnyRowButItsOwn(Place place) {
		this.database = place.database();
		this.store = this.database.openStore();
		leaveEverything();
		makeOdd(place);
		JobStore reopened = JdbcJobStore.builder(this.database.dataSource())
			.tablePrefix(this.database.prefix(this.store))
			.build();
		expectAnswers(reopened);
		reopened.beat(new WorkerBeat("good", LEASE, null, List.of(), new WorkerBeat.Report(1, tallies()), false,
				this.clock.instant()));
		JobEngine engine = engine(reopened);
		engine.runUntilIdle();
		for (int i = 0; i < 2; i++) {
			this.clock.advance(Duration.ofSeconds(70));
			engine.runUntilIdle();
		}
		assertThat(Stream.of("good-ready", "good-due", "good-held", "good-retried", "good-late"))
			.filteredOn((id) -> !this.ran.contains(id))
			.as("jobs that did not run")
			.isEmpty();
		assertThat(this.ticked).contains("good");
		actOnEverything(reopened);
		expectAnswers(reopened);
	}

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void jobsOfDeadWorkersRunElsewhereThoughTheirLeasesNeverEnd(TestDatabase database) {
		this.database = database;
		this.store = database.openStore();
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		List<Long> ends = List.of(Long.MAX_VALUE, 1L << 53, NOW.plus(Duration.ofDays(30)).toEpochMilli());
		for (int i = 0; i < ends.size(); i++) {
			beat("odd-" + i, LEASE, List.of("work"));
			this.store.enqueue(List.of(job("held-" + i, "work", NOW)), NOW);
			assertThat(claim("odd-" + i, "work", 1)).hasSize(1);
			assertThat(jdbc.update("update " + database.prefix(this.store) + "worker set lease_until = ? where id = ?",
					ends.get(i), "odd-" + i))
				.isOne();
		}
		JobEngine engine = engine(this.store);
		for (int i = 0; i < 10; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(4));
		}
		assertThat(this.ran).containsExactly("held-0", "held-1", "held-2");
		assertThat(this.logged.list).extracting(ILoggingEvent::getFormattedMessage)
			.filteredOn((line) -> line.contains("and was cut"))
			.satisfiesExactlyInAnyOrder((line) -> assertThat(line).contains("'odd-0'"),
					(line) -> assertThat(line).contains("'odd-1'"), (line) -> assertThat(line).contains("'odd-2'"));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void runningJobsWhoseTokensAreDamagedRunAgain(TestDatabase database) {
		this.database = database;
		this.store = database.openStore();
		beat("gone", LEASE, List.of("work"));
		List<@Nullable Long> tokens = Arrays.asList(null, 0L, -1L, 1L << 53, Long.MAX_VALUE);
		this.store.enqueue(
				IntStream.rangeClosed(0, tokens.size()).mapToObj((i) -> job("held-" + i, "work", NOW)).toList(), NOW);
		List<Claim> claims = claim("work", tokens.size() + 1);
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		for (int i = 0; i < tokens.size(); i++) {
			assertThat(jdbc.update("update " + database.prefix(this.store) + "job set token = ? where id = ?",
					tokens.get(i), "held-" + i))
				.isOne();
		}
		assertThat(this.store
			.settle(claims.stream().limit(tokens.size()).map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.isSubsetOf(Settled.LOST, Settled.GONE);
		JobEngine engine = engine(this.store);
		for (int i = 0; i < 30; i++) {
			beat("gone", LEASE, List.of("work"));
			engine.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(4));
		}
		assertThat(this.ran).containsExactly("held-0", "held-1", "held-2", "held-3", "held-4");
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(tokens.size()), NOW)), NOW))
			.containsExactly(Settled.APPLIED);
		assertThat(this.store.inspector().queues(this.clock.instant())).allMatch((queue) -> queue.running() == 0);
		assertThat(this.logged.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly("Repaired 5 running jobs of the queue 'work' that no worker held");
	}

	/**
	 * Leave rows in every table: jobs in each state, of a worker that is gone, of
	 * schedules and of the past.
	 */
	private void leaveEverything() {
		List<String> queues = IntStream.range(0, QUEUES).mapToObj((i) -> "odd-" + i).toList();
		JobEngine engine = engine(this.store);
		for (int seconds : List.of(-90, -20, 0)) {
			this.clock.set(NOW.plusSeconds(seconds));
			engine.runUntilIdle();
		}
		IntStream.range(QUEUES, ROWS).forEach(this::tick);
		IntStream.range(0, ROWS).forEach((i) -> beat("odd-" + i, LEASE, queues));
		beat("gone", LEASE, queues);
		this.store.change(
				IntStream.range(0, ROWS).<Change>mapToObj((i) -> new Change.KeepNote("odd-" + i, "note " + i)).toList(),
				NOW);
		this.store.change(IntStream.range(0, ROWS)
			.<Change>mapToObj((i) -> new Change.Set("weight", "odd-" + i, "1", "odd"))
			.toList(), NOW);
		queues.forEach((queue) -> this.store
			.change(List.of(new Change.SetLane(queue, "lane", LaneSettingsView.Rule.LIMIT, 1, "odd")), NOW));
		this.store.enqueue(queues.stream().map((queue) -> throttled(queue + "-throttled")).toList(), NOW);
		queues
			.forEach(
					(queue) -> this.store.claim(new ClaimRequest("gone",
							List.of(Quota.of(queue + "-throttled", 1)
								.withRates(new Rates(Rate.of(100, Duration.ofSeconds(1)), null, Duration.ZERO))),
							1, NOW)));
		List<NewJob> jobs = new ArrayList<>();
		for (int i = 0; i < JOBS; i++) {
			jobs.add(job("odd-held-" + i, "work", NOW));
			jobs.add(job("odd-dead-" + i, "work", NOW));
			jobs.add(job("odd-done-" + i, "work", NOW));
			jobs.add(job("odd-gone-" + i, "work", NOW));
			jobs.add(job("odd-wait-" + i, "work", NOW));
		}
		jobs.add(job("good-gone", "work", NOW));
		this.store.enqueue(jobs, NOW);
		List<Claim> claims = new ArrayList<>(claim("work", 5));
		claims.addAll(claim("work", jobs.size()));
		assertThat(claims).hasSize(jobs.size());
		this.store.save(claims.stream()
			.map((claim) -> new Save(claim.job().id(), "work", claim.token(), claim.job().id(), new byte[1]))
			.toList(), NOW);
		settle(claims);
		note(claims);
		jobs.clear();
		for (int i = 0; i < JOBS; i++) {
			jobs.add(job("odd-ready-" + i, "work", NOW));
			jobs.add(job("odd-due-" + i, "work", NOW.plusSeconds(5)));
		}
		queues.forEach((queue) -> jobs.add(job(queue + "-queued", queue, NOW)));
		queues.forEach((queue) -> jobs.add(job(queue + "-held", queue + "-more", NOW)));
		jobs.add(job("good-held", GOOD, NOW));
		jobs.add(job("good-ready", "work", NOW));
		jobs.add(job("good-due", "work", NOW.plusSeconds(5)));
		jobs.add(job("good-late", "work", NOW.plusSeconds(100)));
		this.store.enqueue(jobs, NOW);
		queues.forEach((queue) -> claim(queue + "-more", 1));
		claim(GOOD, 1);
		queues.forEach((queue) -> this.store.change(List.of(new Change.Limit(queue, 5)), NOW));
		engine.runUntilIdle();
		this.ran.clear();
		this.ticked.clear();
		this.store.enqueue(List.of(job("good-ready", "work", NOW), job("good-retried", "work", NOW)), NOW);
		this.store.enqueue(IntStream.range(0, JOBS)
			.mapToObj((i) -> job("odd-again-" + i, "work", NOW.plusSeconds(i % 2)))
			.toList(), NOW);
		queues.forEach((queue) -> this.store.enqueue(List.of(job(queue + "-again", queue, NOW)), NOW));
		this.clock.set(NOW.plusSeconds(61));
	}

	private void settle(List<Claim> claims) {
		this.store.settle(claims.stream()
			.filter((claim) -> !claim.job().id().matches(".*(held|wait).*"))
			.map((claim) -> claim.job().id().contains("dead")
					? Transition.dead(claim, NOW,
							TrailBuilder.ended(trail(), Trail.End.of(DeadReason.EXHAUSTED, "no more", NOW)))
					: claim.job().id().contains("gone") ? Transition.removed(claim, NOW)
							: Transition.kept(claim, NOW, claim.job().trail()))
			.map((end) -> end.keeping(new End(JobState.SUCCEEDED, trail(), new byte[1], NOW.plusSeconds(10_000))))
			.toList(), NOW);
		this.store.settle(claims.stream()
			.filter((claim) -> claim.job().id().contains("wait"))
			.map((claim) -> Transition.waiting(claim, NOW.plusSeconds(1000),
					TrailRules.parked(trail(), Trail.Wait.of("signal:a", NOW))))
			.toList(), NOW);
		List<Claim> held = claims.stream().filter((claim) -> claim.job().id().contains("odd-held")).toList();
		this.store.settle(held.stream().map((claim) -> Transition.released(claim, NOW, trail())).toList(), NOW);
		assertThat(claim("work", held.size())).hasSameSizeAs(held);
	}

	private static Trail trail() {
		return TrailRules.failed(Trail.EMPTY,
				Trail.Attempt.of(1, NOW, "it failed").withStackTrace("at a.b.C").withLog("a line"));
	}

	private void note(List<Claim> claims) {
		Job.Progress progress = Job.Progress.of("half", 1, 2, NOW).withLog("a line");
		this.store.beat(new WorkerBeat("gone", LEASE, null,
				claims.stream()
					.map((claim) -> new WorkerBeat.Note(claim.job().id(), "work", claim.token(), progress))
					.toList(),
				new WorkerBeat.Report(1, tallies()), false, NOW));
	}

	private void tick(int number) {
		NewSchedule schedule = new NewSchedule("odd-" + number, "definition", "tick");
		NewJob job = job("odd-" + number + "-ticked", "tick", NOW);
		this.store.fireTicks(
				List.of(Tick.of(schedule, NOW.minusSeconds(60), null), Tick.of(schedule, NOW.minusSeconds(30), job)),
				NOW);
	}

	private NewJob throttled(String queue) {
		return job(queue, queue, NOW)
			.withHeaders(Map.of(Job.THROTTLE_HEADER, NOW.plusSeconds(1000).toEpochMilli() + ";key"));
	}

	private static List<Tally> tallies() {
		return IntStream.range(0, ROWS).mapToObj((i) -> tally("odd-" + i)).toList();
	}

	private static Tally tally(String queue) {
		long[] cells = new long[Tally.CELLS];
		Arrays.fill(cells, 1);
		return Tally.of(queue, NOW.plusSeconds(61), cells);
	}

	private void beat(String worker, Duration lease, List<String> queues) {
		this.store.beat(
				new WorkerBeat(worker, lease,
						new WorkerInfo("host", 1, "1", NOW, List.of(new WorkerInfo.Pool("p", 1, 0, queues)),
								List.of(new WorkerInfo.Limit("work", 1, 1, 0))),
						List.of(), false, this.clock.instant()));
	}

	private List<Claim> claim(String queue, int limit) {
		return claim("gone", queue, limit);
	}

	private List<Claim> claim(String worker, String queue, int limit) {
		return this.store.claim(new ClaimRequest(worker, List.of(Quota.of(queue, limit)), limit, NOW)).claims();
	}

	private static NewJob job(String id, String queue, Instant dueAt) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest of " + id, Unique.Mode.UNTIL_REMOVED, Unique.Scope.HANDLER,
				NOW.plusSeconds(1000), Unique.OnDuplicate.KEEP);
		return NewJob.of(id, queue, "1".getBytes(StandardCharsets.UTF_8), NOW)
			.withHeaders(Map.of(Job.TAGS_HEADER, "a,b", "other", "c"))
			.withDueAt(dueAt)
			.withUniqueKey(id.startsWith("odd") ? key : null);
	}

	private JobEngine engine(JobStore store) {
		JobEngineBuilder builder = new JobEngineBuilder(store).clock(this.clock)
			.handler(handler("work"))
			.handler(handler(GOOD));
		builder.handler(HandlerDefinition.of("tick", Object.class, (payload, context) -> {
			this.ticked.add(String.valueOf(context.job().headers().get("jobs.schedule")));
			return JobResult.done();
		}));
		IntStream.range(0, QUEUES)
			.forEach((i) -> builder.handler(handler("odd-" + i)).handler(handler("odd-" + i + "-more")));
		Stream.concat(Stream.of("good"), IntStream.range(0, QUEUES).mapToObj((i) -> "odd-" + i))
			.forEach((name) -> builder.recurringJob(RecurringJob.of(name, Schedule.parse("@every 30s"), "tick")));
		return builder.build();
	}

	private HandlerDefinition handler(String name) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> {
			this.ran.add(context.id());
			context.progress(1, 2);
			return JobResult.done();
		});
	}

	/**
	 * Give each row that may be odd a value in turn. Columns take some of them only.
	 */
	private void makeOdd(Place place) {
		JdbcTemplate jdbc = new JdbcTemplate(this.database.dataSource());
		String table = this.database.prefix(this.store) + place.table();
		List<Map<String, Object>> rows = jdbc.queryForList("select * from " + table).stream().map((row) -> {
			Map<String, Object> lower = new TreeMap<>();
			row.forEach((column, value) -> lower.put(column.toLowerCase(Locale.ROOT), value));
			return lower;
		})
			.filter((row) -> Stream.of("id", "name", "worker", "queue")
				.noneMatch((column) -> String.valueOf(row.get(column)).startsWith(GOOD)))
			.filter((row) -> !"work".equals(row.get("name")))
			.toList();
		List<String> keys = List.of("id", "name", "queue", "token", "version");
		List<@Nullable Object> values = values(place, rows, new Random(SEED));
		List<Runnable> updates = new ArrayList<>();
		assertThat(rows).isNotEmpty();
		for (int i = 0; i < rows.size(); i++) {
			Map<String, Object> row = rows.get(i);
			List<String> known = keys.stream().filter((key) -> row.get(key) != null).limit(2).toList();
			Object value = values.get(i % values.size());
			List<@Nullable Object> arguments = new ArrayList<>(Collections.nCopies(place.columns().size(), value));
			known.forEach((key) -> arguments.add(row.get(key)));
			String sql = "update " + table + " set "
					+ place.columns().stream().map((column) -> column + " = ?").collect(Collectors.joining(", "))
					+ " where " + known.stream().map((key) -> key + " = ?").collect(Collectors.joining(" and "));
			updates.add(() -> {
				try {
					jdbc.update(sql, arguments.toArray());
				}
				catch (DataAccessException ex) {
					logger.debug("{} does not take {}", place, value, ex);
				}
			});
		}
		if (this.database == TestDatabase.POSTGRESQL) {
			updates.forEach(Runnable::run);
		}
		else {
			new TransactionTemplate(new DataSourceTransactionManager(this.database.dataSource()))
				.executeWithoutResult((status) -> updates.forEach(Runnable::run));
		}
	}

	private static List<@Nullable Object> values(Place place, List<Map<String, Object>> rows, Random random) {
		List<@Nullable Object> values = new ArrayList<>();
		values.add(null);
		if (Set.of(Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.NUMERIC, Types.TINYINT).contains(place.type())) {
			values.addAll(ODD_NUMBERS);
			random.longs(4).forEach(values::add);
			random.ints(4).forEach((number) -> values.add((long) number));
		}
		else if (Set.of(Types.BLOB, Types.BINARY, Types.LONGVARBINARY, Types.VARBINARY).contains(place.type())
				|| rows.get(0).get(place.columns().get(0)) instanceof byte[]) {
			values.addAll(ODD_BYTES);
		}
		else {
			values.addAll(ODD_TEXTS);
			rows.stream()
				.map((row) -> row.get(place.columns().get(0)))
				.filter((text) -> String.valueOf(text).matches("[\\[{].*"))
				.map(String::valueOf)
				.distinct()
				.limit(2)
				.forEach((text) -> IntStream.range(0, 50).forEach((i) -> values.add(changed(text, random))));
		}
		Collections.shuffle(values, random);
		return values;
	}

	/**
	 * Return a structure with one part replaced.
	 */
	private static String changed(String text, Random random) {
		JsonNode tree = MAPPER.readTree(text);
		List<Runnable> changes = new ArrayList<>();
		collect(tree, changes, MAPPER.valueToTree(ODD_NODES.get(random.nextInt(ODD_NODES.size()))));
		if (!changes.isEmpty()) {
			changes.get(random.nextInt(changes.size())).run();
		}
		return tree.toString();
	}

	private static void collect(JsonNode node, List<Runnable> changes, JsonNode replacement) {
		if (node instanceof ObjectNode object) {
			object.properties().forEach((entry) -> {
				changes.add(() -> object.set(entry.getKey(), replacement));
				collect(entry.getValue(), changes, replacement);
			});
		}
		else if (node instanceof ArrayNode array) {
			for (int i = 0; i < array.size(); i++) {
				int index = i;
				changes.add(() -> array.set(index, replacement));
				collect(array.get(i), changes, replacement);
			}
		}
	}

	/**
	 * Expect that each question a person can ask is answered, and completely.
	 */
	private void expectAnswers(JobStore store) {
		JobInspector inspector = store.inspector();
		Instant now = this.clock.instant();
		assertThat(inspector.queues(now)).extracting(QueueView::name).contains("work");
		assertThat(inspector.schedules()).extracting(ScheduleView::name).contains("good");
		inspector.schedules().forEach(OddValueTests::expectComplete);
		inspector.workers(now).forEach(OddValueTests::expectComplete);
		for (JobState state : JobState.values()) {
			expectComplete(inspector, JobFilter.of((only) -> only.states(state)), now);
		}
		expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.values()).name("work")), now);
		expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.READY).name("work")), now);
		Set<String> all = expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.values())), now);
		all.stream().limit(40).forEach((id) -> inspector.job(id, now).ifPresent(OddValueTests::expectComplete));
		Set<String> ended = new TreeSet<>(all);
		ended.add("good-gone");
		IntStream.range(0, JOBS).forEach((i) -> ended.add("odd-gone-" + i));
		assertThat(inspector.ends(ended, now)).satisfies((ends) -> assertThat(ends.keySet()).containsAll(all))
			.hasEntrySatisfying("good-gone", (end) -> assertThat(end.value()).isEqualTo(new byte[1]))
			.allSatisfy((id, end) -> assertThat(Stream.of(end.state(), end.trail())).doesNotContainNull());
		all.forEach((id) -> assertThat(inspector.saved("work", id)).allSatisfy(
				(saved) -> assertThat(Stream.of(saved.name(), saved.value(), saved.savedAt())).doesNotContainNull()));
		expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.values()).text("failed")), now);
		expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.values()).tag("a")), now);
		expectComplete(inspector, JobFilter.of((only) -> only.states(JobState.values()).uniqueKey("key")), now);
		expectComplete(inspector,
				JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true)), now);
		inspector.deaths(JobFilter.of((only) -> only.states(JobState.DEAD)), now);
		assertThat(inspector.notes()).allSatisfy((note) -> assertThat(note.text()).isNotNull());
		assertThat(inspector.operatorSettings()).allSatisfy((set) -> assertThat(set.value()).isNotNull());
		for (int minutes : List.of(1, 5, 10, 60)) {
			Period period = new Period(now.minusSeconds(10_000), now.plusSeconds(60), Duration.ofMinutes(minutes));
			assertThat(inspector.statistics(Set.of(), period)).allSatisfy((tally) -> {
				assertThat(tally.queue()).isNotNull();
				tally.waited().quantile(0.5);
				tally.ran().quantile(0.99);
			});
		}
	}

	private static Set<String> expectComplete(JobInspector inspector, JobFilter filter, Instant now) {
		Set<String> seen = new TreeSet<>();
		for (boolean newestFirst : List.of(true, false)) {
			inspector.page(filter, newestFirst ? PageRequest.newestFirst(1000) : PageRequest.oldestFirst(1000), now)
				.jobs()
				.forEach((job) -> {
					expectComplete(job);
					seen.add(job.id());
				});
		}
		return seen;
	}

	private static void expectComplete(Job job) {
		assertThat(Stream.of(job.id(), job.name(), job.payloadPreview(), job.state())).doesNotContainNull();
		job.createdAt().toEpochMilli();
		job.dueAt().toEpochMilli();
		job.tags().forEach(String::length);
		job.headers().values().forEach(String::length);
		assertThat(job.trail().attempt()).isPositive();
		assertThat(job.trail().attempts()).hasSizeLessThanOrEqualTo(Trail.ATTEMPTS_KEPT).allSatisfy((attempt) -> {
			assertThat(attempt.error()).isNotNull();
			attempt.endedAt().toEpochMilli();
		});
		Trail.Wait wait = job.trail().waitsFor();
		if (wait != null) {
			assertThat(wait.thing()).isNotNull();
			wait.since().toEpochMilli();
		}
		Trail.End end = job.trail().end();
		if (end != null) {
			assertThat(end.reason()).isNotNull();
			assertThat(end.message()).isNotNull();
			end.at().toEpochMilli();
		}
		Job.Run run = job.run();
		if (run != null) {
			assertThat(run.worker()).isNotNull();
			run.startedAt().toEpochMilli();
			Job.Progress progress = run.progress();
			if (progress != null) {
				progress.at().toEpochMilli();
			}
		}
	}

	private static void expectComplete(ScheduleView schedule) {
		assertThat(Stream.of(schedule.name(), schedule.definition(), schedule.queue())).doesNotContainNull();
		schedule.latest().toEpochMilli();
		assertThat(schedule.fired()).hasSizeLessThanOrEqualTo(ScheduleView.FIRED_KEPT).allSatisfy((fired) -> {
			fired.tick().toEpochMilli();
			fired.at().toEpochMilli();
			assertThat(fired.outcome()).isNotNull();
			assertThat(fired.jobId()).isNotNull();
		});
	}

	private static void expectComplete(WorkerView worker) {
		assertThat(worker.id()).isNotNull();
		worker.lastBeat().toEpochMilli();
		worker.leaseUntil().toEpochMilli();
		WorkerInfo info = worker.info();
		if (info != null) {
			assertThat(Stream.of(info.host(), info.version())).doesNotContainNull();
			info.startedAt().toEpochMilli();
			info.pools().forEach((pool) -> {
				assertThat(pool.name()).isNotNull();
				pool.queues().forEach(String::length);
			});
			info.limits().forEach((limit) -> assertThat(limit.queue()).isNotNull());
		}
	}

	/**
	 * Retry, cancel and delete each job that is seen.
	 */
	private void actOnEverything(JobStore store) {
		Instant now = this.clock.instant();
		List<String> ids = store.inspector()
			.page(JobFilter.of((only) -> only.states(JobState.values())), PageRequest.oldestFirst(1000), now)
			.jobs()
			.stream()
			.map(Job::id)
			.toList();
		store.change(ids.stream().<Change>map(Change.Retry::new).toList(), now);
		store.change(ids.stream().<Change>map((id) -> new Change.Reschedule(id, now.plusSeconds(9))).toList(), now);
		store.change(ids.stream().<Change>map(Change.Cancel::new).toList(), now);
		store.change(ids.stream().<Change>map(Change.Delete::new).toList(), now);
	}

	/**
	 * A column, or several that differ in a number.
	 *
	 * @param database its database
	 * @param table its table
	 * @param columns its names
	 * @param type its type as JDBC names it
	 */
	record Place(TestDatabase database, String table, List<String> columns, int type) {

		@Override
		public String toString() {
			return this.database + " " + this.table + "." + this.columns.get(0);
		}

	}

}
