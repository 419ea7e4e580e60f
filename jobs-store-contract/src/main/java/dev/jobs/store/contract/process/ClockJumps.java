package dev.jobs.store.contract.process;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.store.view.WorkerView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs when the clock of one process is wrong and jumps while the clocks of the
 * server and of the other process are right.
 */
public abstract class ClockJumps extends Processes {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private JobsProcess launchWorker(String handlers, long clock) {
		return launch("handlers=" + handlers, "lease=" + LEASE.toMillis(), "beat=1000", "limit=1", "schedule=@every 1s",
				"clock=" + clock);
	}

	private Instant lastBeat(JobsProcess process) {
		return store().inspector()
			.workers(Instant.EPOCH)
			.stream()
			.filter((worker) -> worker.info() != null && worker.info().pid() == process.pid())
			.map(WorkerView::lastBeat)
			.findFirst()
			.orElseThrow();
	}

	private void expectNoLeaseLongerThanItShouldBe() {
		Instant now = Instant.now();
		assertThat(store().inspector().workers(now)).hasSize(2)
			.allSatisfy((worker) -> assertThat(worker.leaseUntil()).isBetween(now, Instant.now().plus(LEASE)));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, -1 })
	@Execution(ExecutionMode.CONCURRENT)
	void clockThatIsWrongAndJumpsChangesNothing(int sign) {
		JobsProcess wrong = launchWorker("hold-wrong,tick", sign * 4_000).await("up");
		String ofWrong = enqueue("hold-wrong");
		wrong.await("start " + ofWrong);
		JobsProcess right = launchWorker("hold-right,hold-wrong,tick", 0).await("up");
		String ofRight = enqueue("hold-right");
		right.await("start " + ofRight);
		enqueue("hold-wrong");
		for (long ahead : new long[] { sign * 3_600_000L, 0, sign * -4_000L }) {
			wrong.say("clock " + ahead);
			awaitMoreTicks(5);
			expectNoLeaseLongerThanItShouldBe();
		}
		assertThat(started()).doesNotHaveDuplicates();
		assertThat(starts()).filteredOn((start) -> start.handler().startsWith("hold")).hasSize(2);
		assertThat(processes()).allSatisfy((process) -> assertThat(process.reported("event LeaseLost")).isEmpty());
		expectEveryTickOnceAndNoneEarly();
		wrong.say("hold-wrong");
		right.say("hold-wrong");
		right.say("hold-right");
		wrong.await("settled " + ofWrong + " APPLIED");
		right.await("settled " + ofRight + " APPLIED");
	}

	@ParameterizedTest
	@ValueSource(longs = { 3_600_000, -3_600_000 })
	@Execution(ExecutionMode.CONCURRENT)
	void jobsOfAProcessKilledAfterAJumpRunElsewhereWithinTwentySeconds(long ahead) {
		JobsProcess doomed = launchWorker("hold,tick", 0).await("up");
		String held = enqueue("hold");
		doomed.await("start " + held);
		JobsProcess other = launchWorker("hold,tick", 0).await("up");
		awaitMoreTicks(5);
		Instant before = lastBeat(doomed);
		doomed.say("clock " + ahead);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> !lastBeat(doomed).equals(before));
		assertThat(other.reported("start " + held)).isEmpty();
		long killed = System.nanoTime();
		doomed.kill();
		other.await("start " + held);
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(20));
		awaitMoreTicks(5);
		expectEveryTickOnceAndNoneEarly();
	}

	@ParameterizedTest
	@ValueSource(longs = { 3_600_000, -3_600_000, 4_000, -4_000 })
	@Execution(ExecutionMode.CONCURRENT)
	void delayOfAProducerWhoseClockIsWrongIsKept(long ahead) {
		JobsProcess worker = launch("handlers=work").await("up");
		String[] delayed = launch("role=delay", "clock=" + ahead).await("delayed")
			.reported("delayed")
			.get(0)
			.split(" ");
		worker.await("start " + delayed[0]);
		long start = Long.parseLong(worker.reported("start " + delayed[0]).get(0).split(" ")[2]);
		assertThat(start).isGreaterThanOrEqualTo(Long.parseLong(delayed[1]));
	}

}
