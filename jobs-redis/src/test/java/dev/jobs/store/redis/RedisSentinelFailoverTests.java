package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Enqueued;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisJobStore} when a replica becomes the master.
 */
class RedisSentinelFailoverTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final TestRedisSentinel servers = new TestRedisSentinel();

	private final LettuceConnectionFactory factory = this.servers.connect();

	private final RedisJobStore store = new RedisJobStore(this.factory, "failover");

	@AfterEach
	void stopServers() {
		this.store.close();
		TestRedis.destroy(this.factory);
		this.servers.close();
	}

	private boolean isReplicated() {
		return Load.isReplicated(() -> this.servers.node(this.servers.master()), "marker");
	}

	private void killMasterAndAwaitFailover() {
		this.servers.killMaster();
		this.servers.awaitFailover();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void engineContinuesAloneAndRunsEachJobThatTheReplicaHad(boolean killed) throws InterruptedException {
		try (Load load = new Load(this.store, List.of("a", "b", "c"), this::isReplicated)) {
			load.start();
			if (killed) {
				killMasterAndAwaitFailover();
			}
			else {
				this.servers.failOver();
				this.servers.awaitFailover();
				// Until then it takes jobs that nobody will ever see again.
				TestRedisCluster.await("the old master's new role",
						() -> this.servers.node(this.servers.master()).info("replication").contains("role:slave"));
			}
			load.finish();
		}
	}

	@Test
	void lostWritesHarmNoOtherJob() throws InterruptedException {
		Set<String> begun = ConcurrentHashMap.newKeySet();
		CountDownLatch mayEnd = new CountDownLatch(1);
		List<JobEvent> events = new CopyOnWriteArrayList<>();
		JobEngine engine = new JobEngineBuilder(this.store).clock(InstantSource.system())
			.settings(EngineSettings.defaults()
				.withLease(Duration.ofSeconds(3), Duration.ofMillis(200))
				.withPoll(Duration.ofMillis(100)))
			.listeners(List.of(events::add))
			.handler(HandlerDefinition.of("long", Object.class, (payload, context) -> {
				begun.add(context.job().id());
				mayEnd.await();
				return JobResult.done();
			}))
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> JobResult.done()))
			.build();
		ListAppender<ILoggingEvent> logged = listenToLog();
		try {
			engine.start();
			engine.operations().queue("work").pause();
			List<String> waiting = IntStream.range(0, 20)
				.mapToObj((i) -> engine.client().enqueue("work").id())
				.toList();
			String held = engine.client().enqueue("long").id();
			TestRedisCluster.await("the first run", () -> begun.contains(held));
			TestRedisCluster.await("replication", this::isReplicated);
			this.servers.cutReplication();
			String lostLater = engine.client().enqueue("work").id();
			String lost = engine.client().enqueue("long").id();
			TestRedisCluster.await("the second run", () -> begun.contains(lost));
			assertThat(isReplicated()).isFalse();
			killMasterAndAwaitFailover();
			TestRedisCluster.await("news of the loss", () -> isToldLost(events, lost));
			mayEnd.countDown();
			TestRedisCluster.await("the end of the first run", () -> hasSucceeded(events, held));
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.ignoreExceptionsInstanceOf(JobStoreException.class)
				.until(() -> {
					engine.operations().queue("work").resume();
					return true;
				});
			TestRedisCluster.await("all other jobs", () -> waiting.stream().allMatch((id) -> hasSucceeded(events, id)));
			assertThat(hasSucceeded(events, lost)).isFalse();
			assertThat(isToldLost(events, held)).isFalse();
			assertThat(this.store.inspector().job(lostLater, InstantSource.system().instant())).isEmpty();
			assertThat(hasSucceeded(events, lostLater)).isFalse();
			Enqueued after = engine.client().enqueue("work");
			TestRedisCluster.await("a job enqueued afterwards", () -> hasSucceeded(events, after.id()));
			assertThat(logged.list.stream().filter((event) -> event.getLevel().isGreaterOrEqual(Level.INFO)))
				.hasSizeLessThan(100);
		}
		finally {
			((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(logged);
			mayEnd.countDown();
			engine.closeClient();
			engine.stopNow();
		}
	}

	private static ListAppender<ILoggingEvent> listenToLog() {
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.list = new CopyOnWriteArrayList<>();
		appender.start();
		((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(appender);
		return appender;
	}

	private static boolean hasSucceeded(List<JobEvent> events, String id) {
		return events.stream()
			.anyMatch((event) -> event instanceof JobEvent.Succeeded ended && ended.job().id().equals(id));
	}

	private static boolean isToldLost(List<JobEvent> events, String id) {
		return events.stream()
			.anyMatch((event) -> event instanceof JobEvent.LeaseLost lost && lost.job().id().equals(id));
	}

	@Test
	void tokenLostInAFailoverSettlesNoLaterRun() {
		this.store.enqueue(List.of(NewJob.of("job", "q", new byte[3], NOW)), NOW);
		beat("old", NOW);
		TestRedisCluster.await("replication", this::isReplicated);
		this.servers.cutReplication();
		Claim lost = claim("old", NOW);
		killMasterAndAwaitFailover();
		Instant afterwards = NOW.plusSeconds(1);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.until(() -> {
				beat("new", afterwards);
				return true;
			});
		Claim later = claim("new", afterwards);
		assertThat(this.store.settle(List.of(Transition.removed(lost, NOW)), NOW)).containsExactly(Settled.LOST);
		assertThat(this.store.settle(List.of(Transition.removed(later, NOW)), NOW)).containsExactly(Settled.APPLIED);
		assertThat(later.token()).isGreaterThan(lost.token());
	}

	private void beat(String worker, Instant now) {
		this.store.beat(new WorkerBeat(worker, Duration.ofSeconds(15), null, List.of(), false, now));
	}

	private Claim claim(String worker, Instant now) {
		return this.store.claim(new ClaimRequest(worker, List.of(Quota.of("q", 1)), 1, now)).claims().get(0);
	}

}
