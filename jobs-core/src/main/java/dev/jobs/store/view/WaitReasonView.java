package dev.jobs.store.view;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * Why a job does not run, as far as the store knows.
 *
 * @param kind the most important reason: others do not matter while it lasts
 * @param number the limit, how many run at once, or how many may be before the job,
 * according to the reason; 0 for other reasons
 * @param until when the reason ends by itself, or {@code null} if that is not known
 * @param job the id of the job that it waits for, or {@code null} if none
 * @param expiresAt when the waiting job expires or misses its deadline, or {@code null}
 */
public record WaitReasonView(Kind kind, long number, @Nullable Instant until, @Nullable String job,
		@Nullable Instant expiresAt) implements WaitReason {

	public WaitReasonView(Kind kind, long number, @Nullable Instant until) {
		this(kind, number, until, null, null);
	}

	/**
	 * Find out why a job does not run, reading only as much as needed.
	 * @param job the job
	 * @param inspector reads its queue and the live workers
	 * @param now the current time
	 * @return the reason; {@link Kind#RUNS} if it runs
	 */
	public static WaitReasonView of(Job job, JobInspector inspector, Instant now) {
		WaitReasonView reason = of(job, () -> inspector.queue(job.name(), now).orElse(null),
				() -> inspector.workers(now), () -> lane(job, inspector, now), now);
		return reason
			.gated(job,
					(lane) -> inspector.gate(job.name(), lane, now)
						.among(job.name(), lane, () -> inspector.workers(now)))
			.expiring(job, now);
	}

	private WaitReasonView expiring(Job job, Instant now) {
		Instant expiresAt = (job.state().isWaiting() && !job.isExpired(now))
				? Stream.of(job.expiresAt(), job.deadline())
					.filter(Objects::nonNull)
					.min(Comparator.naturalOrder())
					.orElse(null)
				: null;
		return new WaitReasonView(this.kind, this.number, this.until, this.job, expiresAt);
	}

	/**
	 * Return this reason, or that all workers which serve a queue are quiet if only that
	 * keeps its jobs from starting.
	 * @param queue the queue
	 * @param workers returns the live workers with what operators have set, and is called
	 * only if that matters
	 */
	public WaitReasonView among(String queue, Supplier<? extends Collection<? extends WorkerStatus>> workers) {
		return (this.kind == Kind.WORKERS_PAUSED && workers.get()
			.stream()
			.allMatch((worker) -> worker.quiet() != null || pools(queue, List.of(worker)).isEmpty()))
					? new WaitReasonView(Kind.WORKERS_QUIET, 0, null, null, this.expiresAt) : this;
	}

	/**
	 * Return the reason with what rates and holds add: a hold matters more than a limit,
	 * and a limit more than a rate.
	 * @param gates what keeps a lane from starting jobs, or, without a name, the queue
	 */
	WaitReasonView gated(Job job, Function<String, GateView> gates) {
		boolean atLimit = this.kind == Kind.LIMIT_REACHED || this.kind == Kind.LANE_FULL;
		if (!atLimit && this.kind != Kind.WORKERS_BUSY && this.kind != Kind.WAITS_FOR_ITS_TURN) {
			return this;
		}
		List<GateView> found = Stream.of("", Objects.requireNonNullElse(job.lane(), "")).distinct().map(gates).toList();
		Instant held = latest(found, GateView::heldUntil);
		if (held != null) {
			return new WaitReasonView(Kind.HELD_BACK, 0, held);
		}
		Instant permit = atLimit ? null : latest(found, GateView::permitAt);
		return (permit != null) ? new WaitReasonView(Kind.RATE_REACHED, 0, permit) : this;
	}

	private static @Nullable Instant latest(List<GateView> gates, Function<GateView, @Nullable Instant> time) {
		return gates.stream().map(time).filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(null);
	}

	static WaitReasonView of(Job job, Supplier<@Nullable QueueView> queue, Supplier<List<WorkerView>> workers,
			Supplier<LaneView> lane, Instant now) {
		if (job.state() == JobState.RUNNING) {
			return new WaitReasonView(isHeld(job, workers.get()) ? Kind.RUNS : Kind.WORKER_VANISHED);
		}
		if (!job.state().isWaiting()) {
			return new WaitReasonView(Kind.IS_OVER);
		}
		if (job.state() == JobState.WAITING && job.dueAt().isAfter(now)) {
			Trail.Wait wait = job.trail().waitsFor();
			return new WaitReasonView(Kind.PARKED, 0, job.dueAt(), (wait != null) ? wait.job() : null, null);
		}
		if (job.dueAt().isAfter(now)) {
			return new WaitReasonView(Kind.NOT_DUE, 0, job.dueAt());
		}
		if (job.isExpired(now)) {
			return new WaitReasonView(Kind.EXPIRED);
		}
		QueueView found = queue.get();
		if (found == null) {
			return new WaitReasonView(Kind.NO_WORKER);
		}
		if (found.paused()) {
			return new WaitReasonView(Kind.PAUSED);
		}
		LaneView inLane = (job.lane() != null) ? lane.get() : null;
		return (inLane != null && inLane.paused()) ? new WaitReasonView(Kind.LANE_PAUSED)
				: of(job, inLane, found, workers.get());
	}

	private static LaneView lane(Job job, JobInspector inspector, Instant now) {
		String lane = Objects.requireNonNullElse(job.lane(), "");
		return inspector.lane(job.name(), lane, now)
			.with(inspector.laneSettings(job.name()).getOrDefault(lane, LaneSettingsView.NONE));
	}

	private static WaitReasonView of(Job job, @Nullable LaneView lane, QueueView queue, List<WorkerView> workers) {
		List<WorkerStatus.Pool> pools = pools(queue.name(), workers);
		if (pools.isEmpty()) {
			return new WaitReasonView(Kind.NO_WORKER);
		}
		if (pools.stream().allMatch((pool) -> pool.concurrency() == 0)) {
			return new WaitReasonView(Kind.WORKERS_PAUSED);
		}
		long limit = queue.limitAmong(workers);
		if (limit > 0 && queue.running() >= limit) {
			return new WaitReasonView(Kind.LIMIT_REACHED, limit, null);
		}
		LaneView inLane = (lane != null) ? lane.limitedBy(queue, workers) : null;
		if (inLane != null && inLane.limit() > 0 && inLane.running().number() >= inLane.limit()) {
			return new WaitReasonView(Kind.LANE_FULL, inLane.limit(), null);
		}
		String keeper = (inLane != null) ? inLane.heldBy() : null;
		if (keeper != null && !keeper.equals(job.id())) {
			return new WaitReasonView(Kind.LANE_HELD, 0, null, keeper, null);
		}
		if (pools.stream().allMatch((pool) -> pool.busy() >= pool.concurrency())) {
			return new WaitReasonView(Kind.WORKERS_BUSY, pools.stream().mapToLong(WorkerStatus.Pool::concurrency).sum(),
					null);
		}
		return new WaitReasonView(Kind.WAITS_FOR_ITS_TURN, Math.max(queue.ready() - 1, 0), null);
	}

	private WaitReasonView(Kind kind) {
		this(kind, 0, null);
	}

	private static boolean isHeld(Job job, Collection<WorkerView> workers) {
		Job.Run run = job.run();
		return run != null && workers.stream().anyMatch((worker) -> worker.id().equals(run.worker()));
	}

	private static List<WorkerStatus.Pool> pools(String queue, Collection<? extends WorkerStatus> workers) {
		return workers.stream().<WorkerStatus.Pool>flatMap((worker) -> {
			WorkerStatus.Info info = worker.info();
			return (info != null) ? info.pools().stream() : Stream.of();
		}).filter((pool) -> pool.queues().contains(queue)).toList();
	}

}
