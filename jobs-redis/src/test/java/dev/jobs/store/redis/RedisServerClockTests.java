package dev.jobs.store.redis;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobResult;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerView;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.ServerClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis whose clock is set while it runs. The environment variable
 * {@code JOBS_TEST_FAKETIME} names the library that does that, without which these tests
 * are not part of the build.
 */
class RedisServerClockTests {

	private static final Duration LEASE = RedisApplication.SETTINGS.lease();

	@TempDir
	private Path directory;

	private final int port = Ports.reserve();

	private final Map<String, AtomicInteger> starts = new ConcurrentHashMap<>();

	private final Semaphore mayEnd = new Semaphore(0);

	private ServerClock clock;

	private RedisServer server;

	private RedisApplication one;

	private RedisApplication other;

	@BeforeEach
	void start() throws IOException {
		this.clock = new ServerClock(this.directory);
		this.server = TestRedis.start(this.port, List.of("save \"\""),
				() -> this.clock.starting(TestRedis.executable().get()));
		this.one = application();
		this.other = application();
	}

	@AfterEach
	void stop() {
		this.mayEnd.release(100);
		this.one.close();
		this.other.close();
		TestRedis.stop(this.server);
	}

	private RedisApplication application() {
		return new RedisApplication(URI.create("redis://127.0.0.1:" + this.port), "clock", Duration.ofSeconds(5),
				new Ledger());
	}

	private JobEngineBuilder handlers(JobEngineBuilder builder) {
		return builder.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.starts.computeIfAbsent(context.id(), (id) -> new AtomicInteger()).incrementAndGet();
			this.mayEnd.acquire();
			return JobResult.done();
		}));
	}

	private void awaitStart(String id) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> this.starts.containsKey(id));
	}

	private void awaitBeats(Duration ahead) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(10)).until(() -> {
			Instant now = Instant.now().plus(ahead);
			List<WorkerView> workers = this.one.store().inspector().workers(Instant.EPOCH);
			return workers.size() == 2 && workers.stream()
				.allMatch(
						(worker) -> Duration.between(worker.leaseUntil(), now.plus(LEASE)).abs().compareTo(LEASE) < 0);
		});
	}

	@Test
	void clockThatIsSetBackTimeAndAgainRobsNoLiveWorker() {
		this.clock.setAhead(Duration.ofHours(3));
		this.one.start(this::handlers);
		String ofOne = this.one.enqueue("hold");
		awaitStart(ofOne);
		this.other.start(this::handlers);
		Duration ahead = Duration.ofHours(3);
		awaitBeats(ahead);
		for (int i = 0; i < 8; i++) {
			ahead = ahead.minus(Duration.ofSeconds((i % 2 == 0) ? 60 : 1200));
			this.clock.setAhead(ahead);
			awaitBeats(ahead);
		}
		assertThat(this.starts.get(ofOne)).hasValue(1);
	}

	@Test
	void jobsOfAWorkerThatDiedWhileTheClockWasAheadRunWithinThreeLeases() {
		this.clock.setAhead(Duration.ofHours(1));
		this.one.start(this::handlers);
		Instant now = this.one.store().time();
		this.one.store().beat(new WorkerBeat("dead", LEASE, null, List.of(), false, now));
		this.one.store().enqueue(List.of(new NewJob("00held", "held", new byte[0], Map.of(), now, now, null, 0)), now);
		assertThat(
				this.one.store().claim(new ClaimRequest("dead", List.of(new Quota("held", 1, 1, 0)), 1, now)).claims())
			.hasSize(1);
		this.other.start((builder) -> builder.handler(HandlerDefinition.of("held", Object.class, (payload, context) -> {
			this.starts.computeIfAbsent(context.id(), (id) -> new AtomicInteger()).incrementAndGet();
			return JobResult.done();
		})));
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.one.store().inspector().workers(now).size() == 3);
		this.clock.setAhead(Duration.ZERO);
		long set = System.nanoTime();
		awaitStart("00held");
		assertThat(Duration.ofNanos(System.nanoTime() - set)).isLessThan(LEASE.multipliedBy(3));
		assertThat(this.starts.keySet()).isEqualTo(Set.of("00held"));
	}

}
