package dev.jobs.store.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.CrashLoop;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs in PostgreSQL whose processes are killed or frozen, and for many
 * processes.
 */
class PostgresProcessFaultTests {

	private final Ledger ledger = new Ledger();

	/** Makes the tables and is closed with them. */
	private final JobStore first = TestDatabase.POSTGRESQL.createStore();

	private final PostgresApplication application = new PostgresApplication(TestDatabase.POSTGRESQL.connectionUrl(),
			TestDatabase.POSTGRESQL.prefix(this.first), this.ledger);

	private final List<JobsProcess> processes = new ArrayList<>();

	private final CountDownLatch released = new CountDownLatch(1);

	@TempDir
	private Path directory;

	@AfterEach
	void endAll() {
		this.released.countDown();
		this.processes.forEach(JobsProcess::close);
		this.application.close();
		TestDatabase.POSTGRESQL.destroyStore(this.first);
	}

	private JobsProcess launch(String... arguments) {
		List<String> all = new ArrayList<>(List.of("server=" + TestDatabase.POSTGRESQL.connectionUrl(),
				"namespace=" + TestDatabase.POSTGRESQL.prefix(this.first)));
		all.addAll(List.of(arguments));
		JobsProcess process = JobsProcess.start(this.directory, all.toArray(String[]::new));
		this.processes.add(process);
		return process;
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

	private static List<String> started(JobsProcess process) {
		return process.reported("start").stream().map((line) -> line.split(" ")[0]).toList();
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
		this.ledger.awaitRuns(PostgresApplication.PATIENCE);
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobOfADeadProcessThatNobodyKnowsComesBack() {
		this.application.build((builder) -> builder.handler(this.ledger.handler("hold")));
		JobsProcess doomed = launch("handlers=hold", "lease=3000", "beat=500");
		String held = this.application.enqueue("hold");
		doomed.await("start " + held);
		doomed.kill();
		assertThat(
				this.application.jdbc().update("delete from " + TestDatabase.POSTGRESQL.prefix(this.first) + "worker"))
			.isPositive();
		this.application.engine().start();
		this.ledger.awaitRuns(PostgresApplication.PATIENCE);
		this.application.expectEmptyStore();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void frozenProcessLosesItsJobsAndChangesNothingWhenItContinues() {
		JobEngine engine = this.application
			.build((builder) -> builder.handler(holding("hold")).handler(holding("hold-late")));
		JobsProcess frozen = launch("handlers=hold,hold-late", "lease=3000", "beat=500", "gates=settle", "log=info")
			.await("up");
		String held = this.application.enqueue("hold");
		String late = this.application.enqueue("hold-late");
		frozen.await("start " + held).await("start " + late);
		frozen.say("hold-late");
		frozen.await("settling " + late);
		// On a busy machine its own lease may have been over for a moment before.
		int before = frozen.reported("settled " + late).size();
		frozen.freeze();
		engine.start();
		this.ledger.awaitRuns(PostgresApplication.PATIENCE);
		PostgresApplication.await(
				() -> assertThat(this.ledger.reported(JobEvent.Rescued.class)).containsExactlyInAnyOrder(held, late));
		frozen.say("settle");
		frozen.thaw();
		frozen.await("settled " + late).await("interrupted " + held).await("event LeaseLost " + held);
		PostgresApplication
			.await(() -> assertThat(frozen.reported("settled " + late)).hasSize(before + 1).last().isEqualTo("LOST"));
		PostgresApplication
			.await(() -> assertThat(frozen.reported("event LeaseLost")).containsExactlyInAnyOrder(held, late));
		frozen.expectLogOfLostLeases(held, late);
		assertThat(frozen.reported("event Succeeded")).isEmpty();
		this.released.countDown();
		PostgresApplication.await(
				() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).containsExactlyInAnyOrder(held, late));
		frozen.terminate();
		this.application.expectEmptyStore();
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
	void fourProcessesOfFourWorkersRunTenThousandJobsOnceEach() {
		this.application.build((builder) -> builder.handler(this.ledger.handler("work")));
		List<JobsProcess> workers = IntStream.range(0, 4)
			.mapToObj((i) -> launch("handlers=work", "concurrency=4"))
			.toList();
		workers.forEach((worker) -> worker.await("up"));
		enqueue("work", 10_000);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(500))
			.until(() -> this.application.queue("work").waiting() + this.application.queue("work").running() == 0);
		PostgresApplication.await(() -> {
			List<String> all = workers.stream().flatMap((worker) -> started(worker).stream()).toList();
			assertThat(all).hasSize(10_000);
			assertThat(new HashSet<>(all)).isEqualTo(this.ledger.acknowledged());
		});
		assertThat(workers).filteredOn((worker) -> started(worker).size() > 100).hasSizeGreaterThan(1);
	}

}
