package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.test.ExpectsFaults;
import org.awaitility.Awaitility;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for rows that the database refuses to change, for a reason unknown to the store:
 * a trigger of its owner.
 */
class RefusedRowTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	private static final Instant LATER = NOW.plusSeconds(100);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private TestDatabase database;

	private String state;

	private JobStore store;

	private JdbcTemplate jdbc;

	private String table;

	private JobEngine engine;

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	/**
	 * Return each database with the states by which a trigger may refuse a row: what it
	 * raises, the unique key of another table that it writes to, and whatever else.
	 */
	static Stream<Arguments> refusals() {
		return TestDatabase.present().stream().flatMap((database) -> {
			Stream<String> states = switch (database) {
				case POSTGRESQL -> Stream.of("P0001", "23505", "55000", "XX001");
				case H2, MARIADB -> Stream.of("45000", "23505");
				case SQLITE -> Stream.of("");
			};
			return states.map((state) -> Arguments.of(database, state));
		});
	}

	private void use(TestDatabase database, String state) {
		use(database);
		this.state = state;
	}

	private void use(TestDatabase database) {
		this.database = database;
		this.store = database.createStore();
		this.jdbc = new JdbcTemplate(database.dataSource());
		this.table = database.prefix(this.store) + "job";
		beat("w", NOW);
	}

	@AfterEach
	void destroyStore() {
		if (this.engine != null) {
			this.engine.stopNow();
		}
		if (this.store != null) {
			this.database.destroyStore(this.store);
		}
		RefusingTrigger.REFUSED.clear();
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void claimGetsPastJobsThatATriggerRefusesToChange(TestDatabase database, String state) {
		use(database, state);
		enqueue("q", "ready", 10, NOW);
		enqueue("q", "due", 10, NOW.plusSeconds(1));
		enqueue("other", "other", 1, NOW);
		refuse("update", "ready-0", "ready-5", "due-0", "due-3");
		Set<String> claimed = new TreeSet<>();
		for (int i = 0; i < 12; i++) {
			claim(4).claims().forEach((claim) -> claimed.add(claim.job().id()));
		}
		assertThat(claimed).hasSize(17).contains("other-0").doesNotContain("ready-0", "ready-5", "due-0", "due-3");
		assertThat(claim(4).queues()).allSatisfy((left) -> {
			assertThat(left.more()).isFalse();
			assertThat(left.nextDue()).isNull();
		});
		assertThat(faults()).contains("to start job 'q' ready-0").contains("to start job 'q' due-3").contains("no no");
		allow("update");
		await("the last jobs", () -> {
			claim(4).claims().forEach((claim) -> claimed.add(claim.job().id()));
			return claimed.size() == 21;
		});
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void takeOverGetsPastJobsThatATriggerRefusesToChange(TestDatabase database, String state) {
		use(database, state);
		enqueue("q", "held", 10, NOW);
		assertThat(claim(10).claims()).hasSize(10);
		refuse("update", "held-0", "held-4");
		beat("rescuer", LATER);
		Set<String> taken = new TreeSet<>();
		for (int i = 0; i < 5; i++) {
			taken.addAll(takeOver(3));
		}
		assertThat(taken).hasSize(8).doesNotContain("held-0", "held-4");
		assertThat(faults()).contains("to take over job 'q' held-0");
		allow("update");
		await("the last jobs", () -> {
			taken.addAll(takeOver(3));
			return taken.size() == 10;
		});
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void pruneGetsPastJobsThatATriggerRefusesToRemove(TestDatabase database, String state) {
		use(database, state);
		enqueue("q", "dead", 10, NOW);
		List<Claim> claims = claim(10).claims();
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.dead(claim, NOW, Trail.EMPTY)).toList(),
				NOW))
			.containsOnly(Settled.APPLIED);
		refuse("delete", "dead-0", "dead-7");
		for (int i = 0; i < 5; i++) {
			this.store.prune(new PruneRequest(LATER, 0, null, 0, null, null, 3, LATER));
		}
		assertThat(ids()).containsExactly("dead-0", "dead-7");
		assertThat(faults()).contains("to remove job 'q' dead-0");
		allow("delete");
		await("the last jobs", () -> {
			this.store.prune(new PruneRequest(LATER, 0, null, 0, null, null, 3, LATER));
			return ids().isEmpty();
		});
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void burialGetsPastJobsThatATriggerRefusesToChange(TestDatabase database, String state) {
		use(database, state);
		enqueue("q", "stranded", 10, NOW);
		refuse("update", "stranded-0", "stranded-7");
		for (int i = 0; i < 5; i++) {
			this.store.prune(new PruneRequest(null, 0, null, 0, LATER, null, 3, LATER));
		}
		assertThat(ids(JobState.DEAD)).hasSize(8).doesNotContain("stranded-0", "stranded-7");
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void repairGetsPastJobsThatATriggerRefusesToChange(TestDatabase database, String state) {
		use(database, state);
		enqueue("q", "held", 10, NOW);
		assertThat(claim(10).claims()).hasSize(10);
		this.jdbc.update("delete from " + this.database.prefix(this.store) + "delivery");
		refuse("update", "held-0", "held-4");
		Instant time = NOW;
		for (int i = 0; i < 4; i++) {
			time = time.plusSeconds(60);
			this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 3, time));
		}
		beat("rescuer", time);
		assertThat(this.store.takeOver(new TakeOver("rescuer", Set.of("q"), Map.of(), 100, time)).claims())
			.extracting((claim) -> claim.job().id())
			.hasSize(8)
			.doesNotContain("held-0", "held-4");
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void endThatATriggerRefusesHoldsUpNoOther(TestDatabase database, String state) throws Exception {
		use(database, state);
		AtomicInteger runs = new AtomicInteger();
		CountDownLatch begun = new CountDownLatch(3);
		this.engine = new JobEngineBuilder(this.store).clock(InstantSource.system())
			.settings(EngineSettings.defaults().withPoll(Duration.ofMillis(100)))
			.concurrency(10)
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				runs.incrementAndGet();
				return JobResult.done();
			}))
			.handler(HandlerDefinition.of("long", Object.class, (payload, context) -> {
				begun.countDown();
				new CountDownLatch(1).await();
				return JobResult.done();
			}))
			.build();
		List<String> ids = this.engine.client()
			.enqueueAll(Collections.nCopies(40, JobRequest.named("work")))
			.stream()
			.map(Enqueued::id)
			.toList();
		String refused = ids.get(17);
		refuse("delete", refused);
		this.engine.start();
		await("the other ends", () -> ids().equals(List.of(refused)));
		await("the name of the job",
				() -> this.engine.operations()
					.store()
					.faults()
					.stream()
					.anyMatch((fault) -> fault.text().contains("the end of job 'work' " + refused)));
		this.engine.client().enqueueAll(Collections.nCopies(3, JobRequest.named("long")));
		this.engine.client().enqueueAll(Collections.nCopies(20, JobRequest.named("work")));
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		await("the later ends", () -> ids(JobState.RUNNING).size() == 4 && ids().size() == 4);
		allow("delete");
		this.engine.stop(Duration.ZERO);
		assertThat(ids()).hasSize(3).doesNotContain(refused);
		assertThat(ids(JobState.READY)).hasSize(3);
		assertThat(runs).hasValue(60);
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void statisticsThatATriggerRefusesHoldUpNoOthers(TestDatabase database, String state) {
		use(database, state);
		refuseRows(database.prefix(this.store) + "tally", "insert", "new.queue", "refused");
		AtomicInteger runs = new AtomicInteger();
		JobEngineBuilder builder = new JobEngineBuilder(this.store).clock(InstantSource.system())
			.settings(EngineSettings.defaults()
				.withPoll(Duration.ofMillis(100))
				.withLease(LEASE, Duration.ofMillis(200)));
		for (String queue : List.of("refused", "a", "b", "c")) {
			builder.handler(HandlerDefinition.of(queue, Object.class, (payload, context) -> {
				runs.incrementAndGet();
				return JobResult.done();
			}));
		}
		this.engine = builder.build();
		for (int i = 1; i <= 2; i++) {
			for (String queue : List.of("refused", "a", "b", "c")) {
				this.engine.client().enqueue(JobRequest.named(queue));
			}
			if (i == 1) {
				this.engine.start();
			}
			int done = i;
			await("the other statistics", () -> done("a") == done && done("b") == done && done("c") == done);
		}
		assertThat(done("refused")).isZero();
		assertThat(runs).hasValue(8);
		if (state.equals("23505") && database != TestDatabase.POSTGRESQL) {
			// A row of statistics that is there already is added to, so it is not
			// inserted.
			return;
		}
		// The next report that the store takes ends the refusal, so it gets no other.
		await("the name of the statistics", () -> {
			this.engine.client().enqueue(JobRequest.named("refused"));
			return this.engine.operations()
				.store()
				.faults()
				.stream()
				.anyMatch((fault) -> fault.text().contains("the statistics of this worker")
						&& fault.text().contains("no no"));
		});
	}

	@ParameterizedTest
	@MethodSource("refusals")
	@ExpectsFaults("the database refuses to remove it")
	void rowOfTheOutboxThatATriggerRefusesToRemoveHoldsUpNoOther(TestDatabase database, String state) {
		use(database, state);
		Outbox outbox = database.createOutbox(database.prefix(this.store));
		List<NewJob> jobs = jobs("q", "row", 10, NOW);
		new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
			.executeWithoutResult((status) -> outbox.write(jobs));
		refuseRows(database.prefix(this.store) + "outbox", "delete", "old.id", "row-0", "row-3");
		List<String> carried = new ArrayList<>();
		while (outbox.relay(4, Set.of(), Set.of(), (some) -> {
			some.forEach((job) -> carried.add(job.id()));
			return Collections.nCopies(some.size(), true);
		}) > 0) {
			assertThat(carried).hasSizeLessThan(100);
		}
		assertThat(new TreeSet<>(carried)).hasSize(10);
		assertThat(outbox.contents().waiting()).isZero();
		assertThat(outbox.contents().setAside()).isEqualTo(2);
		assertThat(this.jdbc.queryForList("select id from " + database.prefix(this.store) + "outbox", String.class))
			.containsExactlyInAnyOrder("row-0", "row-3");
	}

	private long done(String queue) {
		Instant now = Instant.now();
		return this.store.inspector()
			.statistics(Set.of(queue), new Period(now.minusSeconds(600), now.plusSeconds(600), Duration.ofMinutes(1)))
			.stream()
			.mapToLong((tally) -> tally.cells()[1])
			.sum();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void tableRefusesTextsThatNoIndexCanHold(TestDatabase database) {
		use(database);
		String text = new Random(1).ints(2_680, 'a', 'z' + 1)
			.mapToObj((letter) -> String.valueOf((char) letter))
			.collect(Collectors.joining());
		for (String column : List.of("id", "queue", "key_name", "held_key")) {
			assertThatExceptionOfType(DataAccessException.class).as(column).isThrownBy(() -> insert(column, text));
			insert(column, text.substring(0, column.contains("key") ? 500 : 200));
		}
	}

	@ParameterizedTest
	@MethodSource("databases")
	void tableRefusesJobsThatNoLaneWouldGive(TestDatabase database) {
		use(database);
		insert("lane", "a");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> insert("lane", ""));
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> this.jdbc.update("update " + this.table + " set state = -1, lane = null"));
	}

	private void insert(String longest, String text) {
		List<Object> values = new ArrayList<>(List.of(longest, "q", 1, 1, 1, 1, "{}".getBytes()));
		List<String> columns = new ArrayList<>(
				List.of("id", "queue", "place", "due_at", "since", "created_at", "payload"));
		if (columns.contains(longest)) {
			values.set(columns.indexOf(longest), text);
		}
		else {
			columns.add(longest);
			values.add(text);
		}
		this.jdbc.update("insert into %s (%s) values (%s)".formatted(this.table, String.join(", ", columns),
				String.join(", ", Collections.nCopies(columns.size(), "?"))), values.toArray());
	}

	private void beat(String worker, Instant now) {
		this.store.beat(new WorkerBeat(worker, LEASE, null, List.of(), false, now));
	}

	private void enqueue(String queue, String prefix, int count, Instant dueAt) {
		this.store.enqueue(jobs(queue, prefix, count, dueAt), NOW);
	}

	private static List<NewJob> jobs(String queue, String prefix, int count, Instant dueAt) {
		return IntStream.range(0, count)
			.mapToObj((i) -> NewJob.of(prefix + "-" + i, queue, new byte[0], NOW).withDueAt(dueAt))
			.toList();
	}

	private ClaimReply claim(int limit) {
		return this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", limit).withShare(3), Quota.of("other", 1)),
				limit, NOW.plusSeconds(2)));
	}

	private List<String> takeOver(int limit) {
		return this.store.takeOver(new TakeOver("rescuer", Set.of("q"), Map.of(), limit, LATER))
			.claims()
			.stream()
			.map((claim) -> claim.job().id())
			.toList();
	}

	private List<String> ids(JobState... states) {
		return this.store.inspector()
			.page(JobFilter.of((only) -> only.states((states.length > 0) ? states : JobState.values())),
					PageRequest.oldestFirst(100), LATER)
			.jobs()
			.stream()
			.map((job) -> job.id())
			.sorted()
			.toList();
	}

	private String faults() {
		return this.store.inspector().faults().stream().map(StoreFault::text).collect(Collectors.joining("\n"));
	}

	private static void await(String what, java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await(what).atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20)).until(condition);
	}

	/**
	 * Refuse to update or delete some jobs.
	 */
	private void refuse(String event, String... ids) {
		refuseRows(this.table, event, "old.id", ids);
	}

	/**
	 * Refuse to change rows that have some values in a column.
	 */
	private void refuseRows(String table, String event, String column, String... values) {
		String found = column + " in ("
				+ List.of(values).stream().map((value) -> "'" + value + "'").collect(Collectors.joining(", ")) + ")";
		String trigger = table + "_" + event;
		String head = "create trigger " + trigger + " before " + event + " on " + table;
		switch (this.database) {
			case POSTGRESQL -> {
				this.jdbc.execute("create or replace function " + trigger + "_f() returns trigger language plpgsql as "
						+ "$$ begin if " + found + " then raise exception 'no no' using errcode = '" + this.state
						+ "'; end if; " + (event.equals("delete") ? "return old;" : "return new;") + " end $$");
				this.jdbc.execute(head + " for each row execute function " + trigger + "_f()");
			}
			case SQLITE -> this.jdbc.execute(head + " when " + found + " begin select raise(abort, 'no no'); end");
			case MARIADB -> this.jdbc.execute(head + " for each row begin if " + found + " then signal sqlstate '"
					+ this.state + "' set message_text = 'no no'; end if; end");
			case H2 -> {
				RefusingTrigger.REFUSED.addAll(List.of(values));
				RefusingTrigger.state = this.state;
				this.jdbc.execute(head + " for each row call \"" + RefusingTrigger.class.getName() + "\"");
			}
		}
	}

	private void allow(String event) {
		this.jdbc.execute("drop trigger " + this.table + "_" + event
				+ ((this.database == TestDatabase.POSTGRESQL) ? " on " + this.table : ""));
	}

	/**
	 * A trigger of H2, whose first two columns are the id and the queue, in either order,
	 * or the place and the id.
	 */
	public static final class RefusingTrigger implements Trigger {

		static final Collection<String> REFUSED = ConcurrentHashMap.newKeySet();

		static volatile String state = "45000";

		@Override
		public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
			Object[] row = (before != null) ? before : after;
			if (REFUSED.contains(String.valueOf(row[0])) || REFUSED.contains(String.valueOf(row[1]))) {
				throw new SQLException("no no", state);
			}
		}

	}

}
