package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import dev.jobs.JobCount;
import dev.jobs.LaneStatus;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a lane.
 *
 * @param name its name
 * @param waiting its ready jobs
 * @param running its jobs that workers hold
 * @param oldestWaiting when the first of its ready jobs was due, or {@code null} if none
 * is ready
 * @param heldBy the id of the job that keeps its place though it is not ready, since it
 * waits for its time or is dead, or {@code null}; the least if there are several
 * @param gate what keeps its jobs from starting for a time
 * @param settings what operators have set
 * @param limit how many of its jobs may run at once; 0 for any number
 */
public record LaneView(String name, JobCount waiting, JobCount running, @Nullable Instant oldestWaiting,
		@Nullable String heldBy, GateView gate, LaneSettingsView settings, int limit) implements LaneStatus {

	/** Up to which number stores count jobs that are not counted at no cost. */
	public static final int COUNTED_UP_TO = 1000;

	/**
	 * Create a view of a lane without settings.
	 * @param name its name
	 * @param waiting its ready jobs
	 * @param running its jobs that workers hold
	 * @param oldestWaiting when the first of its ready jobs was due
	 */
	public LaneView(String name, JobCount waiting, JobCount running, @Nullable Instant oldestWaiting) {
		this(name, waiting, running, oldestWaiting, null, GateView.OPEN, LaneSettingsView.NONE, 0);
	}

	@Override
	public @Nullable Instant heldBackUntil() {
		return this.gate.heldUntil();
	}

	@Override
	public @Nullable Instant nextPermitAt() {
		return this.gate.permitAt();
	}

	/**
	 * Return this view with what keeps its jobs from starting.
	 * @param keeper the job that keeps its place, or {@code null}
	 * @param gate its gate
	 */
	public LaneView blockedBy(@Nullable String keeper, GateView gate) {
		return new LaneView(this.name, this.waiting, this.running, this.oldestWaiting, keeper, gate, this.settings,
				this.limit);
	}

	/**
	 * Return this view with settings.
	 * @param settings what operators have set
	 */
	public LaneView with(LaneSettingsView settings) {
		return new LaneView(this.name, this.waiting, this.running, this.oldestWaiting, this.heldBy, this.gate, settings,
				this.limit);
	}

	/**
	 * Return this view with the limit that applies to the lane, and with what counts
	 * among workers: a place is kept only from those that limit their lanes.
	 * @param queue its queue
	 * @param workers the live workers
	 */
	public LaneView limitedBy(QueueView queue, List<WorkerView> workers) {
		int limit = (this.settings.limit() != null) ? this.settings.limit().value()
				: (int) queue.laneLimitAmong(workers);
		return new LaneView(this.name, this.waiting, this.running, this.oldestWaiting, (limit > 0) ? this.heldBy : null,
				this.gate.among(queue.name(), this.name, () -> workers), this.settings, limit);
	}

}
