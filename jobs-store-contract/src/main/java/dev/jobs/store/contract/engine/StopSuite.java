package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.JobContext;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.DrainReport;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.StopReport;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Transition;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The promises of an engine about starting, stopping, draining and cancelling.
 */
public abstract class StopSuite extends EngineSuite {

	/** The threads of other stores, which may listen still. */
	private final Set<Thread> before = Thread.getAllStackTraces().keySet();

	private static final Duration LONG = Duration.ofSeconds(30);

	/** A stop waits no longer for the store to take the ends. */
	private static final Duration FOR_SETTLING = Duration.ofMillis(1900);

	private final CountDownLatch begun = new CountDownLatch(1);

	private final Semaphore mayEnd = new Semaphore(0);

	private final AtomicInteger runs = new AtomicInteger();

	private JobResult holdUntilAllowed(Object payload, JobContext context) throws InterruptedException {
		this.runs.incrementAndGet();
		this.begun.countDown();
		this.mayEnd.acquire();
		return JobResult.done();
	}

	private JobEngineBuilder holding() {
		return builder().handler(HandlerDefinition.of("hold", Object.class, this::holdUntilAllowed));
	}

	private void enqueue(JobEngine engine, int jobs) {
		engine.client()
			.enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> JobRequest.named("hold").payload(i)).toList());
	}

	@Test
	void startingTwiceStartsOnce() {
		JobEngine engine = start(holding().concurrency(1));
		engine.start();
		await("the worker's registration", () -> this.store.inspector().workers(this.clock.instant()).size() == 1);
		enqueue(engine, 2);
		await("a run", () -> this.runs.get() == 1);
		assertThat(queue("hold").running()).isOne();
		assertThat(this.store.inspector().workers(this.clock.instant())).hasSize(1);
	}

	@Test
	void stoppingTwiceOrWithoutStartReturnsAtOnce() {
		JobEngine engine = build(holding());
		assertThat(engine.stop(LONG)).isEqualTo(new StopReport(0, 0, List.of(), true));
		engine.start();
		engine.stop(LONG);
		assertThat(engine.stop(LONG)).isEqualTo(new StopReport(0, 0, List.of(), true));
		assertThat(engine.isRunning()).isFalse();
	}

	@Test
	void engineCanBeStartedAgainAfterAStop() {
		JobEngine engine = start(holding());
		engine.stop(LONG);
		this.mayEnd.release();
		enqueue(engine, 1);
		engine.start();
		await("the job's end", () -> jobs().isEmpty());
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void stoppedEngineLeavesNoTrace() {
		JobEngine engine = build(holding());
		for (int i = 0; i < 100; i++) {
			engine.start();
			await("the worker's registration", () -> this.store.inspector().workers(this.clock.instant()).size() == 1);
			engine.stop(LONG);
			assertThat(this.store.inspector().workers(this.clock.instant())).isEmpty();
		}
		assertThat(this.store.inspector().queues(this.clock.instant())).isEmpty();
	}

	@Test
	void stopWaitsForRunningJobsAndStoresTheirEnd() throws Exception {
		JobEngine engine = start(holding());
		enqueue(engine, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<StopReport> stop = CompletableFuture.supplyAsync(() -> engine.stop(LONG));
		await("the stop's begin", () -> !workerThreads().contains("jobs-claim-default"));
		assertThat(stop).isNotDone();
		this.mayEnd.release();
		assertThat(stop.get(30, TimeUnit.SECONDS)).isEqualTo(new StopReport(1, 0, List.of(), true));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void jobThatOutlastsTheGraceGoesBackWithoutUsingAnAttempt() throws Exception {
		JobEngine engine = start(holding());
		enqueue(engine, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(engine.stop(Duration.ofMillis(20))).isEqualTo(new StopReport(0, 1, List.of(), true));
		assertThat(jobs()).singleElement().satisfies((job) -> {
			assertThat(job.state()).isEqualTo(JobState.READY);
			assertThat(job.attempt()).isOne();
			assertThat(job.trail().failures()).isZero();
		});
		this.mayEnd.release();
		engine.start();
		await("the job's end", () -> jobs().isEmpty());
	}

	@Test
	void jobThatHasEndedAsTheGraceRunsOutCountsAsFinished() throws Exception {
		CountDownLatch deciding = new CountDownLatch(1);
		Semaphore mayDecide = new Semaphore(0);
		RetryPolicy policy = RetryPolicy.of((retry) -> retry.noRetryFor((ex) -> {
			deciding.countDown();
			mayDecide.acquireUninterruptibly();
			return true;
		}));
		JobEngine engine = start(
				builder().concurrency(2).handler(HandlerDefinition.of("fail", Object.class, (payload, context) -> {
					throw new IllegalStateException("as it should");
				}).with(HandlerOptions.of((set) -> set.retryPolicy(policy))))
					.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
						this.begun.countDown();
						try {
							this.mayEnd.acquire();
						}
						finally {
							mayDecide.release();
						}
						return JobResult.done();
					})));
		enqueue(engine, 1);
		engine.client().enqueue("fail");
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(deciding.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(engine.stopNow()).isEqualTo(new StopReport(1, 1, List.of(), true));
		assertThat(jobs(JobState.READY)).hasSize(1);
		assertThat(jobs(JobState.DEAD)).hasSize(1);
	}

	@Test
	void jobThatRestoresItsInterruptionAndReturnsIsNotDone() throws Exception {
		JobEngine engine = start(builder().handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.begun.countDown();
			try {
				this.mayEnd.acquire();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return JobResult.done();
		})));
		enqueue(engine, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(engine.stop(Duration.ZERO).interrupted()).isOne();
		assertThat(jobs(JobState.READY)).hasSize(1);
	}

	@Test
	void jobThatTurnsItsInterruptionIntoAnotherExceptionUsesNoAttempt() throws Exception {
		JobEngine engine = start(builder().handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.begun.countDown();
			try {
				this.mayEnd.acquire();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
			return JobResult.done();
		})));
		enqueue(engine, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		engine.stop(Duration.ZERO);
		assertThat(jobs(JobState.READY)).singleElement()
			.satisfies((job) -> assertThat(job.trail().failures()).isZero());
	}

	@Test
	void jobThatSeesItShouldStopAndReturnsIsNotDone() throws Exception {
		JobEngine engine = start(builder().handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.begun.countDown();
			while (!context.cancelled()) {
				Thread.onSpinWait();
			}
			return JobResult.done();
		})));
		enqueue(engine, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		engine.stop(Duration.ZERO);
		assertThat(jobs(JobState.READY)).hasSize(1);
	}

	@Test
	void graceMayBeLongerThanAnyLife() {
		JobEngine engine = start(holding());
		Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(engine.drain(forEver).isComplete()).isTrue();
		assertThat(engine.stop(forEver).settled()).isTrue();
		assertThat(engine.isRunning()).isFalse();
	}

	/** A stop leaves ends unwritten only if the store took all the time there was. */
	@Test
	void stopUnderLoadLeavesNothingRunning() {
		AtomicLong writing = new AtomicLong();
		AtomicLong since = new AtomicLong();
		JobStore timed = new ForwardingStore(this.store) {

			@Override
			public List<Settled> settle(List<Transition> transitions, Instant now) {
				since.set(System.nanoTime());
				try {
					return super.settle(transitions, now);
				}
				finally {
					writing.addAndGet(System.nanoTime() - since.getAndSet(0));
				}
			}

		};
		JobEngine engine = build(new JobEngineBuilder(timed).clock(this.clock)
			.concurrency(4)
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> JobResult.done())));
		for (int i = 0; i < 6; i++) {
			enqueue(engine, 500);
			engine.start();
			await("some runs", () -> queue("hold").ready() < 400);
			writing.set(0);
			if (engine.stop(LONG).settled()) {
				assertThat(queue("hold").running()).isZero();
			}
			else {
				long underWay = since.get();
				long all = writing.get() + ((underWay != 0) ? System.nanoTime() - underWay : 0);
				assertThat(Duration.ofNanos(all)).as("in the store").isGreaterThan(FOR_SETTLING.dividedBy(2));
				engine.start();
				await("the rest", () -> queue("hold").ready() == 0 && queue("hold").running() == 0);
				engine.stop(LONG);
			}
		}
	}

	@Test
	void handlerThatIgnoresItsInterruptionIsReportedAndItsJobGivenBack() throws Exception {
		JobEngine engine = start(builder().handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			this.begun.countDown();
			this.mayEnd.acquireUninterruptibly();
			return JobResult.done();
		})));
		Enqueued enqueued = engine.client().enqueue("hold");
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		StopReport report = engine.stop(Duration.ZERO);
		this.mayEnd.release();
		assertThat(report.stuck()).containsExactly(enqueued.id());
		assertThat(job(enqueued.id()).state()).isEqualTo(JobState.READY);
	}

	@Test
	void nothingStartsOnceStopNowHasReturned() throws Exception {
		JobEngine engine = start(holding().concurrency(4));
		enqueue(engine, 1000);
		await("four runs", () -> this.runs.get() == 4);
		StopReport report = engine.stopNow();
		assertThat(report.interrupted()).isEqualTo(4);
		assertThat(this.runs).hasValue(4);
		assertThat(queue("hold").ready()).isEqualTo(1000);
		assertThat(engine.drain(Duration.ZERO)).isEqualTo(new DrainReport(1000, 0));
		assertThat(poolThreads()).isEmpty();
	}

	/** Slots become free all the while, and what is behind must not take them. */
	@Test
	void nothingStartsOnceStopNowHasReturnedThoughSlotsBecomeFree() {
		JobEngine engine = build(
				builder().concurrency(4).handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
					this.runs.incrementAndGet();
					// Not so fast that the jobs run out.
					LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
					return JobResult.done();
				})));
		enqueue(engine, 3000);
		int interrupted = 0;
		for (int i = 1; i <= 6; i++) {
			int before = this.runs.get();
			engine.start();
			await("some runs", () -> this.runs.get() > before + 50);
			StopReport report = engine.stopNow();
			int after = this.runs.get();
			await("the ends of the threads, which a busy machine delays", () -> poolThreads().isEmpty());
			assertThat(report.settled()).isTrue();
			assertThat(this.runs).hasValue(after);
			interrupted += report.interrupted();
			DrainReport rest = engine.drain(Duration.ZERO);
			assertThat(rest.running()).isZero();
			assertThat(3000 - rest.ready()).isEqualTo(after - interrupted);
		}
	}

	@Test
	void jobInHandFinishesWithinTheGraceWhileTheRestStays() throws Exception {
		JobEngine engine = start(holding().concurrency(1));
		enqueue(engine, 10);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<StopReport> stop = CompletableFuture.supplyAsync(() -> engine.stop(LONG));
		await("the stop's begin", () -> !workerThreads().contains("jobs-claim-default"));
		this.mayEnd.release(10);
		stop.get(30, TimeUnit.SECONDS);
		assertThat(this.runs).hasValue(1);
		assertThat(queue("hold").ready()).isEqualTo(9);
	}

	@Test
	void partsThatWereStartedAreStoppedIfOneCannotStart() {
		JobEngine engine = build(holding().threadFactories((pool) -> (work) -> {
			throw new OutOfMemoryError("no more threads");
		}));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(engine::start);
		assertThat(engine.isRunning()).isFalse();
		await("the threads' end", () -> workerThreads().isEmpty());
	}

	@Test
	void threadsOfOnePoolEndIfThoseOfTheNextCannotStart() {
		List<Thread> threads = new CopyOnWriteArrayList<>();
		JobEngine engine = build(holding().handler(HandlerDefinition.of("other", Object.class, this::holdUntilAllowed))
			.pool(new PoolOptions("others", 3, Set.of("other")))
			.concurrency(3)
			.threadFactories((pool) -> (work) -> {
				if (threads.size() == 4) {
					throw new OutOfMemoryError("no more threads");
				}
				Thread thread = new Thread(work, "jobs-test");
				thread.setDaemon(true);
				threads.add(thread);
				return thread;
			}));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(engine::start);
		assertThat(engine.isRunning()).isFalse();
		assertThat(threads).hasSize(4);
		await("the threads' end", () -> threads.stream().noneMatch(Thread::isAlive));
	}

	/** The store is listened to once there are threads, and before any loop. */
	@Test
	void workerThatCannotListenLeavesNoTrace() {
		Set<String> started = ConcurrentHashMap.newKeySet();
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				started.addAll(workerThreads());
				throw new JobStoreException("no more connections", null, true);
			}

		}).clock(this.clock).handler(HandlerDefinition.of("hold", Object.class, this::holdUntilAllowed)));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(engine::start);
		assertThat(started).isNotEmpty();
		assertThat(engine.isRunning()).isFalse();
		assertThat(this.store.inspector().workers(this.clock.instant())).isEmpty();
		await("the threads' end", () -> workerThreads().isEmpty());
	}

	@Test
	void stopLeavesNoThreadBehind() {
		JobEngine engine = start(holding());
		assertThat(workerThreads()).isNotEmpty();
		engine.stop(LONG);
		await("the threads' end", () -> workerThreads().isEmpty());
	}

	/**
	 * Return the threads that run jobs. Those with which a store listens may take a
	 * little longer to end.
	 */
	private Set<String> poolThreads() {
		Set<String> names = workerThreads();
		names.removeIf((name) -> !name.matches("jobs-.+-[0-9]+"));
		return names;
	}

	private Set<String> workerThreads() {
		Set<String> names = ConcurrentHashMap.newKeySet();
		Thread.getAllStackTraces().keySet().forEach((thread) -> {
			if (thread.getName().startsWith("jobs-") && thread.isAlive() && !this.before.contains(thread)) {
				names.add(thread.getName());
			}
		});
		return names;
	}

	@Test
	void drainReturnsOnceEverythingHasRun() {
		JobEngine engine = start(holding().concurrency(4));
		enqueue(engine, 100);
		this.mayEnd.release(100);
		assertThat(engine.drain(LONG)).isEqualTo(new DrainReport(0, 0));
		assertThat(this.runs).hasValue(100);
	}

	@Test
	void drainDoesNotWaitForJobsThatAreNotDue() {
		JobEngine engine = start(holding());
		engine.client().enqueue("hold", 1, (options) -> options.delay(Duration.ofDays(1)));
		assertThat(engine.drain(LONG).isComplete()).isTrue();
		assertThat(jobs(JobState.SCHEDULED)).hasSize(1);
	}

	@Test
	void drainOfAPausedBacklogReportsWhatIsLeft() {
		JobEngine engine = start(holding());
		engine.operations().queue("hold").pause();
		enqueue(engine, 3);
		assertThat(engine.drain(Duration.ofMillis(30))).isEqualTo(new DrainReport(3, 0));
	}

	@Test
	void drainOfAnEngineThatIsNotStartedReturnsAtItsTimeout() {
		JobEngine engine = build(holding());
		enqueue(engine, 2);
		assertThat(engine.drain(Duration.ofMillis(30))).isEqualTo(new DrainReport(2, 0));
	}

	/** A drain looks once more at its timeout, and then returns. */
	@Test
	void drainLooksAtMostOnceAfterItsTimeout() {
		List<Long> looks = new CopyOnWriteArrayList<>();
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				looks.add(System.nanoTime());
				return super.inspector();
			}

		}).clock(this.clock).handler(HandlerDefinition.of("hold", Object.class, this::holdUntilAllowed)));
		enqueue(engine, 2);
		Duration timeout = Duration.ofMillis(30);
		long before = System.nanoTime();
		assertThat(engine.drain(timeout)).isEqualTo(new DrainReport(2, 0));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(timeout);
		long end = looks.get(0) + timeout.toNanos();
		assertThat(looks).filteredOn((look) -> look > end).hasSizeLessThanOrEqualTo(1);
	}

	@Test
	void drainCountsJobsThatRunElsewhere() throws Exception {
		JobEngine other = start(holding());
		enqueue(other, 1);
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		JobEngine engine = start(holding());
		assertThat(engine.drain(Duration.ofMillis(30))).isEqualTo(new DrainReport(0, 1));
		this.mayEnd.release();
		assertThat(engine.drain(LONG).isComplete()).isTrue();
	}

	@Test
	void closedEngineTakesNoJobsAndHasRunAllItHad() {
		JobEngine engine = start(holding().concurrency(2));
		enqueue(engine, 50);
		this.mayEnd.release(50);
		assertThat(engine.close(LONG).isComplete()).isTrue();
		assertThat(this.runs).hasValue(50);
		assertThat(engine.isRunning()).isFalse();
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> enqueue(engine, 1));
	}

	@Test
	void clientWorksWithoutTheEngine() {
		JobEngine engine = build(holding());
		enqueue(engine, 1);
		engine.start();
		engine.stop(Duration.ZERO);
		enqueue(engine, 1);
		assertThat(queue("hold").ready()).isEqualTo(2);
	}

	@Test
	void cancellingARunningJobInterruptsItAndRemovesIt() throws Exception {
		JobEngine engine = start(holding());
		Enqueued enqueued = engine.client().enqueue("hold");
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(engine.client().cancel(enqueued.id())).isTrue();
		await("the job's end", () -> !exists(enqueued.id()));
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void cancellingAWaitingJobRemovesIt() {
		JobEngine engine = build(holding());
		Enqueued enqueued = engine.client().enqueue("hold");
		assertThat(engine.client().cancel(enqueued.id())).isTrue();
		assertThat(exists(enqueued.id())).isFalse();
		assertThat(engine.client().cancel(enqueued.id())).isFalse();
	}

	@Test
	void runThatTakesTooLongIsInterruptedAndCountsAsFailed() throws Exception {
		JobEngine engine = start(builder().handler(HandlerDefinition.of("hold", Object.class, this::holdUntilAllowed)
			.with(HandlerOptions.of((set) -> set.timeout(Duration.ofMinutes(5))))));
		Enqueued enqueued = engine.client().enqueue("hold");
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		this.clock.advance(Duration.ofMinutes(5).minusMillis(1));
		assertThat(job(enqueued.id()).state()).isEqualTo(JobState.RUNNING);
		this.clock.advance(Duration.ofMillis(1));
		await("the job's failure", () -> job(enqueued.id()).state() == JobState.SCHEDULED);
		assertThat(job(enqueued.id()).trail().lastFailure()).isNotNull()
			.satisfies((attempt) -> assertThat(attempt.error()).startsWith("timed out"));
	}

	@Test
	void timedOutHandlerThatKeepsRunningKeepsItsSlotAndIsShownAsStuck() throws Exception {
		CompletableFuture<JobContext> first = new CompletableFuture<>();
		JobEngine engine = start(
				builder().concurrency(1).handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
					first.complete(context);
					this.runs.incrementAndGet();
					this.begun.countDown();
					this.mayEnd.acquireUninterruptibly();
					return JobResult.done();
				}).with(HandlerOptions.of((set) -> set.timeout(Duration.ofSeconds(1))))));
		Enqueued enqueued = engine.client().enqueue("hold");
		engine.client().enqueue("hold");
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).isTrue();
		this.clock.advance(Duration.ofSeconds(1));
		// From here on it counts how long the handler ignores its interruption.
		await("the time-out", () -> {
			engine.wake();
			return first.join().cancelled();
		});
		for (int i = 0; i < 13; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			await("beat", () -> this.store.inspector().workers(this.clock.instant()).size() == 1);
		}
		try {
			await("the report", () -> {
				engine.wake();
				return engine.status().stuck().equals(List.of(enqueued.id()));
			});
			assertThat(this.runs).hasValue(1);
		}
		finally {
			// A thread that keeps running would be found by the tests that follow.
			this.mayEnd.release(2);
		}
		await("both ends", () -> this.runs.get() == 2);
		await("the failure", () -> job(enqueued.id()).trail().lastFailure() != null);
		assertThat(job(enqueued.id()).trail().lastFailure()).isNotNull()
			.satisfies((attempt) -> assertThat(attempt.error())
				.startsWith("exceeded its timeout of 1000 ms and ignored the interruption for "));
	}

}
