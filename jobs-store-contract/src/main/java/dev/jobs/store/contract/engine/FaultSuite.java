package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.StopReport;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.NewJob;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an engine promises when calls to its store fail or their replies get lost.
 */
public abstract class FaultSuite extends EngineSuite {

	private final AtomicInteger runs = new AtomicInteger();

	private final List<JobEvent> events = new CopyOnWriteArrayList<>();

	@SuppressWarnings("NullAway.Init")
	private FaultyStore faulty;

	@BeforeEach
	void putFaultyStoreInFront() {
		this.faulty = new FaultyStore(this.store);
	}

	private JobEngineBuilder counting() {
		return new JobEngineBuilder(this.faulty).clock(InstantSource.system())
			.settings(EngineSettings.defaults()
				.withLease(Duration.ofSeconds(3), Duration.ofMillis(100))
				.withPoll(Duration.ofMillis(50)))
			.listeners(List.of(this.events::add))
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				this.runs.incrementAndGet();
				return JobResult.done();
			}));
	}

	private long succeeded() {
		return this.events.stream().filter(JobEvent.Succeeded.class::isInstance).count();
	}

	private boolean isEmpty() {
		return this.store.inspector()
			.queues(InstantSource.system().instant())
			.stream()
			.allMatch((queue) -> queue.waiting() + queue.running() + queue.dead() == 0);
	}

	@Test
	void engineStartsWithTheStoreDownAndWorksOnceItIsBack() {
		this.faulty.down(true);
		JobEngine engine = start(counting());
		await("some tries", () -> this.faulty.calls(Verb.TIME) + this.faulty.calls(Verb.BEAT) > 2);
		assertThat(engine.isRunning()).isTrue();
		this.faulty.down(false);
		engine.client().enqueue("work");
		await("the run", () -> succeeded() == 1);
	}

	@Test
	void engineOutlivesAnOutageLongerThanItsLease() {
		JobEngine engine = start(counting().settings(EngineSettings.defaults()
			.withLease(Duration.ofMillis(300), Duration.ofMillis(50))
			.withPoll(Duration.ofMillis(50))));
		engine.client().enqueue("work");
		await("the first run", () -> succeeded() == 1);
		this.faulty.down(true);
		int beats = this.faulty.calls(Verb.BEAT);
		await("the outage", () -> this.faulty.calls(Verb.BEAT) > beats + 6);
		this.faulty.down(false);
		engine.client().enqueue("work");
		await("the second run", () -> succeeded() == 2);
	}

	/**
	 * The rest of a loop stops growing after eight faults in a row, so an outage of ten
	 * is as long as any. Were it to grow on, it would be ten seconds by then.
	 */
	@Test
	void engineWithDefaultSettingsContinuesWithinFiveSecondsOfALongOutage() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		JobEngine engine = start(counting().settings(EngineSettings.defaults())
			.concurrency(1)
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
				started.countDown();
				mayEnd.await();
				return JobResult.done();
			})));
		engine.client().enqueue("hold");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		engine.client().enqueueAll(Collections.nCopies(3, JobRequest.named("work")));
		this.faulty.down(true);
		mayEnd.countDown();
		await("ten faults in a row",
				() -> engine.status()
					.loops()
					.stream()
					.filter((loop) -> Set.of("beat", "settle").contains(loop.name()))
					.allMatch((loop) -> loop.faults() >= 10));
		this.faulty.down(false);
		long back = System.nanoTime();
		await("all ends", () -> succeeded() == 4);
		assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(Duration.ofSeconds(5));
		assertThat(this.runs).hasValue(3);
		assertThat(isEmpty()).isTrue();
	}

	@Test
	void engineStopsSoonWithTheStoreDown() {
		JobEngine engine = start(counting());
		await("the first beat", () -> this.faulty.calls(Verb.BEAT) > 0);
		this.faulty.down(true);
		long before = System.nanoTime();
		StopReport report = engine.stop(Duration.ofSeconds(1));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
		assertThat(report.stuck()).isEmpty();
	}

	/** Five seconds beyond the grace, and one for a machine that is busy. */
	@Test
	void engineStopsSoonWithASilentStore() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		JobEngine engine = start(counting().handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
			started.countDown();
			new CountDownLatch(1).await();
			return JobResult.done();
		})));
		engine.client().enqueue("hold");
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		this.faulty.silent(true);
		try {
			await("calls of several loops", () -> this.faulty.waiting() >= 2);
			long before = System.nanoTime();
			StopReport report = engine.stop(Duration.ZERO);
			assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(6));
			assertThat(report.settled()).isFalse();
			assertThat(engine.isRunning()).isFalse();
		}
		finally {
			this.faulty.silent(false);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "CLAIM", "SETTLE", "BEAT", "TAKE_OVER", "PRUNE" })
	void loopSurvivesFaultsOfItsCall(Verb verb) {
		this.faulty.failToSend(verb, 3);
		JobEngine engine = start(counting());
		engine.client().enqueue("work");
		await("the run", () -> succeeded() == 1);
		await("an empty store", this::isEmpty);
		assertThat(this.runs).hasValue(1);
	}

	@Test
	void endIsWrittenUntilTheStoreHasDecided() {
		JobEngine engine = start(counting());
		this.faulty.failToSend(Verb.SETTLE, 5);
		engine.client().enqueue("work");
		await("the end", () -> succeeded() == 1);
		assertThat(this.faulty.calls(Verb.SETTLE)).isEqualTo(6);
		assertThat(this.runs).hasValue(1);
		assertThat(isEmpty()).isTrue();
	}

	@Test
	void endWhoseReplyGotLostIsPublishedOnce() {
		JobEngine engine = start(counting());
		this.faulty.loseReplies(Verb.SETTLE, 2);
		engine.client().enqueue("work");
		await("the end", () -> succeeded() == 1);
		assertThat(this.runs).hasValue(1);
		assertThat(this.events).noneMatch(JobEvent.LeaseLost.class::isInstance);
	}

	@Test
	void endThatIsLeftUndecidedHoldsUpNoOtherAndIsWrittenOnce() {
		AtomicInteger others = new AtomicInteger();
		JobEngine engine = start(
				counting().concurrency(1).handler(HandlerDefinition.of("other", Object.class, (payload, context) -> {
					others.incrementAndGet();
					return JobResult.done();
				})));
		this.faulty.leaveUndecided("work");
		engine.client().enqueue("work");
		await("the run", () -> this.runs.get() == 1);
		for (int i = 1; i <= 20; i++) {
			int ended = i;
			engine.client().enqueue("other");
			await("the end of another", () -> succeeded() == ended);
		}
		int settles = this.faulty.calls(Verb.SETTLE);
		await("more tries", () -> this.faulty.calls(Verb.SETTLE) > settles + 2);
		assertThat(isEmpty()).isFalse();
		this.faulty.leaveUndecided(null);
		await("all ends", () -> succeeded() == 21);
		assertThat(this.runs).hasValue(1);
		assertThat(others).hasValue(20);
		assertThat(isEmpty()).isTrue();
		assertThat(this.events).noneMatch(JobEvent.LeaseLost.class::isInstance);
	}

	@Test
	void engineStopsSoonWithAnEndLeftUndecided() {
		JobEngine engine = start(counting());
		this.faulty.leaveUndecided("work");
		engine.client().enqueue("work");
		await("the run", () -> this.runs.get() == 1);
		long before = System.nanoTime();
		StopReport report = engine.stop(Duration.ofSeconds(1));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(6));
		assertThat(report.settled()).isFalse();
		assertThat(succeeded()).isZero();
	}

	@Test
	void workByHandFailsIfAnEndIsLeftUndecided() {
		JobEngine engine = build(counting());
		engine.client().enqueue("work");
		this.faulty.leaveUndecided("work");
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(engine::runUntilIdle)
			.withMessageContaining("1 ended job(s)");
		this.faulty.leaveUndecided(null);
		engine.runUntilIdle();
		assertThat(this.runs).hasValue(1);
		assertThat(succeeded()).isEqualTo(1);
	}

	@Test
	void faultOfOneJobIsNotThatOfOthersEnqueuedWithIt() throws Exception {
		CountDownLatch first = new CountDownLatch(8);
		JobClient client = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				awaitUninterruptibly(first);
				if (jobs.stream().anyMatch((job) -> job.name().equals("broken"))) {
					throw new JobStoreException("broken", null, true);
				}
				return super.enqueue(jobs, now);
			}

		}).build().client();
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<List<String>>> results = new ArrayList<>();
			for (int i = 0; i < 400; i++) {
				String name = (i % 4 == 0) ? "broken" : "work";
				results.add(threads.submit(() -> {
					first.countDown();
					return idsInDoubt(() -> client.enqueue(name));
				}));
			}
			for (int i = 0; i < results.size(); i++) {
				assertThat(results.get(i).get()).hasSize((i % 4 == 0) ? 1 : 0);
			}
			assertThat(jobs()).hasSize(300);
		}
		finally {
			threads.shutdown();
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void enqueueWhoseFateStaysUnknownThrowsWithTheIdOfTheJob() {
		JobClient client = build(counting()).client();
		this.faulty.loseReplies(Verb.ENQUEUE, 2);
		assertThatExceptionOfType(EnqueueUnconfirmedException.class).isThrownBy(() -> client.enqueue("work"))
			.satisfies((ex) -> assertThat(ex.getIds()).singleElement().matches((id) -> client.find(id).isPresent()))
			.withCauseInstanceOf(JobStoreException.class);
		assertThat(jobs()).hasSize(1);
	}

	@Test
	void enqueueThatTheStoreDidNotTakeIsNotInDoubt() {
		JobClient client = build(counting()).client();
		this.faulty.failToSend(Verb.ENQUEUE, 2);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("work"))
			.matches(JobStoreException::isRefused);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void enqueueIsInDoubtEvenIfItsRepetitionWasRefused() {
		JobClient client = new JobEngineBuilder(new ForwardingStore(this.store) {

			private boolean stored;

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				if (this.stored) {
					throw JobStoreException.refused("full", null, true);
				}
				this.stored = true;
				super.enqueue(jobs, now);
				throw new JobStoreException("the reply got lost", null, true);
			}

		}).build().client();
		assertThatExceptionOfType(EnqueueUnconfirmedException.class).isThrownBy(() -> client.enqueue("work"))
			.withMessageContaining("the reply got lost")
			.satisfies((ex) -> assertThat(jobs()).extracting(Job::id).isEqualTo(ex.getIds()));
	}

	@Test
	void enqueueInDoubtIsRepeatedUntilTheStoreTakesItAgain() {
		AtomicInteger calls = new AtomicInteger();
		JobClient client = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				int call = calls.incrementAndGet();
				if (call > 1 && call < 5) {
					throw JobStoreException.refused("the new server is not ready", null, true);
				}
				List<Enqueued> enqueued = super.enqueue(jobs, now);
				if (call == 1) {
					throw new JobStoreException("the reply got lost", null, true);
				}
				return enqueued;
			}

		}).build().client();
		Enqueued enqueued = client.enqueue("work");
		assertThat(enqueued.isNew()).isTrue();
		assertThat(jobs()).extracting(Job::id).containsExactly(enqueued.id());
		assertThat(calls).hasValue(5);
	}

	@Test
	void bulkReportsWhichOfItsJobsAreInDoubt() {
		JobClient client = failingFromTheSecondStep(new JobStoreException("the reply got lost", null, true), true);
		assertThatExceptionOfType(EnqueueUnconfirmedException.class)
			.isThrownBy(() -> client.enqueueAll(Collections.nCopies(1200, JobRequest.named("work"))))
			.satisfies((ex) -> {
				assertThat(ex.getIds()).hasSize(500).doesNotHaveDuplicates();
				assertThat(jobs()).hasSize(1000).extracting(Job::id).containsAll(ex.getIds());
			});
	}

	@Test
	void bulkThatIsRefusedHalfwayReportsHowFarItGot() {
		JobClient client = failingFromTheSecondStep(JobStoreException.refused("full", null, true), false);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> client.enqueueAll(Collections.nCopies(1200, JobRequest.named("work"))))
			.withMessage("Only the first 500 of 1200 enqueues were done: full");
		assertThat(jobs()).hasSize(500);
	}

	private JobClient failingFromTheSecondStep(JobStoreException fault, boolean stores) {
		return new JobEngineBuilder(new ForwardingStore(this.store) {

			private int calls;

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				boolean first = this.calls++ == 0;
				List<Enqueued> enqueued = (first || stores) ? super.enqueue(jobs, now) : List.of();
				if (!first) {
					throw fault;
				}
				return enqueued;
			}

		}).build().client();
	}

	@Test
	void threadsWhoseEnqueuesWentTogetherGetTheirOwnResultsOnly() throws Exception {
		JobClient client = build(counting()).client();
		this.faulty.loseReplies(Verb.ENQUEUE, Integer.MAX_VALUE);
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<List<String>>> results = threads
				.invokeAll(Collections.nCopies(64, () -> idsInDoubt(() -> client.enqueue("work"))));
			List<String> ids = new ArrayList<>();
			for (Future<List<String>> one : results) {
				assertThat(one.get()).hasSize(1);
				ids.addAll(one.get());
			}
			assertThat(jobs()).extracting(Job::id).containsExactlyInAnyOrderElementsOf(ids);
		}
		finally {
			threads.shutdown();
		}
	}

	private static List<String> idsInDoubt(Runnable enqueue) {
		try {
			enqueue.run();
			return List.of();
		}
		catch (EnqueueUnconfirmedException ex) {
			return ex.getIds();
		}
	}

	@Test
	void jobWhoseClaimGotLostOnTheWayRunsOnce() {
		JobEngine engine = start(counting());
		await("the first beat", () -> this.faulty.calls(Verb.BEAT) > 0);
		this.faulty.loseReplies(Verb.CLAIM, 1);
		engine.client().enqueue("work");
		await("the run", () -> succeeded() == 1);
		await("an empty store", this::isEmpty);
		assertThat(this.runs).hasValue(1);
		assertThat(this.events).filteredOn(JobEvent.Started.class::isInstance)
			.singleElement()
			.satisfies((event) -> assertThat(((JobEvent.Started) event).job().trail()).isEqualTo(Trail.EMPTY));
		assertThat(this.events).noneMatch(JobEvent.Rescued.class::isInstance);
	}

	@Test
	void scheduleContinuesAfterFaults() {
		this.faulty.failToSend(Verb.FIRE_TICK, 4);
		start(counting()
			.recurringJob(new RecurringJob("often", Schedule.parse("@every 50ms"), "work", null, Misfire.runOnce())));
		await("runs", () -> succeeded() >= 3);
	}

	@Test
	void workerThreadContinuesAfterAnError() throws InterruptedException {
		CountDownLatch second = new CountDownLatch(1);
		JobEngine engine = start(
				counting().concurrency(1).handler(HandlerDefinition.of("deadly", Boolean.class, (payload, context) -> {
					if (payload) {
						throw new StackOverflowError("deep");
					}
					second.countDown();
					return JobResult.done();
				})));
		engine.client().enqueue("deadly", true);
		engine.client().enqueue("deadly", false);
		assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
	}

}
