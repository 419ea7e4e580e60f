package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.LaneStatus;
import dev.jobs.QueueSettings;
import dev.jobs.UnknownNameException;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Change;
import dev.jobs.store.StoreListener;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.OperatorSetting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The promises about operators' settings for queues, pools and workers.
 */
public abstract class SettingsSuite extends EngineSuite {

	private final RecordingHandler handler = new RecordingHandler();

	private final AtomicInteger running = new AtomicInteger();

	private final Semaphore ends = new Semaphore(0);

	private JobEngineBuilder plain() {
		return builder().concurrency(2).handler(this.handler.named("a")).handler(this.handler.named("b"));
	}

	/**
	 * Return the operations of an engine that runs nothing, as another process has them.
	 */
	private JobOperations elsewhere() {
		return build(plain()).operations().by("ada");
	}

	private JobEngineBuilder holding(JobEngineBuilder builder) {
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			try {
				this.ends.acquire();
				return JobResult.done();
			}
			finally {
				this.running.decrementAndGet();
			}
		});
		return builder;
	}

	@AfterEach
	void releaseHandlers() {
		this.ends.release(10_000);
	}

	private void enqueue(String name, int count) {
		build(plain()).client().enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name)).toList());
	}

	// --- queues

	@Test
	void weightOfAnOperatorReplacesThePriorityOfTheHandler() {
		JobEngine engine = build(plain().concurrency(20)
			.handler(this.handler.named("c").with(HandlerOptions.of((set) -> set.priority(9)))));
		elsewhere().queue("a").weight(9000);
		enqueue("c", 700);
		enqueue("a", 700);
		engine.runUntilIdle();
		List<String> first = this.handler.jobs().subList(0, 500).stream().map((job) -> job.name()).toList();
		assertThat(Collections.frequency(first, "a")).isGreaterThan(450);
	}

	@Test
	void attemptsOfAnOperatorCountOnRunningWorkersUntilTheyAreRemoved() {
		JobEngine engine = start(plain());
		this.handler.thenFail("fails");
		JobOperations operations = elsewhere();
		operations.queue("a").attempts(1);
		await("it is in force", () -> engine.maxAttempts("a").getAsInt() == 1);
		enqueue("a", 1);
		await("it is dead after one attempt", () -> jobs(JobState.DEAD).size() == 1);
		operations.queue("a").removeAttempts();
		await("it no longer is", () -> engine.maxAttempts("a").getAsInt() == 12);
		enqueue("b", 1);
		await("it will run again", () -> jobs(JobState.SCHEDULED).size() == 1);
		enqueue("a", 1);
		await("so will this one", () -> jobs(JobState.SCHEDULED).size() == 2);
	}

	// --- lanes

	private void enqueueIn(String lane, int count) {
		build(plain()).client()
			.enqueueAll(IntStream.range(0, count)
				.mapToObj((i) -> JobRequest.named("a").options((options) -> options.lane(lane)))
				.toList());
	}

	@Test
	void pausedLaneStartsNothingUntilItIsResumed() {
		elsewhere().queue("a").lane("x").pause();
		enqueueIn("x", 3);
		enqueueIn("y", 3);
		start(plain());
		await("the other lane has run", () -> this.handler.runs() == 3);
		assertThat(this.handler.jobs()).extracting(Job::lane).containsOnly("y");
		assertThat(elsewhere().queue("a").lane("x").status().paused()).isTrue();
		elsewhere().queue("a").lane("x").resume();
		await("it runs at once", () -> this.handler.runs() == 6);
	}

	@Test
	void pauseOfALaneTakesBackWhatWasClaimedAhead() {
		start(holding(plain()));
		enqueueIn("x", 40);
		await("two run", () -> this.running.get() == 2);
		elsewhere().queue("a").lane("x").pause();
		await("only these are held", () -> queue("a").running() == 2);
		this.ends.release(2);
		await("none runs", () -> this.running.get() == 0 && queue("a").running() == 0);
		assertThat(this.handler.runs()).isEqualTo(2);
	}

	@Test
	void limitOfALaneCountsAtOnceUntilItIsRemoved() {
		JobEngine engine = start(holding(plain().concurrency(6)
			.handler(this.handler.named("c").with(HandlerOptions.of((set) -> set.laneConcurrency(2))))));
		build(plain()).client()
			.enqueueAll(IntStream.range(0, 20)
				.mapToObj((i) -> JobRequest.named("c").options((options) -> options.lane("x")))
				.toList());
		await("two run", () -> this.running.get() == 2);
		JobOperations operations = engine.operations().by("ada");
		operations.queue("c").lane("x").limit(4);
		await("four run", () -> this.running.get() == 4);
		LaneStatus status = operations.queue("c").lane("x").status();
		assertThat(status.limit()).isEqualTo(4);
		assertThat(status.full()).isTrue();
		QueueSettings.Setting<Integer> limit = Objects.requireNonNull(status.settings().limit());
		assertThat(limit.by()).isEqualTo("ada");
		assertThat(limit.configured()).isEqualTo(2);
		operations.queue("c").lane("x").removeLimit();
		this.ends.release(3);
		await("two run again", () -> this.running.get() == 2 && this.handler.runs() == 5);
		assertThat(operations.queue("c").lane("x").status().settings().limit()).isNull();
	}

	@Test
	void laneWithAWeightRunsAsManyForEachOneOfAnother() {
		enqueueIn("x", 40);
		enqueueIn("y", 40);
		JobEngine engine = build(builder().concurrency(1)
			.handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.laneWeights(Map.of("y", 3))))));
		elsewhere().queue("a").lane("x").weight(1);
		engine.runUntilIdle();
		assertThat(inLane("x", 40)).isBetween(8L, 12L);
		QueueSettings.Setting<Integer> weight = Objects
			.requireNonNull(engine.operations().queue("a").lane("x").status().settings().weight());
		assertThat(weight.by()).isEqualTo("ada");
		assertThat(weight.configured()).isEqualTo(1);
	}

	@Test
	void weightOfALaneByAnOperatorReplacesThatOfTheHandler() {
		enqueueIn("x", 40);
		enqueueIn("y", 40);
		JobEngine engine = build(builder().concurrency(1)
			.handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.laneWeights(Map.of("y", 100))))));
		elsewhere().queue("a").lane("y").weight(1);
		elsewhere().queue("a").lane("x").weight(4);
		engine.runUntilIdle();
		assertThat(inLane("x", 40)).isBetween(30L, 34L);
	}

	private long inLane(String lane, int first) {
		return this.handler.jobs().subList(0, first).stream().filter((job) -> lane.equals(job.lane())).count();
	}

	@Test
	void waitingJobsOfALaneAreDeletedTogether() {
		enqueueIn("x", 30);
		enqueueIn("y", 2);
		build(plain()).client()
			.enqueue(JobRequest.named("a").options((options) -> options.lane("x").delay(Duration.ofHours(1))));
		assertThat(elsewhere().queue("a").lane("x").deleteWaiting()).isEqualTo(31);
		assertThat(jobs()).extracting(Job::lane).containsOnly("y");
	}

	@Test
	void lanesAreListedWithTheirSettings() {
		enqueueIn("x", 3);
		enqueueIn("y", 5);
		JobOperations operations = elsewhere();
		operations.queue("a").lane("y").pause();
		operations.queue("a").lane("z").weight(2);
		assertThat(operations.queue("a").lanes(null, 10)).extracting(LaneStatus::name).containsExactly("x", "y");
		assertThat(operations.queue("a").lanes("x", 10)).extracting(LaneStatus::name).containsExactly("y");
		assertThat(operations.queue("a").busiestLanes(1)).extracting(LaneStatus::name).containsExactly("y");
		assertThat(operations.queue("a").busiestLanes(5)).extracting(LaneStatus::paused).containsExactly(true, false);
		assertThat(operations.queue("a").lanesWithSettings(null, 10)).extracting(LaneStatus::name)
			.containsExactly("y", "z");
		assertThat(operations.queue("a").lanesWithSettings("y", 10)).extracting(LaneStatus::name).containsExactly("z");
	}

	@Test
	void laneOfAnUnknownQueueIsRefused() {
		assertThatExceptionOfType(UnknownNameException.class)
			.isThrownBy(() -> elsewhere().queue("unknown").lane("x").pause());
		assertThatExceptionOfType(UnknownNameException.class)
			.isThrownBy(() -> elsewhere().queue("unknown").lane("x").weight(2));
		assertThatIllegalArgumentException().isThrownBy(() -> elsewhere().queue("a").lane("x\ny"));
		assertThatIllegalArgumentException().isThrownBy(() -> elsewhere().queue("a").lane("x").limit(0));
		assertThatIllegalArgumentException().isThrownBy(() -> elsewhere().queue("a").lane("x").weight(101))
			.withMessage("'weight' must be from 1 to 100 but was 101");
	}

	@Test
	void noMoreLanesHaveSettingsThanAQueueKeeps() {
		JobOperations operations = elsewhere();
		IntStream.range(0, 100).forEach((i) -> operations.queue("a").lane("lane-" + i).weight(2));
		assertThatIllegalStateException().isThrownBy(() -> operations.queue("a").lane("another").weight(2))
			.withMessageContaining("100 lanes");
		operations.queue("a").lane("lane-7").weight(3);
		operations.queue("a").lane("lane-8").removeWeight();
		operations.queue("a").lane("another").weight(2);
	}

	// --- pools

	@Test
	void concurrencyOfAnOperatorCountsAtOnceAndForWorkersThatStartLater() {
		JobEngine engine = start(holding(plain()));
		enqueue("a", 20);
		await("two run", () -> this.running.get() == 2);
		JobOperations operations = elsewhere();
		operations.pool("default").concurrency(5);
		await("five run", () -> this.running.get() == 5);
		engine.stopNow();
		await("none runs", () -> this.running.get() == 0);
		engine.start();
		await("five run again", () -> this.running.get() == 5);
		JobEngine other = start(holding(plain()));
		await("five more run", () -> this.running.get() == 10);
		operations.pool("default").removeConcurrency();
		await("neither may run more than two", () -> concurrency(engine) == 2 && concurrency(other) == 2);
		other.stopNow();
		engine.stopNow();
		await("none runs", () -> this.running.get() == 0);
		engine.start();
		await("two run", () -> this.running.get() == 2);
	}

	@Test
	void pausedPoolStartsNothingUntilItIsResumed() {
		JobEngine engine = start(holding(plain()));
		enqueue("a", 1);
		await("one runs", () -> this.running.get() == 1);
		JobOperations operations = elsewhere();
		operations.pool("default").pause();
		await("it is in force", () -> concurrency(engine) == 0);
		enqueue("a", 10);
		this.ends.release(1);
		await("the one ends", () -> queue("a").running() == 0);
		engine.stopNow();
		engine.start();
		await("it is in force", () -> concurrency(engine) == 0);
		assertThat(queue("a").ready()).isEqualTo(10);
		assertThat(this.handler.runs()).isEqualTo(1);
		operations.pool("default").resume();
		this.ends.release(10);
		await("all have run", () -> jobs().isEmpty());
	}

	@Test
	void pausedPoolGivesBackJobsThatItClaimedAhead() {
		JobEngine engine = build(holding(new JobEngineBuilder(new GenerousStore(this.store, 20)).clock(this.clock)
			.concurrency(2)
			.handler(this.handler.named("a"))));
		enqueue("a", 20);
		engine.start();
		await("two run and the others wait in line", () -> this.running.get() == 2 && queue("a").running() == 20);
		elsewhere().pool("default").pause();
		await("only the two are held", () -> queue("a").running() == 2);
	}

	@Test
	void pausedPoolRunsNothingByHand() {
		JobEngine engine = build(plain());
		elsewhere().pool("default").pause();
		enqueue("a", 3);
		assertThat(engine.runUntilIdle()).isZero();
		engine.operations().pool("default").resume();
		assertThat(engine.runUntilIdle()).isEqualTo(3);
	}

	// --- workers

	@Test
	void quietWorkerTakesNoJobsWhileOthersDo() {
		JobEngine quiet = start(plain());
		await("one lives", () -> !elsewhere().workers().isEmpty());
		String id = elsewhere().workers().get(0).id();
		JobEngine other = start(plain());
		elsewhere().worker(id).quiet();
		await("it is quiet", () -> concurrency(quiet) == 0);
		assertThat(concurrency(other)).isEqualTo(2);
		assertThat(elsewhere().worker(id).status().map(WorkerStatus::quiet))
			.hasValueSatisfying((set) -> assertThat(set.by()).isEqualTo("ada"));
		other.stopNow();
		enqueue("a", 3);
		assertThat(queue("a").ready()).isEqualTo(3);
		assertThat(elsewhere().waitReason(jobs().get(0)).kind()).isEqualTo(WaitReason.Kind.WORKERS_QUIET);
		elsewhere().worker(id).resume();
		await("it takes jobs again", () -> jobs().isEmpty());
	}

	@Test
	void workerThatStartsAgainIsNotQuiet() {
		JobEngine engine = start(plain());
		await("it lives", () -> !elsewhere().workers().isEmpty());
		elsewhere().worker(elsewhere().workers().get(0).id()).quiet();
		await("it is quiet", () -> concurrency(engine) == 0);
		engine.stopNow();
		engine.start();
		enqueue("a", 1);
		await("it takes jobs", () -> jobs().isEmpty());
	}

	@Test
	void quietWorkersThatHaveVanishedAreForgottenAfterADay() {
		this.store.change(List.of(new Change.Set("quiet", "vanished", "1", null)), this.clock.instant());
		this.clock.advance(Duration.ofHours(25));
		this.store.change(List.of(new Change.Set("quiet", "vanished-later", "1", null)), this.clock.instant());
		start(plain());
		await("the first is forgotten",
				() -> this.store.inspector()
					.operatorSettings()
					.stream()
					.map(OperatorSetting::name)
					.toList()
					.equals(List.of("vanished-later")));
	}

	// --- how they come

	@Test
	void settingWhoseSignalGetsLostCountsFromTheNextBeatOn() {
		JobEngine engine = start(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				return () -> {
				};
			}

		}).clock(this.clock).concurrency(2).handler(this.handler.named("a")));
		await("it lives", () -> !elsewhere().workers().isEmpty());
		elsewhere().pool("default").concurrency(7);
		await("it is in force", () -> {
			this.clock.advance(Duration.ofSeconds(5));
			return concurrency(engine) == 7;
		});
	}

	@Test
	void valuesThatNoOperatorCanSetAreIgnored() {
		for (String value : List.of("", "0", "-1", "nonsense", "1000000", "99999999999")) {
			this.store.change(List.of(new Change.Set("weight", "a", value, null),
					new Change.Set("attempts", "a", value, null), new Change.Set("concurrency", "default", value, null),
					new Change.Set("unknown", "a", value, null)), this.clock.instant());
			enqueue("a", 1);
			assertThat(build(plain()).runUntilIdle()).isEqualTo(1);
		}
	}

	@Test
	void purgeRemovesAllSettings() {
		JobEngine engine = start(plain());
		JobOperations operations = elsewhere();
		operations.pool("default").concurrency(7);
		await("it is in force", () -> concurrency(engine) == 7);
		operations.store().purge();
		engine.wake();
		await("it no longer is", () -> concurrency(engine) == 2);
	}

	private static int concurrency(JobEngine engine) {
		return engine.status().pools().get(0).concurrency();
	}

}
