package dev.jobs.store.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

import dev.jobs.Rate;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WantedWorkersView.Brakes;
import dev.jobs.store.view.WorkerInfo.Limit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WantedWorkersView}, most of them by a simulated {@link Fleet}.
 */
class WantedWorkersTests {

	private static final Instant NOW = Instant.parse("2026-03-02T12:00:30Z");

	/** How long jobs may wait while the workers for them start. */
	private static final double LONGEST = Fleet.TARGET.toSeconds() + Fleet.START_UP;

	private final Fleet fleet = new Fleet(20);

	@Test
	void burstIsDrainedInTimeAndItsWorkersGoOnce() {
		Fleet.Queue queue = this.fleet.queue((second) -> (second == 600) ? 3000 : 1, 0.9);
		this.fleet.run(Duration.ofHours(1));
		assertThat(queue.longest()).isBetween(15.0, LONGEST);
		assertThat(Collections.max(this.fleet.numbers())).isBetween(5, 12);
		assertThat(last()).isEqualTo(1);
		assertThat(this.fleet.turns()).isOne();
	}

	@Test
	void burstsInARowKeepTheirWorkers() {
		Fleet.Queue queue = this.fleet.queue((second) -> (second % 300 == 0) ? 3000 : 1, 0.9);
		this.fleet.run(Duration.ofHours(2));
		assertThat(queue.longest()).isLessThan(LONGEST);
		assertThat(this.fleet.turns()).isZero();
	}

	@Test
	void rampIsFollowedInTimeAndNeverBackwards() {
		Fleet.Queue queue = this.fleet.queue((second) -> Math.min(5 + second / 10, 200), 0.9);
		this.fleet.run(Duration.ofMinutes(70));
		assertThat(queue.longest()).isLessThan(LONGEST);
		assertThat(last()).isBetween(9, 11);
		assertThat(this.fleet.turns()).isZero();
	}

	@ParameterizedTest
	@ValueSource(doubles = { 4, 12, 40 })
	void dayIsFollowedUpAndDown(double run) {
		DoubleUnaryOperator busy = (second) -> 110 - 100 * Math.cos(second * Math.PI / 43_200);
		Fleet.Queue queue = this.fleet.queue((second) -> busy.applyAsDouble(second) / run, run);
		this.fleet.run(Duration.ofDays(1));
		assertThat(queue.longest()).isLessThan(LONGEST);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(6);
		assertThat(this.fleet.numbers().stream().mapToInt(Integer::intValue).average().orElseThrow()).isBetween(5.5,
				12.0);
	}

	@ParameterizedTest
	@CsvSource({ "57, 1", "60, 1.02", "63, 0.52", "57, 6", "60, 20", "60, 100", "60, 600", "19, 8", "1, 0.1" })
	void evenLoadKeepsItsWorkers(double busy, double run) {
		Fleet.Queue queue = this.fleet.queue((second) -> busy / run, run);
		this.fleet.run(Duration.ofHours(4));
		assertThat(queue.longest()).isLessThan(LONGEST);
		assertThat(last()).isBetween((int) Math.ceil(busy / 20 - 0.2), (int) Math.ceil(2 * busy / 20) + 1);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(1);
	}

	@Test
	void veryShortJobsNeedFewWorkers() {
		Fleet.Queue queue = this.fleet.queue((second) -> (second == 1200) ? 100_000 : 800, 0.005);
		this.fleet.run(Duration.ofMinutes(40));
		assertThat(queue.longest()).isLessThan(LONGEST);
		assertThat(Collections.max(this.fleet.numbers())).isLessThanOrEqualTo(3);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(2);
	}

	/**
	 * As long as none has ended, there is no telling how long they run.
	 */
	@Test
	void veryLongJobsDoubleTheWorkersUntilAllRunAndKeepThem() {
		Fleet.Queue queue = this.fleet.queue((second) -> (second == 60) ? 1050 : 0, 3 * 3600);
		this.fleet.run(Duration.ofHours(3));
		assertThat(queue.longest()).isLessThan(8 * (Fleet.START_UP + 2 * Fleet.READING));
		assertThat(last()).isEqualTo(53);
		assertThat(queue.interrupted()).isZero();
		assertThat(this.fleet.turns()).isZero();
	}

	@Test
	void limitedAndPausedJobsWantNoWorkersThatCannotHelp() {
		Fleet.Queue busy = this.fleet.queue((second) -> 20, 0.9);
		this.fleet.queue((second) -> (second == 0) ? 100_000 : 1, 5).limited(2, 0);
		this.fleet.queue((second) -> (second == 0) ? 100_000 : 1, 5).paused((second) -> true);
		this.fleet.run(Duration.ofHours(1));
		assertThat(busy.longest()).isLessThan(LONGEST);
		assertThat(Collections.max(this.fleet.numbers())).isLessThanOrEqualTo(2);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(1);
	}

	@Test
	void backlogOfAPauseIsDrainedAfterIt() {
		Fleet.Queue queue = this.fleet.queue((second) -> 10, 0.9).paused((second) -> second > 600 && second < 4200);
		this.fleet.run(Duration.ofHours(2));
		assertThat(queue.longest()).isLessThan(3600 + LONGEST);
		assertThat(this.fleet.numbers().subList(40, 280)).containsOnly(1);
		assertThat(last()).isEqualTo(1);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(3);
	}

	@Test
	void jobsAboveARateWantNoWorkers() {
		Fleet.Queue busy = this.fleet.queue((second) -> 20, 0.9);
		Fleet.Queue rated = this.fleet.queue((second) -> (second == 0) ? 100_000 : 1, 0.9).rated(Rate.parse("100/1m"));
		this.fleet.run(Duration.ofHours(1));
		assertThat(busy.longest()).isLessThan(LONGEST);
		assertThat(rated.started()).isGreaterThan(58 * 100);
		assertThat(Collections.max(this.fleet.numbers())).isLessThanOrEqualTo(3);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "10/1s, 0.9", "100/1s, 5", "1000/1m burst 10, 3" })
	void rateGetsTheWorkersThatUseIt(String text, double run) {
		Rate rate = Rate.parse(text);
		Fleet.Queue queue = this.fleet.queue((second) -> (second == 0) ? 100_000 : 0, run).rated(rate);
		this.fleet.run(Duration.ofMinutes(15));
		double starts = rate.getStarts() / (rate.getWindow().toMillis() / 1000.0);
		assertThat(queue.started()).isGreaterThan((int) (12 * 60 * starts));
		assertThat(last()).isBetween((int) (starts * run / 20), (int) (2 * starts * run / 20) + 2);
		assertThat(this.fleet.turns()).isZero();
	}

	@Test
	void queueThatIsHeldBackWantsNoWorkersUntilThen() {
		Fleet.Queue queue = this.fleet.queue((second) -> 10, 0.9).heldBack(600, 4200);
		this.fleet.run(Duration.ofHours(2));
		assertThat(queue.longest()).isLessThan(3600 + LONGEST);
		assertThat(this.fleet.numbers().subList(42, 276)).containsOnly(1);
		assertThat(last()).isEqualTo(1);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(3);
	}

	@Test
	void limitOfEachWorkerWantsMoreOfThem() {
		Fleet.Queue queue = this.fleet.queue((second) -> 10, 0.9).limited(0, 2);
		this.fleet.run(Duration.ofHours(1));
		assertThat(queue.longest()).isLessThan(2 * LONGEST);
		assertThat(last()).isBetween(5, 7);
		assertThat(this.fleet.turns()).isLessThanOrEqualTo(2);
	}

	private int last() {
		return this.fleet.numbers().get(this.fleet.numbers().size() - 1);
	}

	@Test
	void figureIsThatOfItsQueuesAndOfTheTarget() {
		List<Tally> history = List.of(ran("a", 8, 100));
		List<QueueView> queues = List.of(queue("a", 3000, 0));
		assertThat(wanted(queues, workers(1, 20), history).get(0)).satisfies((pool) -> {
			assertThat(pool.pool()).isEqualTo("default");
			assertThat(pool.slots()).isEqualTo(51);
			assertThat(pool.workers()).isEqualTo(3);
			assertThat(pool.queues()).containsEntry("a", 51);
		});
		assertThat(WantedWorkersView.of(queues, workers(1, 20), history, (queue) -> Brakes.NONE,
				(pool) -> Duration.ofHours(1), NOW))
			.singleElement()
			.extracting(WantedWorkersView::workers)
			.isEqualTo(1);
	}

	@Test
	void nothingIsWantedForNothing() {
		assertThat(wanted(List.of(queue("a", 0, 0)), workers(3, 20), List.of()).get(0).workers()).isZero();
	}

	@Test
	void queueWithoutALiveWorkerIsInNoPool() {
		assertThat(wanted(List.of(queue("unserved", 1000, 0)), workers(1, 20), List.of()).get(0).queues()).isEmpty();
		assertThat(wanted(List.of(queue("a", 1000, 0)), List.of(), List.of())).isEmpty();
	}

	@Test
	void quietWorkerIsNoneThatHelps() {
		List<WorkerView> workers = new ArrayList<>(workers(2, 20));
		workers.addAll(workers(1, 0));
		assertThat(wanted(List.of(queue("a", 3000, 0)), workers, List.of(ran("a", 8, 100))).get(0).workers())
			.isEqualTo(4);
	}

	@Test
	void pausedPoolWantsTheWorkersThatAreStillBusy() {
		List<WorkerView> workers = List.of(worker(0, 3), worker(0, 0));
		assertThat(wanted(List.of(queue("a", 3000, 3)), workers, List.of()).get(0).workers()).isOne();
	}

	@Test
	void storedLimitOutweighsThoseOfWorkers() {
		QueueView queue = queue("a", 3000, 0).with(new SettingsView(1, null, new Value<>(5, NOW, null)));
		assertThat(wanted(List.of(queue), workers(2, 20), List.of(ran("a", 8, 100))).get(0).slots()).isEqualTo(5);
	}

	@Test
	void countThatStoppedAtItsBoundDoublesWhatRunsWhileJobsAreLate() {
		QueueView queue = queue("a", 10_000, 40).countedUpTo(10_000);
		assertThat(wanted(List.of(queue), workers(2, 20), List.of(ran("a", 3, 100))).get(0).workers()).isEqualTo(4);
		assertThat(wanted(List.of(queue("a", 10_000, 40)), workers(2, 20), List.of(ran("a", 3, 100))).get(0).slots())
			.isEqualTo(6);
	}

	@Test
	void jobsThatWaitForTheirLanesWantNoMoreThanTwiceWhatRuns() {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("default", 20, 3, List.of("a"));
		WorkerView worker = new WorkerView("w",
				new WorkerInfo("host", 1, "", NOW, List.of(pool), List.of(new Limit("a", 0, 0, 1))), NOW, NOW, 3);
		List<Tally> past = List.of(ran("a", 10, 60));
		assertThat(wanted(List.of(queue("a", 100_000, 3)), List.of(worker), past)).singleElement()
			.satisfies((wanted) -> assertThat(wanted.queues()).containsEntry("a", 6));
	}

	@Test
	void jobsThatWaitForRatesOfLanesOrInPausedLanesWantNoMoreThanTwiceWhatRuns() {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("default", 20, 3, List.of("a"));
		List<Limit> limits = List.of(new Limit("a", 0, 0, 0, "", true));
		WorkerView rated = new WorkerView("w", new WorkerInfo("host", 1, "", NOW, List.of(pool), limits), NOW, NOW, 3);
		List<QueueView> queues = List.of(queue("a", 100_000, 3));
		List<Tally> past = List.of(ran("a", 10, 60));
		assertThat(wanted(queues, List.of(rated), past).get(0).queues()).containsEntry("a", 6);
		assertThat(WantedWorkersView
			.of(queues, workers(1, 20), past, (queue) -> new Brakes(null, true), (name) -> Duration.ofSeconds(30), NOW)
			.get(0)
			.queues()).containsEntry("a", 6);
	}

	@Test
	void jobsThatHaveWaitedForTheirLanesKeepNoWorkers() {
		List<WorkerView> rated = List.of(rated("", true), rated("", true));
		List<Tally> past = List.of(waited("a", 15, 60), ran("a", 10, 60));
		assertThat(wanted(List.of(queue("a", 3, 1)), rated, past).get(0).workers()).isOne();
		assertThat(wanted(List.of(queue("a", 0, 0)), rated, past).get(0).workers()).isOne();
		assertThat(wanted(List.of(queue("a", 0, 0)), workers(2, 20), past).get(0).workers()).isEqualTo(2);
	}

	@Test
	void laneThatAnOperatorPausesOrLimitsBrakesItsQueue() {
		LaneSettingsView other = LaneSettingsView.NONE;
		LaneSettingsView paused = other.with(Rule.PAUSED, new Value<>(1, NOW, "ada"));
		LaneSettingsView limited = other.with(Rule.LIMIT, new Value<>(2, NOW, "ada"));
		LaneSettingsView unlimited = other.with(Rule.LIMIT, new Value<>(0, NOW, "ada"));
		assertThat(Brakes.of(GateView.OPEN, List.of(other, paused)).inLanes()).isTrue();
		assertThat(Brakes.of(GateView.OPEN, List.of(other, limited)).inLanes()).isTrue();
		assertThat(Brakes.of(GateView.OPEN, List.of(other, unlimited))).isEqualTo(Brakes.NONE);
	}

	@Test
	void permitCountsOnlyWhileAWorkerHasARate() {
		GateView gate = new GateView(NOW.plusSeconds(3), NOW.plusSeconds(9));
		GateView held = new GateView(NOW.plusSeconds(3), null);
		List<WorkerView> ofQueue = List.of(worker(20, 0), rated("1/1h", false));
		List<WorkerView> ofLanes = List.of(worker(20, 0), rated("", true));
		assertThat(gate.among("a", "", () -> ofQueue)).isEqualTo(gate);
		assertThat(gate.among("a", "lane", () -> ofQueue)).isEqualTo(held);
		assertThat(gate.among("a", "", () -> ofLanes)).isEqualTo(held);
		assertThat(gate.among("a", "lane", () -> ofLanes)).isEqualTo(gate);
		assertThat(gate.among("b", "", () -> ofQueue)).isEqualTo(held);
		assertThat(gate.among("a", "", List::of)).isEqualTo(held);
	}

	private static WorkerView rated(String rate, boolean lanes) {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("default", 20, 0, List.of("a"));
		List<Limit> limits = List.of(new Limit("a", 0, 0, 0, rate, lanes));
		return new WorkerView("r", new WorkerInfo("host", 1, "", NOW, List.of(pool), limits), NOW, NOW, 0);
	}

	/**
	 * Runs of a bucket whose upper bound is 2 to the power of its number, in ms.
	 */
	private static Tally ran(String queue, int bucket, long count) {
		long[] cells = new long[Tally.CELLS];
		cells[4 + DurationHistogram.SIZE + bucket] = count;
		return Tally.of(queue, Instant.parse("2026-03-02T11:58:00Z"), cells);
	}

	/**
	 * Waits of a bucket whose upper bound is 2 to the power of its number, in ms.
	 */
	private static Tally waited(String queue, int bucket, long count) {
		long[] cells = new long[Tally.CELLS];
		cells[4 + bucket] = count;
		return Tally.of(queue, Instant.parse("2026-03-02T11:58:00Z"), cells);
	}

	private static List<WantedWorkersView> wanted(List<QueueView> queues, List<WorkerView> workers,
			List<Tally> history) {
		return WantedWorkersView.of(queues, workers, history, (queue) -> Brakes.NONE, (pool) -> Duration.ofSeconds(30),
				NOW);
	}

	private static QueueView queue(String name, long ready, long running) {
		return QueueView.of(name, true)
			.withJobs(ready, 0, 0, running, 0, 0)
			.withOldestReady((ready > 0) ? NOW.minusSeconds(60) : null);
	}

	private static List<WorkerView> workers(int count, int concurrency) {
		return Collections.nCopies(count, worker(concurrency, 0));
	}

	private static WorkerView worker(int concurrency, int busy) {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("default", concurrency, busy, List.of("a", "b"));
		return new WorkerView("w", new WorkerInfo("host", 1, "", NOW, List.of(pool), List.of(new Limit("b", 2, 0, 0))),
				NOW, NOW, 0);
	}

}
