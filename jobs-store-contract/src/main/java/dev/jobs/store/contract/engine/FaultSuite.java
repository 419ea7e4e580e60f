package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.StopReport;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The promises of an engine when calls to its store fail or their replies get lost.
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
	void versionThatCannotBeNotedNowIsNotedLater() {
		JobEngine engine = build(counting().settings(EngineSettings.defaults().withVersion("7")));
		this.faulty.failToSend(Verb.CHANGE, 1);
		engine.runUntilIdle();
		assertThat(this.store.inspector().notes()).isEmpty();
		engine.runUntilIdle();
		assertThat(this.store.inspector().notes()).singleElement()
			.extracting(Note::text)
			.asString()
			.endsWith("version 7");
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

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void endThatTheStoreRefusesHoldsUpNoOtherAndIsWrittenOnceTheStoreTakesIt(boolean temporary) {
		JobEngine engine = build(counting().concurrency(20));
		List<String> ids = engine.client()
			.enqueueAll(Collections.nCopies(100, JobRequest.named("work")))
			.stream()
			.map(Enqueued::id)
			.toList();
		String refused = ids.get(new Random().nextInt(ids.size()));
		this.faulty.refuse(Verb.SETTLE, refused::equals, temporary);
		engine.start();
		await("the ends of the others", () -> succeeded() == 99);
		await("the refusal that is seen", () -> faults(engine).size() == 1);
		assertThat(faults(engine)).singleElement()
			.asString()
			.contains("the end of job 'work' " + refused)
			.contains("does not like");
		for (int i = 100; i < 120; i++) {
			int ended = i;
			engine.client().enqueue("work");
			await("the end of a later one", () -> succeeded() == ended);
		}
		assertThat(jobs()).extracting(Job::id, Job::state).containsExactly(tuple(refused, JobState.RUNNING));
		this.faulty.refuse(Verb.SETTLE, null, temporary);
		await("the last end", () -> succeeded() == 120);
		await("no refusal", () -> faults(engine).isEmpty());
		assertThat(this.runs).hasValue(120);
		assertThat(isEmpty()).isTrue();
		assertThat(this.events).noneMatch(JobEvent.LeaseLost.class::isInstance);
	}

	private static List<String> faults(JobEngine engine) {
		return engine.operations().store().faults().stream().map(StoreStatus.Fault::text).toList();
	}

	@Test
	@ExpectsFaults("The worker stops without the end of job 'work'")
	void engineThatStopsWritesAllEndsButTheOneThatTheStoreRefuses() throws Exception {
		CountDownLatch started = new CountDownLatch(5);
		JobEngine engine = build(counting().handler(HandlerDefinition.of("long", Object.class, (payload, context) -> {
			started.countDown();
			new CountDownLatch(1).await();
			return JobResult.done();
		})));
		String refused = engine.client().enqueue("work").id();
		engine.client().enqueueAll(Collections.nCopies(5, JobRequest.named("long")));
		this.faulty.refuse(Verb.SETTLE, refused::equals, false);
		engine.start();
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		await("the refusal", () -> faults(engine).size() == 1);
		StopReport report = engine.stop(Duration.ZERO);
		assertThat(report.settled()).isFalse();
		assertThat(report.interrupted()).isEqualTo(5);
		assertThat(jobs(JobState.READY)).hasSize(5).allMatch((job) -> job.name().equals("long"));
		assertThat(jobs(JobState.RUNNING)).extracting(Job::id).containsExactly(refused);
		assertThat(faults(engine)).isEmpty();
		this.faulty.refuse(Verb.SETTLE, null, false);
	}

	@Test
	void rescueReturnsAllJobsButTheOneWhoseEndTheStoreRefuses() {
		JobEngine engine = build(counting());
		List<String> ids = engine.client()
			.enqueueAll(Collections.nCopies(6, JobRequest.named("work")))
			.stream()
			.map(Enqueued::id)
			.toList();
		Instant now = InstantSource.system().instant();
		this.store.beat(new WorkerBeat("gone", Duration.ofMillis(1), null, List.of(), false, now));
		assertThat(this.store.claim(new ClaimRequest("gone", List.of(Quota.of("work", 6)), 6, now)).claims())
			.hasSize(6);
		await("the end of its lease", () -> InstantSource.system().instant().isAfter(now.plusMillis(2)));
		this.faulty.refuse(Verb.SETTLE, ids.get(3)::equals, false);
		engine.runUntilIdle();
		assertThat(succeeded()).isEqualTo(5);
		assertThat(jobs()).extracting(Job::id, Job::state).containsExactly(tuple(ids.get(3), JobState.RUNNING));
		this.faulty.refuse(Verb.SETTLE, null, false);
	}

	@Test
	void workByHandGoesOnThoughTheStoreRefusesAnEnd() {
		JobEngine engine = build(counting());
		List<String> ids = engine.client()
			.enqueueAll(Collections.nCopies(10, JobRequest.named("work")))
			.stream()
			.map(Enqueued::id)
			.toList();
		this.faulty.refuse(Verb.SETTLE, ids.get(3)::equals, false);
		engine.runUntilIdle();
		assertThat(succeeded()).isEqualTo(9);
		engine.client().enqueue("work");
		engine.runUntilIdle();
		assertThat(succeeded()).isEqualTo(10);
		assertThat(this.runs).hasValue(11);
		this.faulty.refuse(Verb.SETTLE, null, false);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void reportThatTheStoreRefusesKeepsNoLeaseFromBeingRenewed(boolean temporary) {
		CountDownLatch mayEnd = new CountDownLatch(1);
		JobEngine engine = build(counting().concurrency(10)
			.settings(EngineSettings.defaults()
				.withLease(Duration.ofSeconds(1), Duration.ofMillis(50))
				.withPoll(Duration.ofMillis(50)))
			.handler(HandlerDefinition.of("report", Object.class, (payload, context) -> {
				this.runs.incrementAndGet();
				for (int i = 0; !mayEnd.await(10, TimeUnit.MILLISECONDS); i++) {
					context.progress(i, i + 1);
				}
				return JobResult.done();
			})));
		List<String> ids = engine.client()
			.enqueueAll(Collections.nCopies(8, JobRequest.named("report")))
			.stream()
			.map(Enqueued::id)
			.toList();
		this.faulty.refuse(Verb.BEAT, ids.get(5)::equals, temporary);
		engine.start();
		await("the runs", () -> this.runs.get() == 8);
		long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
		await("three leases", () -> {
			assertThat(this.events).noneMatch(JobEvent.LeaseLost.class::isInstance);
			return System.nanoTime() - end > 0;
		});
		if (!temporary) {
			await("the reports of the others", () -> ids.stream().filter(this::hasReported).count() == 7);
			assertThat(faults(engine)).singleElement().asString().contains("the report of job 'report' " + ids.get(5));
		}
		mayEnd.countDown();
		await("the ends", () -> succeeded() == 8);
		assertThat(this.runs).hasValue(8);
		this.faulty.refuse(Verb.BEAT, null, temporary);
	}

	@Test
	void lastStatisticsThatTheStoreRefusesCostNoOthers() {
		JobEngineBuilder builder = counting()
			.settings(EngineSettings.defaults().withLease(Duration.ofMinutes(5), Duration.ofMinutes(1)));
		List<String> others = IntStream.range(0, 20).mapToObj((i) -> "other-" + i).toList();
		others.forEach((name) -> builder
			.handler(HandlerDefinition.of(name, Object.class, (payload, context) -> JobResult.done())));
		JobEngine engine = start(builder);
		await("the worker", () -> this.store.inspector().workers(Instant.now()).size() == 1);
		engine.client().enqueue("work");
		others.forEach(engine.client()::enqueue);
		await("the runs", () -> succeeded() == 21);
		this.faulty.refuse(Verb.BEAT, "work"::equals, false);
		engine.stop(Duration.ZERO);
		this.faulty.refuse(Verb.BEAT, null, false);
		assertThat(this.store.inspector().workers(Instant.now())).isEmpty();
		assertThat(others).allSatisfy((name) -> assertThat(ended(name)).as(name).isEqualTo(1));
		assertThat(ended("work")).isZero();
	}

	private long ended(String queue) {
		Instant now = Instant.now();
		return this.store.inspector()
			.statistics(Set.of(queue), new Period(now.minusSeconds(600), now.plusSeconds(600), Duration.ofMinutes(1)))
			.stream()
			.mapToLong((tally) -> tally.cells()[1])
			.sum();
	}

	private boolean hasReported(String id) {
		Job.Run run = job(id).run();
		return run != null && run.progress() != null;
	}

	@Test
	void changeThatTheStoreRefusesHoldsUpNoOtherOfItsBulk() {
		JobEngine engine = build(counting());
		List<String> ids = engine.client()
			.enqueueAll(
					Collections.nCopies(40, JobRequest.named("work").options((set) -> set.delay(Duration.ofHours(1)))))
			.stream()
			.map(Enqueued::id)
			.toList();
		this.faulty.refuse(Verb.CHANGE, ids.get(17)::equals, false);
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.states(JobState.SCHEDULED))).delete())
			.isEqualTo(39);
		assertThat(jobs()).extracting(Job::id).containsExactly(ids.get(17));
	}

	@Test
	@ExpectsFaults("Enqueue after commit failed")
	void jobThatTheStoreRefusesAfterACommitHarmsNoOtherOfItsTransaction() {
		List<Runnable> commits = new ArrayList<>();
		JobEngine engine = build(counting().enqueueGate(new EnqueueGate() {

			@Override
			public boolean inTransaction() {
				return true;
			}

			@Override
			public <T> void hold(List<T> enqueues, Outlet<T> outlet) {
				commits.add(() -> outlet.write(enqueues));
			}

		}));
		List<String> ids = engine.client()
			.enqueueAll(Collections.nCopies(20, JobRequest.named("work")))
			.stream()
			.map(Enqueued::id)
			.toList();
		this.faulty.refuse(Verb.ENQUEUE, ids.get(13)::equals, false);
		commits.forEach(Runnable::run);
		assertThat(jobs()).extracting(Job::id).hasSize(19).doesNotContain(ids.get(13));
	}

	@Test
	void scheduleThatTheStoreRefusesHoldsUpNoOther() {
		this.faulty.refuse(Verb.FIRE_TICKS, "refused"::equals, false);
		JobEngine engine = start(
				counting().recurringJob(RecurringJob.of("refused", Schedule.parse("@every 50ms"), "work"))
					.recurringJob(RecurringJob.of("often", Schedule.parse("@every 50ms"), "work")));
		await("runs", () -> succeeded() >= 10);
		assertThat(engine.status().loops()).filteredOn((loop) -> loop.name().equals("cron"))
			.allMatch((loop) -> loop.faults() == 0);
		assertThat(faults(engine)).singleElement().asString().contains("to fire the schedule 'refused'");
		this.faulty.refuse(Verb.FIRE_TICKS, null, false);
		await("the schedule", () -> faults(engine).isEmpty());
	}

	@Test
	void scheduleThatFailsForAWhileHoldsUpNoOther() {
		this.faulty.refuse(Verb.FIRE_TICKS, "failing"::equals, true);
		start(counting().handler(HandlerDefinition.of("other", Object.class, (payload, context) -> JobResult.done()))
			.recurringJob(RecurringJob.of("failing", Schedule.parse("@every 50ms"), "other"))
			.recurringJob(RecurringJob.of("often", Schedule.parse("@every 50ms"), "work")));
		await("runs", () -> this.runs.get() >= 3);
		this.faulty.refuse(Verb.FIRE_TICKS, null, false);
		await("the schedule",
				() -> this.store.inspector().schedule("failing").filter((view) -> !view.fired().isEmpty()).isPresent());
	}

	/**
	 * Ends, enqueues, beats and ticks: whatever one the store chooses to refuse at
	 * whatever time, and whatever it says of that, all others go on.
	 */
	@Test
	void whateverOneTheStoreRefusesAtAnyTimeAllOthersGoOn() throws Exception {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		Set<String> done = ConcurrentHashMap.newKeySet();
		Map<String, Integer> ticks = new ConcurrentHashMap<>();
		CountDownLatch mayEnd = new CountDownLatch(1);
		EngineSettings settings = EngineSettings.defaults()
			.withLease(Duration.ofSeconds(30), Duration.ofMillis(100))
			.withPoll(Duration.ofMillis(50));
		JobEngineBuilder builder = counting().settings(settings).concurrency(20).listeners(List.of((event) -> {
			if (event instanceof JobEvent.Succeeded succeeded) {
				done.add(succeeded.job().id());
				ticks.merge(succeeded.job().name(), 1, Integer::sum);
			}
		})).handler(HandlerDefinition.of("mixed", Object.class, (payload, context) -> {
			context.progress(1, 2);
			return (context.attempt() == 1 && context.id().hashCode() % 3 == 0)
					? JobResult.retryIn(Duration.ofMillis(20)) : JobResult.done();
		})).handler(HandlerDefinition.of("report", Object.class, (payload, context) -> {
			int reports = 0;
			while (!mayEnd.await(20, TimeUnit.MILLISECONDS)) {
				context.progress(++reports, reports + 1);
			}
			return JobResult.done();
		}));
		for (String name : List.of("one", "other")) {
			builder.handler(HandlerDefinition.of(name, Object.class, (payload, context) -> JobResult.done()))
				.recurringJob(RecurringJob.of(name, Schedule.parse("@every 50ms"), name));
		}
		JobEngine engine = start(builder);
		engine.client().enqueueAll(Collections.nCopies(5, JobRequest.named("report")));
		List<Verb> verbs = List.of(Verb.SETTLE, Verb.ENQUEUE, Verb.BEAT, Verb.FIRE_TICKS);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			for (int round = 0; round < 8; round++) {
				Verb verb = verbs.get(round % verbs.size());
				boolean temporary = verb == Verb.SETTLE && random.nextBoolean();
				int nth = random.nextInt(30);
				AtomicInteger count = new AtomicInteger();
				AtomicReference<String> refused = new AtomicReference<>();
				this.faulty.refuse(verb, (id) -> {
					if (count.getAndIncrement() == nth) {
						refused.set(id);
					}
					return id.equals(refused.get());
				}, temporary);
				Set<String> accepted = ConcurrentHashMap.newKeySet();
				AtomicInteger rejected = new AtomicInteger();
				List<Future<?>> calls = new ArrayList<>();
				for (int i = 0; i < 40; i++) {
					calls.add(threads.submit(() -> {
						try {
							accepted.add(engine.client().enqueue("mixed").id());
						}
						catch (JobStoreException ex) {
							rejected.incrementAndGet();
						}
					}));
				}
				for (Future<?> call : calls) {
					call.get();
				}
				await("a refusal by " + verb + ", with the seed " + seed, () -> refused.get() != null);
				Map<String, Integer> before = Map.copyOf(ticks);
				await("all ends but one, with the seed " + seed, () -> {
					Set<String> left = new HashSet<>(accepted);
					left.removeAll(done);
					left.remove(refused.get());
					return left.isEmpty();
				});
				await("ticks of all schedules but one, with the seed " + seed,
						() -> Stream.of("one", "other")
							.filter((name) -> !name.equals(refused.get()))
							.allMatch((name) -> ticks.getOrDefault(name, 0) > before.getOrDefault(name, 0) + 1));
				assertThat(rejected).as("rejected, with the seed %s", seed).hasValue((verb == Verb.ENQUEUE) ? 1 : 0);
				this.faulty.refuse(verb, null, temporary);
			}
		}
		finally {
			threads.shutdown();
			mayEnd.countDown();
		}
		Stream.of("one", "other").forEach((name) -> engine.operations().schedule(name).pause());
		await("an empty store", this::isEmpty);
		assertThat(this.events).noneMatch(JobEvent.LeaseLost.class::isInstance);
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
		this.faulty.failToSend(Verb.FIRE_TICKS, 4);
		start(counting().recurringJob(RecurringJob.of("often", Schedule.parse("@every 50ms"), "work")));
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
