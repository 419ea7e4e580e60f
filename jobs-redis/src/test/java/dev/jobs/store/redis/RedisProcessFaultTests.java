package dev.jobs.store.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.contract.process.CrashLoop;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.view.WorkerView;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs whose processes are killed, frozen and ended: real processes on a real
 * server. They mostly wait for leases to run out, so they run in parallel.
 */
class RedisProcessFaultTests {

	/** For what has no bound of its own: several processes start on a busy machine. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final String namespace = TestRedis.newNamespace();

	private final Ledger ledger = new Ledger();

	private final RedisApplication application = RedisApplication.onSharedServer(this.namespace, this.ledger);

	private final List<JobsProcess> processes = new ArrayList<>();

	private final CountDownLatch released = new CountDownLatch(1);

	@TempDir
	private Path directory;

	@AfterEach
	void endAll() {
		this.released.countDown();
		this.processes.forEach(JobsProcess::close);
		this.application.close();
	}

	private JobsProcess launch(String... arguments) {
		List<String> all = new ArrayList<>(
				List.of("server=" + RedisApplication.sharedServer(), "namespace=" + this.namespace));
		all.addAll(List.of(arguments));
		JobsProcess process = JobsProcess.start(this.directory, all.toArray(String[]::new));
		this.processes.add(process);
		return process;
	}

	private JobsProcess launchWorker(String handlers, String... arguments) {
		return launch(Stream.concat(Stream.of("handlers=" + handlers, "lease=1500", "beat=300"), Stream.of(arguments))
			.toArray(String[]::new));
	}

	private HandlerDefinition holding(String name) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> {
			this.ledger.ran(context);
			this.released.await();
			return JobResult.done();
		});
	}

	private void enqueue(String name, int count) {
		this.application.engine()
			.client()
			.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList())
			.forEach((enqueued) -> this.ledger.acknowledge(enqueued.id()));
	}

	private void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	private List<WorkerView> workers() {
		return this.application.store().inspector().workers(Instant.now());
	}

	private Set<String> started(JobsProcess process) {
		Set<String> ids = new HashSet<>();
		process.reported("start").forEach((line) -> ids.add(line.split(" ")[0]));
		return ids;
	}

	/**
	 * A lease after its last beat a process counts as dead, and others look for the dead
	 * every quarter of a lease, give or take a fifth. Three seconds are for a machine
	 * that is busy with other tests.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobOfAKilledProcessRunsElsewhereWithinALeaseAndAThirdOfIt() {
		Duration lease = Duration.ofSeconds(6);
		JobEngine engine = this.application
			.build((builder) -> builder.settings(EngineSettings.defaults().withLease(lease, Duration.ofMillis(1500)))
				.handler(this.ledger.handler("hold"))
				.handler(this.ledger.handler("work")));
		JobsProcess doomed = launch("handlers=hold,work", "lease=" + lease.toMillis(), "beat=1500");
		String held = this.application.enqueue("hold");
		doomed.await("start " + held);
		engine.start();
		enqueue("work", 1000);
		long killed = System.nanoTime();
		doomed.kill();
		Awaitility.await()
			.atMost(Duration.ofSeconds(40))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> this.ledger.runs(held) == 1);
		Duration promised = lease.multipliedBy(13).dividedBy(10);
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(promised.plusSeconds(3));
		started(doomed).stream().filter((id) -> !id.equals(held)).forEach(this.ledger::ran);
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void frozenProcessLosesItsJobsAndChangesNothingWhenItContinues() {
		JobEngine engine = this.application.build((builder) -> builder.handler(holding("hold"))
			.handler(holding("hold-late"))
			.handler(this.ledger.handler("work")));
		JobsProcess frozen = launchWorker("hold,hold-late,work", "gates=settle", "log=info");
		String held = this.application.enqueue("hold");
		String late = this.application.enqueue("hold-late");
		frozen.await("start " + held).await("start " + late);
		frozen.say("hold-late");
		frozen.await("settling " + late);
		// On a busy machine its own lease may have been over for a moment before.
		int before = frozen.reported("settled " + late).size();
		frozen.freeze();
		engine.start();
		enqueue("work", 100);
		this.ledger.awaitRuns(PATIENCE);
		await(() -> assertThat(this.ledger.reported(JobEvent.Rescued.class)).containsExactlyInAnyOrder(held, late));
		frozen.say("settle");
		frozen.thaw();
		frozen.await("settled " + late).await("interrupted " + held).await("event LeaseLost " + held);
		await(() -> assertThat(frozen.reported("settled " + late)).hasSize(before + 1).last().isEqualTo("LOST"));
		assertThat(frozen.reported("interrupted " + held)).containsExactly("true");
		await(() -> assertThat(frozen.reported("event LeaseLost")).containsExactlyInAnyOrder(held, late));
		frozen.expectLogOfLostLeases(held, late);
		assertThat(frozen.reported("event Succeeded")).isEmpty();
		assertThat(this.application.queue("hold").running()).isEqualTo(1);
		assertThat(this.application.queue("hold-late").running()).isEqualTo(1);
		this.released.countDown();
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).hasSize(102).doesNotHaveDuplicates());
		assertThat(this.ledger.runs(held) + this.ledger.runs(late)).isEqualTo(2);
		frozen.terminate();
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void thawedProcessWorksOn() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		JobsProcess frozen = launchWorker("work,other").await("up");
		await(() -> assertThat(workers()).hasSize(1));
		frozen.freeze();
		engine.start();
		await(() -> assertThat(workers()).hasSize(2));
		await(() -> assertThat(workers()).hasSize(1));
		frozen.thaw();
		String id = this.application.enqueue("other");
		frozen.await("event Succeeded " + id);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void killedProcessUnderLoadLosesNothingAndLeavesNothing() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		List<JobsProcess> workers = IntStream.range(0, 3).mapToObj((i) -> launchWorker("work")).toList();
		workers.forEach((worker) -> worker.await("up"));
		await(() -> {
			enqueue("work", 200);
			assertThat(workers).allMatch((worker) -> worker.reported("start").size() > 50);
		});
		enqueue("work", 1000);
		workers.get(0).kill();
		enqueue("work", 1000);
		await(() -> {
			Set<String> ran = new HashSet<>();
			// A start in a process that was killed is no run.
			workers.forEach((worker) -> worker.reported("end").forEach((line) -> ran.add(line.split(" ")[0])));
			assertThat(this.ledger.acknowledgedBut(ran)).isEmpty();
		});
		engine.start();
		workers.subList(1, 3).forEach(JobsProcess::terminate);
		this.application.expectEmptyStore();
		List<String> settled = workers.stream()
			.flatMap((worker) -> worker.reported("event Succeeded").stream())
			.toList();
		assertThat(settled).hasSameSizeAs(new HashSet<>(settled));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobsKilledBetweenClaimAndRunAreRunElsewhere() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		enqueue("work", 30);
		JobsProcess doomed = launchWorker("work", "gates=claim").await("claimed");
		doomed.kill();
		assertThat(doomed.reported("start")).isEmpty();
		assertThat(this.application.queue("work").running()).isPositive();
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		assertThat(this.ledger.counts()).containsOnly(1);
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobsKilledBetweenRunAndSettleRunAgain() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		enqueue("work", 1);
		JobsProcess doomed = launchWorker("work", "gates=settle").await("settling");
		doomed.kill();
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	/**
	 * Each of the 500 runs exactly once, but not each is reported as rescued: a rescuer
	 * that is held up for long on a busy machine no longer trusts its lease and gives
	 * back what it took, and whoever claims that next reports no rescue. More than 400
	 * shows that this was the exception.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyRescuersTakeTheJobsOfAKilledProcessOnce() {
		enqueueFor("hold", 500);
		JobsProcess doomed = launchWorker("hold", "concurrency=500").await("start", 500);
		List<JobEngine> rescuers = IntStream.range(0, 5)
			.mapToObj((i) -> this.application.start((builder) -> builder.handler(this.ledger.handler("hold"))))
			.toList();
		assertThat(rescuers).hasSize(5);
		doomed.kill();
		this.ledger.awaitRuns(PATIENCE);
		await(() -> assertThat(this.ledger.reported(JobEvent.Rescued.class)).hasSizeGreaterThan(400)
			.doesNotHaveDuplicates());
		assertThat(this.ledger.counts()).hasSize(500).containsOnly(1);
		this.application.expectEmptyStore();
	}

	private void enqueueFor(String name, int count) {
		this.application.build((builder) -> builder.handler(this.ledger.handler(name)));
		enqueue(name, count);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobsOfAKilledProcessAreFoundWithoutItsRecord() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("hold")));
		enqueue("hold", 5);
		launchWorker("hold").await("start", 5).kill();
		this.application.deleteKeys("leases");
		this.application.deleteKeys("workers");
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		this.application.expectEmptyStore();
	}

	/**
	 * The first two abandonments may be those of an innocent job.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobThatKillsItsProcessesEndsDeadAndOthersRun() {
		HandlerOptions once = HandlerOptions
			.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxCrashes(1))));
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("deadly").with(once))
			.handler(this.ledger.handler("work")));
		String deadly = this.application.enqueue("deadly");
		for (int i = 0; i < 3; i++) {
			JobsProcess process = launch("handlers=deadly", "lease=1500", "beat=300").await("start " + deadly);
			assertThat(process.awaitEnd()).isEqualTo(4);
		}
		engine.start();
		enqueue("work", 50);
		await(() -> assertThat(this.ledger.reported(JobEvent.Died.class)).containsExactly(deadly));
		Job dead = engine.client().find(deadly).orElseThrow();
		assertThat(dead.trail().end().reason()).isEqualTo(DeadReason.CRASH_LOOP);
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).hasSize(50));
		assertThat(this.ledger.runs(deadly)).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void tenDeathsInARowBuryTheKillerAndNobodyElse() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler(CrashLoop.INNOCENT))
			.handler(this.ledger.handler(CrashLoop.KILLER)));
		new CrashLoop(engine, this.ledger, () -> launch("handlers=" + CrashLoop.INNOCENT + "," + CrashLoop.KILLER,
				"concurrency=50", "lease=3000", "beat=500"))
			.expectThatOnlyTheKillerIsBuried();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void terminatedProcessGivesBackWhatItHolds() {
		JobEngine engine = this.application
			.build((builder) -> builder.handler(this.ledger.handler("hold")).handler(this.ledger.handler("work")));
		enqueue("hold", 5);
		enqueue("work", 500);
		JobsProcess leaving = launch("handlers=hold,work").await("start", 100);
		leaving.terminate();
		assertThat(leaving.reported("stopped")).hasSize(1).allMatch((report) -> report.contains("settled=true"));
		assertThat(this.application.queue("hold").ready()).isEqualTo(5);
		assertThat(this.application.queue("hold").running()).isZero();
		assertThat(this.application.queue("work").running()).isZero();
		assertThat(workers()).isEmpty();
		leaving.reported("event Succeeded").forEach(this.ledger::ran);
		engine.start();
		this.ledger.awaitRuns(PATIENCE);
		assertThat(this.ledger.counts()).containsOnly(1);
		assertThat(this.ledger.reported(JobEvent.Rescued.class)).isEmpty();
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void killedProducerLeavesNoHalfJob() {
		JobEngine engine = this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		JobsProcess producer = launch("role=produce").await("ack", 1000);
		producer.kill();
		producer.reported("ack").forEach(this.ledger::acknowledge);
		long stored = this.application.queue("work").ready();
		assertThat(stored).isGreaterThanOrEqualTo(this.ledger.acknowledged().size());
		engine.start();
		await(() -> assertThat(this.ledger.ran()).hasSize((int) stored));
		this.ledger.awaitRuns(PATIENCE);
		assertThat(this.ledger.counts()).containsOnly(1);
		this.application.expectEmptyStore();
	}

}
