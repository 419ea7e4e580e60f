package dev.jobs.store.view;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import dev.jobs.QueueStatus;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a queue.
 *
 * @param name its name
 * @param ready jobs that wait for a worker, those whose time has come included
 * @param scheduled jobs not yet due
 * @param retrying those of {@code scheduled} that failed or were abandoned before, so
 * that their next attempt is not the first
 * @param parked jobs that wait for a signal or another job, until a time at the latest
 * @param running jobs held by workers
 * @param dead jobs that are kept
 * @param history succeeded and cancelled jobs kept
 * @param oldestReady since when its longest waiting ready job has been due: the first
 * ready job or, if it was due earlier, the first due job that no claim has made ready
 * yet; {@code null} without ready jobs
 * @param settings what operators have set
 * @param served whether a live worker serves the queue; if not, its jobs wait until one
 * does
 * @param atLeast the names of the numbers that are lower bounds
 */
public record QueueView(String name, long ready, long scheduled, long retrying, long parked, long running, long dead,
		long history, @Nullable Instant oldestReady, SettingsView settings, boolean served,
		Set<String> atLeast) implements QueueStatus {

	/**
	 * Create a view of a queue without jobs.
	 * @param served whether a live worker serves it
	 */
	public static QueueView of(String name, boolean served) {
		return new QueueView(name, 0, 0, 0, 0, 0, 0, 0, null, SettingsView.NONE, served, Set.of());
	}

	/**
	 * Return views of the queues that live workers serve, as if they had no jobs.
	 * @param workers the workers
	 * @return the views
	 */
	public static List<QueueView> served(Collection<WorkerView> workers) {
		return workers.stream()
			.map(WorkerView::info)
			.filter(Objects::nonNull)
			.flatMap((worker) -> worker.pools().stream())
			.flatMap((pool) -> pool.queues().stream())
			.distinct()
			.map((name) -> of(name, true))
			.toList();
	}

	/**
	 * Return a view with numbers of jobs, all of them exact.
	 * @param ready jobs that wait for a worker
	 * @param scheduled jobs not yet due
	 * @param retrying those of {@code scheduled} that failed or were abandoned before
	 * @param running jobs held by workers
	 * @param dead jobs that are kept
	 * @param history succeeded and cancelled jobs kept
	 */
	public QueueView withJobs(long ready, long scheduled, long retrying, long running, long dead, long history) {
		return new QueueView(this.name, ready, scheduled, retrying, this.parked, running, dead, history,
				this.oldestReady, this.settings, this.served, Set.of());
	}

	/**
	 * Return a view with the number of jobs that wait for a signal or another job.
	 */
	public QueueView withParked(long parked) {
		return new QueueView(this.name, this.ready, this.scheduled, this.retrying, parked, this.running, this.dead,
				this.history, this.oldestReady, this.settings, this.served, this.atLeast);
	}

	/**
	 * Return a view with the time since which the longest waiting ready job has been due.
	 */
	public QueueView withOldestReady(@Nullable Instant oldestReady) {
		return new QueueView(this.name, this.ready, this.scheduled, this.retrying, this.parked, this.running, this.dead,
				this.history, oldestReady, this.settings, this.served, this.atLeast);
	}

	/**
	 * Return a view with other settings.
	 * @param settings what operators have set
	 */
	public QueueView with(SettingsView settings) {
		return new QueueView(this.name, this.ready, this.scheduled, this.retrying, this.parked, this.running, this.dead,
				this.history, this.oldestReady, settings, this.served, this.atLeast);
	}

	/**
	 * Return a view whose numbers were counted up to a bound.
	 * @param bound the bound; a number that has reached it is a lower bound
	 */
	public QueueView countedUpTo(long bound) {
		Map<String, Long> numbers = Map.of("ready", this.ready, "scheduled", this.scheduled, "retrying", this.retrying,
				"parked", this.parked, "running", this.running, "dead", this.dead, "history", this.history);
		Set<String> names = new TreeSet<>();
		numbers.forEach((number, count) -> {
			if (count >= bound) {
				names.add(number);
			}
		});
		return new QueueView(this.name, this.ready, this.scheduled, this.retrying, this.parked, this.running, this.dead,
				this.history, this.oldestReady, this.settings, this.served, names);
	}

	/**
	 * Return how many jobs of each lane may run at once by the handlers of some workers.
	 * @return the loosest of their limits; 0 if one has none, or if none serves the queue
	 */
	long laneLimitAmong(Collection<? extends WorkerStatus> workers) {
		List<Integer> limits = workers.stream()
			.map((worker) -> (worker.info() instanceof WorkerInfo info) ? info.limit(this.name) : null)
			.filter(Objects::nonNull)
			.map(WorkerInfo.Limit::inLane)
			.toList();
		return limits.contains(0) ? 0 : limits.stream().mapToLong(Integer::longValue).max().orElse(0);
	}

	@Override
	public long limitAmong(Collection<? extends WorkerStatus> workers) {
		boolean limited = true;
		boolean bounded = true;
		long everywhere = 0;
		long here = 0;
		for (WorkerStatus worker : workers) {
			WorkerInfo.Limit limit = (worker.info() instanceof WorkerInfo info) ? info.limit(this.name) : null;
			if (limit != null) {
				limited &= limit.everywhere() > 0;
				everywhere = Math.max(everywhere, limit.everywhere());
				bounded &= limit.here() > 0;
				here += limit.here();
			}
		}
		long all = (limit() >= 0) ? limit() : limited ? everywhere : 0;
		long each = bounded ? here : 0;
		return (all > 0 && each > 0) ? Math.min(all, each) : Math.max(all, each);
	}

}
