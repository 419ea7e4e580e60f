package dev.jobs.store.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.process.Ends;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.WakeUps;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the calls of engines to a separate Redis server, at rest and under load.
 */
class RedisLoadTests {

	private final int port = Ports.reserve();

	private final RedisServer server = TestRedis.start(this.port, List.of("save \"\""));

	private final LettuceConnectionFactory factory = TestRedis.connect(URI.create("redis://127.0.0.1:" + this.port));

	private final RedisJobStore store = new RedisJobStore(this.factory, "load");

	private final RedisClient client = RedisClient.create("redis://127.0.0.1:" + this.port);

	private final StatefulRedisConnection<String, String> commandConnection = this.client.connect();

	@TempDir
	private Path directory;

	private final Queue<String> commands = new ConcurrentLinkedQueue<>();

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.store.close();
		TestRedis.destroy(this.factory);
		TestRedis.stop(this.server);
	}

	/**
	 * Count all commands that clients send, whatever they are, until the monitor is
	 * closed.
	 */
	private Socket monitor(AtomicLong calls) throws IOException {
		Socket monitor = new Socket("127.0.0.1", this.port);
		monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(monitor.getInputStream(), StandardCharsets.ISO_8859_1));
		assertThat(lines.readLine()).isEqualTo("+OK");
		Thread counter = new Thread(() -> lines.lines().filter((line) -> !line.contains(" lua] ")).forEach((line) -> {
			this.commands.add(line);
			calls.incrementAndGet();
		}));
		counter.setUncaughtExceptionHandler((thread, ex) -> {
		});
		counter.setDaemon(true);
		counter.start();
		return monitor;
	}

	@Test
	void idlePoolOfAnySizeSendsTwoCommandsASecondAndStartsAJobAtOnce() throws Exception {
		SynchronousQueue<Long> started = new SynchronousQueue<>();
		JobEngineBuilder builder = new JobEngineBuilder(this.store).concurrency(100);
		for (int i = 0; i < 200; i++) {
			builder.handler(HandlerDefinition.of("queue-" + i, Long.class, (sent, context) -> {
				started.put(System.nanoTime() - sent);
				return JobResult.done();
			}));
		}
		JobEngine engine = builder.build();
		engine.start();
		try {
			engine.client().enqueue(JobRequest.named("queue-0").payload(System.nanoTime()));
			assertThat(started.poll(30, TimeUnit.SECONDS)).isNotNull();
			AtomicLong calls = new AtomicLong();
			long from = System.nanoTime();
			try (Socket monitor = monitor(calls)) {
				assertThat(monitor.isConnected()).isTrue();
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.until(() -> System.nanoTime() - from > Duration.ofSeconds(10).toNanos());
			}
			double seconds = (System.nanoTime() - from) / 1e9;
			assertThat(calls.get() / seconds).as("%s", this.commands).isPositive().isLessThan(2);
			List<Duration> waits = new ArrayList<>();
			for (int i = 0; i < 9; i++) {
				engine.client().enqueue(JobRequest.named("queue-150").payload(System.nanoTime()));
				Long wait = started.poll(30, TimeUnit.SECONDS);
				assertThat(wait).isNotNull();
				waits.add(Duration.ofNanos(wait));
			}
			// Without a wake-up each waits for the next look, five seconds after the
			// last.
			assertThat(waits.stream().sorted().toList().get(4)).as("median of %s", waits)
				.isLessThan(Duration.ofSeconds(1));
		}
		finally {
			engine.stopNow();
		}
	}

	/**
	 * Whatever the server executes counts, whoever asks for it and be it in a script; the
	 * looks, beats and rescues of twenty seconds are those of any other twenty.
	 */
	@Test
	void idlePoolOfAHundredIsCheapAndStartsJobsOfAnotherProcessAtOnce() throws Exception {
		WakeUps.expectOfAnIdlePool(this.store, () -> JobsProcess.start(this.directory,
				"server=redis://127.0.0.1:" + this.port, "namespace=load", "role=pace"), this::resetStatistics,
				(seconds) -> {
					Map<String, Long> calls = calls();
					assertThat(calls.values().stream().mapToLong(Long::longValue).sum() / seconds).as("%s", calls)
						.isPositive()
						.isLessThan(40);
					assertThat(calls).doesNotContainKeys("blpop", "brpop", "brpoplpush", "blmove", "keys", "scan");
				});
	}

	private void resetStatistics() {
		commands((commands) -> commands.configResetstat());
	}

	/**
	 * Return how often the server has executed each command since its statistics were
	 * reset.
	 */
	private Map<String, Long> calls() {
		Map<String, Long> calls = new TreeMap<>();
		commands((commands) -> commands.info("commandstats")).lines()
			.filter((line) -> line.startsWith("cmdstat_"))
			.map((line) -> line.substring("cmdstat_".length()).split(":calls=|,"))
			.forEach((parts) -> calls.put(parts[0], Long.parseLong(parts[1])));
		calls.keySet().removeIf((name) -> name.startsWith("info") || name.startsWith("config"));
		return calls;
	}

	private <T> T commands(Function<RedisCommands<String, String>, T> use) {
		return use.apply(this.commandConnection.sync());
	}

	@Test
	void endOfAJobCostsTheSameHoweverManyRunAndWait() {
		Ends ends = new Ends(this.store);
		Map<String, Long> few = callsOfEnds(ends, 50);
		Map<String, Long> many = callsOfEnds(ends, 10_000);
		assertThat(many).isEqualTo(few).isNotEmpty();
		assertThat(many).doesNotContainKeys("lrem", "lpos", "linsert", "lrange", "lindex", "ltrim", "smembers",
				"hgetall", "hkeys", "hvals", "keys", "scan", "sscan", "hscan", "zscan", "sort");
	}

	/**
	 * End two of so many jobs in each way, and return what the second has cost: what is
	 * the first of its kind may cost more.
	 */
	private Map<String, Long> callsOfEnds(Ends ends, int running) {
		Iterator<Claim> claims = ends.claim(running);
		ends.endInEachWay(claims);
		resetStatistics();
		ends.endInEachWay(claims);
		return calls();
	}

	/** A lane without jobs is nothing that a claim could look at. */
	@Test
	void claimCostsTheSameHoweverManyLanesAreIdle() {
		passThroughLanes(0, 3);
		Map<String, Long> few = callsOfAClaimInALane();
		passThroughLanes(3, 5000);
		assertThat(callsOfAClaimInALane()).isEqualTo(few).isNotEmpty();
	}

	private Map<String, Long> callsOfAClaimInALane() {
		passThroughLanes(1, 2);
		resetStatistics();
		passThroughLanes(1, 2);
		return calls();
	}

	/**
	 * Let a job of each of some lanes come and go.
	 */
	private void passThroughLanes(int from, int to) {
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		int lanes = to - from;
		this.store.enqueue(IntStream.range(from, to)
			.mapToObj((i) -> NewJob.of("job-" + i, "q", new byte[0], now)
				.withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i)))
			.toList(), now);
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
		Quota quota = Quota.of("q", lanes).withLanes(1, "");
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(quota), lanes, now)).claims();
		assertThat(claims).hasSize(lanes);
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, now)).toList(), now);
	}

	@Test
	void plainPushIsRunAndBadJsonIsDeadAtOnce() {
		Set<Integer> ran = ConcurrentHashMap.newKeySet();
		JobEngine engine = new JobEngineBuilder(this.store)
			.handler(HandlerDefinition.of("q", Large.class, (job, context) -> {
				ran.add(job.number());
				return JobResult.done();
			}))
			.build();
		try (RedisClient client = RedisClient.create("redis://127.0.0.1:" + this.port);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync()
				.rpush("{load:0}:q:q:ready", "not json", "{\"number\":1,\"text\":\"a\"}", "\u0000", "[1]",
						"{\"number\":2,\"text\":\"b\"}");
			engine.start();
			connection.sync().publish("load:signals", "ready 0 q");
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> ran.size() == 2);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.store.inspector().queues(Instant.now()).get(0).dead() == 3);
		}
		finally {
			engine.stopNow();
		}
		assertThat(this.store.inspector()
			.page(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.oldestFirst(10), Instant.now())
			.jobs())
			.allSatisfy((job) -> assertThat(job.trail().end()).isNotNull()
				.extracting(Trail.End::reason)
				.isEqualTo(DeadReason.UNREADABLE))
			.extracting((job) -> new String(job.payloadPreview(), StandardCharsets.UTF_8))
			.containsExactlyInAnyOrder("not json", "\u0000", "[1]");
	}

	@Test
	void manyLargeJobsAreAllRunByFourWorkers() {
		Set<Integer> ran = ConcurrentHashMap.newKeySet();
		String large = "x".repeat(53 * 1024);
		List<JobEngine> engines = IntStream.range(0, 4)
			.mapToObj((i) -> new JobEngineBuilder(this.store)
				.handler(HandlerDefinition.of("large", Large.class, (job, context) -> {
					assertThat(job.text()).hasSize(large.length());
					ran.add(job.number());
					return JobResult.done();
				}))
				.build())
			.toList();
		try {
			for (int i = 0; i < 5000; i += 100) {
				engines.get(0)
					.client()
					.enqueueAll(IntStream.range(i, i + 100)
						.mapToObj((number) -> JobRequest.named("large").payload(new Large(number, large)))
						.toList());
			}
			engines.forEach(JobEngine::start);
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> ran.size() == 5000);
		}
		finally {
			engines.forEach(JobEngine::stopNow);
		}
		assertThat(this.store.inspector().queues(Instant.now())).allMatch(
				(queue) -> queue.running() == 0 && queue.ready() == 0 && queue.scheduled() == 0 && queue.dead() == 0);
	}

	record Large(int number, String text) {

	}

}
