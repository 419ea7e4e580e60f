package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.HandlerOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Change;
import dev.jobs.store.StoreListener;
import dev.jobs.store.view.OperatorSetting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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
		elsewhere().worker(id).resume();
		await("it takes jobs again", () -> jobs().isEmpty());
	}

	@Test
	void workerThatStartsAnewIsNotQuiet() {
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
