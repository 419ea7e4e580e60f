package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobLane;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.LaneStatus;
import dev.jobs.OnExpiry;
import dev.jobs.QueueSettings;
import dev.jobs.Rate;
import dev.jobs.RetryPolicy;
import dev.jobs.WaitReason;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.operations.QueueOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.StoreListener;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WaitReasonView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about limits and pauses of a name.
 */
public abstract class LimitSuite extends EngineSuite {

	private final RecordingHandler handler = new RecordingHandler();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger peak = new AtomicInteger();

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void releaseHandlers() {
		this.release.countDown();
	}

	// --- limits

	@Test
	void limitHoldsAcrossEnginesAndIsUsedUp() {
		runInCompany(3);
		List<JobEngine> engines = List.of(limited(3, 0, 10), limited(3, 0, 10));
		engines.get(0).client().enqueueAll(requests(100));
		engines.forEach(JobEngine::start);
		AtomicInteger shown = new AtomicInteger();
		await("all have run", () -> {
			shown.accumulateAndGet((int) queue("a").running(), Math::max);
			return jobs().isEmpty();
		});
		assertThat(this.handler.runs()).isEqualTo(100);
		assertThat(this.peak).hasValue(3);
		assertThat(shown).hasValueLessThanOrEqualTo(3);
	}

	@Test
	void limitRefusesNoEnqueue() {
		JobEngine engine = limited(1, 0, 10);
		assertThat(engine.client().enqueueAll(requests(100))).allMatch(Enqueued::isNew);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitReasonIsTheLimitOfTheHandlerOnceItIsReached(boolean local) {
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			this.release.await();
			return JobResult.done();
		});
		JobEngine engine = local ? limited(0, 3, 10) : limited(3, 0, 10);
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(4));
		engine.start();
		await("as many run as may", () -> this.running.get() == 3);
		await("the last one is held up by the limit", () -> {
			Instant now = this.clock.instant();
			return WaitReasonView.of(job(enqueued.get(3).id()), this.store.inspector(), now)
				.equals(new WaitReasonView(WaitReason.Kind.LIMIT_REACHED, 3, null));
		});
	}

	@Test
	void limitOfOneNameDoesNotSlowAnother() {
		RecordingHandler other = new RecordingHandler();
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		JobEngine engine = start(
				builder().handler(this.handler.named("a").with(limit(1))).handler(other.named("b")).concurrency(2));
		engine.client().enqueueAll(requests(50));
		engine.client().enqueueAll(IntStream.range(0, 50).mapToObj((i) -> JobRequest.named("b").payload(i)).toList());
		await("the others have run", () -> other.runs() == 50);
		assertThat(this.handler.runs()).isEqualTo(1);
	}

	@Test
	void runningCountIsThatOfTheRunningJobsWheneverItIsLookedAt() {
		JobEngine engine = build(builder().handler(this.handler.named("a")
			.with(limit(3).with((set) -> set
				.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO))))))));
		List<Long> counts = new ArrayList<>();
		this.handler.then((payload, context) -> {
			long count = queue("a").running();
			assertThat(jobs(JobState.RUNNING)).hasSize((int) count);
			counts.add(count);
			return switch (Integer.parseInt(String.valueOf(payload)) % 4) {
				case 0 -> JobResult.done();
				case 1 -> JobResult.snooze(Duration.ofMinutes(1));
				case 2 -> JobResult.discard().message("dies");
				default -> throw new IllegalStateException("fails");
			};
		});
		engine.client().enqueueAll(requests(100));
		engine.runUntilIdle();
		assertThat(counts).hasSize(125).allMatch((count) -> count >= 1 && count <= 3);
		assertThat(queue("a").running()).isZero();
		assertThat(jobs(JobState.DEAD)).hasSize(50);
	}

	@Test
	void limitIsFreeAgainOnceTheJobOfAVanishedHolderIsTakenOver() {
		RecordingHandler elsewhere = new RecordingHandler();
		JobEngine rescuer = build(builder().handler(elsewhere.named("a").with(limit(1))));
		JobEngine late = limited(1, 0, 10);
		this.handler.then((payload, context) -> {
			this.clock.advance(Duration.ofMinutes(1));
			assertThat(rescuer.runUntilIdle()).isEqualTo(3);
			return JobResult.done();
		});
		List<String> ids = late.client().enqueueAll(requests(3)).stream().map(Enqueued::id).toList();
		assertThat(late.runUntilIdle()).isEqualTo(1);
		assertThat(elsewhere.ids()).containsExactlyElementsOf(ids);
		assertThat(queue("a").running()).isZero();
	}

	@Test
	void localLimitHoldsWithinAnEngineAndIsUsedUp() {
		runInCompany(2);
		JobEngine engine = limited(0, 2, 10);
		engine.client().enqueueAll(requests(50));
		engine.start();
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.peak).hasValue(2);
	}

	@Test
	void localLimitsOfTwoEnginesAddUp() {
		runInCompany(4);
		List<JobEngine> engines = List.of(limited(0, 2, 10), limited(0, 2, 10));
		engines.get(0).client().enqueueAll(requests(50));
		engines.forEach(JobEngine::start);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.peak).hasValue(4);
	}

	@Test
	void localLimitIsSharedByTheFormerNamesOfAHandler() {
		JobEngine engine = build(builder().handler(this.handler.named("a")
			.withAliases("former")
			.with(HandlerOptions.of((set) -> set.localConcurrency(2)))));
		List<Long> held = new ArrayList<>();
		this.handler.then((payload, context) -> {
			held.add(queue("a").running() + queue("former").running());
			return JobResult.done();
		});
		engine.client().enqueueAll(requests(20));
		engine.client()
			.enqueueAll(IntStream.range(0, 20).mapToObj((i) -> JobRequest.named("former").payload(i)).toList());
		assertThat(engine.runUntilIdle()).isEqualTo(40);
		assertThat(Collections.max(held)).isEqualTo(2);
	}

	@Test
	void localLimitStarvesNoneOfTheNamesOfAHandler() {
		JobEngine engine = build(builder().handler(this.handler.named("a")
			.withAliases("former")
			.with(HandlerOptions.of((set) -> set.localConcurrency(1)))));
		engine.client().enqueueAll(requests(200));
		engine.client()
			.enqueueAll(IntStream.range(0, 200).mapToObj((i) -> JobRequest.named("former").payload(i)).toList());
		engine.runUntilIdle();
		assertThat(this.handler.jobs().subList(0, 200)).extracting(Job::name).contains("a", "former");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, Integer.MIN_VALUE })
	void limitBelowZeroIsRefused(int limit) {
		assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.maxConcurrency(limit)));
		assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.localConcurrency(limit)));
	}

	// --- change of a limit

	@Test
	void storedLimitReplacesALooserOneOfTheHandler() {
		assertThat(mostShownWith(1)).isEqualTo(1);
	}

	@Test
	void storedLimitReplacesATighterOneOfTheHandler() {
		assertThat(mostShownWith(7)).isEqualTo(7);
	}

	@Test
	void storedLimitOfZeroIsNone() {
		assertThat(mostShownWith(0)).isEqualTo(10);
	}

	@Test
	void limitOfTheHandlerCountsAgainOnceTheStoredOneIsTakenBack() {
		change(new Change.Limit("a", 1));
		assertThat(mostShownWith(-1)).isEqualTo(3);
	}

	private long mostShownWith(int storedLimit) {
		change(new Change.Limit("a", storedLimit));
		JobEngine engine = limited(3, 0, 10);
		List<Long> shown = new ArrayList<>();
		this.handler.then((payload, context) -> {
			shown.add(queue("a").running());
			return JobResult.done();
		});
		engine.client().enqueueAll(requests(40));
		assertThat(engine.runUntilIdle()).isEqualTo(40);
		return Collections.max(shown);
	}

	@Test
	void loosestOfTheLimitsOfAllEnginesBoundsAllAndIsShown() {
		holdUntilReleased();
		List<JobEngine> engines = List.of(limited(2, 0, 10), limited(4, 0, 10));
		engines.get(0).client().enqueueAll(requests(20));
		engines.forEach(JobEngine::start);
		await("as many run as the looser one lets", () -> this.running.get() == 4);
		await("the looser one is shown", () -> limitShown() == 4);
		this.release.countDown();
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.peak).hasValue(4);
	}

	@Test
	void engineStartsNothingWhileAsManyRunAsItsOwnHandlerLets() {
		holdUntilReleased();
		JobEngine loose = limited(4, 0, 2);
		loose.client().enqueueAll(requests(5));
		loose.start();
		await("both threads are busy", () -> this.running.get() == 2);
		JobEngine tight = build(builder().handler(new RecordingHandler().named("a").with(limit(2))));
		assertThat(tight.runUntilIdle()).isZero();
	}

	@Test
	void storedLimitCountsForAllEnginesWhateverTheirHandlersSay() {
		holdUntilReleased();
		change(new Change.Limit("a", 3));
		List<JobEngine> engines = List.of(limited(1, 0, 10), limited(2, 0, 10));
		engines.get(0).client().enqueueAll(requests(20));
		engines.forEach(JobEngine::start);
		await("as many run as the stored one lets", () -> this.running.get() == 3);
		assertThat(limitShown()).isEqualTo(3);
		this.release.countDown();
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.peak).hasValue(3);
	}

	private long limitShown() {
		return queue("a").limitAmong(this.store.inspector().workers(this.clock.instant()));
	}

	private void holdUntilReleased() {
		this.handler.then((payload, context) -> {
			this.peak.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			this.release.await();
			this.running.decrementAndGet();
			return JobResult.done();
		});
	}

	@Test
	void loweredLimitStartsNothingUntilEnoughHaveEnded() {
		Semaphore ends = new Semaphore(0);
		List<Integer> found = Collections.synchronizedList(new ArrayList<>());
		this.handler.then((payload, context) -> {
			found.add(this.running.incrementAndGet());
			try {
				ends.acquire();
				return JobResult.done();
			}
			finally {
				this.running.decrementAndGet();
			}
		});
		JobEngine engine = limited(3, 0, 10);
		engine.client().enqueueAll(requests(10));
		engine.start();
		await("three run", () -> this.running.get() == 3);
		change(new Change.Limit("a", 1));
		ends.release(10);
		await("all have run", () -> jobs().isEmpty());
		assertThat(found.subList(0, 3)).containsExactlyInAnyOrder(1, 2, 3);
		assertThat(found.subList(3, 10)).containsOnly(1);
	}

	@Test
	void loweredLimitStartsNothingThatWaitsInLine() {
		Semaphore ends = new Semaphore(0);
		this.handler.then((payload, context) -> {
			this.peak.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			ends.acquire();
			this.running.decrementAndGet();
			return JobResult.done();
		});
		JobEngine engine = build(new JobEngineBuilder(new GenerousStore(this.store, 20)).clock(this.clock)
			.concurrency(4)
			.handler(this.handler.named("a")));
		engine.client().enqueueAll(requests(20));
		engine.start();
		await("four run and the others wait behind them", () -> this.running.get() == 4 && queue("a").running() == 20);
		engine.operations().queue("a").limit(1);
		await("only the four are held", () -> queue("a").running() == 4);
		ends.release(3);
		await("one runs", () -> queue("a").running() == 1);
		this.peak.set(0);
		ends.release(17);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.peak).hasValue(1);
		assertThat(this.handler.runs()).isEqualTo(20);
	}

	@Test
	void raisedLimitStartsMoreAtOnce() {
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			this.release.await();
			return JobResult.done();
		});
		JobEngine engine = limited(1, 0, 10);
		engine.client().enqueueAll(requests(10));
		engine.start();
		await("one runs", () -> this.running.get() == 1);
		change(new Change.Limit("a", 5));
		await("five run", () -> this.running.get() == 5);
		assertThat(queue("a").running()).isEqualTo(5);
	}

	// --- pause

	@Test
	void pausedQueueStartsNothingMoreWhileWhatRunsContinues() {
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		List<JobEngine> engines = List.of(limited(0, 0, 1), limited(0, 0, 1));
		engines.forEach(JobEngine::start);
		JobEngine engine = engines.get(0);
		engine.client().enqueueAll(requests(20));
		await("two run", () -> this.handler.runs() == 2);
		engine.operations().queue("a").pause();
		await("only these are held", () -> queue("a").running() == 2);
		this.release.countDown();
		await("these have ended", () -> queue("a").running() == 0);
		assertThat(this.handler.runs()).isEqualTo(2);
		assertThat(queue("a").ready()).isEqualTo(18);
	}

	@Test
	void pausedQueueStartsNothingThatWaitsInLine() {
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		JobEngine engine = build(new JobEngineBuilder(new GenerousStore(this.store, 20)).clock(this.clock)
			.concurrency(1)
			.handler(this.handler.named("a")));
		engine.client().enqueueAll(requests(20));
		engine.start();
		await("one runs and the others wait behind it", () -> this.handler.runs() == 1 && queue("a").running() == 20);
		engine.operations().queue("a").pause();
		await("only the one is held", () -> queue("a").running() == 1);
		this.release.countDown();
		await("it has ended", () -> queue("a").running() == 0);
		assertThat(this.handler.runs()).isEqualTo(1);
		assertThat(queue("a").ready()).isEqualTo(19);
	}

	@Test
	void claimUnderWayWhileItsQueueIsPausedStartsNothing() {
		JobEngine other = limited(0, 0, 1);
		Semaphore signalled = new Semaphore(0);
		AtomicBoolean armed = new AtomicBoolean();
		JobStore slow = new ForwardingStore(this.store) {

			@Override
			public ClaimReply claim(ClaimRequest request) {
				ClaimReply reply = super.claim(request);
				if (!reply.claims().isEmpty() && armed.compareAndSet(true, false)) {
					other.operations().queue("a").pause();
					await("the pause is signalled", signalled::tryAcquire);
				}
				return reply;
			}

		};
		JobEngine engine = build(new JobEngineBuilder(slow).clock(this.clock).handler(this.handler.named("a")));
		engine.start();
		try (JobStore.Subscription subscription = this.store.listen(new StoreListener() {

			@Override
			public void restricted(String queue) {
				signalled.release();
			}

		})) {
			armed.set(true);
			other.client().enqueueAll(requests(20));
			await("the claim is over", () -> queue("a").paused() && !armed.get() && queue("a").running() == 0);
		}
		assertThat(queue("a").ready()).isEqualTo(20);
		assertThat(this.handler.runs()).isZero();
	}

	@Test
	void pausedQueueTakesEnqueues() {
		JobEngine engine = limited(0, 0, 10);
		engine.operations().queue("a").pause();
		assertThat(engine.client().enqueue("a").isNew()).isTrue();
		assertThat(engine.runUntilIdle()).isZero();
	}

	@Test
	void pauseIsShown() {
		JobEngine engine = limited(0, 0, 10);
		engine.client().enqueue("a");
		assertThat(queue("a").paused()).isFalse();
		engine.operations().by("ada").queue("a").pause();
		assertThat(queue("a").paused()).isTrue();
		assertThat(queue("a").settings().paused()).isEqualTo(new Value<>(true, this.clock.instant(), "ada"));
	}

	@Test
	void pauseOutlivesTheEngineThatSawIt() {
		JobEngine engine = limited(0, 0, 10);
		engine.operations().queue("a").pause();
		engine.client().enqueue("a");
		engine.start();
		engine.stopNow();
		assertThat(limited(0, 0, 10).runUntilIdle()).isZero();
	}

	/**
	 * The engine polls once an hour, and the clock stands still, so that it looks again
	 * only if the resume wakes it.
	 */
	@Test
	void resumedQueueStartsAtOnce() {
		AtomicInteger looks = new AtomicInteger();
		JobStore counting = new ForwardingStore(this.store) {

			@Override
			public ClaimReply claim(ClaimRequest request) {
				ClaimReply reply = super.claim(request);
				looks.incrementAndGet();
				return reply;
			}

		};
		JobEngine engine = build(new JobEngineBuilder(counting).clock(this.clock)
			.settings(EngineSettings.defaults().withPoll(Duration.ofHours(1)))
			.handler(this.handler.named("a"))
			.concurrency(10));
		engine.operations().queue("a").pause();
		engine.client().enqueueAll(requests(20));
		engine.start();
		await("the engine has looked and rests", () -> looks.get() > 0 && claimerRests());
		assertThat(this.handler.runs()).isZero();
		engine.operations().queue("a").resume();
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.handler.runs()).isEqualTo(20);
	}

	/**
	 * Return whether the loop that claims rests, and not only waits for a reply.
	 */
	private static boolean claimerRests() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("jobs-claim-default"))
			.allMatch((thread) -> LockSupport.getBlocker(thread) instanceof PollLoop);
	}

	@Test
	void pauseOfOneNameLeavesTheOthers() {
		JobEngine engine = build(builder().handler(this.handler.named("a")).handler(this.handler.named("b")));
		engine.operations().queue("a").pause();
		engine.client().enqueue("a");
		String other = engine.client().enqueue("b").id();
		engine.runUntilIdle();
		assertThat(this.handler.ids()).containsExactly(other);
	}

	@Test
	void pausingAndResumingTwiceIsAsOnce() {
		JobEngine engine = limited(0, 0, 10);
		engine.client().enqueue("a");
		engine.operations().queue("a").pause();
		engine.operations().queue("a").pause();
		engine.operations().queue("a").resume();
		engine.operations().queue("a").resume();
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void pausedQueueMakesNoDueJobRun() {
		JobEngine engine = limited(0, 0, 10);
		engine.client().enqueue("a", (options) -> options.delay(Duration.ofSeconds(5)));
		engine.operations().queue("a").pause();
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(engine.runUntilIdle()).isZero();
		engine.operations().queue("a").resume();
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	// --- lanes

	@Test
	void limitOfALaneHoldsAcrossEnginesAndIsUsedUp() {
		Map<String, AtomicInteger> inLane = new ConcurrentHashMap<>();
		CountDownLatch complete = new CountDownLatch(4);
		this.handler.then((payload, context) -> {
			AtomicInteger ofLane = inLane.computeIfAbsent(String.valueOf(context.job().lane()),
					(lane) -> new AtomicInteger());
			this.peak.accumulateAndGet(ofLane.incrementAndGet(), Math::max);
			complete.countDown();
			complete.await();
			ofLane.decrementAndGet();
			return JobResult.done();
		});
		List<JobEngine> engines = List.of(laned(this.handler, 2), laned(this.handler, 2));
		IntStream.range(0, 100).forEach((i) -> enqueueIn(engines.get(0), "lane-" + i % 2));
		engines.forEach(JobEngine::start);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.handler.runs()).isEqualTo(100);
		assertThat(this.peak).hasValue(2);
	}

	@Test
	void laneThatIsFullStartsItsNextJobAsSoonAsOneEnds() {
		JobEngine engine = build(builder().settings(EngineSettings.defaults().withPoll(Duration.ofHours(1)))
			.handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.laneConcurrency(1))))
			.concurrency(10));
		IntStream.range(0, 30).forEach((i) -> enqueueIn(engine, "lane"));
		engine.start();
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.handler.runs()).isEqualTo(30);
	}

	@Test
	void noMoreJobsOfALaneAreClaimedThanMayRun() {
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			this.release.await();
			return JobResult.done();
		});
		JobEngine engine = laned(this.handler, 1);
		List<String> ids = IntStream.range(0, 5).mapToObj((i) -> enqueueIn(engine, "lane")).toList();
		engine.start();
		await("one runs", () -> this.running.get() == 1);
		await("the last one is held up by its lane",
				() -> WaitReasonView.of(job(ids.get(4)), this.store.inspector(), this.clock.instant())
					.equals(new WaitReasonView(WaitReason.Kind.LANE_FULL, 1, null)));
		assertThat(queue("a").running()).isEqualTo(1);
	}

	@Test
	void quietLaneRunsWithinOneRoundWhateverTheBacklogOfAnother() {
		JobEngine engine = build(builder().handler(this.handler.named("a")).concurrency(4));
		IntStream.range(0, 500).forEach((i) -> enqueueIn(engine, "noisy"));
		String quiet = enqueueIn(engine, "quiet");
		engine.runUntilIdle();
		assertThat(this.handler.ids().indexOf(quiet)).isLessThan(8);
	}

	@Test
	void jobsOfALaneThatAreEnqueuedTogetherRunInTheirOrder() {
		JobEngine engine = laned(this.handler, 1);
		List<JobRequest> requests = IntStream.range(0, 50)
			.mapToObj((i) -> JobRequest.named("a").options((options) -> options.lane("lane")))
			.toList();
		List<String> ids = engine.client().enqueueAll(requests).stream().map(Enqueued::id).toList();
		engine.runUntilIdle();
		assertThat(this.handler.ids()).isEqualTo(ids);
	}

	@Test
	void laneIsThatOfThePayloadUnlessTheOptionsSayAnother() {
		JobEngine engine = build(builder().handler(this.handler.named("a")));
		engine.client().enqueue(JobRequest.named("a").payload(new Invoice("tenant:1", 5)));
		engine.client()
			.enqueue(JobRequest.named("a")
				.payload(new Invoice("tenant:1", 6))
				.options((options) -> options.lane("other")));
		engine.client().enqueue(JobRequest.named("a").payload(new Invoice("", 7)));
		engine.client().enqueue(JobRequest.named("a").payload(new Bean()));
		engine.runUntilIdle();
		assertThat(this.handler.jobs()).extracting(Job::lane)
			.containsExactlyInAnyOrder("tenant:1", "other", null, "tenant:2");
	}

	@Test
	void laneThatIsNotValidIsRefused() {
		JobEngine engine = build(builder().handler(this.handler.named("a")));
		for (String lane : List.of("", " ", "a ", "a\nb", "x".repeat(101))) {
			assertThatIllegalArgumentException().isThrownBy(() -> enqueueIn(engine, lane))
				.withMessageContaining("lane");
		}
		JobRequest request = JobRequest.named("a").payload(new Invoice("x".repeat(101), 1));
		assertThatIllegalArgumentException().isThrownBy(() -> engine.client().enqueue(request))
			.withMessageContaining("lane");
	}

	@Test
	void laneSurvivesRetriesAndSnoozes() {
		AtomicInteger attempts = new AtomicInteger();
		this.handler.then((payload, context) -> switch (attempts.incrementAndGet()) {
			case 1 -> throw new IllegalStateException("first");
			case 2 -> JobResult.snooze(Duration.ofSeconds(1));
			default -> JobResult.done();
		});
		JobEngine engine = laned(this.handler, 1);
		enqueueIn(engine, "lane");
		for (int i = 0; i < 3; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofHours(1));
		}
		assertThat(this.handler.jobs()).extracting(Job::lane).containsExactly("lane", "lane", "lane");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void jobsOfAnOrderedLaneRunInTheirOrderThroughRetriesAndSnoozes() {
		Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
		this.handler.then((payload, context) -> {
			int attempt = attempts.computeIfAbsent(context.job().id(), (id) -> new AtomicInteger()).incrementAndGet();
			return switch (attempt) {
				case 1 -> throw new IllegalStateException("first");
				case 2 -> JobResult.snooze(Duration.ofSeconds(1));
				default -> JobResult.done();
			};
		});
		JobEngine engine = ordered(HandlerOptions.OnDead.HOLD);
		List<String> ids = IntStream.range(0, 4).mapToObj((i) -> enqueueIn(engine, "lane")).toList();
		String other = enqueueIn(engine, "other");
		for (int i = 0; i < 14; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofHours(1));
		}
		assertThat(this.handler.ids()).filteredOn((id) -> !id.equals(other))
			.containsExactlyElementsOf(ids.stream().flatMap((id) -> Stream.of(id, id, id)).toList());
		assertThat(jobs()).isEmpty();
	}

	@Test
	void deadJobHoldsItsOrderedLaneUntilItIsRetried() {
		AtomicBoolean broken = new AtomicBoolean(true);
		this.handler.then((payload, context) -> broken.get() ? JobResult.discard() : JobResult.done());
		JobEngine engine = ordered(HandlerOptions.OnDead.HOLD);
		List<String> ids = IntStream.range(0, 2).mapToObj((i) -> enqueueIn(engine, "lane")).toList();
		engine.runUntilIdle();
		assertThat(this.handler.ids()).containsExactly(ids.get(0));

		assertThat(WaitReasonView.of(job(ids.get(1)), this.store.inspector(), this.clock.instant()))
			.isEqualTo(new WaitReasonView(WaitReason.Kind.LANE_HELD, 0, null, ids.get(0), null));
		broken.set(false);
		engine.operations().job(ids.get(0)).retry();
		engine.runUntilIdle();
		assertThat(this.handler.ids()).containsExactly(ids.get(0), ids.get(0), ids.get(1));
	}

	@Test
	void blockedLanesAreListedThoughOthersAreBusier() {
		this.handler.then((payload, context) -> switch (String.valueOf(context.job().lane())) {
			case "dead" -> JobResult.discard();
			case "held" -> JobResult.holdBack(Duration.ofMinutes(1));
			default -> JobResult.done();
		});
		JobEngine engine = ordered(HandlerOptions.OnDead.HOLD);
		engine.operations().queue("a").lane("busy").pause();
		IntStream.range(0, 5).forEach((i) -> enqueueIn(engine, "busy"));
		String held = enqueueIn(engine, "held");
		String dead = enqueueIn(engine, "dead");
		assertThat(engine.operations().queue("a").blockedLanes(10)).isEmpty();
		engine.runUntilIdle();
		Instant until = this.clock.instant().plus(Duration.ofMinutes(1));
		this.clock.advance(Duration.ofSeconds(1));
		enqueueIn(engine, "dead");
		QueueOperations queue = engine.operations().queue("a");
		assertThat(queue.busiestLanes(1)).extracting(LaneStatus::name).containsExactly("busy");
		assertThat(queue.blockedLanes(10)).extracting(LaneStatus::name).containsExactly("held", "dead");
		assertThat(queue.blockedLanes(1)).extracting(LaneStatus::name).containsExactly("held");
		assertThat(queue.lane("dead").status().heldBy()).isEqualTo(dead);
		assertThat(queue.lane("held").status().heldBackUntil()).isEqualTo(until);
		queue.resume();
		engine.operations().job(dead).delete();
		assertThat(queue.blockedLanes(10)).isEmpty();
		assertThat(job(held).attempt()).isEqualTo(1);
	}

	@Test
	void jobThatAWorkerFindsTooLateFreesItsOrderedLane() {
		this.handler.then((payload, context) -> (this.handler.runs() == 1) ? JobResult.snooze(Duration.ofSeconds(10))
				: JobResult.done());
		JobEngine engine = ordered(HandlerOptions.OnDead.HOLD);
		Duration minute = Duration.ofMinutes(1);
		String begun = engine.client()
			.enqueue(JobRequest.named("a").options((options) -> options.lane("begun").deadlineIn(minute)))
			.id();
		engine.runUntilIdle();
		String waiting = engine.client()
			.enqueue(JobRequest.named("a")
				.options((options) -> options.lane("waiting").expiresIn(minute).onExpiry(OnExpiry.DEAD)))
			.id();
		List<String> others = Stream.of("begun", "waiting").map((lane) -> enqueueIn(engine, lane)).toList();
		this.clock.advance(minute);
		engine.runUntilIdle();
		assertThat(List.of(job(begun), job(waiting))).allMatch((job) -> job.state() == JobState.DEAD);
		assertThat(this.handler.ids().subList(1, this.handler.runs())).containsExactlyInAnyOrderElementsOf(others);
	}

	@Test
	void orderedLaneMaySkipADeadJob() {
		this.handler.then((payload, context) -> JobResult.discard());
		JobEngine engine = ordered(HandlerOptions.OnDead.SKIP);
		List<String> ids = IntStream.range(0, 3).mapToObj((i) -> enqueueIn(engine, "lane")).toList();
		engine.runUntilIdle();
		assertThat(this.handler.ids()).isEqualTo(ids);
	}

	private JobEngine ordered(HandlerOptions.OnDead onDead) {
		return build(builder()
			.handler(this.handler.named("a")
				.with(HandlerOptions.of((set) -> set.orderedLanes(true).onDeadInLane(onDead))))
			.concurrency(10));
	}

	private JobEngine laned(RecordingHandler handler, int laneConcurrency) {
		return build(builder()
			.handler(handler.named("a").with(HandlerOptions.of((set) -> set.laneConcurrency(laneConcurrency))))
			.concurrency(10));
	}

	private static String enqueueIn(JobEngine engine, String lane) {
		return engine.client().enqueue(JobRequest.named("a").options((options) -> options.lane(lane))).id();
	}

	/**
	 * A payload whose tenant is the lane.
	 *
	 * @param tenant the tenant
	 * @param number another part
	 */
	record Invoice(@JobLane String tenant, int number) {

	}

	/** A payload with a method that returns the lane. */
	static class Bean {

		@JobLane
		public String getTenant() {
			return "tenant:2";
		}

	}

	// --- rates and holds

	@Test
	void noMoreJobsStartInAWindowThanTheRateAllows() {
		JobEngine engine = rated((set) -> set.rate(Rate.of(3, Duration.ofMinutes(1))));
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(7));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(3);
		assertThat(waitReason(enqueued.get(6)).kind()).isEqualTo(WaitReason.Kind.RATE_REACHED);
		this.clock.advance(Duration.ofSeconds(59));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(3);
		this.clock.advance(Duration.ofSeconds(10));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(6);
	}

	@Test
	void eachLaneHasItsRate() {
		JobEngine engine = rated((set) -> set.laneRate(Rate.of(2, Duration.ofMinutes(1))));
		IntStream.range(0, 9).forEach((i) -> enqueueIn(engine, "lane-" + i % 3));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(6);
		this.clock.advance(Duration.ofSeconds(70));
		engine.runUntilIdle();
		assertThat(jobs()).isEmpty();
	}

	@Test
	void operatorSetsAndRemovesTheRate() {
		JobEngine engine = rated((set) -> {
		});
		engine.client().enqueueAll(requests(5));
		engine.operations().by("ada").queue("a").rate(Rate.of(2, Duration.ofMinutes(1)));
		QueueSettings.Setting<String> rate = engine.operations().queue("a").status().orElseThrow().settings().rate();
		assertThat(rate).isEqualTo(new Value<>("2/1m", this.clock.instant(), "ada"));
		engine.start();
		await("two have run", () -> jobs().size() == 3);
		await("others wait for a permit",
				() -> WaitReasonView.of(jobs().get(0), this.store.inspector(), this.clock.instant())
					.kind() == WaitReason.Kind.RATE_REACHED);
		assertThat(this.handler.runs()).isEqualTo(2);
		engine.operations().queue("a").removeRate();
		await("all have run", () -> jobs().isEmpty());
	}

	@Test
	void operatorSetsAndRemovesTheRateOfLanes() {
		JobEngine engine = rated((set) -> set.laneRate(Rate.of(40, Duration.ofMinutes(1))));
		IntStream.range(0, 9).forEach((i) -> enqueueIn(engine, "lane-" + i % 3));
		engine.operations().by("ada").queue("a").rateOfLanes(Rate.of(1, Duration.ofHours(1)));
		assertThat(engine.operations().queue("a").status().orElseThrow().settings().rateOfLanes())
			.isEqualTo(new Value<>("1/1h", this.clock.instant(), "ada", "40/1m"));
		engine.start();
		await("one of each lane has run", () -> jobs().size() == 6);
		await("others wait for a permit",
				() -> WaitReasonView.of(jobs().get(0), this.store.inspector(), this.clock.instant())
					.kind() == WaitReason.Kind.RATE_REACHED);
		engine.operations().queue("a").removeRateOfLanes();
		// Jobs given back while the rate changes count as starts, so it allows more than
		// each lane has.
		await("all have run", () -> jobs().isEmpty());
	}

	@Test
	void removedRateKeepsNoJobsBackAndWantsWorkersForThem() {
		holdUntilReleased();
		JobEngine engine = rated((set) -> {
		});
		engine.operations().queue("a").rate(Rate.of(2, Duration.ofHours(1)));
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(20));
		engine.start();
		await("two run", () -> this.running.get() == 2);
		await("others wait for a permit", () -> waitReason(enqueued.get(19)).kind() == WaitReason.Kind.RATE_REACHED);
		engine.operations().queue("a").removeRate();
		await("all threads are busy", () -> this.running.get() == 10);
		await("others wait for no permit", () -> waitReason(enqueued.get(19)).kind() != WaitReason.Kind.RATE_REACHED);
		await(() -> assertThat(engine.operations().wantedWorkers((pool) -> Duration.ofSeconds(30))).singleElement()
			.satisfies((pool) -> assertThat(pool.queues()).containsEntry("a", 20)));
	}

	@Test
	void jobsThatTheRateKeepsBackWantNoWorkers() {
		holdUntilReleased();
		JobEngine engine = rated((set) -> set.rate(Rate.of(2, Duration.ofHours(1))));
		engine.client().enqueueAll(requests(9));
		engine.start();
		await("two run", () -> this.running.get() == 2);
		assertThat(engine.operations().wantedWorkers((pool) -> Duration.ofSeconds(30))).singleElement()
			.satisfies((pool) -> assertThat(pool.queues()).containsEntry("a", 2));
	}

	@Test
	void jobsOfAPausedLaneWantNoMoreThanTwiceTheWorkersOfTheOthers() {
		holdUntilReleased();
		JobEngine engine = rated((set) -> {
		});
		engine.operations().queue("a").lane("paused").pause();
		IntStream.range(0, 9).forEach((i) -> enqueueIn(engine, "paused"));
		engine.client().enqueueAll(requests(2));
		engine.start();
		await("two run", () -> this.running.get() == 2);
		assertThat(engine.operations().wantedWorkers((pool) -> Duration.ofSeconds(30))).singleElement()
			.satisfies((pool) -> assertThat(pool.queues()).containsEntry("a", 4));
	}

	@Test
	void resultHoldsBackTheQueueAndCostsNoAttempt() {
		this.handler.then((payload, context) -> (this.running.incrementAndGet() == 1)
				? JobResult.holdBack(Duration.ofMinutes(1)) : JobResult.done());
		JobEngine engine = build(builder().handler(this.handler.named("a")).concurrency(1));
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(3));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(1);
		assertThat(jobs()).hasSize(3).allMatch((job) -> job.attempt() == 1);
		assertThat(waitReason(enqueued.get(2))).isEqualTo(
				new WaitReasonView(WaitReason.Kind.HELD_BACK, 0, this.clock.instant().plus(Duration.ofMinutes(1))));
		this.clock.advance(Duration.ofSeconds(59));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(1);
		this.clock.advance(Duration.ofSeconds(1));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(4);
		assertThat(this.handler.ids().subList(1, 4)).isEqualTo(enqueued.stream().map(Enqueued::id).toList());
	}

	@Test
	void resultHoldsBackOnlyTheLaneOfItsJob() {
		this.handler.then((payload, context) -> (this.running.incrementAndGet() == 1)
				? JobResult.holdBack(Duration.ofMinutes(1)) : JobResult.done());
		JobEngine engine = build(builder().handler(this.handler.named("a")).concurrency(1));
		IntStream.range(0, 6).forEach((i) -> enqueueIn(engine, "lane-" + i % 2));
		engine.runUntilIdle();
		assertThat(jobs()).hasSize(3).allMatch((job) -> "lane-0".equals(job.lane()));
		engine.operations().queue("a").resume();
		engine.runUntilIdle();
		assertThat(jobs()).isEmpty();
	}

	@Test
	void holdIsNoLongerThanADay() {
		this.handler.then((payload, context) -> JobResult.holdBack(Duration.ofDays(400)));
		JobEngine engine = build(builder().handler(this.handler.named("a")).concurrency(1));
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(1));
		engine.runUntilIdle();
		assertThat(waitReason(enqueued.get(0)).until()).isEqualTo(this.clock.instant().plus(Duration.ofDays(1)));
	}

	private WaitReasonView waitReason(Enqueued enqueued) {
		return WaitReasonView.of(job(enqueued.id()), this.store.inspector(), this.clock.instant());
	}

	private JobEngine rated(Consumer<HandlerOptions.Builder> options) {
		return build(builder().handler(this.handler.named("a").with(HandlerOptions.of(options))).concurrency(10));
	}

	// --- help

	private JobEngine limited(int maxConcurrency, int localConcurrency, int concurrency) {
		return build(builder()
			.handler(this.handler.named("a")
				.with(limit(maxConcurrency).with((set) -> set.localConcurrency(localConcurrency))))
			.concurrency(concurrency));
	}

	private static HandlerOptions limit(int maxConcurrency) {
		return HandlerOptions.of((set) -> set.maxConcurrency(maxConcurrency));
	}

	/**
	 * Let the first runs wait until a number of them runs at once, and count.
	 */
	private void runInCompany(int company) {
		CountDownLatch complete = new CountDownLatch(company);
		this.handler.then((payload, context) -> {
			this.peak.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			complete.countDown();
			complete.await();
			this.running.decrementAndGet();
			return JobResult.done();
		});
	}

	private void change(Change change) {
		assertThat(this.store.change(List.of(change), this.clock.instant())).containsExactly(Changed.DONE);
	}

	private static List<JobRequest> requests(int count) {
		return IntStream.range(0, count).mapToObj((i) -> JobRequest.named("a").payload(i)).toList();
	}

}
