package dev.jobs.store.contract.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.Backoff;
import dev.jobs.DeadReason;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobArgs;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.RetryPolicy;
import dev.jobs.RunInterceptor;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.DuplicateHandlerException;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.WorkerView;
import dev.jobs.test.ExpectsFaults;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about runs: their order, their number at once, their interceptors, and
 * their events.
 */
public abstract class RunSuite extends EngineSuite {

	private final RecordingHandler handler = new RecordingHandler();

	private final List<JobEvent> events = Collections.synchronizedList(new ArrayList<>());

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void releaseHandlers() {
		this.release.countDown();
	}

	// --- order and number

	@Test
	void oneWorkerRunsJobsInTheirOrder() {
		JobEngine engine = start(builder().handler(this.handler.named("a")).concurrency(1));
		List<String> ids = ids(engine.client().enqueueAll(requests(1000)));
		await("all have run", () -> this.handler.runs() == 1000);
		assertThat(this.handler.ids()).isEqualTo(ids);
	}

	@Test
	void poolRunsAsManyAtOnceAsItsConcurrencySays() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger peak = new AtomicInteger();
		this.handler.then((payload, context) -> {
			peak.accumulateAndGet(running.incrementAndGet(), Math::max);
			this.release.await();
			running.decrementAndGet();
			return JobResult.done();
		});
		JobEngine engine = start(builder().handler(this.handler.named("a")).concurrency(10));
		engine.client().enqueueAll(requests(50));
		await("ten run", () -> running.get() == 10);
		this.release.countDown();
		await("all have run", () -> jobs().isEmpty());
		assertThat(peak).hasValue(10);
	}

	@Test
	void longJobDoesNotDelayOthersOnTheOtherWorkers() {
		this.handler.then((payload, context) -> {
			if ("long".equals(payload)) {
				this.release.await();
			}
			return JobResult.done();
		});
		JobEngine engine = start(builder().handler(this.handler.named("a")).concurrency(2));
		String longJob = engine.client().enqueue("a", "long").id();
		engine.client().enqueueAll(requests(100));
		await("the long job alone is left", () -> jobs().size() == 1);
		assertThat(job(longJob).state()).isEqualTo(JobState.RUNNING);
	}

	@Test
	void workersShareJobsWithoutDoubles() {
		JobEngine one = start(builder().handler(this.handler.named("a")).concurrency(4));
		start(builder().handler(this.handler.named("a")).concurrency(4));
		List<String> ids = ids(one.client().enqueueAll(requests(500)));
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.handler.ids()).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void manyJobsThatComeAtOnceWakeAllWorkers() {
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		EngineSettings settings = EngineSettings.defaults().withPoll(Duration.ofHours(1));
		List<JobEngine> engines = IntStream.range(0, 3)
			.mapToObj((i) -> start(builder().settings(settings).handler(this.handler.named("a")).concurrency(2)))
			.toList();
		await("all workers are there", () -> this.store.inspector().workers(this.clock.instant()).size() == 3);
		engines.get(0).client().enqueueAll(requests(1000));
		await("every thread runs a job", () -> this.handler.runs() == 6);
	}

	@Test
	void successLeavesNoTrace() {
		JobEngine engine = engine();
		Enqueued enqueued = engine.client()
			.enqueue("a", "x", (options) -> options.unique(Unique.byPayload((rule) -> rule.untilDone())));
		engine.runUntilIdle();
		assertThat(exists(enqueued.id())).isFalse();
		assertThat(queue("a")).satisfies((queue) -> {
			assertThat(queue.waiting() + queue.running() + queue.dead() + queue.history()).isZero();
			assertThat(queue.oldestReady()).isNull();
		});
		assertThat(this.store.inspector().workers(START)).extracting(WorkerView::running).containsExactly(0L);
	}

	@Test
	void successIsKeptIfTheHandlerWantsHistory() {
		JobEngine engine = build(
				builder().handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.keepHistory(true)))));
		String id = engine.client().enqueue("a", "x").id();
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(queue("a").history()).isEqualTo(1);
	}

	@Test
	void keptJobShowsItsLastRunWithItsLog() {
		JobEngine engine = build(
				builder().handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.keepHistory(true)))));
		this.handler.then((payload, context) -> {
			engine.logged(context.id(), MDC.get("job.token"), "sent");
			return JobResult.done();
		});
		String id = engine.client().enqueue("a", "x").id();
		engine.runUntilIdle();
		assertThat(job(id).attempt()).isOne();
		assertThat(job(id).trail().attempts()).singleElement().satisfies(this::isLastRun);
	}

	@Test
	void keptJobShowsTheRunThatWasCancelled() {
		JobEngine engine = build(
				builder().handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.keepHistory(true)))));
		engine.start();
		this.handler.then((payload, context) -> {
			engine.logged(context.id(), MDC.get("job.token"), "sent");
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("it runs", () -> this.handler.runs() == 1);
		assertThat(engine.client().cancel(id)).isTrue();
		await("it is over", () -> job(id).state() == JobState.CANCELLED);
		assertThat(job(id).attempt()).isOne();
		assertThat(job(id).trail().attempts()).singleElement().satisfies(this::isLastRun);
	}

	private void isLastRun(Trail.Attempt attempt) {
		assertThat(attempt.number()).isOne();
		assertThat(attempt.error()).isNull();
		assertThat(attempt.log()).isEqualTo("sent");
		assertThat(attempt.worker()).isNotNull();
		assertThat(attempt.startedAt()).isNotNull().isBeforeOrEqualTo(attempt.endedAt());
		assertThat(attempt.endedAt()).isEqualTo(this.clock.instant());
	}

	@Test
	void jobsEndByHandAsTheyDoOnThreads() {
		JobEngine byHand = withJobsOfAllKinds();
		byHand.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		byHand.runUntilIdle();
		List<String> ends = ends();
		assertThat(ends).containsExactly("DEAD [broken] 2", "DEAD [dropped] 1", "SUCCEEDED [] 1", "SUCCEEDED [again] 2",
				"SUCCEEDED [fine] 1");
		this.store = anotherStore();
		JobEngine onThreads = withJobsOfAllKinds();
		onThreads.start();
		await("the schedule is known", () -> !onThreads.operations().schedules().isEmpty());
		this.clock.advance(Duration.ofSeconds(10));
		await(() -> assertThat(ends()).isEqualTo(ends));
	}

	private JobEngine withJobsOfAllKinds() {
		this.handler.then((payload, context) -> switch (String.valueOf(payload)) {
			case "broken" -> throw new IllegalStateException("broken");
			case "dropped" -> JobResult.discard();
			case "again" -> (context.attempt() == 1) ? JobResult.retry() : JobResult.done();
			default -> JobResult.done();
		});
		HandlerOptions options = HandlerOptions.of((set) -> set.keepHistory(true)
			.retry((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO))));
		JobEngine engine = build(builder().handler(this.handler.named("a").with(options))
			.recurringJob(RecurringJob.of("tick", Schedule.parse("@every 10s"), "a")));
		for (String payload : List.of("fine", "broken", "dropped", "again")) {
			engine.client().enqueue("a", payload, (set) -> set.tags(payload));
		}
		return engine;
	}

	private List<String> ends() {
		return jobs().stream().map((job) -> job.state() + " " + job.tags() + " " + job.attempt()).sorted().toList();
	}

	@Test
	void queueThatALiveWorkerServesIsListedBeforeItsFirstJob() {
		JobEngine engine = engine();
		assertThat(engine.operations().queues()).isEmpty();
		engine.start();
		await("the first beat", () -> engine.operations().queues().size() == 1);
		assertThat(engine.operations().queues()).singleElement().satisfies((queue) -> {
			assertThat(queue.name()).isEqualTo("a");
			assertThat(queue.served()).isTrue();
			assertThat(queue.ready() + queue.running() + queue.dead()).isZero();
		});
	}

	@Test
	void jobEnqueuedByAHandlerRunsToo() {
		JobEngine engine = engine();
		this.handler.then((payload, context) -> {
			if ("first".equals(payload)) {
				engine.client().enqueue("a", "second");
			}
			return JobResult.done();
		});
		engine.client().enqueue("a", "first");
		assertThat(engine.runUntilIdle()).isEqualTo(2);
	}

	@Test
	void fencingTokenGrowsWithEveryDelivery() {
		JobEngine engine = build(builder().handler(this.handler.named("a").with(twiceAtOnce())));
		List<Long> tokens = new ArrayList<>();
		this.handler.then((payload, context) -> {
			tokens.add(context.fencingToken());
			throw new IllegalStateException("again");
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
	}

	// --- faults in handlers

	@ParameterizedTest
	@EnumSource
	void whateverAHandlerThrowsIsAFailedAttempt(Fault fault) {
		JobEngine engine = engine();
		this.handler.then((payload, context) -> fault.raise());
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		Trail.Attempt attempt = job(id).trail().lastFailure();
		assertThat(attempt).isNotNull().satisfies((last) -> {
			assertThat(last.error()).startsWith(fault.error);
			assertThat(last.number()).isEqualTo(1);
			assertThat(last.endedAt()).isEqualTo(START);
		});
		assertThat(job(id).state()).isEqualTo(JobState.SCHEDULED);
	}

	@Test
	void stackIsStored() {
		JobEngine engine = engine();
		this.handler.then((payload, context) -> Fault.CHECKED.raise());
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).trail().lastFailure()).isNotNull()
			.satisfies((attempt) -> assertThat(attempt.stackTrace()).contains("java.io.IOException: disk",
					Fault.class.getName() + ".raise"));
	}

	@Test
	void jobWhoseErrorCannotBeDescribedDiesAfterItsLastAttempt() {
		JobEngine engine = build(builder().handler(this.handler.named("a").with(twiceAtOnce())));
		this.handler.then((payload, context) -> Fault.WITHOUT_A_MESSAGE.raise());
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(2);
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void oneWorkerOutlivesAllFaults() {
		this.handler.then((payload, context) -> ("fine".equals(payload)) ? JobResult.done()
				: Fault.valueOf(String.valueOf(payload)).raise());
		JobEngine engine = start(builder().handler(this.handler.named("a")).concurrency(1));
		for (Fault fault : Fault.values()) {
			engine.client().enqueue("a", fault.name());
		}
		String fine = engine.client().enqueue("a", "fine").id();
		await("the fine one has run", () -> !exists(fine));
		await("the others wait for their retry", () -> jobs(JobState.SCHEDULED).size() == Fault.values().length);
	}

	@Test
	void oneFailureStrandsNoneOfItsBatch() {
		JobEngine engine = engine();
		this.handler.then((payload, context) -> Integer.valueOf(3).equals(payload) ? Fault.STACK_OVERFLOW.raise()
				: JobResult.done());
		List<String> ids = ids(engine.client().enqueueAll(requests(10)));
		engine.runUntilIdle();
		assertThat(jobs()).extracting(Job::id).containsExactly(ids.get(3));
	}

	@Test
	void failedReadingOfAnArgumentFailsTheJob() {
		JobEngine engine = build(builder().handler(HandlerDefinition.of("a", JobArgs.class, (args, context) -> {
			args.integer("missing");
			args.string("there");
			args.check();
			return JobResult.done();
		})));
		String id = engine.client().enqueue("a", Map.of("there", "yes")).id();
		engine.runUntilIdle();
		assertThat(job(id).trail().lastFailure()).isNotNull()
			.satisfies((attempt) -> assertThat(attempt.error()).contains("'missing'"));
	}

	@Test
	void storedErrorIsBoundedAndWithoutControlCharacters() {
		JobEngine engine = engine();
		this.handler.thenFail("a\u0000b\nc\u001b[31m" + "x".repeat(1_000_000));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).trail().lastFailure()).isNotNull().satisfies((attempt) -> {
			assertThat(attempt.error()).contains("a b c [31mxxx")
				.hasSizeLessThan(1100)
				.satisfies((error) -> assertThat(error.chars()).noneMatch(Character::isISOControl));
			assertThat(attempt.stackTrace()).hasSizeLessThan(8100);
		});
	}

	@Test
	void storedMessageOfAResultIsBoundedAndWithoutControlCharacters() {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("a\tb" + "x".repeat(100_000)));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).trail().end()).isNotNull()
			.satisfies((end) -> assertThat(end.message()).startsWith("a bxxx").hasSizeLessThan(1100));
	}

	// --- unreadable payloads

	@Test
	void unreadablePayloadIsDeadAtOnceWithItsBytesIntact() {
		JobEngine engine = build(builder().handler(HandlerDefinition.of("a", Point.class, this::never)));
		byte[] bytes = "not json \u0000ü".getBytes(StandardCharsets.UTF_8);
		String id = engine.client().enqueue("a", bytes).id();
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		assertThat(job(id).trail().end()).isNotNull()
			.satisfies((end) -> assertThat(end.reason()).isEqualTo(DeadReason.UNREADABLE));
		assertThat(job(id).payload()).isEqualTo(bytes);
	}

	@Test
	void unreadablePayloadHoldsNothingUp() {
		HandlerDefinition limited = HandlerDefinition.of("a", Point.class, (payload, context) -> JobResult.done())
			.with(HandlerOptions.of((set) -> set.maxConcurrency(1)));
		JobEngine engine = build(builder().handler(limited));
		String broken = engine.client().enqueue("a", "not json".getBytes(StandardCharsets.UTF_8)).id();
		engine.client().enqueue("a", new Point(1, 2));
		engine.runUntilIdle();
		assertThat(jobs()).extracting(Job::id).containsExactly(broken);
		assertThat(queue("a").running()).isZero();
	}

	@Test
	void unreadablePayloadRunsAfterARetryOnceItsHandlerCanReadIt() {
		JobEngine broken = build(builder().handler(HandlerDefinition.of("a", Point.class, this::never)));
		String id = broken.client().enqueue("a", "[1,2]".getBytes(StandardCharsets.UTF_8)).id();
		broken.runUntilIdle();
		JobEngine repaired = engine();
		assertThat(repaired.operations().job(id).retry()).isTrue();
		repaired.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(List.of(1, 2));
		assertThat(exists(id)).isFalse();
	}

	// --- jobs without a handler

	@Test
	void jobWithoutAHandlerWaitsAndIsListed() {
		JobEngine engine = engine();
		String id = engine.client().enqueue("unknown").id();
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		assertThat(queue("unknown").ready()).isEqualTo(1);
	}

	@Test
	void dueJobUnknownToTheOnlyEngineWaits() {
		JobEngine engine = engine();
		String id = engine.client().enqueue("unknown", (options) -> options.delay(Duration.ofMinutes(1))).id();
		this.clock.advance(Duration.ofDays(1000));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		assertThat(job(id).trail()).isEqualTo(Trail.EMPTY);
	}

	@Test
	void jobRunsOnceAnEngineWithItsHandlerStarts() {
		engine().client().enqueue("later", "x");
		RecordingHandler later = new RecordingHandler();
		JobEngine other = start(builder().handler(later.named("later")));
		await("it has run", () -> jobs().isEmpty());
		assertThat(later.payloads()).containsExactly("x");
		assertThat(other.handlers()).containsExactly("later");
	}

	@Test
	void strandedJobDiesForWantOfAHandlerAtItsAge() {
		JobEngine engine = engine(stranding(Duration.ofHours(1)));
		String id = engine.client().enqueue("unknown", "x").id();
		this.clock.advance(Duration.ofHours(1));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		this.clock.advance(Duration.ofMillis(1));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		assertThat(job(id).trail().end()).isNotNull()
			.satisfies((end) -> assertThat(end.reason()).isEqualTo(DeadReason.NO_HANDLER));
	}

	@Test
	void jobOfAServedQueueIsNeverStranded() {
		JobEngine engine = engine(stranding(Duration.ofHours(1)));
		engine.operations().queue("a").pause();
		String id = engine.client().enqueue("a", "x").id();
		this.clock.advance(Duration.ofHours(2));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.READY);
	}

	@Test
	void strandedJobRunsAfterARetryOnceItHasAHandler() {
		JobEngine without = build(builder().settings(stranding(Duration.ofHours(1))));
		String id = without.client().enqueue("a", "x").id();
		this.clock.advance(Duration.ofHours(2));
		without.runUntilIdle();
		JobEngine with = engine();
		assertThat(with.operations().job(id).retry()).isTrue();
		with.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("x");
	}

	@Test
	void kindsReachTheirHandlers() {
		RecordingHandler other = new RecordingHandler();
		JobEngine engine = build(builder().handler(this.handler.named("a")).handler(other.named("b")));
		for (int i = 0; i < 10; i++) {
			engine.client().enqueue((i % 2 == 0) ? "a" : "b", (Object) i);
		}
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(0, 2, 4, 6, 8);
		assertThat(other.payloads()).containsExactly(1, 3, 5, 7, 9);
	}

	@Test
	void nameHandledTwiceIsRefused() {
		JobEngineBuilder builder = builder().handler(this.handler.named("a"))
			.handler(this.handler.named("b").withAliases("a"));
		assertThatExceptionOfType(DuplicateHandlerException.class).isThrownBy(builder::build)
			.withMessageContainingAll("'a'", "handler 'a'", "handler 'b'");
	}

	@Test
	void poolOfAHandlerThatDoesNotExistIsRefused() {
		JobEngineBuilder builder = builder().handler(this.handler.named("a"))
			.pool(new PoolOptions("fast", 1, java.util.Set.of("b")));
		assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContainingAll("'fast'", "'b'");
	}

	// --- interceptors

	@Test
	void interceptorsNestInTheirOrder() {
		List<String> order = new ArrayList<>();
		JobEngine engine = intercepted(named("m1", order), named("m2", order), named("m3", order));
		this.handler.then((payload, context) -> {
			order.add("h");
			return JobResult.done();
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(order).containsExactly("m1", "m2", "m3", "h", "m3 out", "m2 out", "m1 out");
	}

	@Test
	void interceptorThatDoesNotProceedDecidesTheResult() {
		List<String> order = new ArrayList<>();
		JobEngine engine = intercepted(named("m1", order), (context, next) -> JobResult.done(), named("m3", order));
		engine.client().enqueue("a");
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(this.handler.runs()).isZero();
		assertThat(order).containsExactly("m1", "m1 out");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void interceptorThatThrowsFailsTheAttempt() {
		JobEngine engine = intercepted((context, next) -> {
			throw new IOException("not now");
		});
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isZero();
		assertThat(job(id).state()).isEqualTo(JobState.SCHEDULED);
		assertThat(job(id).trail().failures()).isEqualTo(1);
		assertThat(job(id).trail().lastFailure()).isNotNull()
			.satisfies((attempt) -> assertThat(attempt.error()).isEqualTo("java.io.IOException: not now"));
	}

	@Test
	void interceptorMayTurnAFailureIntoAnotherResult() {
		JobEngine engine = intercepted((context, next) -> {
			try {
				return next.proceed();
			}
			catch (IllegalStateException ex) {
				return JobResult.discard().message("known: " + ex.getMessage());
			}
		});
		this.handler.thenFail("no");
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).trail().end()).isNotNull()
			.satisfies((end) -> assertThat(end.message()).isEqualTo("known: no"));
	}

	@Test
	void attributesAreSharedDuringARun() {
		List<Object> seen = new ArrayList<>();
		JobEngine engine = intercepted((context, next) -> {
			context.attributes().put("key", "value");
			return next.proceed();
		}, (context, next) -> {
			seen.add(context.attributes().getOrDefault("key", "none"));
			return next.proceed();
		});
		this.handler.then((payload, context) -> {
			seen.add(context.attributes().getOrDefault("key", "none"));
			return JobResult.done();
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(seen).containsExactly("value", "value");
	}

	@Test
	void nextRunOnTheSameThreadSeesNoAttributes() {
		List<Map<String, Object>> seen = new ArrayList<>();
		JobEngine engine = engine();
		this.handler.then((payload, context) -> {
			seen.add(Map.copyOf(context.attributes()));
			context.attributes().put("key", "value");
			return JobResult.done();
		});
		engine.client().enqueueAll(requests(2));
		engine.runUntilIdle();
		assertThat(seen).containsExactly(Map.of(), Map.of());
	}

	@Test
	void attributesOfAHundredParallelJobsNeverMix() {
		CyclicBarrier allRun = new CyclicBarrier(100);
		Map<String, Object> seen = new ConcurrentHashMap<>();
		this.handler.then((payload, context) -> {
			allRun.await(30, TimeUnit.SECONDS);
			seen.put(context.id(), context.attributes().getOrDefault("id", "none"));
			return JobResult.done();
		});
		JobEngine engine = start(
				builder().handler(this.handler.named("a")).concurrency(100).runInterceptors(List.of((context, next) -> {
					context.attributes().put("id", context.id());
					return next.proceed();
				})));
		List<String> ids = ids(engine.client().enqueueAll(requests(100)));
		await("all have run", () -> seen.size() == 100);
		assertThat(ids).allSatisfy((id) -> assertThat(seen).containsEntry(id, id));
	}

	// --- logging context

	@Test
	void loggingContextNamesTheJobDuringItsRun() {
		List<@Nullable String> seen = new ArrayList<>();
		JobEngine engine = build(builder().handler(this.handler.named("a").with(twiceAtOnce())));
		this.handler.then((payload, context) -> {
			seen.addAll(List.of(String.valueOf(MDC.get("job.id")), String.valueOf(MDC.get("job.name")),
					String.valueOf(MDC.get("job.attempt"))));
			assertThat(MDC.get("job.token")).isEqualTo(Long.toString(context.fencingToken()));
			throw new IllegalStateException("again");
		});
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(seen).containsExactly(id, "a", "1", id, "a", "2");
	}

	@Test
	void loggingContextIsCleanAfterARun() {
		JobEngine engine = engine();
		this.handler.thenFail("no");
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(List.of("job.id", "job.name", "job.attempt", "job.token"))
			.allSatisfy((key) -> assertThat(MDC.get(key)).isNull());
	}

	@Test
	void loggingContextOfAHandlerDoesNotReachTheNextJob() {
		List<String> seen = new CopyOnWriteArrayList<>();
		JobEngine engine = start(builder().concurrency(1).handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			seen.add(String.valueOf(MDC.get("mine")));
			MDC.put("mine", "left behind");
			return JobResult.done();
		});
		engine.client().enqueue("a");
		engine.client().enqueue("a");
		await("both runs", () -> seen.size() == 2);
		assertThat(seen).containsExactly("null", "null");
	}

	// --- what is seen of a run

	@Test
	void runningJobShowsItsWorkerItsStartAndItsProgress() {
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			this.clock.advance(Duration.ofMillis(5));
			context.checkIn("half way");
			context.progress(5, 10);
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a", "x").id();
		Job.Progress expected = Job.Progress.of("half way", 5, 10, START.plusMillis(5));
		await(() -> assertThat(job(id).run()).isNotNull().satisfies((run) -> {
			assertThat(run.progress()).isEqualTo(expected);
			assertThat(run.startedAt()).isEqualTo(START);
			assertThat(this.store.inspector().workers(START)).extracting(WorkerView::id).containsExactly(run.worker());
		}));
		assertThat(job(id).payload()).isEqualTo("\"x\"".getBytes(StandardCharsets.UTF_8));
	}

	/** A beat alone would show each after four seconds. */
	@Test
	void checkInIsSeenWithinOneAndAHalfSeconds() {
		List<Duration> seen = new CopyOnWriteArrayList<>();
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			for (int i = 0; i < 5; i++) {
				String text = "step " + i;
				context.checkIn(text);
				long reported = System.nanoTime();
				await("it is seen", () -> text.equals(checkIn(context.id())));
				seen.add(Duration.ofNanos(System.nanoTime() - reported));
			}
			return JobResult.done();
		});
		engine.client().enqueue("a");
		await("all were seen", () -> seen.size() == 5);
		assertThat(seen.stream().sorted().toList().get(2)).as("median of %s", seen).isLessThan(Duration.ofMillis(1500));
	}

	@Test
	void firstWorkerOfAnotherVersionIsNoted() {
		for (String version : List.of("1", "1", "2", "", "1")) {
			build(builder().settings(EngineSettings.defaults().withVersion(version))).runUntilIdle();
			this.clock.advance(Duration.ofMinutes(1));
		}
		assertThat(this.store.inspector().notes())
			.extracting((note) -> note.text().replaceAll("by \\S+:", "by a worker:"))
			.containsExactly("Worker: start by a worker: version 1", "Worker: start by a worker: version 2",
					"Worker: start by a worker: version 1");
	}

	@Test
	void workerShowsWhatItIs() {
		Instant before = InstantSource.system().instant().minusMillis(1);
		start(onTheSystemClock().settings(EngineSettings.defaults().withVersion("7")));
		await("the worker is seen", () -> this.store.inspector().workers(before).size() == 1);
		WorkerView worker = this.store.inspector().workers(before).get(0);
		assertThat(worker.id()).isNotBlank();
		assertThat(worker.lastBeat()).isBetween(before, InstantSource.system().instant());
		assertThat(worker.info()).isNotNull().satisfies((info) -> {
			assertThat(info.host()).isNotBlank();
			assertThat(info.pid()).isEqualTo(ProcessHandle.current().pid());
			assertThat(info.version()).isEqualTo("7");
			assertThat(info.startedAt()).isBetween(before, InstantSource.system().instant());
			assertThat(info.pools()).singleElement().satisfies((pool) -> {
				assertThat(pool.concurrency()).isEqualTo(3);
				assertThat(pool.queues()).containsExactly("a", "b");
			});
		});
	}

	/**
	 * The first beats may come at once, so only one that comes after a rest counts.
	 */
	@Test
	void beatOfAnIdleWorkerIsRenewedBeforeItIsFiveSecondsOld() {
		Instant before = InstantSource.system().instant();
		List<Instant> beats = new ArrayList<>();
		start(onTheSystemClock());
		await("a beat between one and five seconds after the former", () -> {
			this.store.inspector()
				.workers(before)
				.stream()
				.map(WorkerView::lastBeat)
				.filter((beat) -> !beats.contains(beat))
				.forEach(beats::add);
			int last = beats.size() - 1;
			return last > 0
					&& Duration.between(beats.get(last - 1), beats.get(last)).compareTo(Duration.ofSeconds(1)) > 0
					&& Duration.between(beats.get(last - 1), beats.get(last)).compareTo(Duration.ofSeconds(5)) <= 0;
		});
	}

	private JobEngineBuilder onTheSystemClock() {
		return new JobEngineBuilder(this.store).clock(InstantSource.system())
			.concurrency(3)
			.handler(this.handler.named("b"))
			.handler(this.handler.named("a"));
	}

	@Test
	void nextRunDoesNotShowTheProgressOfTheOneBefore() {
		JobEngine engine = start(builder().handler(this.handler.named("a").with(twiceAtOnce())));
		this.handler.then((payload, context) -> {
			if (context.attempt() == 1) {
				context.checkIn("first");
				await("it is seen", () -> checkIn(context.id()) != null);
				throw new IllegalStateException("again");
			}
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("the second run runs", () -> this.handler.runs() == 2);
		engine.wake();
		assertThat(checkIn(id)).isNull();
	}

	@Test
	void whatARunLogsIsShownWithinBounds() {
		JobEngine engine = start(builder().handler(this.handler.named("a").with(twiceAtOnce())));
		this.handler.then((payload, context) -> {
			if (context.attempt() == 2) {
				this.release.await();
				return JobResult.done();
			}
			engine.logged(context.id(), MDC.get("job.token"), "one\r\n\u001b[31mtwo");
			await("it is seen when the next beat comes", () -> {
				this.clock.advance(Duration.ofSeconds(5));
				return "one   [31mtwo".equals(log(context.id()));
			});
			for (int i = 0; i < 100; i++) {
				engine.logged(context.id(), MDC.get("job.token"), "line " + i);
			}
			context.checkIn("soon");
			await("the newest are seen", () -> Objects.requireNonNullElse(log(context.id()), "").endsWith("line 99"));
			assertThat(log(context.id())).startsWith("line 50\n").hasLineCount(50);
			throw new IllegalStateException("again");
		});
		String id = engine.client().enqueue("a").id();
		await("the second run runs", () -> this.handler.runs() == 2);
		assertThat(job(id).trail().attempts()).singleElement().satisfies((attempt) -> {
			assertThat(attempt.error()).endsWith("again");
			assertThat(attempt.log()).startsWith("line 50\n").endsWith("\nline 99").hasLineCount(50);
		});
		engine.logged("unknown", "1", "nobody's");
		assertThat(log(id)).isNull();
	}

	private @Nullable String log(String id) {
		Job.Run run = job(id).run();
		return (run != null && run.progress() != null) ? run.progress().log() : null;
	}

	@Test
	void checkInIsCut() {
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			context.checkIn("x".repeat(100_000));
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("it is seen", () -> checkIn(id) != null);
		assertThat(checkIn(id)).hasSize(1000);
	}

	@Test
	void latestCheckInWins() {
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			for (int i = 0; i <= 1000; i++) {
				context.checkIn("step " + i);
			}
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("the latest is seen", () -> "step 1000".equals(checkIn(id)));
	}

	private @Nullable String checkIn(String id) {
		Job.Run run = job(id).run();
		return (run != null && run.progress() != null) ? run.progress().checkIn() : null;
	}

	@Test
	void jobsBehindALostLeaseRunOnceElsewhere() {
		loseALease(false);
	}

	@Test
	void jobsBehindALostLeaseRunOnceElsewhereThoughBeatsWorkAgainBeforeTheSlowOneEnds() {
		loseALease(true);
	}

	/**
	 * Have a worker run one job, claim two more, and lose its lease and all three.
	 * @param back whether its beats work again before the one that it runs ends
	 */
	private void loseALease(boolean back) {
		AtomicBoolean cutOff = new AtomicBoolean();
		AtomicInteger beats = new AtomicInteger();
		AtomicInteger ends = new AtomicInteger();
		Duration lease = Duration.ofSeconds(1);
		JobStore cutOffLater = new GenerousStore(this.store, 3) {

			@Override
			public BeatReply beat(WorkerBeat beat) {
				if (cutOff.get()) {
					throw new JobStoreException("out of reach", null, true);
				}
				BeatReply reply = super.beat(beat);
				beats.incrementAndGet();
				return reply;
			}

			@Override
			public List<Settled> settle(List<Transition> transitions, Instant now) {
				List<Settled> settled = super.settle(transitions, now);
				ends.addAndGet(transitions.size());
				return settled;
			}

		};
		List<String> started = new CopyOnWriteArrayList<>();
		JobEngine lost = build(new JobEngineBuilder(cutOffLater).clock(this.clock)
			.settings(EngineSettings.defaults().withLease(lease, lease.dividedBy(5)))
			.concurrency(1)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
				started.add(context.job().id());
				this.release.await();
				return JobResult.done();
			})));
		List<String> ids = ids(lost.client().enqueueAll(requests(3)));
		lost.start();
		await("the first runs and the others wait behind it", () -> started.size() == 1 && queue("a").running() == 3);
		cutOff.set(true);
		long cutOffAt = System.nanoTime();
		await("the lease's end", () -> System.nanoTime() - cutOffAt > lease.toNanos());
		this.clock.advance(Duration.ofMinutes(1));
		engine().runUntilIdle();
		if (back) {
			int before = beats.get();
			cutOff.set(false);
			await("beats again", () -> beats.get() > before + 1);
		}
		this.release.countDown();
		List<String> expected = new ArrayList<>(List.of(ids.get(0)));
		if (back) {
			// It waits behind those that were lost.
			expected.add(lost.client().enqueue("a").id());
			await("a job that is not lost", () -> started.contains(expected.get(1)) && jobs().isEmpty());
		}
		else {
			await("the lost worker writes the three ends", () -> ends.get() == 3);
		}
		await("the lost worker is idle", () -> lost.status().busy() == 0);
		assertThat(started).isEqualTo(expected);
		assertThat(this.handler.ids()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(jobs()).isEmpty();
	}

	/** Nothing wakes the engine: it has to look again by itself. */
	@Test
	void jobsBehindASlowOneAreGivenBackForOthersToRun() {
		this.handler.then((payload, context) -> JobResult.done());
		CountDownLatch begun = new CountDownLatch(1);
		JobEngine slow = build(new JobEngineBuilder(new GenerousStore(this.store, 20))
			.settings(EngineSettings.defaults().withPoll(Duration.ofHours(1)))
			.concurrency(1)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
				begun.countDown();
				this.release.await();
				return JobResult.done();
			})));
		List<String> ids = ids(slow.client().enqueueAll(requests(20)));
		slow.start();
		await("one runs and the others are given back", () -> begun.getCount() == 0 && queue("a").running() == 1);
		build(new JobEngineBuilder(this.store).handler(this.handler.named("a"))).runUntilIdle();
		assertThat(this.handler.ids()).containsExactlyInAnyOrderElementsOf(ids.subList(1, 20));
	}

	// --- events

	@Test
	@ExpectsFaults("Listener")
	void listenerThatThrowsHarmsNobody() {
		JobListener broken = (event) -> {
			throw new StackOverflowError();
		};
		JobListener worse = (event) -> {
			throw new ThrowingMessageException();
		};
		JobEngine engine = build(
				builder().handler(this.handler.named("a")).listeners(List.of(broken, worse, this.events::add)));
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(jobs()).isEmpty();
		assertThat(this.events).satisfiesExactly((event) -> assertThat(event).isInstanceOf(JobEvent.Accepted.class),
				(event) -> assertThat(event).isInstanceOf(JobEvent.Started.class),
				(event) -> assertThat(event).isInstanceOf(JobEvent.Succeeded.class));
	}

	@Test
	void acceptedJobIsPublished() {
		JobEngine engine = listening();
		Enqueued enqueued = engine.client().enqueue("a", "x", (options) -> options.delay(Duration.ofSeconds(1)));
		JobEvent.Accepted event = only(JobEvent.Accepted.class);
		assertThat(event.outcome()).isEqualTo(Outcome.NEW);
		assertThat(event.at()).isEqualTo(START);
		assertThat(event.name()).isEqualTo("a");
		assertThat(event.job()).usingRecursiveComparison().isEqualTo(job(enqueued.id()));
	}

	@Test
	void replacementIsPublishedAsAcceptedWithItsOwner() {
		JobEngine engine = listening();
		Consumer<EnqueueOptions.Builder> replacing = (set) -> set.unique("key",
				(rule) -> rule.onDuplicate(Unique.OnDuplicate.REPLACE));
		Enqueued owner = engine.client().enqueue("a", 1, replacing);
		this.events.clear();
		engine.client().enqueue("a", 2, replacing);
		JobEvent.Accepted event = only(JobEvent.Accepted.class);
		assertThat(event.outcome()).isEqualTo(Outcome.REPLACED);
		assertThat(event.job().id()).isEqualTo(owner.id());
	}

	@Test
	void duplicateIsNotPublished() {
		JobEngine engine = listening();
		engine.client().enqueue("a", 1, (options) -> options.unique(Unique.byPayload()));
		this.events.clear();
		engine.client().enqueue("a", 1, (options) -> options.unique(Unique.byPayload()));
		assertThat(this.events).isEmpty();
	}

	@Test
	void rejectedJobIsPublished() {
		JobEngine engine = listening(builder().rule("a", EnqueueOptions.of((set) -> set.maxWaiting(1))));
		engine.client().enqueue("a");
		engine.client().tryEnqueue(JobRequest.named("a"));
		JobEvent.Rejected event = only(JobEvent.Rejected.class);
		assertThat(event.name()).isEqualTo("a");
		assertThat(event.at()).isEqualTo(START);
	}

	@Test
	void startAndSuccessArePublished() {
		JobEngine engine = listening();
		this.handler.then((payload, context) -> {
			this.clock.advance(Duration.ofSeconds(2));
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		JobEvent.Started started = only(JobEvent.Started.class);
		assertThat(started.job().id()).isEqualTo(id);
		assertThat(started.job().state()).isEqualTo(JobState.RUNNING);
		assertThat(started.at()).isEqualTo(START);
		JobEvent.Succeeded succeeded = only(JobEvent.Succeeded.class);
		assertThat(succeeded.job().id()).isEqualTo(id);
		assertThat(succeeded.at()).isEqualTo(START.plusSeconds(2));
		assertThat(succeeded.took()).isPositive();
	}

	@Test
	void retryIsPublishedWithItsCauseAndDueTime() {
		JobEngine engine = listening();
		this.handler.thenReturn(JobResult.retryIn(Duration.ofSeconds(9)).message("not yet"));
		engine.client().enqueue("a");
		engine.runUntilIdle();
		JobEvent.Retrying event = only(JobEvent.Retrying.class);
		assertThat(event.error()).isEqualTo("not yet");
		assertThat(event.cause()).isNull();
		assertThat(event.dueAt()).isEqualTo(START.plusSeconds(9));
		assertThat(event.job().trail().failures()).isEqualTo(1);
	}

	@Test
	void retryWithoutAMessageSaysWhoAskedForIt() {
		JobEngine engine = listening();
		this.handler.thenReturn(JobResult.retry());
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(only(JobEvent.Retrying.class).error()).isEqualTo("the handler asked for a retry");
	}

	@Test
	void retryBeforeNowIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> JobResult.retryIn(Duration.ofSeconds(-5)))
			.withMessage("'delay' must not be negative but was PT-5S");
	}

	@Test
	@SuppressWarnings("NullAway")
	void resultOfNullIsDone() {
		JobEngine engine = listening(builder(), HandlerOptions.defaults());
		this.handler.thenReturn(null);
		engine.client().enqueue("a");
		engine.runUntilIdle();
		only(JobEvent.Succeeded.class);
	}

	/** As each mock does. */
	@Test
	void interceptorThatReturnsNullFailsTheAttemptAndIsNamed() {
		JobEngine engine = listening(builder().runInterceptors(List.of(new SilentInterceptor())));
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(only(JobEvent.Retrying.class).error())
			.contains("The RunInterceptor " + SilentInterceptor.class.getName() + " returned null");
	}

	@Test
	void postponementIsPublished() {
		JobEngine engine = listening();
		this.handler.thenReturn(JobResult.snooze(Duration.ofSeconds(9)));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		JobEvent.Postponed event = only(JobEvent.Postponed.class);
		assertThat(event.dueAt()).isEqualTo(START.plusSeconds(9));
		assertThat(event.job().id()).isEqualTo(id);
	}

	@Test
	void deathIsPublishedOnceWithTheJobAndItsLastError() {
		JobEngine engine = listening(builder(), twiceAtOnce());
		this.handler.thenFail("the last straw");
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		engine.runUntilIdle();
		JobEvent.Died event = only(JobEvent.Died.class);
		assertThat(event.reason()).isEqualTo(DeadReason.EXHAUSTED);
		assertThat(event.error()).isEqualTo("java.lang.IllegalStateException: the last straw");
		assertThat(event.cause()).hasMessage("the last straw");
		assertThat(event.kept()).isTrue();
		assertThat(event.job().id()).isEqualTo(id);
		assertThat(event.job().trail()).isEqualTo(job(id).trail());
	}

	@Test
	void deathOfADroppedJobIsPublished() {
		JobEngine engine = listening(builder(), HandlerOptions
			.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(1).keepDead(false)))));
		this.handler.thenFail("no");
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(only(JobEvent.Died.class).kept()).isFalse();
	}

	@Test
	void deathOfAnUnreadableJobIsPublished() {
		JobEngine engine = build(builder().handler(HandlerDefinition.of("a", Point.class, this::never))
			.listeners(List.of(this.events::add)));
		engine.client().enqueue("a", "[]".getBytes(StandardCharsets.UTF_8));
		engine.runUntilIdle();
		assertThat(only(JobEvent.Died.class).reason()).isEqualTo(DeadReason.UNREADABLE);
	}

	@Test
	void cancellationOfARunningJobIsPublished() {
		JobEngine engine = listening();
		engine.start();
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("it runs", () -> this.handler.runs() == 1);
		assertThat(engine.client().cancel(id)).isTrue();
		await("its end is published", () -> published(JobEvent.Cancelled.class) > 0);
		assertThat(only(JobEvent.Cancelled.class).job().id()).isEqualTo(id);
	}

	@Test
	void releaseOfAJobWhoseWorkerStopsIsPublished() {
		JobEngine engine = listening();
		engine.start();
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		await("it runs", () -> this.handler.runs() == 1);
		engine.stop(Duration.ZERO);
		assertThat(only(JobEvent.Released.class).job().id()).isEqualTo(id);
	}

	@Test
	void rescueIsPublishedByTheRescuerAndTheLossByTheLateOne() {
		List<JobEvent> later = Collections.synchronizedList(new ArrayList<>());
		RecordingHandler other = new RecordingHandler();
		JobEngine rescuer = build(builder().handler(other.named("a")).listeners(List.of(later::add)));
		JobEngine late = listening();
		this.handler.then((payload, context) -> {
			this.clock.advance(Duration.ofMinutes(1));
			rescuer.runUntilIdle();
			return JobResult.done();
		});
		String id = late.client().enqueue("a").id();
		late.runUntilIdle();
		assertThat(later).filteredOn(JobEvent.Rescued.class::isInstance)
			.singleElement()
			.satisfies((event) -> assertThat(((JobEvent.Rescued) event).job().trail().abandonments()).isEqualTo(1));
		assertThat(only(JobEvent.LeaseLost.class).job().id()).isEqualTo(id);
		assertThat(published(JobEvent.Succeeded.class)).isZero();
		assertThat(other.ids()).containsExactly(id);
	}

	@Test
	void tickIsPublished() {
		JobEngine engine = listening(builder()
			.recurringJob(RecurringJob.of("every", Schedule.parse("@every 10s"), "a").withMisfire(Misfire.skip())));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		engine.runUntilIdle();
		JobEvent.Ticked event = only(JobEvent.Ticked.class);
		assertThat(event.schedule()).isEqualTo("every");
		assertThat(event.tick()).isEqualTo(START.plusSeconds(10));
		assertThat(event.job().id()).isEqualTo(this.handler.ids().get(0));
	}

	// --- help

	private JobEngine engine() {
		return engine(EngineSettings.defaults());
	}

	private JobEngine engine(EngineSettings settings) {
		return build(builder().handler(this.handler.named("a")).settings(settings));
	}

	private JobEngine intercepted(RunInterceptor... interceptors) {
		return build(builder().handler(this.handler.named("a")).runInterceptors(List.of(interceptors)));
	}

	private static RunInterceptor named(String name, List<String> order) {
		return (context, next) -> {
			order.add(name);
			JobResult result = next.proceed();
			order.add(name + " out");
			return result;
		};
	}

	private static final class SilentInterceptor implements RunInterceptor {

		@Override
		@SuppressWarnings("NullAway")
		public JobResult around(JobContext context, Next next) {
			return null;
		}

	}

	private JobEngine listening() {
		return listening(builder());
	}

	private JobEngine listening(JobEngineBuilder builder) {
		return listening(builder, HandlerOptions.defaults());
	}

	private JobEngine listening(JobEngineBuilder builder, HandlerOptions options) {
		return build(builder.handler(this.handler.named("a").with(options)).listeners(List.of(this.events::add)));
	}

	private <E extends JobEvent> E only(Class<E> type) {
		List<E> found = List.copyOf(this.events).stream().filter(type::isInstance).map(type::cast).toList();
		assertThat(found).hasSize(1);
		return found.get(0);
	}

	private long published(Class<? extends JobEvent> type) {
		return List.copyOf(this.events).stream().filter(type::isInstance).count();
	}

	private static EngineSettings stranding(Duration age) {
		return EngineSettings.defaults().withRetention(new Retention(null, 0, null, 0, age));
	}

	private static HandlerOptions twiceAtOnce() {
		return HandlerOptions.of((set) -> set
			.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO)))));
	}

	private JobResult never(Point payload, dev.jobs.JobContext context) {
		throw new AssertionError("A payload that cannot be read reached the handler");
	}

	private static List<JobRequest> requests(int count) {
		return IntStream.range(0, count).mapToObj((i) -> JobRequest.named("a").payload(i)).toList();
	}

	private static List<String> ids(List<Enqueued> enqueued) {
		return enqueued.stream().map(Enqueued::id).toList();
	}

	private record Point(int x, int y) {

	}

	enum Fault {

		UNCHECKED("java.lang.IllegalStateException: no"), CHECKED("java.io.IOException: disk"),
		NO_MESSAGE("java.lang.IllegalArgumentException"), STACK_OVERFLOW("java.lang.StackOverflowError"),
		NO_CLASS("java.lang.NoClassDefFoundError: some/Type"), OUT_OF_MEMORY("java.lang.OutOfMemoryError: fake"),
		INTERRUPTED("java.lang.InterruptedException: by itself"), CYCLE("java.lang.IllegalStateException: outer"),
		WITHOUT_A_MESSAGE("dev.jobs.store.contract.engine.RunSuite$ThrowingMessageException");

		private final String error;

		Fault(String error) {
			this.error = error;
		}

		JobResult raise() throws Exception {
			switch (this) {
				case UNCHECKED -> throw new IllegalStateException("no");
				case CHECKED -> throw new IOException("disk");
				case NO_MESSAGE -> throw new IllegalArgumentException();
				case STACK_OVERFLOW -> {
					return raise();
				}
				case NO_CLASS -> throw new NoClassDefFoundError("some/Type");
				case OUT_OF_MEMORY -> throw new OutOfMemoryError("fake");
				case INTERRUPTED -> throw new InterruptedException("by itself");
				case CYCLE -> {
					IllegalStateException outer = new IllegalStateException("outer");
					outer.initCause(new IllegalStateException("inner", outer));
					throw outer;
				}
				case WITHOUT_A_MESSAGE -> throw new ThrowingMessageException();
			}
			return JobResult.done();
		}

	}

	/**
	 * An exception that cannot say what it is.
	 */
	private static final class ThrowingMessageException extends RuntimeException {

		@Override
		public String getMessage() {
			throw new IllegalStateException("do not ask");
		}

	}

	// --- statistics

	@Test
	void statisticsCountWhatHappenedOnceThoughAReplyGotLost() {
		AtomicInteger reports = new AtomicInteger();
		JobStore losing = new ForwardingStore(this.store) {

			@Override
			public BeatReply beat(WorkerBeat beat) {
				BeatReply reply = super.beat(beat);
				if (!beat.report().tallies().isEmpty() && reports.getAndIncrement() == 0) {
					throw new JobStoreException("The reply got lost", null, true);
				}
				return reply;
			}

		};
		this.handler.then((payload, context) -> {
			context.checkIn("so that a beat is sent soon");
			if ("fails".equals(payload)) {
				throw new IllegalStateException("no");
			}
			return JobResult.done();
		});
		JobEngine engine = start(new JobEngineBuilder(losing).clock(this.clock).handler(this.handler.named("a")));
		engine.client().enqueue("a", "works");
		engine.client().enqueue("a", "fails");
		await("what a lost reply was for is reported again", () -> reports.get() > 1 && this.handler.runs() == 2);
		engine.stop(Duration.ofSeconds(10));
		Period minute = new Period(START, START.plusSeconds(60), Duration.ofMinutes(1));
		assertThat(this.store.inspector().statistics(Set.of("a"), minute)).singleElement().satisfies((tally) -> {
			assertThat(tally.enqueued()).isEqualTo(2);
			assertThat(tally.succeeded()).isEqualTo(1);
			assertThat(tally.retried()).isEqualTo(1);
			assertThat(tally.dead()).isZero();
			assertThat(tally.waited().total()).isEqualTo(2);
			assertThat(tally.ran().total()).isEqualTo(2);
		});
	}

}
