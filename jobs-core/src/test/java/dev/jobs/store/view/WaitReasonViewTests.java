package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.WaitReason.Kind;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.view.SettingsView.Value;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WaitReasonView}.
 */
class WaitReasonViewTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static Job job(JobState state, Instant dueAt) {
		Job.Run run = (state == JobState.RUNNING) ? Job.Run.of("w", 1, NOW) : null;
		return Job.builder("id", "q").state(state).createdAt(NOW).dueAt(dueAt).run(run).build();
	}

	private static QueueView queue(long ready, long running, boolean paused, int limit) {
		return QueueView.of("q", true)
			.withJobs(ready, 0, 0, running, 0, 0)
			.withOldestReady(NOW)
			.with(SettingsView.of(1, paused ? NOW : null, "", limit, NOW, ""));
	}

	private static WorkerView worker(String queue, int busy, WorkerInfo.Limit... limits) {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("default", 10, busy, List.of(queue));
		return new WorkerView("w", new WorkerInfo("host", 1, "", NOW, List.of(pool), List.of(limits)), NOW, NOW, busy);
	}

	private static LaneView lane(int running) {
		return new LaneView("a", JobCount.exactly(1), JobCount.exactly(running), NOW);
	}

	private static WaitReasonView of(QueueView queue, WorkerView... workers) {
		return WaitReasonView.of(job(JobState.READY, NOW), () -> queue, () -> List.of(workers), () -> lane(0), NOW);
	}

	@Test
	void runningJobRunsAsLongAsItsWorkerLives() {
		Job running = job(JobState.RUNNING, NOW);
		assertThat(WaitReasonView.of(running, () -> null, () -> List.of(worker("q", 1)), () -> lane(0), NOW).kind())
			.isEqualTo(Kind.RUNS);
		assertThat(WaitReasonView.of(running, () -> null, List::of, () -> lane(0), NOW).kind())
			.isEqualTo(Kind.WORKER_VANISHED);
	}

	@Test
	void endedJobIsOver() {
		for (JobState state : List.of(JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED)) {
			assertThat(WaitReasonView.of(job(state, NOW), () -> null, List::of, () -> lane(0), NOW).kind())
				.isEqualTo(Kind.IS_OVER);
		}
	}

	@Test
	void scheduledJobWaitsForItsTimeFirstOfAll() {
		Job job = job(JobState.SCHEDULED, NOW.plusMillis(1));
		assertThat(WaitReasonView.of(job, () -> queue(0, 0, true, 1), List::of, () -> lane(0), NOW))
			.isEqualTo(new WaitReasonView(Kind.NOT_DUE, 0, NOW.plusMillis(1)));
		assertThat(
				WaitReasonView.of(job, () -> queue(0, 0, true, 1), List::of, () -> lane(0), NOW.plusMillis(1)).kind())
			.isEqualTo(Kind.PAUSED);
	}

	@Test
	void parkedJobWaitsForASignalOrAJobUntilItsTime() {
		Instant until = NOW.plusSeconds(9);
		for (String thing : List.of("signal:paid/7", "other")) {
			Job job = job(JobState.WAITING, until).toBuilder()
				.trail(new TrailBuilder().waitsFor(Trail.Wait.of(thing, NOW)).build())
				.build();
			assertThat(WaitReasonView.of(job, () -> queue(0, 0, true, 1), List::of, () -> lane(0), NOW))
				.isEqualTo(new WaitReasonView(Kind.PARKED, 0, until, thing.equals("other") ? thing : null, null));
		}
	}

	@Test
	void holdMattersMoreThanALimitAndALimitMoreThanARate() {
		Job job = job(JobState.READY, NOW);
		GateView held = new GateView(NOW.plusSeconds(3), NOW.plusSeconds(9));
		GateView rated = new GateView(null, NOW.plusSeconds(9));
		for (Kind kind : Kind.values()) {
			WaitReasonView reason = new WaitReasonView(kind, 1, null);
			boolean limit = kind == Kind.LIMIT_REACHED || kind == Kind.LANE_FULL;
			boolean gated = limit || kind == Kind.WORKERS_BUSY || kind == Kind.WAITS_FOR_ITS_TURN;
			assertThat(reason.gated(job, (lane) -> held))
				.isEqualTo(gated ? new WaitReasonView(Kind.HELD_BACK, 0, held.heldUntil()) : reason);
			assertThat(reason.gated(job, (lane) -> rated))
				.isEqualTo((gated && !limit) ? new WaitReasonView(Kind.RATE_REACHED, 0, rated.permitAt()) : reason);
			assertThat(reason.gated(job, (lane) -> GateView.OPEN)).isEqualTo(reason);
		}
	}

	@Test
	void pausedQueueGivesNothing() {
		assertThat(of(queue(5, 0, true, -1), worker("q", 0)).kind()).isEqualTo(Kind.PAUSED);
	}

	@Test
	void nobodyHasAHandler() {
		assertThat(of(queue(5, 0, false, -1), worker("other", 0)).kind()).isEqualTo(Kind.NO_WORKER);
		WorkerView silent = new WorkerView("w", null, NOW, NOW, 0);
		assertThat(of(queue(5, 0, false, -1), silent).kind()).isEqualTo(Kind.NO_WORKER);
	}

	@Test
	void limitIsReached() {
		assertThat(of(queue(5, 3, false, 3), worker("q", 3)))
			.isEqualTo(new WaitReasonView(Kind.LIMIT_REACHED, 3, null));
		assertThat(of(queue(5, 2, false, 3), worker("q", 2)).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		assertThat(of(queue(5, 2, false, 0), worker("q", 2)).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
	}

	@Test
	void limitOfTheWorkersIsReached() {
		WorkerInfo.Limit three = new WorkerInfo.Limit("q", 3, 0, 0);
		WorkerInfo.Limit twoEach = new WorkerInfo.Limit("q", 0, 2, 0);
		QueueView queue = queue(5, 3, false, -1);
		assertThat(of(queue, worker("q", 3, three))).isEqualTo(new WaitReasonView(Kind.LIMIT_REACHED, 3, null));
		assertThat(of(queue, worker("q", 2, twoEach))).isEqualTo(new WaitReasonView(Kind.LIMIT_REACHED, 2, null));
		assertThat(of(queue, worker("q", 2, twoEach), worker("q", 1, twoEach)).kind())
			.isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		assertThat(of(queue, worker("q", 2, three), worker("q", 1)).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		assertThat(of(queue, worker("q", 2, three), worker("other", 1)).kind()).isEqualTo(Kind.LIMIT_REACHED);
		assertThat(of(queue(5, 3, false, 4), worker("q", 3, three)).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
	}

	@Test
	void workersArePausedOrQuiet() {
		WorkerView quiet = new WorkerView("w", new WorkerInfo("host", 1, "", NOW,
				List.of(new WorkerInfo.Pool("default", 0, 0, List.of("q"))), List.of()), NOW, NOW, 0);
		assertThat(of(queue(5, 0, false, -1), quiet).kind()).isEqualTo(Kind.WORKERS_PAUSED);
		assertThat(of(queue(5, 0, false, -1), quiet, worker("q", 0)).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		assertThat(of(queue(5, 10, false, -1), quiet, worker("q", 10)))
			.isEqualTo(new WaitReasonView(Kind.WORKERS_BUSY, 10, null));
	}

	@Test
	void workersAreAllQuiet() {
		WaitReasonView paused = new WaitReasonView(Kind.WORKERS_PAUSED, 0, null);
		WorkerView other = worker("other", 0);
		assertThat(paused.among("q", () -> List.of(quiet(worker("q", 0)), other)).kind()).isEqualTo(Kind.WORKERS_QUIET);
		assertThat(paused.among("q", () -> List.of(quiet(worker("q", 0)), worker("q", 0)))).isEqualTo(paused);
		WaitReasonView busy = new WaitReasonView(Kind.WORKERS_BUSY, 10, null);
		assertThat(busy.among("q", () -> List.of(quiet(worker("q", 0))))).isEqualTo(busy);
	}

	private static WorkerView quiet(WorkerView worker) {
		return new WorkerView(worker.id(), worker.info(), NOW, NOW, 0, new Value<>(true, NOW, "ada"));
	}

	@Test
	void workersAreBusy() {
		assertThat(of(queue(5, 10, false, -1), worker("q", 10), worker("q", 10)))
			.isEqualTo(new WaitReasonView(Kind.WORKERS_BUSY, 20, null));
		assertThat(of(queue(5, 10, false, -1), worker("q", 10), worker("q", 9)).kind())
			.isEqualTo(Kind.WAITS_FOR_ITS_TURN);
	}

	@Test
	void othersMayBeBeforeIt() {
		assertThat(of(queue(5, 0, false, -1), worker("q", 0)))
			.isEqualTo(new WaitReasonView(Kind.WAITS_FOR_ITS_TURN, 4, null));
	}

	@Test
	void jobOfAnOrderedLaneWaitsForTheOneThatHasBegun() {
		Job job = job(JobState.READY, NOW).toBuilder().headers(Map.of(Job.LANE_HEADER, "a")).build();
		WorkerView ordered = worker("q", 2, new WorkerInfo.Limit("q", 0, 0, 1));
		QueueView queue = queue(5, 0, false, -1);
		LaneView held = lane(0).blockedBy("first", GateView.OPEN);
		assertThat(WaitReasonView.of(job, () -> queue, () -> List.of(ordered), () -> held, NOW))
			.isEqualTo(new WaitReasonView(Kind.LANE_HELD, 0, null, "first", null));
		assertThat(WaitReasonView.of(job, () -> queue, () -> List.of(worker("q", 2)), () -> held, NOW).kind())
			.isEqualTo(Kind.WAITS_FOR_ITS_TURN);
	}

	@Test
	void jobOfALaneWaitsWhileAsManyOfThatRunAsTheWorkersAllow() {
		Job job = job(JobState.READY, NOW).toBuilder().headers(Map.of(Job.LANE_HEADER, "a")).build();
		WorkerView two = worker("q", 2, new WorkerInfo.Limit("q", 0, 0, 2));
		WorkerView loose = worker("q", 2, new WorkerInfo.Limit("q", 0, 0, 3));
		WorkerView unlimited = worker("q", 2);
		QueueView queue = queue(5, 2, false, -1);
		assertThat(WaitReasonView.of(job, () -> queue, () -> List.of(two), () -> lane(2), NOW))
			.isEqualTo(new WaitReasonView(Kind.LANE_FULL, 2, null));
		for (List<WorkerView> workers : List.of(List.of(two, loose), List.of(two, unlimited))) {
			assertThat(WaitReasonView.of(job, () -> queue, () -> workers, () -> lane(2), NOW).kind())
				.isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		}
		assertThat(of(queue, two).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
	}

	@Test
	void jobOfALaneWaitsForWhatOperatorsSet() {
		Job job = job(JobState.READY, NOW).toBuilder().headers(Map.of(Job.LANE_HEADER, "a")).build();
		WorkerView two = worker("q", 2, new WorkerInfo.Limit("q", 0, 0, 2));
		LaneView three = lane(2).with(LaneSettingsView.NONE.with(Rule.LIMIT, new Value<>(3, NOW, "ada")));
		assertThat(of(job, queue(5, 2, false, -1), three, two).kind()).isEqualTo(Kind.WAITS_FOR_ITS_TURN);
		LaneView one = lane(1).with(LaneSettingsView.NONE.with(Rule.LIMIT, new Value<>(1, NOW, "ada")));
		assertThat(of(job, queue(5, 1, false, -1), one, two)).isEqualTo(new WaitReasonView(Kind.LANE_FULL, 1, null));
		LaneView paused = lane(0).with(LaneSettingsView.NONE.with(Rule.PAUSED, new Value<>(1, NOW, "ada")));
		assertThat(of(job, queue(5, 0, false, -1), paused, two).kind()).isEqualTo(Kind.LANE_PAUSED);
		assertThat(of(job, queue(5, 0, true, -1), paused, two).kind()).isEqualTo(Kind.PAUSED);
	}

	private static WaitReasonView of(Job job, QueueView queue, LaneView lane, WorkerView worker) {
		return WaitReasonView.of(job, () -> queue, () -> List.of(worker), () -> lane, NOW);
	}

}
