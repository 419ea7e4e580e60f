package dev.jobs.store.contract.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.RetryPolicy;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Note;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of an engine about jobs whose worker vanished. The vanished worker called
 * the store and then fell silent.
 */
public abstract class RescueSuite extends EngineSuite {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final Map<Object, AtomicInteger> runs = new ConcurrentHashMap<>();

	private int vanished;

	private JobEngineBuilder counting() {
		return builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
			return JobResult.done();
		}));
	}

	private List<Enqueued> enqueue(JobEngine engine, int jobs) {
		return engine.client()
			.enqueueAll(IntStream.range(0, jobs).mapToObj((i) -> JobRequest.named("work").payload(i)).toList());
	}

	/**
	 * Have a worker claim jobs, start them and fall silent.
	 */
	private List<Claim> claimAndVanish(int jobs) {
		List<Claim> claims = claimAndVanishUnstarted(jobs);
		List<Note> notes = claims.stream()
			.map((claim) -> new Note(claim.job().id(), claim.job().name(), claim.token(),
					Progress.of(null, 0, 0, this.clock.instant())))
			.toList();
		this.store
			.beat(new WorkerBeat("vanished-" + (this.vanished - 1), LEASE, null, notes, false, this.clock.instant()));
		return claims;
	}

	/**
	 * Have a worker claim jobs and fall silent before it starts them.
	 */
	private List<Claim> claimAndVanishUnstarted(int jobs) {
		String worker = "vanished-" + this.vanished++;
		this.store.beat(new WorkerBeat(worker, LEASE, null, List.of(), false, this.clock.instant()));
		List<Claim> claims = new ArrayList<>();
		while (claims.size() < jobs) {
			int wanted = jobs - claims.size();
			List<Claim> more = this.store
				.claim(new ClaimRequest(worker, List.of(Quota.of("work", wanted)), wanted, this.clock.instant()))
				.claims();
			assertThat(more).isNotEmpty();
			claims.addAll(more);
		}
		return claims;
	}

	@Test
	void abandonedJobRunsAgainOnceTheLeaseIsOver() {
		JobEngine engine = build(counting());
		Enqueued enqueued = enqueue(engine, 1).get(0);
		claimAndVanish(1);
		this.clock.advance(LEASE);
		assertThat(engine.runUntilIdle()).isZero();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(this.runs.get(0)).hasValue(1);
		assertThat(exists(enqueued.id())).isFalse();
	}

	@Test
	void jobThatIsCancelledAfterItsWorkerVanishedDoesNotRunAgain() {
		JobEngine engine = build(counting());
		List<Enqueued> enqueued = enqueue(engine, 2);
		claimAndVanish(2);
		assertThat(engine.operations().job(enqueued.get(0).id()).cancel()).isTrue();
		this.clock.advance(LEASE.plusMillis(1));
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(this.runs.keySet()).containsExactly(1);
		assertThat(exists(enqueued.get(0).id())).isFalse();
	}

	@Test
	void abandonedDeliveryCountsAsAnAttemptButNotAsAFailure() {
		List<Integer> attempts = new ArrayList<>();
		JobEngine engine = build(builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			attempts.add(context.attempt());
			attempts.add(context.job().trail().failures());
			return JobResult.done();
		})));
		enqueue(engine, 1);
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		engine.runUntilIdle();
		assertThat(attempts).containsExactly(2, 0);
	}

	@Test
	void abandonedJobsGoBackToTheFrontOfTheirQueueInTheirOrder() {
		List<Integer> order = new ArrayList<>();
		JobEngine engine = build(builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			order.add(payload);
			return JobResult.done();
		})));
		enqueue(engine, 6);
		claimAndVanish(3);
		this.clock.advance(LEASE.plusMillis(1));
		engine.runUntilIdle();
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5);
	}

	@Test
	void nothingIsTakenOverIfRescueIsOff() {
		JobEngine engine = build(counting().settings(EngineSettings.defaults().withRescue(false)));
		enqueue(engine, 1);
		claimAndVanish(1);
		this.clock.advance(LEASE.multipliedBy(100));
		assertThat(engine.runUntilIdle()).isZero();
		assertThat(queue("work").running()).isOne();
	}

	@Test
	void manyRescuersTakeEachJobOverOnce() {
		List<JobEngine> engines = IntStream.range(0, 5).mapToObj((i) -> start(counting())).toList();
		engines.get(0).operations().queue("work").pause();
		enqueue(engines.get(0), 500);
		engines.get(0).operations().queue("work").resume();
		List<JobEngine> idle = engines;
		await("all runs", () -> this.runs.size() == 500);
		idle.forEach(JobEngine::stopNow);
		this.runs.clear();
		enqueue(idle.get(0), 500);
		claimAndVanish(500);
		this.clock.advance(LEASE.plusMillis(1));
		idle.forEach(JobEngine::start);
		await("all runs after the rescue", () -> this.runs.size() == 500);
		await("the end", () -> jobs().isEmpty());
		assertThat(this.runs.values()).allSatisfy((count) -> assertThat(count).hasValue(1));
	}

	@Test
	void jobsOfQueuesNobodyHereServesAreLeftToThoseWhoDo() {
		JobEngine producer = build(counting());
		enqueue(producer, 1);
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		JobEngine other = build(
				builder().handler(HandlerDefinition.of("other", Object.class, (payload, context) -> JobResult.done())));
		assertThat(other.runUntilIdle()).isZero();
		assertThat(queue("work").running()).isOne();
		assertThat(producer.runUntilIdle()).isOne();
	}

	@Test
	void lateEndOfALostJobChangesNothingAndItsHandlerSeesTheLoss() throws Exception {
		FaultyStore faulty = new FaultyStore(this.store);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch noticed = new CountDownLatch(1);
		List<JobEvent> events = new CopyOnWriteArrayList<>();
		JobEngine frozen = build(new JobEngineBuilder(faulty).clock(this.clock)
			.listeners(List.of(events::add))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				begun.countDown();
				while (!context.leaseLost()) {
					Thread.onSpinWait();
				}
				noticed.countDown();
				return JobResult.done();
			})));
		frozen.start();
		enqueue(frozen, 1);
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		faulty.down(true);
		this.clock.advance(LEASE.plusMillis(1));
		JobEngine healthy = build(counting());
		assertThat(healthy.runUntilIdle()).isOne();
		faulty.down(false);
		frozen.wake();
		assertThat(noticed.await(30, TimeUnit.SECONDS)).isTrue();
		await("the event", () -> events.stream().anyMatch(JobEvent.LeaseLost.class::isInstance));
		assertThat(events).noneMatch(JobEvent.Succeeded.class::isInstance);
		assertThat(this.runs.get(0)).hasValue(1);
		assertThat(jobs()).isEmpty();
	}

	/**
	 * What the job has saved is gone once another run has ended it. To the first run that
	 * must not look as if nothing had been saved.
	 */
	@Test
	void runThatLostItsJobUnawaresRepeatsNoStepThatIsSaved() throws Exception {
		Duration lease = Duration.ofMillis(600);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		CountDownLatch read = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		AtomicBoolean silent = new AtomicBoolean();
		AtomicInteger effects = new AtomicInteger();
		JobStore store = beforeBeats(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				return afterSaved(super.inspector(), read::countDown);
			}

		}, (beat) -> {
			if (silent.get()) {
				throw JobStoreException.refused("silent", null, true);
			}
		});
		JobEngine first = start(new JobEngineBuilder(store).clock(this.clock)
			.settings(EngineSettings.defaults().withLease(lease, Duration.ofMillis(100)))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				begun.countDown();
				try {
					awaitUninterrupted(over);
					context.step("charge", effects::incrementAndGet);
				}
				finally {
					ended.countDown();
				}
				return JobResult.done();
			})));
		enqueue(first, 1);
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		JobEngine other = build(builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			context.step("charge", effects::incrementAndGet);
			return JobResult.done();
		})));
		silent.set(true);
		long silentSince = System.nanoTime();
		await("the end of the lease", () -> System.nanoTime() - silentSince > lease.toNanos());
		this.clock.advance(lease.plusMillis(1));
		assertThat(other.runUntilIdle()).isOne();
		over.countDown();
		assertThat(read.await(30, TimeUnit.SECONDS)).isTrue();
		silent.set(false);
		first.wake();
		assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(effects).hasValue(1);
	}

	@Test
	void jobIsNotRunWhoseClaimIsHeardOfOnlyAfterAnotherWorkerHasRunIt() throws Exception {
		Duration lease = Duration.ofMillis(600);
		AtomicBoolean frozen = new AtomicBoolean();
		AtomicInteger beats = new AtomicInteger();
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch thawed = new CountDownLatch(1);
		JobStore store = afterCalls(beforeBeats(this.store, (beat) -> {
			if (frozen.get()) {
				throw JobStoreException.refused("frozen", null, true);
			}
		}), (reply) -> {
			if (reply instanceof BeatReply) {
				beats.incrementAndGet();
			}
			else if (reply instanceof ClaimReply claims && !claims.claims().isEmpty() && claimed.getCount() > 0) {
				frozen.set(true);
				claimed.countDown();
				awaitUninterrupted(thawed);
			}
		});
		JobEngine engine = start(new JobEngineBuilder(store).clock(this.clock)
			.settings(EngineSettings.defaults().withLease(lease, Duration.ofMillis(100)))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
				return JobResult.done();
			})));
		enqueue(engine, 1);
		assertThat(claimed.await(30, TimeUnit.SECONDS)).isTrue();
		long begun = System.nanoTime();
		await("the end of the lease", () -> System.nanoTime() - begun > lease.toNanos());
		this.clock.advance(lease.plusMillis(1));
		assertThat(build(counting()).runUntilIdle()).isOne();
		int before = beats.get();
		frozen.set(false);
		engine.wake();
		await("two beats", () -> beats.get() >= before + 2);
		thawed.countDown();
		engine.client().enqueue("work", 1);
		await("the next job", () -> this.runs.containsKey(1));
		engine.stop(Duration.ofSeconds(10));
		assertThat(this.runs.get(0)).hasValue(1);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void lostRunDoesNotWriteToTheLogOfTheNextOne() throws Exception {
		FaultyStore faulty = new FaultyStore(this.store);
		List<String> tokens = new CopyOnWriteArrayList<>();
		CountDownLatch endOfLost = new CountDownLatch(1);
		CountDownLatch endOfNext = new CountDownLatch(1);
		JobEngine engine = build(new JobEngineBuilder(faulty).clock(this.clock)
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				tokens.add(Long.toString(context.fencingToken()));
				awaitUninterrupted((tokens.size() == 1) ? endOfLost : endOfNext);
				throw new IllegalStateException("no");
			})));
		engine.start();
		try {
			String id = enqueue(engine, 1).get(0).id();
			await("the first run", () -> tokens.size() == 1);
			faulty.down(true);
			this.clock.advance(LEASE.plusMillis(1));
			rescueWithoutRunning(id);
			faulty.down(false);
			engine.wake();
			await("the next run", () -> tokens.size() == 2);
			engine.logged(id, tokens.get(0), "of the lost run");
			engine.logged(id, tokens.get(1), "of the next run");
			engine.logged(id, tokens.get(0), "of the lost run");
			endOfNext.countDown();
			await(() -> assertThat(job(id).trail().lastFailure()).isNotNull().satisfies((attempt) -> {
				assertThat(attempt.error()).endsWith("no");
				assertThat(attempt.log()).isEqualTo("of the next run");
			}));
		}
		finally {
			endOfNext.countDown();
			endOfLost.countDown();
		}
	}

	/** As a server does that fails over to one which has not heard of the end yet. */
	@Test
	void jobRunsAgainWhoseEndTheStoreAcceptedAndThenLost() {
		assertThatJobsWhoseEndIsLostRunAgain(Settled.APPLIED);
	}

	/**
	 * As a server does that others have given up, when the next one still has the job.
	 */
	@Test
	void jobRunsAgainWhoseEndTheStoreRefusedThoughTheJobIsHeld() {
		assertThatJobsWhoseEndIsLostRunAgain(Settled.GONE);
	}

	private void assertThatJobsWhoseEndIsLostRunAgain(Settled answer) {
		Set<String> ids = ConcurrentHashMap.newKeySet();
		CountDownLatch mayEnd = new CountDownLatch(1);
		Set<Long> tokens = ConcurrentHashMap.newKeySet();
		JobStore forgetful = losingEnds(this.store, ids, answer);
		JobEngine engine = build(new JobEngineBuilder(forgetful).clock(this.clock)
			.concurrency(6)
			.settings(EngineSettings.defaults().withLease(Duration.ofSeconds(3), Duration.ofMillis(100)))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				if (this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet() == 1) {
					tokens.add(context.fencingToken());
				}
				if (payload == 5) {
					mayEnd.await();
				}
				return JobResult.done();
			})));
		List<String> enqueued = enqueue(engine, 6).stream().map(Enqueued::id).toList();
		ids.addAll(enqueued.subList(0, 5));
		engine.start();
		try {
			await("the second runs", () -> IntStream.range(0, 5).allMatch((i) -> runs(i) == 2));
			await("their ends", () -> enqueued.subList(0, 5).stream().noneMatch(this::exists));
			assertThat(tokens).as("all were of one claim").hasSize(1);
			assertThat(job(enqueued.get(5)).state()).isEqualTo(JobState.RUNNING);
		}
		finally {
			mayEnd.countDown();
		}
		await("the end of the one that was held", () -> jobs().isEmpty());
		assertThat(runs(5)).isOne();
	}

	private int runs(int payload) {
		AtomicInteger runs = this.runs.get(payload);
		return (runs != null) ? runs.get() : 0;
	}

	/**
	 * Return the store with one that loses the first end of each of some jobs.
	 * @param ids the jobs, which are removed from here as their ends are lost
	 * @param answer what it says when their ends are written
	 */
	private static JobStore losingEnds(JobStore store, Set<String> ids, Settled answer) {
		return new ForwardingStore(store) {

			@Override
			public List<Settled> settle(List<Transition> transitions, Instant now) {
				List<Settled> settled = new ArrayList<>();
				for (Transition transition : transitions) {
					settled.add(ids.remove(transition.id()) ? answer : super.settle(List.of(transition), now).get(0));
				}
				return settled;
			}

		};
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				Thread.interrupted();
			}
		}
	}

	@Test
	void workByHandMayTakeLongerThanTheLease() {
		JobEngine engine = build(builder().concurrency(1)
			.settings(EngineSettings.defaults().withLease(Duration.ofMillis(1500), Duration.ofMillis(50)))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
				return JobResult.done();
			})));
		enqueue(engine, 40);
		assertThat(engine.runUntilIdle()).isEqualTo(40);
	}

	@Test
	void longJobKeepsItsLeaseAndRunsOnce() throws Exception {
		EngineSettings brief = EngineSettings.defaults().withLease(Duration.ofSeconds(1), Duration.ofMillis(100));
		FaultyStore counted = new FaultyStore(this.store);
		Semaphore mayEnd = new Semaphore(0);
		HandlerDefinition handler = HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
			mayEnd.acquire();
			return JobResult.done();
		});
		JobEngine first = build(
				new JobEngineBuilder(counted).clock(InstantSource.system()).settings(brief).handler(handler));
		first.start();
		enqueue(first, 1);
		await("the run", () -> this.runs.containsKey(0));
		JobEngine second = build(
				new JobEngineBuilder(this.store).clock(InstantSource.system()).settings(brief).handler(handler));
		second.start();
		int beats = counted.calls(Verb.BEAT);
		long begun = System.nanoTime();
		await("three leases", () -> System.nanoTime() - begun > brief.lease().multipliedBy(3).toNanos()
				&& counted.calls(Verb.BEAT) > beats + 3);
		mayEnd.release();
		await("the end",
				() -> this.store.inspector()
					.queues(InstantSource.system().instant())
					.stream()
					.allMatch((queue) -> queue.running() == 0));
		assertThat(this.runs.get(0)).hasValue(1);
	}

	@Test
	void jobWhoseWorkersKeepVanishingEndsDead() {
		JobEngine engine = build(counting());
		Enqueued enqueued = enqueue(engine, 1).get(0);
		int deliveries = 0;
		while (job(enqueued.id()).state() != JobState.DEAD) {
			vanishOnce(enqueued);
			deliveries++;
		}
		assertThat(deliveries).isEqualTo(4);
		assertThat(job(enqueued.id()).trail().end()).isNotNull()
			.satisfies((end) -> assertThat(end.reason()).isEqualTo(DeadReason.CRASH_LOOP));
		assertThat(this.runs).isEmpty();
	}

	/**
	 * Have a worker start a job once it is due and vanish, and another take it over.
	 */
	private void vanishOnce(Enqueued enqueued) {
		Instant dueAt = job(enqueued.id()).dueAt();
		if (dueAt.isAfter(this.clock.instant())) {
			this.clock.advance(Duration.between(this.clock.instant(), dueAt));
		}
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		rescueWithoutRunning(enqueued.id());
	}

	@Test
	void claimsThatNeverStartedCostNothingOnceAJobWasAbandoned() {
		JobEngine engine = build(counting());
		Enqueued enqueued = enqueue(engine, 1).get(0);
		for (int deaths = 1; deaths <= 3; deaths++) {
			vanishOnce(enqueued);
			Trail trail = job(enqueued.id()).trail();
			this.clock.advance(Duration.ofHours(1));
			for (int i = 0; i < 10; i++) {
				claimAndVanishUnstarted(1);
				this.clock.advance(LEASE.plusMillis(1));
				rescueWithoutRunning(enqueued.id());
				assertThat(job(enqueued.id()).trail()).isEqualTo(trail);
			}
			assertThat(trail.abandonments()).isEqualTo(deaths);
		}
	}

	@Test
	void suspectThatCrashedWaitsLongerEachTime() {
		JobEngine engine = build(counting());
		Enqueued enqueued = enqueue(engine, 1).get(0);
		List<Duration> delays = new ArrayList<>();
		for (int deaths = 1; deaths <= 12; deaths++) {
			claimAndVanish(1);
			this.clock.advance(LEASE.plusMillis(1));
			JobEngine rescuer = build(builder().handler(HandlerDefinition
				.of("work", Integer.class, (payload, context) -> JobResult.done())
				.with(HandlerOptions.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxCrashes(100)))))));
			rescuer.operations().queue("work").pause();
			rescuer.runUntilIdle();
			rescuer.operations().queue("work").resume();
			Instant dueAt = job(enqueued.id()).dueAt();
			if (dueAt.isAfter(this.clock.instant())) {
				delays.add(Duration.between(this.clock.instant(), dueAt));
				this.clock.advance(delays.get(delays.size() - 1));
			}
		}
		assertThat(delays).startsWith(LEASE.multipliedBy(4), LEASE.multipliedBy(8), LEASE.multipliedBy(16))
			.hasSize(10)
			.endsWith(Duration.ofHours(1), Duration.ofHours(1));
	}

	@Test
	void suspectThatCrashedDoesNotRunInAYoungProcess() {
		Enqueued enqueued = enqueue(build(counting()), 1).get(0);
		for (int deaths = 1; deaths <= 3; deaths++) {
			vanishOnce(enqueued);
		}
		this.clock.advance(Duration.ofHours(1));
		EngineSettings young = EngineSettings.defaults().withLease(Duration.ofHours(1), Duration.ofSeconds(4));
		assertThat(build(counting().settings(young)).runUntilIdle()).isZero();
		assertThat(job(enqueued.id()).state()).isEqualTo(JobState.SCHEDULED);
	}

	@Test
	void suspectThatCrashedWaitsForALookThatFoundNobodyVanished() {
		Enqueued enqueued = enqueue(build(counting()), 1).get(0);
		for (int deaths = 1; deaths <= 3; deaths++) {
			vanishOnce(enqueued);
		}
		this.clock.advance(Duration.ofHours(1));
		Duration lease = Duration.ofSeconds(3);
		Instant othersAreBack = this.clock.instant().plus(lease.multipliedBy(2));
		AtomicInteger claimsSince = new AtomicInteger();
		CountDownLatch look = new CountDownLatch(1);
		start(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public ClaimReply takeOver(TakeOver request) {
				awaitUninterrupted(look);
				return super.takeOver(request);
			}

			@Override
			public ClaimReply claim(ClaimRequest request) {
				ClaimReply reply = super.claim(request);
				if (RescueSuite.this.clock.instant().isAfter(othersAreBack)) {
					claimsSince.addAndGet(reply.claims().size());
				}
				return reply;
			}

		}).clock(this.clock)
			.settings(EngineSettings.defaults().withLease(lease, Duration.ofMillis(300)))
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
				return JobResult.done();
			})));
		await("claims during a look that takes long", () -> {
			this.clock.advance(Duration.ofMillis(10));
			return claimsSince.get() >= 2 || this.runs.containsKey(0);
		});
		assertThat(this.runs).isEmpty();
		look.countDown();
		await("the run", () -> {
			this.clock.advance(Duration.ofMillis(10));
			return this.runs.containsKey(0);
		});
		assertThat(this.runs.get(0)).hasValue(1);
	}

	@Test
	void storeKnowsTheStartOfAnAbandonedJobBeforeItsHandlerRuns() {
		List<Boolean> known = new CopyOnWriteArrayList<>();
		JobEngineBuilder looking = builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			Job.Run run = job(context.id()).run();
			known.add(run != null && run.progress() != null);
			return JobResult.done();
		}));
		JobEngine byHand = build(looking);
		enqueue(byHand, 1);
		byHand.runUntilIdle();
		assertThat(known).containsExactly(false);
		enqueue(byHand, 1);
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		byHand.runUntilIdle();
		assertThat(known).containsExactly(false, true);
		enqueue(byHand, 20);
		claimAndVanish(20);
		this.clock.advance(LEASE.plusMillis(1));
		start(looking);
		await("all runs", () -> known.size() == 22);
		assertThat(known.subList(1, 22)).containsOnly(true);
	}

	@Test
	void startsOfAbandonedJobsShareABeat() {
		enqueue(build(counting()), 40);
		claimAndVanish(40);
		this.clock.advance(LEASE.plusMillis(1));
		rescueAllWithoutRunning();
		CountDownLatch allWait = new CountDownLatch(1);
		AtomicInteger beatsWithStarts = new AtomicInteger();
		JobEngine engine = start(new JobEngineBuilder(beforeBeats(this.store, (beat) -> {
			if (!beat.notes().isEmpty()) {
				beatsWithStarts.incrementAndGet();
				awaitUninterrupted(allWait);
			}
		})).clock(this.clock)
			.concurrency(40)
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
				return JobResult.done();
			})));
		await("all wait for a beat", () -> engine.status().busy() == 40 && beatsWithStarts.get() == 1);
		assertThat(this.runs).isEmpty();
		allWait.countDown();
		await("all runs", () -> this.runs.size() == 40);
		assertThat(beatsWithStarts).hasValueLessThanOrEqualTo(3);
	}

	@Test
	void abandonedJobIsNotStartedWhileTheStoreIsOutOfReach() {
		Enqueued enqueued = enqueue(build(counting()), 1).get(0);
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		rescueAllWithoutRunning();
		AtomicInteger failures = new AtomicInteger();
		AtomicBoolean failing = new AtomicBoolean(true);
		JobEngine engine = start(new JobEngineBuilder(beforeBeats(this.store, (beat) -> {
			if (!beat.notes().isEmpty() && failing.get()) {
				failures.incrementAndGet();
				throw JobStoreException.refused("out of reach", null, true);
			}
		})).clock(this.clock).handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
			return JobResult.done();
		})));
		await("beats that fail", () -> failures.get() >= 3);
		assertThat(this.runs).isEmpty();
		assertThat(engine.status().busy()).isOne();
		failing.set(false);
		await("the run", () -> this.runs.containsKey(0));
		await("its end", () -> !exists(enqueued.id()));
		assertThat(this.runs.get(0)).hasValue(1);
	}

	@Test
	void abandonedJobThatIsCancelledBeforeItsStartIsKnownDoesNotRun() {
		Enqueued enqueued = enqueue(build(counting()), 1).get(0);
		claimAndVanish(1);
		this.clock.advance(LEASE.plusMillis(1));
		rescueAllWithoutRunning();
		start(new JobEngineBuilder(beforeBeats(this.store, (beat) -> beat.notes()
			.forEach((note) -> this.store.change(List.of(new Change.Cancel(note.jobId())), this.clock.instant()))))
			.clock(this.clock)
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				this.runs.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
				return JobResult.done();
			})));
		await("its end", () -> !exists(enqueued.id()));
		assertThat(this.runs).isEmpty();
	}

	/**
	 * Return the store with something that is done before each beat.
	 */
	private static JobStore beforeBeats(JobStore store, Consumer<WorkerBeat> action) {
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					if (values != null && values[0] instanceof WorkerBeat beat) {
						action.accept(beat);
					}
					try {
						return method.invoke(store, values);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	/**
	 * Return an inspector with something that is done after what a job has saved was
	 * read.
	 */
	private static JobInspector afterSaved(JobInspector inspector, Runnable action) {
		return (JobInspector) Proxy.newProxyInstance(JobInspector.class.getClassLoader(),
				new Class<?>[] { JobInspector.class }, (proxy, method, values) -> {
					try {
						return method.invoke(inspector, values);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
					finally {
						if (method.getName().equals("saved")) {
							action.run();
						}
					}
				});
	}

	/**
	 * Return the store with something that is done with each reply before it is given.
	 */
	private static JobStore afterCalls(JobStore store, Consumer<Object> action) {
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					try {
						Object reply = method.invoke(store, values);
						action.accept(reply);
						return reply;
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private void rescueAllWithoutRunning() {
		JobEngine engine = build(counting());
		engine.operations().queue("work").pause();
		engine.runUntilIdle();
		engine.operations().queue("work").resume();
	}

	/**
	 * Have an engine take a job over whose queue it may not run: the queue is paused
	 * meanwhile.
	 */
	private void rescueWithoutRunning(String id) {
		rescueAllWithoutRunning();
		assertThat(job(id).state()).isIn(JobState.READY, JobState.SCHEDULED, JobState.DEAD);
	}

	@Test
	void suspectsRunOneAtATime() {
		JobEngine engine = build(counting());
		List<Enqueued> enqueued = enqueue(engine, 5);
		for (int i = 0; i < 2; i++) {
			claimAndVanish(5);
			this.clock.advance(LEASE.plusMillis(1));
			rescueWithoutRunning(enqueued.get(0).id());
		}
		assertThat(enqueued).allSatisfy((each) -> assertThat(job(each.id()).trail().suspect()).isTrue());
		AtomicInteger running = new AtomicInteger();
		Set<Integer> seen = ConcurrentHashMap.newKeySet();
		JobEngine pool = start(
				builder().concurrency(10).handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
					seen.add(running.incrementAndGet());
					Thread.yield();
					running.decrementAndGet();
					return JobResult.done();
				})));
		await("all runs", () -> jobs().isEmpty());
		assertThat(seen).containsExactly(1);
		await("all places are free", () -> pool.status().busy() == 0);
	}

	@Test
	void suspectThatIsLostWhileItWaitsForItsTurnIsNotStarted() throws Exception {
		List<Enqueued> enqueued = enqueue(build(counting()), 2);
		for (int i = 0; i < 2; i++) {
			claimAndVanish(2);
			this.clock.advance(LEASE.plusMillis(1));
			rescueWithoutRunning(enqueued.get(0).id());
		}
		FaultyStore faulty = new FaultyStore(this.store);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch behind = new CountDownLatch(1);
		List<Integer> started = new CopyOnWriteArrayList<>();
		JobEngine frozen = build(new JobEngineBuilder(faulty).clock(this.clock)
			.handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
				started.add(payload);
				begun.countDown();
				while (!context.leaseLost()) {
					Thread.onSpinWait();
				}
				return JobResult.done();
			}))
			.handler(HandlerDefinition.of("behind", Integer.class, (payload, context) -> {
				behind.countDown();
				return JobResult.done();
			})));
		frozen.start();
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		await("the second suspect's wait", () -> queue("work").running() == 2);
		faulty.down(true);
		this.clock.advance(LEASE.plusMillis(1));
		rescueWithoutRunning(enqueued.get(0).id());
		this.store.change(List.of(new Change.Pause("work")), this.clock.instant());
		faulty.down(false);
		frozen.wake();
		await("the end of the lost run", () -> frozen.status().busy() == 0);
		frozen.client().enqueue("behind", 1);
		assertThat(behind.await(30, TimeUnit.SECONDS)).as("a run behind the second suspect").isTrue();
		assertThat(started).hasSize(1);
	}

	@Test
	void suspectThatWaitsForItsTurnGoesBackAsItsQueueIsPaused() throws Exception {
		List<Enqueued> enqueued = enqueue(build(counting()), 2);
		for (int i = 0; i < 2; i++) {
			claimAndVanish(2);
			this.clock.advance(LEASE.plusMillis(1));
			rescueWithoutRunning(enqueued.get(0).id());
		}
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		List<Integer> started = new CopyOnWriteArrayList<>();
		JobEngine engine = start(builder().handler(HandlerDefinition.of("work", Integer.class, (payload, context) -> {
			started.add(payload);
			begun.countDown();
			mayEnd.await();
			return JobResult.done();
		})));
		try {
			assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
			await("the second suspect's wait", () -> queue("work").running() == 2);
			await("its return", () -> {
				// Once more if the signal of the first pause came before anybody
				// listened.
				engine.operations().queue("work").resume();
				engine.operations().queue("work").pause();
				return queue("work").ready() == 1;
			});
		}
		finally {
			mayEnd.countDown();
		}
		await("the end of the first", () -> queue("work").running() == 0);
		assertThat(started).hasSize(1);
	}

}
