package dev.jobs.store;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * A queue as it was seen at one moment.
 *
 * @param name its name
 * @param ready jobs that wait for a worker, those whose time has come included
 * @param scheduled jobs not yet due
 * @param retrying those of {@code scheduled} that failed or were abandoned before, so
 * that their next attempt is not the first
 * @param running jobs held by workers
 * @param dead jobs in the morgue
 * @param history succeeded and cancelled jobs kept
 * @param oldestReady since when its longest waiting ready job has been due: the first in
 * its order or, if that is earlier, the first that no claim has made ready yet;
 * {@code null} if none is ready
 * @param paused whether it is paused
 * @param limit the stored running limit; -1 if the workers' one counts
 * @param served whether a live worker has told that it serves the queue; if not, its jobs
 * wait until one does
 * @param exact whether all numbers are counted; if not, those of a hundred and more may
 * be estimates, some seconds old
 */
public record QueueView(String name, long ready, long scheduled, long retrying, long running, long dead, long history,
		@Nullable Instant oldestReady, boolean paused, int limit, boolean served, boolean exact) {

	/**
	 * Create a view whose numbers are counted.
	 * @param name its name
	 * @param ready jobs that wait for a worker
	 * @param scheduled jobs not yet due
	 * @param retrying those of {@code scheduled} that failed or were abandoned before
	 * @param running jobs held by workers
	 * @param dead jobs in the morgue
	 * @param history succeeded and cancelled jobs kept
	 * @param oldestReady since when its longest waiting ready job has been due, or
	 * {@code null}
	 * @param paused whether it is paused
	 * @param limit the stored running limit
	 * @param served whether a live worker serves it
	 */
	public QueueView(String name, long ready, long scheduled, long retrying, long running, long dead, long history,
			@Nullable Instant oldestReady, boolean paused, int limit, boolean served) {
		this(name, ready, scheduled, retrying, running, dead, history, oldestReady, paused, limit, served, true);
	}

	/**
	 * Return how many jobs wait, due or not.
	 * @return the number
	 */
	public long waiting() {
		return this.ready + this.scheduled;
	}

	/**
	 * Return how many of its jobs may run at once by the stored limit or, if there is
	 * none, by that of the workers, each of which may also limit how many it runs itself
	 * (jobs that bear other names of the same handler not counted).
	 * @param workers the live workers
	 * @return the limit; 0 for any number
	 */
	public long limitAmong(Collection<WorkerView> workers) {
		List<WorkerInfo.Limit> limits = workers.stream()
			.map(WorkerView::info)
			.filter(Objects::nonNull)
			.map((info) -> info.limit(this.name))
			.filter(Objects::nonNull)
			.toList();
		boolean bounded = !limits.isEmpty() && limits.stream().allMatch((limit) -> limit.here() > 0);
		boolean limited = limits.stream().allMatch((limit) -> limit.everywhere() > 0);
		long everywhere = limits.stream().mapToLong(WorkerInfo.Limit::everywhere).max().orElse(0);
		long here = limits.stream().mapToLong(WorkerInfo.Limit::here).sum();
		return LongStream.of((this.limit >= 0) ? this.limit : limited ? everywhere : 0, bounded ? here : 0)
			.filter((limit) -> limit > 0)
			.min()
			.orElse(0);
	}

}
