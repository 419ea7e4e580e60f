package dev.jobs.store.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;
import dev.jobs.store.view.JobInspector.Period;

/**
 * How many workers a pool needs. The figure rises with the backlog at once, and falls
 * only as far as the last minutes allow.
 *
 * @param pool the name of the pool
 * @param workers how many workers are wanted
 * @param slots how many jobs these should run at once, all together
 * @param queues how many of them each queue needs
 */
public record WantedWorkersView(String pool, int workers, int slots,
		SortedMap<String, Integer> queues) implements WantedWorkers {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final int MINUTES = 15;

	/**
	 * Return the time whose statistics are needed.
	 * @param now the current time
	 */
	public static Period period(Instant now) {
		return new Period(now.minus(MINUTE.multipliedBy(MINUTES)), now, MINUTE);
	}

	/**
	 * Compute the figures of all pools of live workers, sorted by name.
	 * @param queues the queues
	 * @param workers the live workers
	 * @param statistics what happened in the {@link #period(Instant) period}, by minute
	 * @param target how long the jobs of a pool may wait, by its name
	 * @param now the current time
	 */
	public static List<WantedWorkersView> of(Collection<? extends QueueStatus> queues,
			Collection<? extends WorkerStatus> workers, Collection<? extends QueueStatistics> statistics,
			Function<String, Duration> target, Instant now) {
		Map<String, List<QueueStatistics>> past = statistics.stream()
			.collect(Collectors.groupingBy(QueueStatistics::queue));
		SortedMap<String, Pool> pools = new TreeMap<>();
		workers.stream()
			.map(WorkerStatus::info)
			.filter(WorkerInfo.class::isInstance)
			.map(WorkerInfo.class::cast)
			.forEach((worker) -> worker.pools()
				.forEach((pool) -> pools.computeIfAbsent(pool.name(), (name) -> new Pool(name, new ArrayList<>()))
					.members()
					.add(new Member(worker, pool))));
		return pools.values().stream().map((pool) -> {
			Set<String> served = pool.queues();
			return pool.wanted(queues.stream()
				.filter((queue) -> served.contains(queue.name()))
				.map((queue) -> Need.of(queue, past.getOrDefault(queue.name(), List.of()), pool,
						seconds(target.apply(pool.name())), now))
				.toList());
		}).toList();
	}

	private static double seconds(Duration duration) {
		return duration.toMillis() / 1000.0;
	}

	/**
	 * What a queue needs.
	 *
	 * @param queue its name
	 * @param now how many slots let its jobs start in time
	 * @param kept how many of the slots that there are it still needs
	 * @param here how many of its jobs a worker may run at once; 0 for any number
	 */
	private record Need(String queue, double now, double kept, int here) {

		static Need of(QueueStatus queue, List<QueueStatistics> past, Pool pool, double target, Instant now) {
			int limit = (queue.limit() >= 0) ? queue.limit() : pool.limit(queue.name(), WorkerInfo.Limit::everywhere);
			int here = pool.limit(queue.name(), WorkerInfo.Limit::here);
			int most = (limit > 0) ? limit : Integer.MAX_VALUE;
			int slots = Math.min(most, (here > 0) ? Math.min(pool.slots(), here * pool.active()) : pool.slots());
			Instant oldest = queue.oldestReady();
			boolean late = oldest != null && oldest.isBefore(now.minusMillis((long) (target * 1000)));
			double needed = queue.paused() ? queue.running() : toStart(queue, meanRun(past), slots, target / 2, late);
			if (pool.limit(queue.name(), WorkerInfo.Limit::inLane) > 0) {
				needed = Math.min(needed, twice(queue, slots));
			}
			return new Need(queue.name(), Math.min(most, needed),
					hasWaited(past, target / 4) ? slots : Math.min(slots, busiest(past)), here);
		}

		/**
		 * Return how many slots let all that wait start within a time.
		 */
		private static double toStart(QueueStatus queue, double run, int slots, double within, boolean late) {
			double jobs = (double) queue.ready() + queue.running();
			if (run == 0) {
				return Math.min(jobs, twice(queue, slots));
			}
			double needed = jobs * run / (run + within);
			return (late && queue.atLeast().contains("ready")) ? Math.max(needed, twice(queue, slots)) : needed;
		}

		private static double twice(QueueStatus queue, int slots) {
			return Math.max(2.0 * Math.min(slots, queue.running()), 1);
		}

		private static boolean hasWaited(List<QueueStatistics> past, double seconds) {
			int bucket = DurationHistogram.bucketOf(Duration.ofMillis((long) (seconds * 1000)));
			return past.stream()
				.anyMatch((minute) -> minute.waited()
					.counts()
					.subList(Math.min(bucket + 1, DurationHistogram.SIZE), DurationHistogram.SIZE)
					.stream()
					.anyMatch((count) -> count > 0));
		}

		/**
		 * Return how long runs took on average, or zero if none ended.
		 */
		private static double meanRun(List<QueueStatistics> past) {
			double sum = 0;
			long runs = 0;
			for (QueueStatistics minute : past) {
				for (int i = 0; i < DurationHistogram.SIZE; i++) {
					sum += minute.ran().counts().get(i) * bound(i);
				}
				runs += minute.ran().total();
			}
			return (runs > 0) ? sum / runs : 0;
		}

		/**
		 * Return how many slots were busy in the busiest minute. A run belongs to the
		 * minutes before its end too.
		 */
		private static double busiest(List<QueueStatistics> past) {
			Map<Instant, Double> busy = new TreeMap<>();
			for (QueueStatistics minute : past) {
				for (int i = 0; i < DurationHistogram.SIZE; i++) {
					double left = minute.ran().counts().get(i) * bound(i) / MINUTE.toSeconds();
					double most = minute.ran().counts().get(i);
					Instant start = minute.start();
					for (int j = 0; j < MINUTES && left > 0; j++) {
						busy.merge(start, Math.min(left, most), Double::sum);
						left -= most;
						start = start.minus(MINUTE);
					}
				}
			}
			return busy.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
		}

		/** The upper bound of a bucket in seconds. */
		private static double bound(int bucket) {
			return (1L << bucket) / 1000.0;
		}

		int slots() {
			return (int) Math.ceil(Math.max(this.now, this.kept));
		}

	}

	/**
	 * A pool of one worker.
	 */
	private record Member(WorkerInfo worker, WorkerInfo.Pool pool) {

	}

	/**
	 * The pools of one name. One that is paused, or of a quiet worker, is not active.
	 */
	private record Pool(String name, List<Member> members) {

		WantedWorkersView wanted(List<Need> needs) {
			double now = needs.stream().mapToDouble(Need::now).sum();
			double kept = needs.stream().mapToDouble((need) -> Math.max(need.now(), need.kept())).sum();
			int slots = (int) Math.ceil(Math.max(now, Math.min(kept, slots())));
			SortedMap<String, Integer> queues = new TreeMap<>();
			needs.forEach((need) -> queues.put(need.queue(), need.slots()));
			return new WantedWorkersView(this.name, workers(slots, needs), slots, queues);
		}

		private int workers(int slots, List<Need> needs) {
			if (active() == 0) {
				return (int) this.members.stream().filter((member) -> member.pool().busy() > 0).count();
			}
			double workers = Math.ceil((double) slots * active() / slots());
			for (Need need : needs) {
				workers = (need.here() > 0) ? Math.max(workers, Math.ceil((double) need.slots() / need.here()))
						: workers;
			}
			return (int) workers + this.members.size() - active();
		}

		int active() {
			return (int) this.members.stream().filter((member) -> member.pool().concurrency() > 0).count();
		}

		int slots() {
			return this.members.stream().mapToInt((member) -> member.pool().concurrency()).sum();
		}

		Set<String> queues() {
			return this.members.stream()
				.flatMap((member) -> member.pool().queues().stream())
				.collect(Collectors.toSet());
		}

		/**
		 * Return the loosest limit of a queue by its handlers; 0 for none.
		 */
		int limit(String queue, ToIntFunction<WorkerInfo.Limit> value) {
			int[] limits = this.members.stream()
				.map((member) -> member.worker().limit(queue))
				.filter(Objects::nonNull)
				.mapToInt(value)
				.sorted()
				.toArray();
			return (limits.length == 0 || limits[0] == 0) ? 0 : limits[limits.length - 1];
		}

	}

}
