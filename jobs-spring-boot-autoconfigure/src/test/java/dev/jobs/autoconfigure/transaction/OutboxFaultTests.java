package dev.jobs.autoconfigure.transaction;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Enqueued;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.store.redis.RedisJobStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what goes wrong between the outbox in PostgreSQL and Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutboxFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static Postgres postgres;

	private static Redis redis;

	private final String namespace = UUID.randomUUID().toString();

	private final Map<String, Integer> runs = new ConcurrentHashMap<>();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final Logger engineLogger = (Logger) LoggerFactory.getLogger("dev.jobs.engine");

	private HikariDataSource dataSource;

	private TransactionTemplate transactions;

	@BeforeAll
	static void startServers() {
		redis = Redis.start();
		postgres = Postgres.start();
	}

	@AfterAll
	static void stopServers() {
		redis.close();
		postgres.close();
	}

	@BeforeEach
	void createTable() {
		this.dataSource = new HikariDataSource();
		this.dataSource.setJdbcUrl(postgres.createDatabase());
		this.opened.add(this.dataSource);
		new ResourceDatabasePopulator(
				new ByteArrayResource(JdbcSchema.ofOutbox(Database.POSTGRESQL, "jobs_").getBytes()))
			.execute(this.dataSource);
		this.transactions = new TransactionTemplate(new DataSourceTransactionManager(this.dataSource));
		this.engineLogger.setLevel(Level.INFO);
		this.engineLogger.setAdditive(true);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engineLogger.setLevel(Level.WARN);
		this.engineLogger.setAdditive(false);
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	private Outbox outbox() {
		return JdbcJobStore.builder(this.dataSource).buildOutbox();
	}

	private RedisJobStore store() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(2)).build());
		factory.afterPropertiesSet();
		factory.start();
		this.opened.add(factory::destroy);
		RedisJobStore store = new RedisJobStore(factory, this.namespace);
		this.opened.add(store);
		return store;
	}

	/**
	 * Start an application of its own, which runs jobs and carries them over.
	 */
	private JobEngine start(JobStore store) {
		JobEngine engine = new JobEngineBuilder(store)
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				this.runs.merge(context.id(), 1, Integer::sum);
				return JobResult.done();
			}))
			.enqueueGate(new TransactionGate())
			.outbox(outbox(), Duration.ofMillis(500), Duration.ofHours(24))
			.build();
		engine.start();
		engine.startRelay();
		this.opened.add(() -> {
			engine.stopRelay();
			engine.stopNow();
		});
		return engine;
	}

	/**
	 * Return the store with something done after each enqueue that comes out of the
	 * outbox.
	 */
	private static JobStore after(JobStore store, Consumer<List<NewJob>> enqueued) {
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					try {
						return (method.getName().equals("as") && values[0] == OutboxTarget.class)
								? store.as(OutboxTarget.class).map((target) -> afterEach(target, enqueued))
								: method.invoke(store, values);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private static OutboxTarget afterEach(OutboxTarget target, Consumer<List<NewJob>> enqueued) {
		return (jobs, memory, now) -> {
			List<Enqueued> reply = target.enqueueOnce(jobs, memory, now);
			enqueued.accept(jobs);
			return reply;
		};
	}

	private List<String> commit(JobEngine engine, String name, int many) {
		List<JobRequest> requests = IntStream.range(0, many)
			.mapToObj((i) -> JobRequest.named(name).payload(i))
			.toList();
		return this.transactions.execute((status) -> engine.client().enqueueAll(requests)).stream().map((enqueued) -> {
			assertThat(enqueued.outcome()).isEqualTo(Outcome.DEFERRED);
			return enqueued.id();
		}).toList();
	}

	private void awaitRunsOnce(List<String> ids) {
		Awaitility.await().atMost(PATIENCE).until(() -> this.runs.keySet().containsAll(ids));
		awaitWaiting(0);
		assertThat(ids).allMatch((id) -> this.runs.get(id) == 1);
	}

	private void awaitWaiting(long many) {
		Awaitility.await().atMost(PATIENCE).until(() -> outbox().contents().waiting() == many);
	}

	private <T> T onRedis(java.util.function.Function<RedisCommands<String, String>, T> use) {
		RedisClient client = RedisClient.create("redis://127.0.0.1:" + redis.port());
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			return use.apply(connection.sync());
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		}
	}

	/**
	 * The connection of the relay is killed when its jobs are in Redis and have run to
	 * their end, so that their rows come back.
	 */
	@Test
	void finishedJobDoesNotRunAgainIfItsRowIsRelayedTwice() {
		List<String> carried = new CopyOnWriteArrayList<>();
		JobEngine engine = start(after(store(), (jobs) -> {
			boolean first = carried.isEmpty();
			jobs.forEach((job) -> carried.add(job.id()));
			if (first) {
				Awaitility.await()
					.atMost(PATIENCE)
					.until(() -> jobs.stream().allMatch((job) -> this.runs.containsKey(job.id())) && isEmptyRedis());
				killRelay();
			}
		}));
		List<String> ids = commit(engine, "work", 3);
		Awaitility.await().atMost(PATIENCE).until(() -> carried.size() == 6);
		awaitWaiting(0);
		assertThat(carried.subList(3, 6)).isEqualTo(ids);
		awaitRunsOnce(commit(engine, "work", 1));
		assertThat(isEmptyRedis()).isTrue();
		awaitRunsOnce(ids);
	}

	private boolean isEmptyRedis() {
		return onRedis((commands) -> commands.exists("{" + this.namespace + ":0}:jobs")) == 0;
	}

	private void killRelay() {
		assertThat(new JdbcTemplate(this.dataSource)
			.queryForList("select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' "
					+ "and datname = current_database()", Boolean.class))
			.containsExactly(true);
	}

	@Test
	void jobsCommittedWhileRedisIsDownArriveOnceItIsBack(CapturedOutput output) throws IOException {
		JobEngine engine = start(store());
		awaitRunsOnce(commit(engine, "work", 1));
		redis.close();
		List<String> ids = new ArrayList<>();
		try {
			ids.addAll(commit(engine, "work", 5));
			Awaitility.await().atMost(PATIENCE).until(() -> output.getAll().contains("wait in the outbox"));
			IntStream.range(0, 20).forEach((i) -> ids.addAll(commit(engine, "other" + i, 1)));
			ids.addAll(commit(engine, "work", 5));
			assertThat(outbox().contents().waiting()).isEqualTo(30);
		}
		finally {
			redis = Redis.startOn(redis.port());
		}
		awaitRunsOnce(ids.stream().filter((id) -> engine.inspector() != null && isWork(ids, id)).toList());
		Awaitility.await().atMost(PATIENCE).until(() -> output.getAll().contains("held up in the outbox any more"));
		assertThat(output.getAll().lines().filter((line) -> line.contains("wait in the outbox"))).hasSizeBetween(1, 3);
	}

	private static boolean isWork(List<String> ids, String id) {
		return ids.indexOf(id) < 5 || ids.indexOf(id) >= 25;
	}

	@Test
	void relaysSideBySideCarryEachJobOnce() {
		List<String> carried = new CopyOnWriteArrayList<>();
		Consumer<List<NewJob>> note = (jobs) -> carried.addAll(jobs.stream().map(NewJob::id).toList());
		List<JobEngine> engines = List.of(start(after(store(), note)), start(after(store(), note)));
		List<CompletableFuture<List<String>>> commits = IntStream.range(0, 4)
			.mapToObj((thread) -> CompletableFuture.supplyAsync(() -> IntStream.range(0, 10)
				.mapToObj((i) -> commit(engines.get(thread % 2), "work", 50))
				.flatMap(List::stream)
				.toList()))
			.toList();
		List<String> ids = commits.stream().map(CompletableFuture::join).flatMap(List::stream).toList();
		assertThat(ids).hasSize(2000);
		awaitRunsOnce(ids);
		assertThat(carried).hasSize(2000).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void brokenQueuesHoldUpNoOthersAndLoseNothing() {
		String broken = "{" + this.namespace + ":0}:q:broken:ready";
		onRedis((commands) -> commands.set(broken, "mine"));
		List<String> more = IntStream.range(0, 4).mapToObj((i) -> "broken-" + i).toList();
		more.forEach((queue) -> onRedis(
				(commands) -> commands.set("{" + this.namespace + ":0}:q:" + queue + ":ready", "mine")));
		JobEngine engine = start(store());
		List<String> ids = new ArrayList<>();
		this.transactions.executeWithoutResult((status) -> {
			more.forEach((queue) -> engine.client().enqueue(queue, 1));
			engine.client()
				.enqueueAll(IntStream.range(0, 700).mapToObj((i) -> JobRequest.named("broken").payload(i)).toList());
			ids.addAll(IntStream.range(0, 3).mapToObj((i) -> engine.client().enqueue("work", i).id()).toList());
		});
		Awaitility.await().atMost(PATIENCE).until(() -> this.runs.keySet().containsAll(ids));
		awaitWaiting(704);
		onRedis((commands) -> commands.del(broken));
		more.forEach(
				(queue) -> onRedis((commands) -> commands.del("{" + this.namespace + ":0}:q:" + queue + ":ready")));
		awaitWaiting(0);
		long arrived = onRedis((commands) -> commands.llen(broken));
		assertThat(arrived).isEqualTo(700);
	}

}
