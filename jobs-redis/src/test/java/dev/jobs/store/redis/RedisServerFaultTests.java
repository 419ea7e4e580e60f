package dev.jobs.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.contract.process.ApplicationLog;
import dev.jobs.store.contract.process.Ledger;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an engine whose server is restarted, emptied, full or busy: a separate
 * server, under load.
 */
class RedisServerFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private final int port = Ports.reserve();

	private final Ledger ledger = new Ledger();

	private final RedisApplication application = new RedisApplication(URI.create("redis://127.0.0.1:" + this.port),
			"faults", Duration.ofSeconds(1), this.ledger);

	private final List<RedisServer> servers = new ArrayList<>();

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicBoolean producing = new AtomicBoolean(true);

	private final AtomicInteger refusals = new AtomicInteger();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@TempDir
	private Path directory;

	@AfterEach
	void endAll() {
		this.producing.set(false);
		this.released.countDown();
		this.application.close();
		this.threads.shutdownNow();
		this.servers.forEach(TestRedis::stop);
	}

	private void startServer(Path data) {
		RedisServer server = TestRedis.start(this.port,
				List.of("save \"\"", "appendonly yes", "appendfsync always", "dir " + data, "lua-time-limit 100"));
		this.servers.add(server);
	}

	private Path emptyDirectory() {
		try {
			return Files.createTempDirectory(this.directory, "empty");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private JobEngine startWorking() {
		return this.application.start((builder) -> builder.handler(this.ledger.handler("work")).handler(holding()));
	}

	private HandlerDefinition holding() {
		return HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.ledger.ran(context);
			this.released.await();
			return JobResult.done();
		});
	}

	/**
	 * Enqueue until told to stop, whatever happens.
	 */
	private Future<?> produce() {
		return this.threads.submit(() -> {
			while (this.producing.get()) {
				try {
					this.application.enqueue("work");
				}
				catch (EnqueueUnconfirmedException | JobStoreException ex) {
					assertThat(isPassing(ex)).isTrue();
					this.refusals.incrementAndGet();
				}
			}
		});
	}

	/**
	 * Return whether an enqueue failed with a clear word on what the outage did to it.
	 */
	private static boolean isPassing(Throwable ex) {
		return ex instanceof EnqueueUnconfirmedException
				|| (ex instanceof JobStoreException fault && fault.isTemporary());
	}

	private void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	private void awaitMoreRuns() {
		int before = this.ledger.ran().size();
		await(() -> assertThat(this.ledger.ran().size()).isGreaterThan(before + 20));
	}

	private void finish(Future<?> producer) throws Exception {
		this.producing.set(false);
		producer.get(30, TimeUnit.SECONDS);
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	private void doOnServer(Consumer<RedisCommands<String, String>> use) {
		this.application.commands((commands) -> {
			use.accept(commands);
			return true;
		});
	}

	/**
	 * Kill the server, which has no time for anything.
	 */
	private void killServer() {
		String pid = this.application.commands((commands) -> commands.info("server"))
			.lines()
			.filter((line) -> line.startsWith("process_id:"))
			.map((line) -> line.substring("process_id:".length()).trim())
			.findFirst()
			.orElseThrow();
		ProcessHandle process = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
		process.destroyForcibly();
		process.onExit().join();
	}

	@Test
	void serverKilledUnderLoadComesBackWithAllItAcknowledged() throws Exception {
		startServer(this.directory);
		startWorking();
		String held = this.application.enqueue("hold");
		Future<?> producer = produce();
		awaitMoreRuns();
		killServer();
		await(() -> assertThat(this.refusals).hasPositiveValue());
		startServer(this.directory);
		awaitMoreRuns();
		this.released.countDown();
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).contains(held));
		assertThat(this.ledger.runs(held)).isEqualTo(1);
		finish(producer);
	}

	@ParameterizedTest
	@EnumSource
	void lossOfAllDataEndsWhatRunsAndNewJobsRun(Loss loss) throws Exception {
		startServer(this.directory);
		startWorking();
		try (ApplicationLog log = new ApplicationLog()) {
			String held = this.application.enqueue("hold");
			await(() -> assertThat(this.ledger.runs(held)).isEqualTo(1));
			Future<?> producer = produce();
			awaitMoreRuns();
			if (loss == Loss.FLUSH) {
				doOnServer((commands) -> commands.flushall());
			}
			else {
				killServer();
				startServer(emptyDirectory());
			}
			await(() -> assertThat(this.ledger.reported(JobEvent.LeaseLost.class)).contains(held));
			await(() -> assertThat(this.application.store().inspector().workers(Instant.now())).hasSize(1));
			this.producing.set(false);
			producer.get(30, TimeUnit.SECONDS);
			String later = this.application.enqueueOnceUp("work");
			await(() -> assertThat(this.ledger.runs(later)).isEqualTo(1));
			assertThat(this.ledger.reported(JobEvent.Succeeded.class)).doesNotContain(held);
			this.application.expectEmptyStore();
			assertThat(log.perMinute()).as("%s", log.lines()).isLessThan(30);
		}
	}

	@Test
	void forgottenScriptsUnderLoadLoseAndDoubleNothing() throws Exception {
		startServer(this.directory);
		startWorking();
		Future<?> producer = produce();
		for (int i = 0; i < 20; i++) {
			doOnServer((commands) -> commands.scriptFlush());
			awaitMoreRuns();
		}
		finish(producer);
		assertThat(this.ledger.counts()).containsOnly(1);
		assertThat(this.refusals).hasValue(0);
	}

	@Test
	void killedConnectionsUnderLoadLoseNothing() throws Exception {
		startServer(this.directory);
		startWorking();
		Future<?> producer = produce();
		for (int i = 0; i < 5; i++) {
			doOnServer((commands) -> commands.clientKill(KillArgs.Builder.typeNormal().skipme()));
			doOnServer((commands) -> commands.clientKill(KillArgs.Builder.typePubsub()));
			awaitMoreRuns();
		}
		finish(producer);
	}

	@Test
	void fullServerRefusesProducersDrainsAndTakesJobsAgain() throws Exception {
		startServer(this.directory);
		JobEngine engine = startWorking();
		Future<?> producer = produce();
		awaitMoreRuns();
		doOnServer((commands) -> commands.configSet("maxmemory", "1"));
		await(() -> assertThat(this.refusals).hasPositiveValue());
		await(() -> assertThat(this.application.queue("work").waiting() + this.application.queue("work").running())
			.isZero());
		this.ledger.awaitRuns(PATIENCE);
		assertThat(engine.status().loops()).allMatch((loop) -> loop.faults() == 0);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.application.enqueue("work"))
			.withMessageContaining("OOM");
		doOnServer((commands) -> commands.configSet("maxmemory", "0"));
		awaitMoreRuns();
		finish(producer);
	}

	@Test
	void serverThatSleepsLongerThanTheLeaseDoublesNothing() {
		startServer(this.directory);
		JobEngine engine = startWorking();
		String held = this.application.enqueue("hold");
		this.application.enqueue("work");
		this.ledger.awaitRuns(PATIENCE);
		RedisApplication other = new RedisApplication(URI.create("redis://127.0.0.1:" + this.port), "faults",
				Duration.ofSeconds(1), this.ledger);
		try (other) {
			other.start((builder) -> builder.handler(this.ledger.handler("work")).handler(holding()));
			await(() -> assertThat(this.application.store().inspector().workers(Instant.now())).hasSize(2));
			this.application.commands((commands) -> commands.clientPause(4000));
			await(() -> assertThat(engine.status().loops()).filteredOn((loop) -> loop.name().equals("beat"))
				.allMatch((loop) -> loop.faults() > 1));
			String later = other.enqueueOnceUp("work");
			await(() -> assertThat(this.ledger.runs(later)).isPositive());
			this.released.countDown();
			await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).containsOnlyOnce(held));
		}
		assertThat(this.ledger.runs(held)).isEqualTo(1);
		this.application.expectEmptyStore();
	}

	@Test
	void serverBusyWithAForeignScriptIsWaitedFor() throws Exception {
		startServer(this.directory);
		startWorking();
		Future<?> producer = produce();
		awaitMoreRuns();
		Future<?> busy = this.threads.submit(() -> assertThatExceptionOfType(RedisCommandExecutionException.class)
			.isThrownBy(() -> this.application.commands((commands) -> {
				commands.setTimeout(Duration.ofSeconds(30));
				return commands.eval("while true do end", ScriptOutputType.STATUS);
			})));
		await(() -> assertThat(this.refusals).hasPositiveValue());
		doOnServer((commands) -> commands.scriptKill());
		busy.get(30, TimeUnit.SECONDS);
		awaitMoreRuns();
		finish(producer);
		assertThat(this.ledger.counts()).containsOnly(1);
	}

	@Test
	void serverStartedAfterTheApplicationIsFound() {
		JobEngine engine = startWorking();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.application.enqueue("work"))
			.matches(RedisServerFaultTests::isPassing);
		await(() -> assertThat(engine.status().loops()).filteredOn((loop) -> loop.name().equals("beat"))
			.allMatch((loop) -> loop.faults() > 3));
		startServer(this.directory);
		String id = this.application.enqueueOnceUp("work");
		await(() -> assertThat(this.ledger.runs(id)).isEqualTo(1));
		this.application.expectEmptyStore();
	}

	/**
	 * How a server loses all its data.
	 */
	enum Loss {

		/** It is told to. */
		FLUSH,

		/** It starts again with none. */
		EMPTY_RESTART

	}

}
