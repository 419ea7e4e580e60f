package dev.jobs.store.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.postgres.PostgresChannel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that stores of several processes wake each other through PostgreSQL. Polls are
 * too rare here to help.
 */
class PostgresSignalTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	private final DataSource unpooled = new DriverManagerDataSource(TestDatabase.POSTGRESQL.connectionUrl());

	/** Makes the tables and is closed with them. */
	private final JdbcJobStore first = (JdbcJobStore) TestDatabase.POSTGRESQL.createStore();

	private final String prefix = TestDatabase.POSTGRESQL.prefix(this.first);

	private final JdbcJobStore here = store(this.unpooled);

	private final JdbcJobStore there = store(this.unpooled);

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final List<Set<String>> ended = new CopyOnWriteArrayList<>();

	private JobEngine engine;

	@BeforeEach
	void warmUp() {
		this.here.enqueue(List.of(job("known", Instant.now())), Instant.now());
	}

	@AfterEach
	void endAll() {
		if (this.engine != null) {
			this.engine.stopNow();
		}
		this.here.close();
		this.there.close();
		TestDatabase.POSTGRESQL.destroyStore(this.first);
	}

	private JdbcJobStore store(DataSource listening) {
		return JdbcJobStore.builder(TestDatabase.POSTGRESQL.dataSource())
			.tablePrefix(this.prefix)
			.listen(listening)
			.build();
	}

	private static NewJob job(String queue, Instant dueAt) {
		return NewJob.of(UUID.randomUUID().toString(), queue, new byte[0], dueAt);
	}

	private void enqueue(JdbcJobStore store, String queue) {
		store.enqueue(List.of(job(queue, Instant.now())), Instant.now());
	}

	private StoreListener hearing() {
		return new StoreListener() {

			@Override
			public void ready(String queue, Instant at) {
				PostgresSignalTests.this.heard.add("ready " + queue);
			}

			@Override
			public void restricted(String queue) {
				PostgresSignalTests.this.heard.add("restricted " + queue);
			}

			@Override
			public void ended(Set<String> jobs) {
				PostgresSignalTests.this.ended.add(jobs);
			}

		};
	}

	/**
	 * Listen and wait until the connection is there, which makes up for what was missed.
	 */
	private void listen() {
		this.there.listen(hearing());
		await("the connection", () -> this.heard.contains("ready known"));
		this.heard.clear();
	}

	private static void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
	}

	private int listeningConnections() {
		return this.jdbc
			.queryForList(
					"select pid from pg_stat_activity where query like 'listen \"' || ? || '%' and state = 'idle'",
					Integer.class, this.prefix)
			.size();
	}

	@Test
	void otherStoreReceivesSignals() {
		listen();
		enqueue(this.here, "a");
		this.here.change(List.of(new Change.Pause("b")), Instant.now());
		await("both", () -> this.heard.containsAll(List.of("ready a", "restricted b")));
	}

	@Test
	void storeWhoseConnectionsDoNotCommitByThemselvesSignalsOthersToo() {
		listen();
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(TestDatabase.POSTGRESQL.connectionUrl());
		config.setMaximumPoolSize(2);
		config.setAutoCommit(false);
		try (HikariDataSource pool = new HikariDataSource(config);
				JdbcJobStore store = JdbcJobStore.builder(pool)
					.tablePrefix(this.prefix)
					.listen(this.unpooled)
					.build()) {
			enqueue(store, "a");
			await("the signal", () -> this.heard.contains("ready a"));
		}
	}

	@Test
	void listenerOfTheSameStoreIsNotifiedOnce() {
		listen();
		enqueue(this.there, "own");
		enqueue(this.here, "end");
		await("what was sent after it", () -> this.heard.contains("ready end"));
		assertThat(this.heard).containsOnlyOnce("ready own");
	}

	@Test
	void manySignalsOfAQueueBecomeFewAndTheLastIsAmongThem() {
		listen();
		long begin = System.nanoTime();
		for (int i = 0; i < 300; i++) {
			enqueue(this.here, "a");
		}
		long told = this.heard.size();
		enqueue(this.here, "a");
		await("one more", () -> this.heard.size() > told);
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
		assertThat(this.heard).hasSizeLessThan((int) (millis / 3) + 3);
	}

	@Test
	void signalsAreSentBeforeTheEndOfTheirStore() {
		listen();
		enqueue(this.here, "a");
		this.here.change(List.of(new Change.Pause("b")), Instant.now());
		this.here.close();
		await("both", () -> this.heard.containsAll(List.of("ready a", "restricted b")));
	}

	@Test
	void moreQueuesThanFitIntoOneNotificationAreAllSignalled() {
		listen();
		List<NewJob> jobs = IntStream.range(0, 300).mapToObj((i) -> job("q".repeat(90) + i, Instant.now())).toList();
		this.here.enqueue(jobs, Instant.now());
		List<String> all = jobs.stream().map((job) -> "ready " + job.name()).toList();
		await("all", () -> this.heard.containsAll(all));
	}

	@Test
	void endsOfOneSettleThatAreKeptAreSignalledTogetherWhateverTheirIdsAre() {
		Set<String> ids = Set.of("a\nSET 0 ", "100%0A", " b%25 ", "\u00fc\ud83d\ude00'\\");
		settle(ids, false);
		listen();
		settle(ids, true);
		await("the signal", () -> !this.ended.isEmpty());
		assertThat(this.ended).containsExactly(ids);
	}

	@Test
	void moreEndsThanFitIntoOneNotificationAreAllSignalled() {
		listen();
		Set<String> ids = IntStream.range(0, 300).mapToObj((i) -> "\u00fc".repeat(150) + i).collect(Collectors.toSet());
		settle(ids, true);
		await("all", () -> this.ended.stream().flatMap(Set::stream).collect(Collectors.toSet()).equals(ids));
		assertThat(this.ended).hasSizeLessThan(300);
	}

	/**
	 * Let jobs with these ids end.
	 */
	private void settle(Set<String> ids, boolean kept) {
		Instant now = Instant.now();
		this.here.enqueue(ids.stream().map((id) -> NewJob.of(id, "ending", new byte[0], now)).toList(), now);
		this.here.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
		List<Transition> ends = this.here
			.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("ending", 500)), 500, now))
			.claims()
			.stream()
			.map((claim) -> Transition.removed(claim, now))
			.toList();
		End end = new End(JobState.SUCCEEDED, Trail.EMPTY, null, now.plusSeconds(60));
		assertThat(this.here.settle(kept ? ends.stream().map((each) -> each.keeping(end)).toList() : ends, now))
			.hasSameSizeAs(ids)
			.containsOnly(Settled.APPLIED);
	}

	@Test
	void lostConnectionIsReplacedAndWhatWasMissedIsMadeUpFor() {
		listen();
		this.jdbc.queryForList(
				"select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen \"' || ? || '%'",
				this.prefix);
		await("what was missed", () -> this.heard.contains("ready known"));
		enqueue(this.here, "a");
		await("the signal", () -> this.heard.contains("ready a"));
	}

	@Test
	void connectionThatIsLostAgainAndAgainIsLoggedOnceForAWhile() {
		Logger logger = (Logger) LoggerFactory.getLogger(PostgresChannel.class);
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		listen();
		logger.addAppender(lines);
		try {
			for (int i = 0; i < 5; i++) {
				this.heard.clear();
				this.jdbc.queryForList(
						"select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen \"' || ? || '%'",
						this.prefix);
				await("another connection", () -> this.heard.contains("ready known"));
			}
		}
		finally {
			logger.detachAppender(lines);
		}
		assertThat(lines.list).filteredOn((line) -> line.getLevel() == Level.WARN)
			.singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.contains("Signals of other processes cannot be received for now: ");
	}

	@Test
	void connectionIsOpenOnlyWhileSomebodyListens() {
		assertThat(listeningConnections()).isZero();
		listen();
		assertThat(listeningConnections()).isOne();
		this.there.close();
		await("the end of the connection", () -> listeningConnections() == 0);
	}

	@Test
	void otherDriversAreAskedOnceAndLeftAlone() {
		AtomicInteger asked = new AtomicInteger();
		DataSource foreign = new DelegatingDataSource(this.unpooled) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, values) -> {
							if (method.getName().equals("isWrapperFor")) {
								asked.incrementAndGet();
								return false;
							}
							return method.invoke(connection, values);
						});
			}

		};
		try (JdbcJobStore polling = store(foreign)) {
			polling.listen(hearing());
			await("the question", () -> asked.get() > 0);
			await("the end of the thread",
					() -> Thread.getAllStackTraces()
						.keySet()
						.stream()
						.noneMatch((thread) -> thread.getName().equals("jobs-postgres-signals")));
			enqueue(polling, "a");
			assertThat(this.heard).containsExactly("ready a");
		}
		assertThat(asked).hasValue(1);
	}

	/**
	 * One that is not signalled would wait for the next look, up to five minutes. How
	 * soon it starts is measured beside others of its kind in {@link PostgresCostTests}.
	 */
	@Test
	void jobOfAnIdlePoolStartsAtOnceWhereverItIsEnqueued() throws InterruptedException {
		SynchronousQueue<String> started = new SynchronousQueue<>();
		this.engine = new JobEngineBuilder(this.there)
			.settings(EngineSettings.defaults().withPoll(Duration.ofMinutes(5)))
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				started.put(context.id());
				return JobResult.done();
			}))
			.build();
		this.engine.start();
		await("the connection", () -> listeningConnections() == 1);
		JobEngine producer = new JobEngineBuilder(this.here).build();
		for (int i = 0; i < 5; i++) {
			String id = producer.client().enqueue("work").id();
			assertThat(started.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id);
		}
	}

}
