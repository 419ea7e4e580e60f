package dev.jobs.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import dev.jobs.JobFilter;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.Unique;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.process.UniqueRetries;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.test.SettableClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for rows that other programs and unlucky moments leave in the tables.
 */
class HostileConditionTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** The database's time as an answer to whoever asks for it, compared with nothing. */
	private static final Pattern ANSWERS = Pattern
		.compile("(select|returning) (floor\\(extract\\(epoch from clock_timestamp\\(\\)\\) \\* 1000\\)::bigint"
				+ "|timestampdiff\\(microsecond, '1970-01-01 00:00:00', utc_timestamp\\(3\\)\\) div 1000)(?=$|,)");

	private static final Pattern CLOCK_OR_CHANCE = Pattern.compile("(?i)\\b(now|[a-z]*_?timestamp|sysdate|curdate"
			+ "|curtime|localtime|current_(date|time|timestamp)|getdate|rand(om)?\\w*|uuid\\w*|gen_random_uuid"
			+ "|date|datetime|julianday|strftime)\\s*\\(|\\bcurrent_(date|time|timestamp)\\b");

	private TestDatabase database;

	private JobStore store;

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	static List<TestDatabase> withManyWriters() {
		return databases().stream().filter((database) -> database != TestDatabase.SQLITE).toList();
	}

	private void use(TestDatabase database) {
		this.database = database;
		this.store = database.createStore();
		beat("w", NOW);
	}

	@AfterEach
	void destroyStore() {
		if (this.store != null) {
			this.database.destroyStore(this.store);
		}
	}

	@ParameterizedTest
	@MethodSource("databases")
	void theTextsOfStatementsDoNotDependOnTheTime(TestDatabase database) {
		use(database);
		Set<String> texts = ConcurrentHashMap.newKeySet();
		JobStore watched = JdbcJobStore.builder(watched(database.dataSource(), texts))
			.tablePrefix(database.prefix(this.store))
			.build();
		enqueue("first", NOW.plusMillis(1));
		enqueue("second", NOW.plusSeconds(100));
		look(watched, NOW);
		enqueue("third", NOW.plusMillis(1));
		Set<String> before = new HashSet<>(texts);
		look(watched, NOW.plusMillis(7));
		texts.removeAll(before);
		assertThat(texts).isEmpty();
	}

	private void look(JobStore watched, Instant now) {
		watched.claim(new ClaimRequest("w", List.of(Quota.of("q", 1)), 1, now.plusMillis(1)));
		watched.inspector().page(JobFilter.of((only) -> only.states(JobState.READY)), PageRequest.newestFirst(10), now);
		watched.prune(new PruneRequest(now, 0, now, 0, null, null, 10, now));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void anUnknownModeOfAKeyKeepsNoEndFromBeingWritten(TestDatabase database) {
		use(database);
		enqueue("odd", NOW);
		enqueue("good", NOW);
		jdbc()
			.update("update " + table("job") + " set key_name = 'k', held_key = 'k', key_mode = 'x' where id = 'odd'");
		List<Claim> claims = claim(NOW, 0).claims();
		List<Transition> releases = claims.stream()
			.map((claim) -> Transition.released(claim, NOW, claim.job().trail()))
			.toList();
		assertThat(this.store.settle(releases, NOW)).containsExactly(Settled.APPLIED, Settled.APPLIED);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void aWorkerOfAnotherProgramStopsNobody(TestDatabase database) {
		use(database);
		enqueue("a", NOW);
		jdbc().update(
				"insert into " + table("worker")
						+ " (id, last_beat, lease_until, lease, info) values ('x', ?, ?, 0, '{}')",
				NOW.toEpochMilli(), NOW.plus(LEASE).toEpochMilli());
		assertThat(this.store.inspector().queues(NOW)).hasSize(1);
		this.store.prune(new PruneRequest(null, 0, null, 0, NOW, null, 10, NOW));
		assertThat(this.store.inspector().workers(NOW)).hasSize(2);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void limitHoldsForAQueueThatOnlyAnotherProgramFills(TestDatabase database) {
		use(database);
		int held = 0;
		for (int i = 0; i < 3; i++) {
			jdbc().update("insert into " + table("job")
					+ " (id, queue, state, place, due_at, since, created_at, payload) values (?, 'q', 1, ?, 1, 1, 1, ?)",
					"job-" + i, i + 1, new byte[0]);
			held += claim(NOW, 1).claims().size();
		}
		assertThat(held).isLessThanOrEqualTo(1);
		beat("w", NOW);
		assertThat(held + claim(NOW, 1).claims().size()).isLessThanOrEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void whatAWorkerClaimsWhileItIsForgottenIsTakenOver(TestDatabase database) throws Exception {
		use(database);
		enqueue("a", NOW);
		Instant later = NOW.plus(LEASE).plusMillis(1);
		beat("other", later);
		ClaimReply claimed = whileLocked("select name from " + table("queue") + " for update", () -> claim(NOW, 5),
				() -> takeOver("other", later));
		assertThat(claimed.claims()).hasSize(1);
		assertThat(takeOver("other", later).claims()).hasSize(1);
	}

	@Test
	void jobsOfAProcessThatFreezesInATransactionRunElsewhere() throws Exception {
		use(TestDatabase.POSTGRESQL);
		enqueue("a", NOW);
		claim(NOW, 0);
		Instant later = NOW.plus(LEASE).plusMillis(1);
		beat("other", later);
		CountDownLatch frozen = new CountDownLatch(1);
		CountDownLatch thawed = new CountDownLatch(1);
		JobStore freezing = JdbcJobStore.builder(calling(this.database.dataSource(), (method, arguments) -> {
			if (method.equals("commit")) {
				frozen.countDown();
				thawed.await();
			}
		})).tablePrefix(this.database.prefix(this.store)).timeout(Duration.ofSeconds(1)).build();
		CompletableFuture<BeatReply> beat = CompletableFuture
			.supplyAsync(() -> freezing.beat(new WorkerBeat("w", LEASE, null, List.of(), false, NOW)));
		assertThat(frozen.await(30, TimeUnit.SECONDS)).isTrue();
		try {
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> takeOver("other", later).claims(), (claims) -> claims.size() == 1);
		}
		finally {
			thawed.countDown();
		}
		assertThat(beat).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(JobStoreException.class);
	}

	/** As PostgreSQL does for a process that froze before a statement. */
	@Test
	void aTransactionThatTheServerHasEndedMayBeTriedAgain() {
		use(TestDatabase.POSTGRESQL);
		JobStore thawed = JdbcJobStore.builder(calling(this.database.dataSource(), (method, arguments) -> {
			if (method.equals("prepareStatement")) {
				throw new SQLException("FATAL: terminating connection due to idle-in-transaction timeout", "25P03");
			}
		})).tablePrefix(this.database.prefix(this.store)).build();
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> thawed.beat(new WorkerBeat("w", LEASE, null, List.of(), false, NOW)))
			.withMessageContaining("idle-in-transaction")
			.matches(JobStoreException::isTemporary);
	}

	@Test
	void jobOfAHandlerThatFreezesBeforeItsCommitRunsElsewhere() {
		use(TestDatabase.POSTGRESQL);
		enqueue("a", NOW);
		Claim claim = claim(NOW, 0).claims().get(0);
		Instant later = NOW.plus(LEASE).plusMillis(1);
		beat("other", later);
		DataSource application = this.database.dataSource();
		JobStore store = JdbcJobStore.builder(application)
			.tablePrefix(this.database.prefix(this.store))
			.timeout(Duration.ofSeconds(1))
			.build();
		TransactionTemplate handler = new TransactionTemplate(new DataSourceTransactionManager(application));
		assertThatExceptionOfType(TransactionException.class)
			.isThrownBy(() -> handler.executeWithoutResult((status) -> {
				TransactionalJobStore.join(store).orElseThrow().settle(List.of(Transition.removed(claim, NOW)), NOW);
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.until(() -> takeOver("other", later).claims(), (claims) -> claims.size() == 1);
			}));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void anEnqueueThatFailsAtAnyCallOfTheDriverIsStoredWholeOrNotAtAll(TestDatabase database) {
		use(database);
		AtomicInteger left = new AtomicInteger();
		int stored = 0;
		for (boolean after : List.of(false, true)) {
			JobStore failing = storeOf(failing(this.database.dataSource(), left, after));
			int calls = 0;
			do {
				calls++;
				left.set(calls);
				stored += enqueueTogether(failing, calls + "-" + after);
			}
			while (left.get() <= 0);
			assertThat(calls).isGreaterThan(2);
		}
		assertThat(stored).isPositive();
	}

	/**
	 * Enqueue three jobs in one call and expect that all of them are there if it says so,
	 * none if it was refused, and otherwise all or none.
	 * @return 1 if they are there
	 */
	private int enqueueTogether(JobStore failing, String name) {
		NewJob.UniqueKey key = new NewJob.UniqueKey(name, Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.KEEP);
		List<NewJob> jobs = List.of(job("plain-" + name, NOW), job("late-" + name, NOW.plusSeconds(60)),
				NewJob.of("unique-" + name, "q", new byte[] { 1 }, NOW)
					.withHeaders(Map.of("h", "v"))
					.withUniqueKey(key));
		boolean refused = false;
		boolean failed = false;
		try {
			failing.enqueue(jobs, NOW);
		}
		catch (JobStoreException ex) {
			failed = true;
			refused = ex.isRefused();
		}
		long there = jobs.stream().filter((job) -> this.store.inspector().job(job.id(), NOW).isPresent()).count();
		assertThat(there).as("%s: failed %s, refused %s", name, failed, refused)
			.isIn(!failed ? Set.of(3L) : refused ? Set.of(0L) : Set.of(0L, 3L));
		NewJob another = NewJob.of("another-" + name, "q", new byte[0], NOW).withUniqueKey(key);
		assertThat(this.store.enqueue(List.of(another), NOW).get(0).isNew()).as(name).isEqualTo(there == 0);
		return (there == 0) ? 0 : 1;
	}

	/**
	 * Return a data source of which one call fails, before it is sent or after it was
	 * done.
	 * @param left how many calls until then
	 */
	private static DataSource failing(DataSource dataSource, AtomicInteger left, boolean after) {
		return new DelegatingDataSource(dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				return failing(Connection.class, super.getConnection());
			}

			private <T> T failing(Class<T> type, T target) {
				return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
						(proxy, method, arguments) -> {
							boolean counts = method.getName().matches("commit|execute.*");
							if (counts && !after && left.decrementAndGet() == 0) {
								throw new SQLException("the connection broke", "08006");
							}
							Object reply;
							try {
								reply = method.invoke(target, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getCause();
							}
							if (counts && after && left.decrementAndGet() == 0) {
								throw new SQLException("the connection broke", "08006");
							}
							if (method.getReturnType() == PreparedStatement.class) {
								return failing(PreparedStatement.class, (PreparedStatement) reply);
							}
							return (method.getReturnType() == Statement.class)
									? failing(Statement.class, (Statement) reply) : reply;
						}));
			}

		};
	}

	@ParameterizedTest
	@MethodSource("databases")
	void retriesOfUniqueJobsAreNoReasonForAWarning(TestDatabase database) {
		use(database);
		new UniqueRetries(this.store).expectNoWarningsButThoseOfTheFailures();
	}

	@Test
	void enqueueThatStoredNothingFails() {
		use(TestDatabase.POSTGRESQL);
		AtomicInteger lost = new AtomicInteger(2);
		JobStore store = storeOf(changing(this.database.dataSource(), (sql) -> {
			String changed = sql.replace("created_at, payload, headers, lane, urgency)\non conflict",
					"created_at, payload, headers, lane, urgency) where false\non conflict");
			return (!changed.equals(sql) && lost.getAndDecrement() > 0) ? changed : sql;
		}));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> store.enqueue(List.of(job("a", NOW)), NOW))
			.satisfies((ex) -> assertThat(ex.isRefused()).isFalse())
			.withMessageContaining("neither stored the job a nor has it");
		JobEngine engine = new JobEngineBuilder(store).build();
		String id = engine.client().enqueue("q").id();
		engine.closeClient();
		assertThat(lost).hasValueLessThan(0);
		assertThat(this.store.inspector().job(id, NOW)).isPresent();
	}

	@Test
	void aPoolerThatMixesUpStatementsIsNamedWithItsSetting() {
		use(TestDatabase.POSTGRESQL);
		for (String state : List.of("26000", "42P05", "08P01")) {
			JobStore store = storeOf(changing(this.database.dataSource(), (sql) -> {
				throw new SQLException("prepared statement \"S_1\"", state);
			}));
			assertThatExceptionOfType(JobStoreException.class)
				.isThrownBy(() -> store.enqueue(List.of(job("a", NOW)), NOW))
				.satisfies((ex) -> assertThat(ex.isTemporary()).isTrue())
				.withMessageContaining("prepareThreshold=0")
				.withMessageContaining("PgBouncer");
		}
	}

	private JobStore storeOf(DataSource dataSource) {
		return JdbcJobStore.builder(dataSource).tablePrefix(this.database.prefix(this.store)).build();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void restartsLeaveNothing(TestDatabase database) {
		use(database);
		SettableClock clock = SettableClock.at(NOW);
		restart(clock, 0);
		restart(clock, 1);
		restart(clock, 1);
		Map<String, Integer> before = rows();
		for (int i = 0; i < 20; i++) {
			restart(clock, 1);
		}
		assertThat(rows()).isEqualTo(before);
		assertThat(before).containsEntry("job", 0).containsEntry("schedule", 1);
		assertThat(count("delivery")).as("deliveries, of the last process alone, which ran two jobs")
			.isLessThanOrEqualTo(2);
	}

	/**
	 * Start a process, as it were, have it run a job and the ticks that were missed, and
	 * stop it. The first process, to which the schedule is new, has missed none.
	 */
	private void restart(SettableClock clock, int ticks) {
		clock.advance(Duration.ofDays(3));
		Set<String> ran = ConcurrentHashMap.newKeySet();
		JobEngine engine = new JobEngineBuilder(storeOf(this.database.dataSource())).clock(clock)
			.handler(HandlerDefinition.of("q", Object.class, (payload, context) -> {
				ran.add(context.id());
				return JobResult.done();
			}))
			.recurringJob(RecurringJob.of("s", Schedule.parse("@every 1h"), "q"))
			.build();
		engine.start();
		String id = engine.client().enqueue("q").id();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> ran.contains(id) && ran.size() == 1 + ticks);
		engine.closeClient();
		assertThat(engine.stop(Duration.ofSeconds(30)).settled()).isTrue();
	}

	private Map<String, Integer> rows() {
		Map<String, Integer> rows = new TreeMap<>();
		for (String name : List.of("job", "queue", "worker", "schedule", "tally")) {
			rows.put(name, count(name));
		}
		return rows;
	}

	private Integer count(String name) {
		return jdbc().queryForObject("select count(*) from " + table(name), Integer.class);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void noStatementDecidesByTheDatabasesClockOrByChance(TestDatabase database) {
		use(database);
		Set<String> texts = ConcurrentHashMap.newKeySet();
		JobStore watched = storeOf(watched(database.dataSource(), texts));
		SettableClock clock = SettableClock.at(NOW);
		JobEngine engine = new JobEngineBuilder(watched).clock(clock)
			.handler(HandlerDefinition.of("q", Object.class, (payload, context) -> {
				context.progress(1, 2);
				throw new IllegalStateException("as wanted");
			}))
			.recurringJob(RecurringJob.of("s", Schedule.parse("@every 5s"), "q"))
			.build();
		enqueue("late", NOW.plusSeconds(5));
		claim(NOW, 0);
		for (int i = 0; i < 5; i++) {
			NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
					Unique.OnDuplicate.REPLACE);
			watched.enqueue(List.of(job("plain" + i, clock.instant()),
					NewJob.of("key" + i, "q", new byte[0], NOW).withUniqueKey(key),
					NewJob.of("full" + i, "q", new byte[0], NOW).withMaxWaiting(1)), clock.instant());
			engine.runUntilIdle();
			look(watched, clock.instant());
			watched.inspector().queues(clock.instant());
			watched.inspector().workers(clock.instant());
			clock.advance(Duration.ofSeconds(40));
		}
		watched.change(List.of(new Change.Retry("plain0"), new Change.Reschedule("plain1", NOW),
				new Change.Cancel("plain2"), new Change.Delete("plain3"), new Change.Pause("q"), new Change.Resume("q"),
				new Change.Limit("q", 1), new Change.PauseSchedule("s"), new Change.ResumeSchedule("s", Duration.ZERO)),
				NOW);
		assertThat(texts).hasSizeGreaterThan(30);
		assertThat(texts.stream().map((text) -> ANSWERS.matcher(text).replaceAll("")))
			.noneMatch((text) -> CLOCK_OR_CHANCE.matcher(text).find());
	}

	@Test
	void aPurgeLeavesNoJobThatNobodyHolds() throws Exception {
		use(TestDatabase.POSTGRESQL);
		enqueue("a", NOW);
		whileLocked("select id from " + table("job") + " for update",
				() -> this.store.change(List.of(new Change.Purge()), NOW), () -> {
					enqueue("b", NOW);
					claim(NOW, 0);
				});
		Long unheld = jdbc()
			.queryForObject("select count(*) from " + table("job") + " j where state = 2 and not exists (select 1 from "
					+ table("delivery") + " d where d.token = j.token)", Long.class);
		assertThat(unheld).isZero();
	}

	@Test
	void aJobWithAnOldPlaceIsFoundWithinAMinute() {
		use(TestDatabase.POSTGRESQL);
		Instant now = NOW;
		for (int i = 0; i < 20; i++) {
			now = now.plusSeconds(1);
			enqueue("a" + i, NOW);
			beat("w", now);
			settleAll(claim(now, 0).claims(), now);
		}
		jdbc().execute("alter sequence " + table("place") + " restart with 3");
		enqueue("late", NOW);
		boolean found = false;
		for (int i = 0; i < 30 && !found; i++) {
			now = now.plusSeconds(5);
			beat("w", now);
			this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 10, now));
			found = !claim(now, 0).claims().isEmpty();
		}
		assertThat(found).isTrue();
		assertThat(now).isBefore(NOW.plusSeconds(90));
	}

	@Test
	void aClaimThatIsRolledBackHidesNoJob() {
		use(TestDatabase.POSTGRESQL);
		enqueue("a", NOW);
		enqueue("b", NOW);
		jdbc().execute("alter table " + table("delivery") + " add constraint no_way check (token < 0)");
		Instant now = NOW;
		int rolledBack = 0;
		for (int i = 0; i < 6; i++) {
			now = now.plusSeconds(1);
			try {
				this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 2).withShare(1)), 2, now));
			}
			catch (JobStoreException ex) {
				assertThat(ex).hasMessageContaining("no_way");
				rolledBack++;
			}
		}
		assertThat(rolledBack).isPositive();
		jdbc().execute("alter table " + table("delivery") + " drop constraint no_way");
		assertThat(claim(now.plusSeconds(1), 0).claims()).hasSize(2);
	}

	@FunctionalInterface
	private interface Verb<T> {

		T call();

	}

	/**
	 * Have a verb wait for a lock, do something else meanwhile and let it go on.
	 */
	private <T> T whileLocked(String locking, Verb<T> verb, Runnable meanwhile) throws Exception {
		try (Connection connection = this.database.dataSource().getConnection()) {
			connection.setAutoCommit(false);
			connection.createStatement().executeQuery(locking);
			CompletableFuture<T> reply = CompletableFuture.supplyAsync(verb::call);
			// MariaDB answers from what it knew, unless it was not asked for a tenth of a
			// second.
			Awaitility.await("it waits for the lock")
				.atMost(Duration.ofSeconds(30))
				.pollInterval(Duration.ofMillis(150))
				.until(() -> reply.isDone() || waitsForALock());
			assertThat(reply).isNotDone();
			meanwhile.run();
			connection.rollback();
			connection.setAutoCommit(true);
			return reply.get(30, TimeUnit.SECONDS);
		}
	}

	/**
	 * Return whether the server says that a statement on the tables of this test waits
	 * for another transaction.
	 */
	private boolean waitsForALock() {
		String waiting = switch (this.database) {
			case POSTGRESQL ->
				"select count(*) from pg_stat_activity where wait_event_type = 'Lock' and position(? in query) > 0";
			case H2 -> "select count(*) from information_schema.sessions where blocker_id is not null "
					+ "and locate(?, executing_statement) > 0";
			default -> "select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT' "
					+ "and locate(?, trx_query) > 0";
		};
		Long count = jdbc().queryForObject(waiting, Long.class, this.database.prefix(this.store));
		return Objects.requireNonNull(count) > 0;
	}

	/**
	 * Return a data source whose statements are changed before they are prepared.
	 */
	private static DataSource changing(DataSource dataSource, Rewriting rewriting) {
		return calling(dataSource, (method, arguments) -> {
			if (method.equals("prepareStatement")) {
				arguments[0] = rewriting.rewritten((String) arguments[0]);
			}
		});
	}

	private static DataSource watched(DataSource dataSource, Set<String> texts) {
		return calling(dataSource, (method, arguments) -> {
			if (method.equals("prepareStatement")) {
				texts.add((String) arguments[0]);
			}
		});
	}

	/**
	 * Return a data source that tells what its connections are called for before they do
	 * it.
	 */
	private static DataSource calling(DataSource dataSource, Call before) {
		return new DelegatingDataSource(dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection target = super.getConnection();
				return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							before.called(method.getName(), arguments);
							try {
								return method.invoke(target, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getCause();
							}
						});
			}

		};
	}

	private void settleAll(List<Claim> claims, Instant now) {
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, now)).toList(), now);
	}

	private ClaimReply claim(Instant now, int maxRunning) {
		return this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 10).withMaxRunning(maxRunning)), 10, now));
	}

	private ClaimReply takeOver(String worker, Instant now) {
		return this.store.takeOver(new TakeOver(worker, Set.of("q"), Map.of(), 10, now));
	}

	private void beat(String worker, Instant now) {
		WorkerInfo info = new WorkerInfo("host", 1, "1", NOW, List.of(new WorkerInfo.Pool("p", 1, 0, List.of("q"))),
				List.of());
		this.store.beat(new WorkerBeat(worker, LEASE, info, List.of(), false, now));
	}

	private void enqueue(String id, Instant dueAt) {
		this.store.enqueue(List.of(job(id, dueAt)), NOW);
	}

	private static NewJob job(String id, Instant dueAt) {
		return NewJob.of(id, "q", new byte[0], NOW).withDueAt(dueAt);
	}

	private JdbcTemplate jdbc() {
		return new JdbcTemplate(this.database.dataSource());
	}

	private String table(String name) {
		return this.database.prefix(this.store) + name;
	}

	private interface Rewriting {

		String rewritten(String sql) throws SQLException;

	}

	private interface Call {

		void called(String method, Object[] arguments) throws Exception;

	}

}
