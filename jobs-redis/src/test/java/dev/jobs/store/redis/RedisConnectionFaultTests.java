package dev.jobs.store.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.MachineClock;
import dev.jobs.engine.StopReport;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Transition;
import dev.jobs.store.contract.process.ApplicationLog;
import dev.jobs.store.contract.process.Lateness;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.TcpProxy;
import dev.jobs.store.view.WorkerView;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an engine and its callers when the network to a real server fails, through a
 * {@link TcpProxy}.
 */
class RedisConnectionFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final TcpProxy proxy = new TcpProxy(TestRedis.factory().getPort());

	private final String namespace = TestRedis.newNamespace();

	private final Ledger ledger = new Ledger();

	private final RedisApplication application = new RedisApplication(this.proxy.uri(), this.namespace, TIMEOUT,
			this.ledger);

	private final RedisApplication direct = RedisApplication.onSharedServer(this.namespace, this.ledger);

	private final AtomicBoolean producing = new AtomicBoolean(true);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void endAll() {
		this.producing.set(false);
		this.proxy.heal();
		this.application.close();
		this.direct.close();
		this.threads.shutdownNow();
		this.proxy.close();
	}

	private List<WorkerView> workers() {
		return this.direct.store().inspector().workers(Instant.now());
	}

	private JobEngine startWorking() {
		return this.application.start((builder) -> builder.handler(this.ledger.handler("work")));
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
				}
			}
		});
	}

	/**
	 * Return whether an enqueue failed with a clear word on what the outage did to it.
	 */
	/**
	 * Expect that an enqueue fails, and for how long it is tried at most.
	 */
	private static void expectRefusal(RedisApplication application, Duration limit) {
		try (Lateness lateness = new Lateness()) {
			long begun = System.nanoTime();
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> application.enqueue("work"))
				.matches(RedisConnectionFaultTests::isPassing);
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(lateness.allow(limit.plusMillis(500)));
		}
	}

	private static boolean isPassing(Throwable ex) {
		return ex instanceof EnqueueUnconfirmedException
				|| (ex instanceof JobStoreException fault && fault.isTemporary());
	}

	private void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	private void awaitMoreRuns() {
		int before = this.ledger.ran().size();
		await(() -> assertThat(this.ledger.ran()).hasSizeGreaterThan(before + 20));
	}

	private void finish(Future<?> producer) throws Exception {
		this.producing.set(false);
		producer.get(30, TimeUnit.SECONDS);
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	@Test
	void cutConnectionsLoseNothing() throws Exception {
		startWorking();
		Future<?> producer = produce();
		for (int i = 0; i < 10; i++) {
			awaitMoreRuns();
			this.proxy.cut();
		}
		awaitMoreRuns();
		finish(producer);
	}

	@ParameterizedTest
	@EnumSource
	void outageLongerThanTheLeaseLosesNothingAndEnds(Outage outage) throws Exception {
		JobEngine engine = startWorking();
		Future<?> producer = produce();
		awaitMoreRuns();
		assertThat(workers()).hasSize(1);
		outage.begin.accept(this.proxy);
		await(() -> assertThat(workers()).isEmpty());
		assertThat(engine.status().loops()).filteredOn((loop) -> loop.name().equals("beat"))
			.allMatch((loop) -> loop.faults() > 0);
		this.proxy.heal();
		long healed = System.nanoTime();
		awaitMoreRuns();
		assertThat(Duration.ofNanos(System.nanoTime() - healed)).isLessThan(Duration.ofSeconds(10));
		finish(producer);
	}

	@ParameterizedTest
	@EnumSource
	void enqueueDuringAnOutageFailsInTime(Outage outage) throws Exception {
		startWorking();
		this.application.enqueue("work");
		outage.begin.accept(this.proxy);
		List<Future<?>> callers = new ArrayList<>();
		long begun = System.nanoTime();
		for (int i = 0; i < 8; i++) {
			callers.add(this.threads.submit(() -> assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> this.application.enqueue("work"))
				.withMessageContaining("Redis")
				.matches(RedisConnectionFaultTests::isPassing)));
		}
		for (Future<?> caller : callers) {
			caller.get(30, TimeUnit.SECONDS);
		}
		// An enqueue is tried twice, and may have to wait for the two tries before it.
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TIMEOUT.multipliedBy(4).plusSeconds(2));
	}

	@ParameterizedTest
	@EnumSource
	void loneEnqueueDuringAnOutageIsTriedTwice(Outage outage) {
		startWorking();
		this.application.enqueue("work");
		outage.begin.accept(this.proxy);
		// One whose first try is in doubt is tried again for four seconds in all.
		expectRefusal(this.application, Duration.ofSeconds(4).plus(TIMEOUT));
	}

	/** A machine whose clock is wrong, and a store that has not told its time yet. */
	@ParameterizedTest
	@EnumSource
	void producerThatStartsDuringAnOutageCountsNoDelayByItsOwnClock(Outage outage) {
		InstantSource wrong = () -> Instant.now().minus(Duration.ofHours(1));
		JobEngine engine = this.application.build((builder) -> MachineClock.set(builder, wrong));
		outage.begin.accept(this.proxy);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> engine.client().enqueue("work"))
			.matches(RedisConnectionFaultTests::isPassing);
		Instant before = Instant.now();
		this.proxy.heal();
		Awaitility.await()
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> engine.client().enqueue("work", (options) -> options.delay(Duration.ofMinutes(1))).isNew());
		assertThat(this.direct.store()
			.inspector()
			.page(JobFilter.all(), PageRequest.oldestFirst(10), Instant.now())
			.jobs()).isNotEmpty().allSatisfy((job) -> assertThat(job.dueAt()).isAfter(before.plusSeconds(59)));
	}

	@ParameterizedTest
	@EnumSource
	void enqueueDuringAnOutageEndsAfterTwoLongTimeouts(Outage outage) {
		Duration timeout = Duration.ofSeconds(3);
		RedisApplication patient = new RedisApplication(this.proxy.uri(), this.namespace, timeout, this.ledger);
		try {
			patient.build((builder) -> builder);
			patient.enqueue("work");
			outage.begin.accept(this.proxy);
			expectRefusal(patient, timeout.multipliedBy(2));
		}
		finally {
			this.proxy.heal();
			patient.close();
		}
	}

	@Test
	void closingEndsAnAttemptToConnectWithoutWaitingForTheDriver() {
		RedisApplication patient = new RedisApplication(this.proxy.uri(), this.namespace, Duration.ofMinutes(10),
				this.ledger);
		Set<Thread> before = connecting();
		this.proxy.stall();
		try {
			Future<Optional<Instant>> call = this.threads.submit(() -> patient.store().time());
			Awaitility.await().atMost(PATIENCE).until(() -> !before.containsAll(connecting()));
			patient.store().close();
			assertThat(call).failsWithin(PATIENCE);
			Awaitility.await().atMost(PATIENCE).until(() -> before.containsAll(connecting()));
		}
		finally {
			this.proxy.heal();
			patient.close();
		}
	}

	private static Set<Thread> connecting() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("jobs-redis-connect"))
			.collect(Collectors.toSet());
	}

	@ParameterizedTest
	@EnumSource
	void stopDuringAnOutageTakesFiveSecondsBeyondItsGrace(Outage outage) throws Exception {
		RedisApplication patient = new RedisApplication(this.proxy.uri(), this.namespace, Duration.ofSeconds(5),
				this.ledger);
		CountDownLatch never = new CountDownLatch(1);
		CountDownLatch running = new CountDownLatch(1);
		try {
			JobEngine engine = patient
				.start((builder) -> builder.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
					running.countDown();
					never.await();
					return JobResult.done();
				})));
			engine.client().enqueue("work");
			assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
			outage.begin.accept(this.proxy);
			long begun = System.nanoTime();
			StopReport report = engine.stop(Duration.ofSeconds(1));
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(6));
			assertThat(report.settled()).isFalse();
		}
		finally {
			this.proxy.heal();
			patient.close();
		}
	}

	@Test
	void slowNetworkMakesNoDuplicates() {
		this.application
			.start((builder) -> builder.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				this.ledger.ran(context);
				return JobResult.done();
			})));
		this.application.enqueue("work");
		this.ledger.awaitRuns(PATIENCE);
		this.proxy.slow(Duration.ofMillis(200));
		this.proxy.trickle();
		for (int i = 0; i < 5; i++) {
			this.application.engine()
				.client()
				.enqueueAll(List.of(JobRequest.named("work").payload("x".repeat(5000)),
						JobRequest.named("work").payload(i)))
				.forEach((enqueued) -> this.ledger.acknowledge(enqueued.id()));
		}
		this.ledger.awaitRuns(PATIENCE);
		this.proxy.heal();
		assertThat(this.ledger.counts()).containsOnly(1);
		assertThat(this.ledger.reported(JobEvent.LeaseLost.class)).isEmpty();
		this.application.expectEmptyStore();
	}

	@Test
	void jobThatRunsThroughAnOutageShorterThanItsLeaseRunsOnce() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		this.application
			.start((builder) -> builder.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
				this.ledger.ran(context);
				started.countDown();
				released.await();
				return JobResult.done();
			})));
		String id = this.application.enqueue("hold");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		this.proxy.refuse();
		released.countDown();
		await(() -> assertThat(this.application.engine().status().loops())
			.filteredOn((loop) -> loop.name().equals("settle"))
			.allMatch((loop) -> loop.faults() > 0));
		this.proxy.heal();
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).containsExactly(id));
		assertThat(this.ledger.counts()).containsExactly(1);
		assertThat(this.ledger.reported(JobEvent.LeaseLost.class)).isEmpty();
		this.application.expectEmptyStore();
	}

	@Test
	void jobsWhoseClaimIsSwallowedRunOnce() {
		JobStore store = swallowing("claim",
				(arguments) -> this.proxy.swallowReplyTo(((ClaimRequest) arguments[0]).worker()));
		JobEngine engine = this.application.build(store, (builder) -> builder.handler(this.ledger.handler("work")));
		for (int i = 0; i < 30; i++) {
			this.application.enqueue("work");
		}
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		assertThat(this.proxy.swallowed()).isPositive();
		assertThat(this.ledger.counts()).containsOnly(1);
		this.application.expectEmptyStore();
	}

	@Test
	void enqueueWhoseReplyIsSwallowedStoresTheJobOnce() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		this.application.enqueue("work");
		this.proxy.swallowReplyTo("swallowed-payload");
		// It is repeated with the same id, which the store knows by then.
		this.ledger.acknowledge(engine.client().enqueue(JobRequest.named("work").payload("swallowed-payload")).id());
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		assertThat(this.application.queue("work").ready()).isEqualTo(2);
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	/** With the lines of the driver, and those of producers that are refused. */
	@Test
	void outageIsLoggedAtABoundedRate() throws Exception {
		JobEngine engine = startWorking();
		Future<?> producer = produce();
		awaitMoreRuns();
		try (ApplicationLog log = new ApplicationLog()) {
			this.proxy.refuse();
			await(() -> assertThat(engine.status().loops()).filteredOn((loop) -> loop.name().equals("beat"))
				.allMatch((loop) -> loop.faults() >= 8));
			assertThat(log.lines()).isNotEmpty();
			// Tests beside this one have connections of their own.
			String port = ":" + this.proxy.port();
			assertThat(log.perMinute((line) -> !line.contains("127.0.0.1") || line.contains(port)))
				.as("%s", log.lines())
				.isLessThan(20);
		}
		this.proxy.heal();
		finish(producer);
	}

	@Test
	void callToASilentServerIsBoundedWhateverTheTimeoutOfTheApplication() throws Exception {
		RedisApplication patient = new RedisApplication(this.proxy.uri(), this.namespace, Duration.ofSeconds(60),
				this.ledger);
		this.proxy.stall();
		long begun = System.nanoTime();
		Future<?> caller = this.threads.submit(() -> assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> patient.store().inspector().queues(Instant.now())));
		try {
			caller.get(30, TimeUnit.SECONDS);
		}
		finally {
			this.proxy.heal();
			patient.close();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
	}

	@Test
	void connectionsThatTheNetworkForgotAreReplaced() throws Exception {
		JobEngine engine = startWorking();
		Future<?> producer = produce();
		awaitMoreRuns();
		this.proxy.forgetConnections();
		awaitMoreRuns();
		await(() -> assertThat(engine.status().loops()).allMatch((loop) -> loop.faults() == 0));
		finish(producer);
	}

	@Test
	void connectionOfSignalsThatTheNetworkForgotIsReplaced() {
		Set<String> paused = ConcurrentHashMap.newKeySet();
		try (JobStore.Subscription subscription = this.application.store().listen(new StoreListener() {

			@Override
			public void restricted(String queue) {
				paused.add(queue);
			}

		})) {
			assertThat(subscription).isNotNull();
			awaitSignal(paused, "before");
			this.proxy.forgetConnections();
			awaitSignal(paused, "after");
		}
	}

	private void awaitSignal(Set<String> paused, String queue) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
			this.direct.store().change(List.of(new Change.Pause(queue)), Instant.now());
			return paused.contains(queue);
		});
	}

	@Test
	void endWhoseReplyIsSwallowedIsReportedOnce() {
		JobStore store = swallowing("settle",
				(arguments) -> this.proxy.swallowReplyTo(((Transition) ((List<?>) arguments[0]).get(0)).id()));
		this.application.build(store, (builder) -> builder.handler(this.ledger.handler("work"))).start();
		String id = this.application.enqueue("work");
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).containsExactly(id));
		assertThat(this.proxy.swallowed()).isEqualTo(1);
		assertThat(this.ledger.reported(JobEvent.LeaseLost.class)).isEmpty();
		assertThat(this.ledger.runs(id)).isEqualTo(1);
		this.application.expectEmptyStore();
	}

	/**
	 * Return the store with something done before the first call of a verb. No enqueue
	 * returns early, so that all come by here.
	 */
	private JobStore swallowing(String verb, Consumer<Object[]> before) {
		AtomicBoolean first = new AtomicBoolean(true);
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("as") && arguments[0] == EarlyEnqueue.class) {
						return Optional.empty();
					}
					if (method.getName().equals(verb) && first.getAndSet(false)) {
						before.accept(arguments);
					}
					try {
						return method.invoke(this.application.store(), arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	/**
	 * How a network fails.
	 */
	enum Outage {

		/** Connections are cut and refused. */
		REFUSED(TcpProxy::refuse),

		/** Nothing is answered any more. */
		SILENT(TcpProxy::stall),

		/** New connections are made, and silent like the old ones, which are cut. */
		CUT_AND_SILENT((proxy) -> {
			proxy.stall();
			proxy.cut();
		});

		private final Consumer<TcpProxy> begin;

		Outage(Consumer<TcpProxy> begin) {
			this.begin = begin;
		}

	}

}
