package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Job.Progress;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * A worker's sign of life.
 *
 * @param worker the worker's id, new for every start
 * @param lease how long the worker counts as alive from now on, {@link #LONGEST_LEASE} at
 * most
 * @param info its description; {@code null} leaves the stored one unchanged
 * @param notes what its running jobs have reported since the last beat
 * @param report what it has counted since the last beat
 * @param leaving whether it leaves for good and must be forgotten; jobs it still holds
 * then count as those of a vanished worker
 * @param now the current time
 */
public record WorkerBeat(String worker, Duration lease, @Nullable WorkerInfo info, List<Note> notes, Report report,
		boolean leaving, Instant now) {

	/** The longest lease. */
	public static final Duration LONGEST_LEASE = Duration.ofDays(1);

	public WorkerBeat {
		if (lease.compareTo(LONGEST_LEASE) > 0) {
			throw new IllegalArgumentException("A lease is a day at most, not " + lease);
		}
	}

	/**
	 * Create a beat with nothing to report.
	 * @param worker the worker's id
	 * @param lease how long the worker counts as alive from now on
	 * @param info what it is, or {@code null}
	 * @param notes what its running jobs have reported
	 * @param leaving whether it leaves for good
	 * @param now the current time
	 */
	public WorkerBeat(String worker, Duration lease, @Nullable WorkerInfo info, List<Note> notes, boolean leaving,
			Instant now) {
		this(worker, lease, info, notes, Report.NONE, leaving, now);
	}

	/**
	 * The report of a running job. The report is dropped if the job is not held under the
	 * token, and may be dropped if the job is just being changed.
	 *
	 * @param jobId the job
	 * @param queue its queue
	 * @param token the token it is held under
	 * @param progress what it reported
	 */
	public record Note(String jobId, String queue, long token, Progress progress) {

	}

	/**
	 * The counts of a worker, to be added to the store's statistics.
	 *
	 * @param number greater than the number of each earlier report of the worker; any
	 * other number marks a repeat, which is not added again
	 * @param tallies what happened, each in one minute
	 */
	public record Report(long number, List<Tally> tallies) {

		/** Nothing to report. */
		public static final Report NONE = new Report(0, List.of());

		public Report {
			tallies = List.copyOf(tallies);
		}

	}

}
