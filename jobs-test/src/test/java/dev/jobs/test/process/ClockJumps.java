package dev.jobs.test.process;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.jobs.JobRequest;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStoreException;
import dev.jobs.store.WorkerView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of jobs when the clock of a process is wrong and jumps while the clocks of
 * the server and of the other process are right.
 */
public abstract class ClockJumps {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private final List<JobsProcess> processes = new ArrayList<>();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path directory;

	@SuppressWarnings("NullAway.Init")
	private JobEngine producer;

	/**
	 * Return the store that the processes work on.
	 */
	protected abstract JobStore store();

	/**
	 * Return the arguments by which processes find the store.
	 */
	protected abstract List<String> place();

	@BeforeEach
	void createProducer() {
		this.producer = JobEngine.builder(store()).build();
	}

	/**
	 * Clean up after all processes have ended.
	 */
	protected abstract void close();

	@AfterEach
	void endAll() {
		this.processes.forEach(JobsProcess::close);
		close();
	}

	private JobsProcess launch(String... arguments) {
		JobsProcess process = JobsProcess.start(this.directory,
				Stream.concat(place().stream(), Stream.of(arguments)).toArray(String[]::new));
		this.processes.add(process);
		return process;
	}

	private JobsProcess launchWorker(String handlers, long clock) {
		return launch("handlers=" + handlers, "lease=" + LEASE.toMillis(), "beat=1000", "limit=1", "schedule=@every 1s",
				"clock=" + clock);
	}

	private String enqueue(String name) {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.until(() -> this.producer.client().enqueue(JobRequest.of(name, "payload")).id(), Objects::nonNull);
	}

	private List<String[]> starts() {
		return this.processes.stream()
			.flatMap((process) -> process.told("start").stream())
			.map((line) -> line.split(" "))
			.toList();
	}

	private List<String> started() {
		return starts().stream().map((words) -> words[0]).toList();
	}

	private static long tick(String[] words) {
		return Long.parseLong(words[0].substring(words[0].lastIndexOf('-') + 1));
	}

	private List<String[]> ticks() {
		return starts().stream().filter((words) -> words[1].equals("tick")).toList();
	}

	private void awaitMoreTicks() {
		int before = ticks().size();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> ticks().size() >= before + 5);
	}

	private void expectEveryTickOnceAndNoneEarly() {
		List<Long> ticks = ticks().stream().map(ClockJumps::tick).sorted().toList();
		assertThat(ticks)
			.containsExactlyElementsOf(LongStream.rangeClosed(ticks.get(0) / 1000, ticks.get(ticks.size() - 1) / 1000)
				.mapToObj((second) -> second * 1000)
				.toList());
		assertThat(ticks()).allSatisfy((words) -> assertThat(Long.parseLong(words[3])).as("the start of %s", words[0])
			.isGreaterThanOrEqualTo(tick(words)));
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
			awaitMoreTicks();
			expectNoLeaseLongerThanItShouldBe();
		}
		assertThat(started()).doesNotHaveDuplicates();
		assertThat(starts()).filteredOn((words) -> words[1].startsWith("hold")).hasSize(2);
		assertThat(this.processes).allSatisfy((process) -> assertThat(process.told("event LeaseLost")).isEmpty());
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
		awaitMoreTicks();
		Instant before = lastBeat(doomed);
		doomed.say("clock " + ahead);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> !lastBeat(doomed).equals(before));
		assertThat(other.told("start " + held)).isEmpty();
		long killed = System.nanoTime();
		doomed.kill();
		other.await("start " + held);
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(20));
		awaitMoreTicks();
		expectEveryTickOnceAndNoneEarly();
	}

	@ParameterizedTest
	@ValueSource(longs = { 3_600_000, -3_600_000, 4_000, -4_000 })
	@Execution(ExecutionMode.CONCURRENT)
	void delayOfAProducerWhoseClockIsWrongIsKept(long ahead) {
		JobsProcess worker = launch("handlers=work").await("up");
		String[] delayed = launch("role=delay", "clock=" + ahead).await("delayed").told("delayed").get(0).split(" ");
		worker.await("start " + delayed[0]);
		long start = Long.parseLong(worker.told("start " + delayed[0]).get(0).split(" ")[2]);
		assertThat(start).isGreaterThanOrEqualTo(Long.parseLong(delayed[1]));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void everyTickFiresOnceHoweverManyProcessesThereAre() {
		IntStream.range(0, 4)
			.mapToObj((i) -> launchWorker("tick", 0))
			.toList()
			.forEach((process) -> process.await("up"));
		for (int i = 0; i < 2; i++) {
			awaitMoreTicks();
		}
		expectEveryTickOnceAndNoneEarly();
		Set<String> once = new HashSet<>(started());
		assertThat(started()).hasSameSizeAs(once);
	}

}
