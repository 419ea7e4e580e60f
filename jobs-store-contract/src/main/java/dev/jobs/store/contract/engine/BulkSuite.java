package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.BulkStatus;
import dev.jobs.BulkStatus.Action;
import dev.jobs.BulkStatus.State;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.Signal;
import dev.jobs.UnknownNameException;
import dev.jobs.Urgency;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The promises about bulk actions.
 */
public abstract class BulkSuite extends EngineSuite {

	private static final Duration LEASE = EngineSettings.defaults().lease();

	private final RecordingHandler handler = new RecordingHandler();

	private JobEngineBuilder plain(JobStore store) {
		return new JobEngineBuilder(store).clock(this.clock)
			.concurrency(2)
			.handler(this.handler.named("a"))
			.handler(this.handler.named("b"));
	}

	private JobEngine engine() {
		return build(plain(this.store));
	}

	/**
	 * Return the operations of an engine that runs nothing, as another process has them.
	 */
	private JobOperations operations() {
		return engine().operations().by("ada");
	}

	private static List<JobRequest> requests(String name, int count) {
		return IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList();
	}

	private static List<JobRequest> delayed(String name, int count) {
		return requests(name, count).stream()
			.map((request) -> request.options((set) -> set.delay(Duration.ofHours(1))))
			.toList();
	}

	/**
	 * Make jobs that are dead, and let a second pass.
	 */
	private void dead(String name, int count) {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("dies"));
		engine.client().enqueueAll(requests(name, count));
		assertThat(engine.runUntilIdle()).isEqualTo(count);
		this.handler.thenReturn(JobResult.done());
		pass();
	}

	private void pass() {
		this.clock.advance(Duration.ofSeconds(1));
	}

	private SelectionOperations jobs(String name) {
		return operations().jobs(JobFilter.of((only) -> only.name(name)));
	}

	private BulkStatus status(BulkStatus started) {
		return operations().bulkAction(started.id()).status().orElseThrow();
	}

	private long dead(String name) {
		return queue(name).dead();
	}

	private void awaitDone(BulkStatus started) {
		await("it is done", () -> status(started).state() == State.DONE);
	}

	// --- which jobs

	@Test
	void bulkRetryRetriesEachDeadJobThatMatchesAndNoOther() {
		dead("a", 150);
		dead("b", 5);
		BulkStatus started = jobs("a").startRetry();
		assertThat(started.state()).isEqualTo(State.RUNNING);
		assertThat(started.total()).isEqualTo(JobCount.exactly(150));
		assertThat(dead("a")).isEqualTo(150);
		assertThat(engine().runUntilIdle()).isEqualTo(150);
		BulkStatus done = status(started);
		assertThat(done.state()).isEqualTo(State.DONE);
		assertThat(List.of(done.done(), done.skipped(), done.failed())).containsExactly(150L, 0L, 0L);
		assertThat(done.share()).isEqualTo(1);
		assertThat(done.by()).isEqualTo("ada");
		assertThat(done.action()).isEqualTo(Action.RETRY);
		assertThat(dead("b")).isEqualTo(5);
	}

	@Test
	void jobThatDiesAgainIsNotRetriedAgainByTheSameBulkAction() {
		dead("a", 100);
		this.handler.thenReturn(JobResult.discard().message("dies again"));
		int before = this.handler.runs();
		BulkStatus started = jobs("a").startRetry();
		pass();
		start(plain(this.store));
		awaitDone(started);
		await("all died again", () -> dead("a") == 100);
		assertThat(this.handler.runs() - before).isEqualTo(100);
		assertThat(status(started).done()).isEqualTo(100);
	}

	@Test
	void jobsThatWaitForASignalAreCancelledAndDeleted() {
		JobEngine engine = build(plain(this.store).handler("asks", String.class, (name, context) -> {
			context.await(Signal.of("answer", String.class), "all", Duration.ofDays(14));
			return JobResult.done();
		}));
		engine.client().enqueueAll(requests("asks", 12));
		engine.runUntilIdle();
		JobFilter parked = JobFilter.of((only) -> only.states(JobState.WAITING).name("asks"));
		assertThat(queue("asks").parked()).isEqualTo(12);
		BulkStatus cancelled = operations().jobs(parked).startCancel();
		pass();
		engine.client().enqueueAll(requests("asks", 3));
		engine.runUntilIdle();
		assertThat(status(cancelled).done()).isEqualTo(12);
		assertThat(queue("asks").parked()).isEqualTo(3);
		assertThat(operations().jobs(parked).delete()).isEqualTo(3);
		assertThat(queue("asks").parked()).isZero();
	}

	@Test
	void jobsThatComeAfterABulkActionBeganAreLeftAlone() {
		JobEngine engine = engine();
		engine.client().enqueueAll(delayed("a", 300));
		BulkStatus started = jobs("a").startCancel();
		pass();
		engine.client().enqueueAll(delayed("a", 50));
		engine.runUntilIdle();
		assertThat(status(started).done()).isEqualTo(300);
		assertThat(queue("a").scheduled()).isEqualTo(50);
	}

	@Test
	void bulkDeleteLeavesJobsThatDiedAfterItBegan() {
		dead("a", 40);
		BulkStatus started = operations().jobs(JobFilter.of((only) -> only.states(JobState.DEAD).name("a")))
			.startDelete();
		pass();
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("dies"));
		engine.client().enqueueAll(requests("a", 7));
		engine.runUntilIdle();
		assertThat(status(started).done()).isEqualTo(40);
		assertThat(dead("a")).isEqualTo(7);
	}

	@Test
	void bulkCancelReachesJobsThatWaitBehindOthersInTheirLanes() {
		JobEngine engine = engine();
		engine.operations().queue("a").pause();
		engine.client()
			.enqueueAll(IntStream.range(0, 200)
				.mapToObj((i) -> JobRequest.named("a").options((set) -> set.lane("tenant:" + i % 3)))
				.toList());
		BulkStatus started = operations().jobs(JobFilter.of((only) -> only.name("a").lane("tenant:1"))).startCancel();
		engine.runUntilIdle();
		assertThat(status(started).done()).isEqualTo(67);
		assertThat(jobs(JobState.READY)).hasSize(133)
			.noneMatch((job) -> "tenant:1".equals(job.headers().get(Job.LANE_HEADER)));
	}

	@Test
	void rescheduledJobsAreMovedOnceAndRunAtTheirNewTime() {
		JobEngine engine = engine();
		engine.client().enqueueAll(delayed("a", 300));
		Instant dueAt = this.clock.instant().plus(Duration.ofHours(2));
		BulkStatus started = jobs("a").startReschedule(dueAt);
		engine.runUntilIdle();
		assertThat(status(started).done()).isEqualTo(300);
		assertThat(status(started).dueAt()).isEqualTo(dueAt);
		assertThat(jobs(JobState.SCHEDULED)).hasSize(300).allMatch((job) -> job.dueAt().equals(dueAt));
		BulkStatus now = jobs("a").startReschedule(START);
		assertThat(engine.runUntilIdle()).isEqualTo(300);
		assertThat(status(now).done()).isEqualTo(300);
	}

	@Test
	void movedJobsAreOfTheNewLaneAndRunThere() {
		JobEngine engine = engine();
		engine.operations().queue("a").pause();
		engine.client()
			.enqueueAll(IntStream.range(0, 300)
				.mapToObj((i) -> JobRequest.named("a").options((set) -> set.lane("tenant:" + i % 2)))
				.toList());
		BulkStatus started = operations().jobs(JobFilter.of((only) -> only.name("a").lane("tenant:1")))
			.startMove("batch");
		engine.runUntilIdle();
		assertThat(status(started).done()).isEqualTo(150);
		assertThat(status(started).toLane()).isEqualTo("batch");
		assertThat(jobs(JobState.READY)).extracting(Job::lane).containsOnly("tenant:0", "batch");
		engine.operations().queue("a").resume();
		BulkStatus out = jobs("a").startMove(null);
		assertThat(engine.runUntilIdle()).isEqualTo(300);
		assertThat(status(out).state()).isEqualTo(BulkStatus.State.DONE);
		assertThatIllegalArgumentException().isThrownBy(() -> jobs("a").startMove(" x"))
			.withMessageContaining("not valid");
	}

	@Test
	void jobThatChangedMeanwhileIsSkipped() {
		dead("a", 3);
		BulkStatus started = jobs("a").startRetry();
		List<String> ids = jobs(JobState.DEAD).stream().map(Job::id).toList();
		JobStore store = new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				if (changes.get(0) instanceof Change.Retry) {
					// An operator is faster.
					super.change(List.of(new Change.Delete(ids.get(1))), now);
				}
				return super.change(changes, now);
			}

		};
		build(plain(store)).runUntilIdle();
		assertThat(List.of(status(started).done(), status(started).skipped())).containsExactly(2L, 1L);
	}

	@Test
	@ExpectsFaults("refuses to change job")
	void jobThatTheStoreRefusesIsCountedAndTheOthersAreChanged() {
		dead("a", 50);
		String bad = jobs(JobState.DEAD).get(17).id();
		BulkStatus started = jobs("a").startRetry();
		JobStore store = new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				if (changes.contains(new Change.Retry(bad))) {
					throw new IllegalStateException("a trigger refuses it");
				}
				return super.change(changes, now);
			}

		};
		build(plain(store)).runUntilIdle();
		BulkStatus done = status(started);
		assertThat(done.state()).isEqualTo(State.DONE);
		assertThat(List.of(done.done(), done.failed())).containsExactly(49L, 1L);
		assertThat(done.error()).isEqualTo("a trigger refuses it");
		assertThat(jobs(JobState.DEAD)).extracting(Job::id).containsExactly(bad);
	}

	@Test
	void filterThatSelectsNothingToChangeIsRefused() {
		JobOperations operations = operations();
		assertThatIllegalArgumentException().isThrownBy(() -> operations.jobs(JobFilter.all()).startRetry())
			.withMessageContaining("excludes nothing");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operations.jobs(JobFilter.of((only) -> only.states(JobState.READY))).startRetry())
			.withMessageContaining("Only jobs that are [DEAD] can be retried");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operations.jobs(JobFilter.of((only) -> only.name("a"))).startDelete())
			.withMessageContaining("name their states");
		assertThatIllegalArgumentException()
			.isThrownBy(
					() -> operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).startReschedule(START))
			.withMessageContaining("rescheduled");
		assertThat(operations.bulkActions()).isEmpty();
	}

	// --- steps

	/**
	 * Return a store that does something at each step, before or after its jobs are
	 * changed.
	 */
	private JobStore atEachStep(Consumer<Integer> before, Consumer<Integer> after) {
		AtomicInteger steps = new AtomicInteger();
		return new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				if (!(changes.get(0) instanceof Change.OfJob)) {
					return super.change(changes, now);
				}
				int number = steps.incrementAndGet();
				before.accept(number);
				List<Changed> changed = super.change(changes, now);
				after.accept(number);
				return changed;
			}

		};
	}

	/**
	 * The store takes longer for a step than it may, so no step grows.
	 */
	@Test
	void progressNeverShrinksAndStepsAreBounded() {
		dead("a", 300);
		BulkStatus started = jobs("a").startRetry();
		List<Double> shares = new ArrayList<>();
		List<Integer> sizes = new ArrayList<>();
		JobOperations operations = operations();
		JobStore store = new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				sizes.add(changes.size());
				if (changes.get(0) instanceof Change.OfJob) {
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
				}
				List<Changed> changed = super.change(changes, now);
				shares.add(operations.bulkAction(started.id()).status().orElseThrow().share());
				return changed;
			}

		};
		build(plain(store)).runUntilIdle();
		assertThat(shares).isSorted().endsWith(1.0);
		assertThat(new HashSet<>(shares)).hasSizeGreaterThan(3);
		assertThat(Collections.max(sizes)).isBetween(25, 50);
		assertThat(status(started).done()).isEqualTo(300);
	}

	@Test
	void firstStepIsAsSmallWithManyBulkActionsAsWithOne() {
		dead("a", 100);
		for (int i = 0; i < 10; i++) {
			jobs("a").startRetry();
		}
		List<Integer> sizes = new ArrayList<>();
		JobStore store = new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				if (changes.get(0) instanceof Change.Retry) {
					sizes.add(changes.size());
				}
				return super.change(changes, now);
			}

		};
		build(plain(store)).runUntilIdle();
		assertThat(sizes).startsWith(25);
		assertThat(dead("a")).isZero();
	}

	@Test
	void stoppedBulkActionEndsWithItsStepAndIsResumedWhereItStopped() {
		dead("a", 200);
		BulkStatus started = jobs("a").startRetry();
		JobOperations operations = operations();
		JobEngine engine = build(plain(atEachStep((number) -> {
			if (number == 2) {
				operations.bulkAction(started.id()).stop();
			}
		}, (number) -> {
		})));
		operations.queue("a").pause();
		engine.runUntilIdle();
		BulkStatus stopped = status(started);
		assertThat(stopped.state()).isEqualTo(State.STOPPED);
		assertThat(stopped.remaining()).isNull();
		assertThat(stopped.done()).isPositive().isLessThan(200);
		assertThat(dead("a")).isEqualTo(200 - stopped.done());
		engine.runUntilIdle();
		assertThat(dead("a")).isEqualTo(200 - stopped.done());
		operations.bulkAction(started.id()).stop();
		operations.bulkAction(started.id()).resume();
		assertThat(status(started).share()).isEqualTo(stopped.share());
		engine.runUntilIdle();
		assertThat(status(started).state()).isEqualTo(State.DONE);
		assertThat(status(started).done()).isEqualTo(200);
		assertThat(dead("a")).isZero();
		operations.bulkAction(started.id()).resume();
		assertThat(status(started).state()).isEqualTo(State.DONE);
	}

	/**
	 * The first worker hangs after it has changed the jobs of a step, so nobody knows how
	 * many these are. It wakes when the other one is done.
	 */
	@Test
	void anotherWorkerContinuesAfterTheLeaseOfOneThatHangs() throws Exception {
		dead("a", 200);
		operations().queue("a").pause();
		BulkStatus started = jobs("a").startRetry();
		CountDownLatch hangs = new CountDownLatch(1);
		CountDownLatch wakes = new CountDownLatch(1);
		BulkStatus done;
		JobEngine late = start(plain(atEachStep((number) -> {
		}, (number) -> {
			if (number == 2) {
				hangs.countDown();
				awaitQuietly(wakes);
			}
		})));
		try {
			hangs.await();
			BulkStatus halfway = status(started);
			long uncounted = 200 - halfway.done() - dead("a");
			assertThat(uncounted).isPositive();
			start(plain(this.store));
			this.clock.advance(LEASE.plusSeconds(1));
			awaitDone(started);
			assertThat(dead("a")).isZero();
			done = status(started);
			assertThat(done.done()).isEqualTo(200 - uncounted);
		}
		finally {
			wakes.countDown();
		}
		// The late worker ends its step before it stops.
		late.stop(Duration.ofSeconds(10));
		BulkStatus stays = status(started);
		assertThat(stays.state()).isEqualTo(State.DONE);
		assertThat(stays.done()).isEqualTo(done.done());
		assertThat(queue("a").ready()).isEqualTo(200);
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void workersThatRaceChangeEachJobOnce() {
		dead("a", 200);
		int before = this.handler.runs();
		start(plain(this.store));
		start(plain(this.store));
		start(plain(this.store));
		BulkStatus started = jobs("a").startRetry();
		awaitDone(started);
		assertThat(status(started).done()).isEqualTo(200);
		await("each ran once", () -> queue("a").ready() + queue("a").running() + dead("a") == 0);
		assertThat(this.handler.runs() - before).isEqualTo(200);
	}

	@Test
	void shortBulkActionDoesNotWaitForALongOne() {
		dead("a", 300);
		dead("b", 20);
		BulkStatus longer = jobs("a").startRetry();
		pass();
		BulkStatus shorter = jobs("b").startRetry();
		List<State> seen = new ArrayList<>();
		JobOperations operations = operations();
		build(plain(atEachStep((number) -> {
		}, (number) -> {
			if (operations.bulkAction(shorter.id()).status().orElseThrow().state() == State.DONE) {
				seen.add(operations.bulkAction(longer.id()).status().orElseThrow().state());
			}
		}))).runUntilIdle();
		assertThat(seen).first().isEqualTo(State.RUNNING);
		assertThat(status(longer).done()).isEqualTo(300);
	}

	@Test
	void startedWorkerTakesUpABulkActionAtOnce() {
		dead("a", 30);
		start(plain(this.store));
		awaitDone(jobs("a").startRetry());
	}

	// --- the list of them

	@Test
	void bulkActionsUnderWayAndTheLatestFiftyOthersAreListed() {
		JobOperations operations = operations();
		List<String> ids = new ArrayList<>();
		JobEngine engine = engine();
		for (int i = 0; i < 55; i++) {
			ids.add(0, jobs("a").startRetry().id());
			pass();
			engine.runUntilIdle();
		}
		BulkStatus running = jobs("b").startCancel();
		assertThat(operations.bulkActions()).extracting(BulkStatus::id)
			.startsWith(running.id())
			.hasSizeBetween(50, 51)
			.contains(ids.get(0), ids.get(48))
			.doesNotContain(ids.get(54));
		assertThat(operations.bulkActions()).first()
			.extracting(BulkStatus::filter)
			.isEqualTo(JobFilter.of((only) -> only.name("b")));
	}

	@Test
	void tooManyBulkActionsAtOnceAreRefused() {
		for (int i = 0; i < 20; i++) {
			jobs("a").startRetry();
		}
		assertThatIllegalStateException().isThrownBy(() -> jobs("a").startRetry()).withMessageContaining("20 bulk");
	}

	@Test
	void unknownBulkActionIsRefused() {
		JobOperations operations = operations();
		assertThat(operations.bulkAction("unknown").status()).isEmpty();
		assertThatExceptionOfType(UnknownNameException.class).isThrownBy(() -> operations.bulkAction("unknown").stop())
			.withMessageContaining("unknown");
		assertThatExceptionOfType(UnknownNameException.class)
			.isThrownBy(() -> operations.bulkAction("unknown").resume());
	}

	/** A later version of Jobs may store one in another form. */
	@Test
	void bulkActionThatCannotBeReadIsLeftAlone() {
		this.store.change(List.of(new Change.Set("bulk", "later", "{\"v\":99}", null),
				new Change.Set("bulk", "odd", "text", null)), this.clock.instant());
		dead("a", 5);
		BulkStatus started = jobs("a").startRetry();
		engine().runUntilIdle();
		assertThat(operations().bulkActions()).extracting(BulkStatus::id).containsExactly(started.id());
		assertThat(status(started).done()).isEqualTo(5);
		assertThat(this.store.inspector().operatorSettings()).hasSize(3);
	}

	/** A worker that writes it in another way could never replace it. */
	@Test
	void bulkActionThatAnotherWorkerWritesDifferentlyIsLeftAlone() {
		dead("a", 5);
		BulkStatus started = jobs("a").startRetry();
		OperatorSetting stored = this.store.inspector().operatorSettings().get(0);
		String differently = stored.value().replaceFirst(":", ": ");
		this.store.change(List.of(new Change.Set("bulk", started.id(), differently, null)), this.clock.instant());
		engine().runUntilIdle();
		assertThat(operations().bulkActions()).isEmpty();
		assertThat(this.store.inspector().operatorSettings()).extracting(OperatorSetting::value)
			.containsExactly(differently);
		assertThat(queue("a").dead()).isEqualTo(5);
	}

	@Test
	void filterComesBackAsItWasGiven() {
		JobFilter filter = JobFilter.of((only) -> only.name("a")
			.states(JobState.DEAD)
			.text("a \"text\"")
			.tag("t")
			.lane("l")
			.urgency(Urgency.HIGH)
			.uniqueKey("k")
			.retrying(true)
			.since(START)
			.before(START.plusSeconds(9)));
		BulkStatus started = operations().jobs(filter).startDelete();
		assertThat(status(started).filter()).isEqualTo(filter);
		assertThat(status(started).startedAt()).isEqualTo(this.clock.instant());
	}

}
