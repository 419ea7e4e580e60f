package dev.jobs.store.contract.process;

import java.time.Duration;
import java.util.function.Supplier;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.BulkStatus;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.PruneRequest;
import dev.jobs.Job;
import dev.jobs.JobRequest;
import dev.jobs.Trail.Attempt;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises among several processes. Each records its actions in its own file, and the
 * test reads these, not the store. Tests that mostly wait run in parallel.
 */
public abstract class ProcessSuite extends Processes {

	/** So long that what it finds comes too late for every test. */
	private static final String NO_POLL = "poll=60000";

	/**
	 * What is to happen within about a second, on a machine that is busy with other
	 * tests.
	 */
	private static final Duration ABOUT_A_SECOND = Duration.ofSeconds(3);

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
	}

	private void awaitEmptyQueue(String name) {
		await(() -> assertThat(queue(name)).matches((queue) -> queue.waiting() + queue.running() == 0));
	}

	// --- sharing

	@Test
	void processesShareJobsWithoutDoubles() {
		List<JobsProcess> workers = launchAll(3, "handlers=work", "concurrency=4");
		List<String> enqueued = new ArrayList<>(enqueue("work", 2000));
		await(() -> {
			enqueued.addAll(enqueue("work", 200));
			assertThat(workers).allMatch((worker) -> starts(worker).size() > 50);
		});
		awaitEmptyQueue("work");
		await(() -> assertThat(started()).hasSameSizeAs(enqueued));
		assertThat(Set.copyOf(started())).isEqualTo(Set.copyOf(enqueued));
	}

	@Test
	void ofEqualEnqueuesThatTwoProcessesRaceWithOneIsTakenAndRunOnce() {
		List<JobsProcess> racers = launchAll(2, "role=race");
		String race = "race " + (System.nanoTime() + Duration.ofMillis(200).toNanos());
		racers.forEach((racer) -> racer.say(race));
		Map<String, List<String>> outcomes = new HashMap<>();
		Map<String, Set<String>> owners = new HashMap<>();
		for (JobsProcess racer : racers) {
			for (String line : racer.await("raced", JobsMain.RACES).reported("raced")) {
				String[] words = line.split(" ");
				outcomes.computeIfAbsent(words[0], (key) -> new ArrayList<>()).add(words[1]);
				owners.computeIfAbsent(words[0], (key) -> new HashSet<>()).add(words[2]);
			}
		}
		assertThat(outcomes).hasSize(JobsMain.RACES);
		assertThat(outcomes.values()).allSatisfy(
				(both) -> assertThat(both).containsExactlyInAnyOrder(Outcome.NEW.name(), Outcome.DUPLICATE.name()));
		assertThat(owners.values()).allSatisfy((owner) -> assertThat(owner).hasSize(1));
		launch("handlers=work");
		awaitEmptyQueue("work");
		await(() -> assertThat(started())
			.containsExactlyInAnyOrderElementsOf(owners.values().stream().flatMap(Set::stream).toList()));
	}

	/**
	 * Each process adds to a delay what its clock may be behind, so delays are compared
	 * by how they differ from the one before. Two steps in a row that are the same in
	 * both come once in a thousand runs by chance, and hundreds of times from the same
	 * seed.
	 */
	@Test
	void processesDrawDifferentDelays() {
		List<Long> here = stepsOfDelays(launch("handlers=fail-here", "concurrency=1"), "fail-here");
		List<Long> there = stepsOfDelays(launch("handlers=fail-there", "concurrency=1"), "fail-there");
		int same = 0;
		for (int i = 1; i < here.size(); i++) {
			for (int j = 1; j < there.size(); j++) {
				if (isSame(here.get(i - 1), there.get(j - 1)) && isSame(here.get(i), there.get(j))) {
					same++;
				}
			}
		}
		assertThat(same).isLessThan(3);
	}

	/**
	 * Return by how many milliseconds the delays of jobs that failed one after the other
	 * differ.
	 */
	private List<Long> stepsOfDelays(JobsProcess worker, String name) {
		worker.await("up");
		List<String> ids = enqueue(name, 300);
		worker.await("event Retrying", 300);
		List<Long> delays = new ArrayList<>();
		for (String id : ids) {
			Job job = producer().client().find(id).orElseThrow();
			delays.add(Duration.between(job.trail().attempts().get(0).endedAt(), job.dueAt()).toMillis());
		}
		assertThat(Set.copyOf(delays)).hasSizeGreaterThan(200);
		return IntStream.range(1, delays.size()).mapToObj((i) -> delays.get(i) - delays.get(i - 1)).toList();
	}

	/**
	 * Each of the two delays of a step was rounded.
	 */
	private static boolean isSame(long step, long other) {
		return Math.abs(step - other) <= 2;
	}

	// --- schedules

	/**
	 * A ticker that rests for too long makes up for what it has missed, so in the end one
	 * process has to keep the pace alone, save when the machine stalls.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void everyTickFiresOnceAndInTimeHoweverManyProcessesThereAre() {
		List<JobsProcess> workers = launchAll(3, "handlers=tick", "schedule=* * * * * *");
		awaitMoreTicks(10);
		workers.subList(1, 3).forEach(JobsProcess::terminate);
		int before = ticks().size();
		awaitMoreTicks(6);
		expectEveryTickOnceAndNoneEarly();
		List<Start> alone = ticks().stream().sorted(Comparator.comparingLong(Start::tick)).skip(before).toList();
		assertThat(alone.stream().filter((start) -> start.millis() < start.tick() + 1000))
			.hasSizeGreaterThan(alone.size() / 2);
	}

	// --- limits

	@Test
	void limitHoldsAcrossProcessesAtEachInstantAndIsUsedUp() {
		List<JobsProcess> workers = launchAll(2, "handlers=hold-20", "limit=3", "concurrency=10");
		List<String> enqueued = new ArrayList<>(enqueue("hold-20", 100));
		await(() -> {
			enqueued.addAll(enqueue("hold-20", 5));
			assertThat(workers).allMatch((worker) -> starts(worker).size() > 20);
		});
		awaitEmptyQueue("hold-20");
		assertThat(mostAtOnce(workers)).isEqualTo(3);
		assertThat(started()).containsExactlyInAnyOrderElementsOf(enqueued);
	}

	/**
	 * Return how many jobs ran at once at most, as the processes noted it by the counter
	 * that they share.
	 */
	private int mostAtOnce(List<JobsProcess> workers) {
		record Change(long nanos, int by) {

		}
		List<Change> changes = new ArrayList<>();
		for (JobsProcess worker : workers) {
			starts(worker).forEach((start) -> changes.add(new Change(start.nanos(), 1)));
			worker.reported("end").forEach((line) -> changes.add(new Change(Long.parseLong(line.split(" ")[1]), -1)));
		}
		changes.sort(Comparator.comparingLong(Change::nanos).thenComparingInt(Change::by));
		int running = 0;
		int most = 0;
		for (Change change : changes) {
			running += change.by();
			most = Math.max(most, running);
		}
		assertThat(running).isZero();
		return most;
	}

	/**
	 * A lease after its last beat a process counts as dead, and others look for the dead
	 * every quarter of a lease, give or take a fifth. The jobs of others neither start
	 * before nor go beyond the limit.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void limitIsFreeAgainALeaseAndAThirdOfItAfterItsHolderWasKilled() {
		Duration lease = Duration.ofSeconds(6);
		List<String> enqueued = enqueue("hold", 6);
		JobsProcess holder = launch("handlers=hold", "limit=3", "lease=" + lease.toMillis(), "beat=1500");
		holder.await("start", 3);
		JobsProcess other = launch("handlers=hold,other", "limit=3", "lease=" + lease.toMillis(), "beat=1500", NO_POLL);
		other.await("start " + enqueue("other"));
		assertThat(starts(other, "hold")).isEmpty();
		long killed = System.nanoTime();
		holder.kill();
		await(() -> assertThat(starts(other, "hold")).hasSize(3));
		Duration promised = lease.plus(lease.dividedBy(3));
		assertThat(starts(other, "hold"))
			.allSatisfy((start) -> assertThat(Duration.ofNanos(start.nanos() - killed)).as("start of %s", start.id())
				.isLessThan(promised.plus(ABOUT_A_SECOND)));
		assertThat(queue("hold").running()).isEqualTo(3);
		other.say("hold");
		awaitEmptyQueue("hold");
		await(() -> assertThat(other.reported("end")).extracting((line) -> line.split(" ")[0]).containsAll(enqueued));
	}

	// --- pauses

	/**
	 * Within a second is what is promised. On a machine that is busy with other tests
	 * half of the times must be, and the others may be those of the machine.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void pauseAndResumeOfOneProcessCountInOthersWithinAboutASecond() {
		List<JobsProcess> workers = launchAll(2, "handlers=hold-50,other", "concurrency=4", NO_POLL);
		enqueue("hold-50", 1000);
		workers.forEach((worker) -> worker.await("start", 5));
		List<Duration> pauses = new ArrayList<>();
		List<Duration> resumes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			long paused = System.nanoTime();
			producer().operations().queue("hold-50").pause();
			enqueue("hold-50", 1);
			String later = producer().client()
				.enqueue(JobRequest.named("other").options((set) -> set.delay(ABOUT_A_SECOND.plusSeconds(1))))
				.id();
			await(() -> assertThat(started()).contains(later));
			workers.forEach((worker) -> pauses.add(Duration.ofNanos(lastStartSince(worker, paused))));
			long resumed = System.nanoTime();
			producer().operations().queue("hold-50").resume();
			workers.forEach((worker) -> {
				await(() -> assertThat(firstStartSince(worker, resumed)).isPositive());
				resumes.add(Duration.ofNanos(firstStartSince(worker, resumed)));
			});
		}
		for (List<Duration> took : List.of(pauses, resumes)) {
			assertThat(took).allMatch((time) -> time.compareTo(ABOUT_A_SECOND) < 0);
			assertThat(took.stream().sorted().toList().get(took.size() / 2)).as("the median of %s", took)
				.isLessThan(Duration.ofSeconds(1));
		}
		assertThat(queue("hold-50").waiting()).as("enough to start for both, all the time").isPositive();
	}

	/**
	 * Return how many nanoseconds later a process started a job of the paused queue last,
	 * or 0 if it has not.
	 */
	private long lastStartSince(JobsProcess worker, long nanos) {
		return starts(worker, "hold-50").stream()
			.mapToLong((start) -> start.nanos() - nanos)
			.filter((since) -> since > 0)
			.max()
			.orElse(0);
	}

	/**
	 * Return how many nanoseconds later a process started a job of the paused queue
	 * first, or 0 if it has not.
	 */
	private long firstStartSince(JobsProcess worker, long nanos) {
		return starts(worker, "hold-50").stream()
			.mapToLong((start) -> start.nanos() - nanos)
			.filter((since) -> since > 0)
			.min()
			.orElse(0);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void jobsThatRunWhileAnotherProcessPausesTheirQueueComeToTheirEnd() {
		JobsProcess worker = launch("handlers=hold", "concurrency=2").await("up");
		List<String> enqueued = enqueue("hold", 5);
		worker.await("start", 2);
		producer().operations().queue("hold").pause();
		worker.say("hold");
		List<String> running = starts(worker).stream().map(Start::id).toList();
		running.forEach((id) -> worker.await("event Succeeded " + id));
		await(() -> assertThat(queue("hold")).matches((queue) -> queue.running() == 0 && queue.ready() == 3));
		assertThat(worker.reported("interrupted")).isEmpty();
		producer().operations().queue("hold").resume();
		await(() -> assertThat(started()).containsExactlyInAnyOrderElementsOf(enqueued));
	}

	// --- bulk actions

	/**
	 * The jobs of the step under way may be changed and not counted; none is changed
	 * twice or left out.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void bulkActionGoesOnWithinALeaseAfterItsWorkerWasKilled() {
		enqueue("idle", 3000);
		Instant later = Instant.now().plusMillis(1);
		while (store().prune(new PruneRequest(null, 0, null, 0, later, null, 500, later)).stranded() > 0) {
			// Until none is left.
		}
		JobFilter dead = JobFilter.of((only) -> only.name("idle").states(JobState.DEAD));
		assertThat(store().inspector().count(dead, 10_000, Instant.now()).number()).isEqualTo(3000);
		JobOperations operations = producer().operations();
		String id = operations.jobs(dead).startRetry().id();
		Supplier<BulkStatus> status = () -> operations.bulkAction(id).status().orElseThrow();
		for (int i = 0; i < 3; i++) {
			long before = status.get().done();
			JobsProcess worker = launch("handlers=other", "lease=4000", "beat=1000");
			Awaitility.await()
				.atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(2))
				.until(() -> status.get().done() > before);
			if (i < 2) {
				worker.kill();
				assertThat(status.get().state()).isEqualTo(BulkStatus.State.RUNNING);
			}
		}
		await(() -> assertThat(status.get().state()).isEqualTo(BulkStatus.State.DONE));
		assertThat(queue("idle")).matches((queue) -> queue.dead() == 0 && queue.ready() == 3000);
		assertThat(status.get().done() + status.get().skipped()).isBetween(2000L, 3000L);
	}

	// --- stops

	/**
	 * A process that is killed, or frozen until others have its jobs, has at most as many
	 * steps under way as it runs jobs.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachStepRunsAtMostOnceMoreThanItWasKilledOrFrozen() {
		int concurrency = 4;
		String[] arguments = { "handlers=steps", "concurrency=" + concurrency, "lease=1500", "beat=300" };
		List<String> ids = enqueue("steps", 40);
		JobsProcess frozen = launch(arguments).await("effect", 50);
		frozen.freeze();
		for (int i = 0; i < 3; i++) {
			launch(arguments).await("effect", 50).kill();
		}
		launch(arguments);
		awaitEmptyQueue("steps");
		frozen.thaw();
		frozen.await("event LeaseLost");
		Map<String, Integer> effects = new HashMap<>();
		for (JobsProcess process : processes()) {
			process.reported("effect").forEach((step) -> effects.merge(step, 1, Integer::sum));
			assertThat(process.reported("wrong")).isEmpty();
		}
		assertThat(effects).hasSize(ids.size() * JobsMain.STEPS);
		assertThat(effects.values().stream().mapToInt((times) -> times - 1).sum()).isLessThanOrEqualTo(4 * concurrency);
		assertThat(effects.values()).allMatch((times) -> times <= 5);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void callerGetsTheResultThoughTheWorkerThatRanTheJobWasKilled() {
		String[] arguments = { "handlers=hold", "lease=1500", "beat=300" };
		JobsProcess victim = launch(arguments);
		CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> call("hold"));
		String id = victim.await("start").reported("start").get(0).split(" ")[0];
		victim.kill();
		JobsProcess heir = launch(arguments).await("start " + id);
		assertThat(call).isNotDone();
		heir.say("hold");
		assertThat(call).succeedsWithin(PATIENCE).isEqualTo("end of " + id);
	}

	private String call(String name) {
		try {
			return producer().client().call(JobRequest.named(name), String.class, PATIENCE);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void handlerThatCallsSystemExitHasFailedInThatAttempt() {
		JobsProcess worker = launch("handlers=exit");
		String id = enqueue("exit");
		assertThat(worker.await("start " + id).awaitEnd()).isEqualTo(JobsMain.EXIT_STATUS);
		Job job = producer().client().find(id).orElseThrow();
		assertThat(job.trail().failures()).isEqualTo(1);
		assertThat(job.trail().attempts()).extracting(Attempt::error).containsExactly("the handler called System.exit");
	}

}
