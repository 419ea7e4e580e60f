package dev.jobs.store.view;

import java.time.Instant;
import java.util.Collection;

import dev.jobs.JobCount;
import dev.jobs.LaneStatus;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a lane.
 *
 * @param name its name
 * @param waiting its ready jobs
 * @param running its jobs that workers hold
 * @param oldestWaiting when the first of its ready jobs was due, or {@code null} if none
 * is ready
 * @param settings what operators have set
 * @param limit how many of its jobs may run at once; 0 for any number
 */
public record LaneView(String name, JobCount waiting, JobCount running, @Nullable Instant oldestWaiting,
		LaneSettingsView settings, int limit) implements LaneStatus {

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
		this(name, waiting, running, oldestWaiting, LaneSettingsView.NONE, 0);
	}

	/**
	 * Return this view with settings.
	 * @param settings what operators have set
	 */
	public LaneView with(LaneSettingsView settings) {
		return new LaneView(this.name, this.waiting, this.running, this.oldestWaiting, settings, this.limit);
	}

	/**
	 * Return this view with the limit that applies to the lane.
	 * @param queue its queue
	 * @param workers the live workers
	 */
	public LaneView limitedBy(QueueView queue, Collection<? extends WorkerStatus> workers) {
		int limit = (this.settings.limit() != null) ? this.settings.limit().value()
				: (int) queue.laneLimitAmong(workers);
		return new LaneView(this.name, this.waiting, this.running, this.oldestWaiting, this.settings, limit);
	}

}
