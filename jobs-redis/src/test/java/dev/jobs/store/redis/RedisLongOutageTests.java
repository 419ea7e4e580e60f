package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.contract.process.Lateness;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.TcpProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an engine with default settings soon continues after it was cut off from its
 * server for longer than its lease. They mostly wait, so they run in parallel.
 */
@Execution(ExecutionMode.CONCURRENT)
class RedisLongOutageTests {

	/**
	 * More than the claims take whose bytes lie in the network, to arrive after all when
	 * it works again; these jobs are given back a little later.
	 */
	private static final int WAITING = 100;

	private final TcpProxy proxy = new TcpProxy(TestRedis.factory().getPort());

	private final String namespace = TestRedis.newNamespace();

	private final Ledger ledger = new Ledger();

	private final RedisApplication application = new RedisApplication(this.proxy.uri(), this.namespace,
			Duration.ofSeconds(60), this.ledger);

	private final RedisApplication direct = RedisApplication.onSharedServer(this.namespace, this.ledger);

	private final CountDownLatch started = new CountDownLatch(1);

	private final CountDownLatch released = new CountDownLatch(1);

	@AfterEach
	void endAll() {
		this.released.countDown();
		this.proxy.heal();
		this.application.close();
		this.direct.close();
		this.proxy.close();
	}

	@Test
	void engineContinuesWithinFiveSecondsIfConnectionsWereRefused() throws Exception {
		expectToContinueAfter(TcpProxy::refuse);
	}

	@Test
	void engineContinuesWithinFiveSecondsIfNothingWasAnswered() throws Exception {
		expectToContinueAfter(TcpProxy::stall);
	}

	@Test
	void engineContinuesWithinFiveSecondsIfNewConnectionsWereSilentToo() throws Exception {
		expectToContinueAfter((proxy) -> {
			proxy.stall();
			proxy.cut();
		});
	}

	private void expectToContinueAfter(Consumer<TcpProxy> outage) throws Exception {
		JobEngine engine = this.application.start((builder) -> builder.settings(EngineSettings.defaults())
			.handler(this.ledger.handler("work"))
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
				this.ledger.ran(context);
				this.started.countDown();
				this.released.await();
				return JobResult.done();
			})));
		String held = this.application.enqueue("hold");
		assertThat(this.started.await(30, TimeUnit.SECONDS)).isTrue();
		outage.accept(this.proxy);
		this.direct.build((builder) -> builder);
		Set<String> waiting = new HashSet<>();
		for (int i = 0; i < WAITING; i++) {
			waiting.add(this.direct.enqueue("work"));
		}
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> this.direct.store().inspector().workers(Instant.now()).isEmpty());
		this.released.countDown();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> engine.status()
				.loops()
				.stream()
				.filter((loop) -> loop.name().equals("settle") || loop.name().equals("beat"))
				.allMatch((loop) -> loop.faults() > 1));
		try (Lateness lateness = new Lateness()) {
			this.proxy.heal();
			long healed = System.nanoTime();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.pollInterval(Duration.ofMillis(10))
				.until(() -> this.ledger.reported(JobEvent.Succeeded.class).stream().anyMatch(waiting::contains));
			Duration until = Duration.ofNanos(System.nanoTime() - healed);
			assertThat(until).isLessThan(lateness.allow(Duration.ofSeconds(5)));
		}
		this.application.expectEmptyStore();
		assertThat(this.ledger.ran()).containsAll(waiting).contains(held).hasSize(WAITING + 1);
		assertThat(this.ledger.counts()).containsOnly(1);
	}

}
