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
import java.util.stream.Stream;

import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;
import dev.jobs.store.view.JobInspector.Period;
import org.jspecify.annotations.Nullable;

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
	 * Compute the figures of all pools of live workers, sorted by name. For each queue
	 * that has ready jobs this reads whether it is held back, and the settings of its
	 * lanes.
	 * @param inspector reads the store
	 * @param queues the queues of the store
	 * @param target how long the jobs of a pool may wait, by its name
	 * @param now the current time
	 */
	public static List<WantedWorkersView> of(JobInspector inspector, Collection<QueueView> queues,
			Function<String, Duration> target, Instant now) {
		Period past = new Period(now.minus(MINUTE.multipliedBy(MINUTES)), now, MINUTE);
		List<WorkerView> workers = inspector.workers(now);
		return of(queues, workers, inspector.statistics(Set.of(), past), (queue) -> Brakes
			.of(inspector.gate(queue, "", now).among(queue, "", () -> workers), inspector.laneSettings(queue).values()),
				target, now);
	}

	/**
	 * Compute the figures of all pools of live workers, sorted by name.
	 * @param queues the queues
	 * @param workers the live workers
	 * @param statistics what happened in the last minutes, by minute
	 * @param brakes what keeps the ready jobs of a queue from starting, by its name
	 * @param target how long the jobs of a pool may wait, by its name
	 * @param now the current time
	 */
	static List<WantedWorkersView> of(Collection<? extends QueueStatus> queues,
			Collection<? extends WorkerStatus> workers, Collection<? extends QueueStatistics> statistics,
			Function<String, Brakes> brakes, Function<String, Duration> target, Instant now) {
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
						(queue.ready() > 0) ? brakes.apply(queue.name()) : Brakes.NONE, target.apply(pool.name()), now))
				.toList());
		}).toList();
	}

	/**
	 * What keeps ready jobs of a queue from starting besides its limits and its rate.
	 *
	 * @param opensAt when the next may start, or {@code null} for now
	 * @param inLanes whether an operator has paused or limited a lane, so that nobody
	 * knows how many may start
	 */
	record Brakes(@Nullable Instant opensAt, boolean inLanes) {

		static final Brakes NONE = new Brakes(null, false);

		static Brakes of(GateView gate, Collection<LaneSettingsView> lanes) {
			return new Brakes(gate.opensAt(), lanes.stream().anyMatch((lane) -> lane.most(0) != 0));
		}

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

		static Need of(QueueStatus queue, List<QueueStatistics> past, Pool pool, Brakes brakes, Duration target,
				Instant now) {
			int limit = (queue.limit() >= 0) ? queue.limit() : pool.limit(queue.name(), WorkerInfo.Limit::everywhere);
			int here = pool.limit(queue.name(), WorkerInfo.Limit::here);
			int most = (limit > 0) ? limit : Integer.MAX_VALUE;
			int slots = Math.min(most, (here > 0) ? Math.min(pool.slots(), here * pool.active()) : pool.slots());
			Instant oldest = queue.oldestReady();
			boolean late = oldest != null && oldest.isBefore(now.minus(target)) && queue.atLeast().contains("ready");
			boolean closed = brakes.opensAt() != null && brakes.opensAt().isAfter(now.plus(target));
			double permits = closed ? 0 : pool.startsWithin(queue.name(), target.dividedBy(2));
			boolean braked = permits < queue.ready();
			boolean inLanes = brakes.inLanes() || pool.hasBrakedLanes(queue.name());
			double needed = (queue.paused() || closed) ? queue.running()
					: toStart(queue, Math.min(queue.ready(), permits), meanRun(past), slots, target.toMillis() / 2000.0,
							late && !braked);
			if (inLanes) {
				needed = Math.min(needed, twice(queue, slots));
			}
			return new Need(queue.name(), Math.min(most, needed),
					(!braked && !inLanes && hasWaited(past, target.dividedBy(4))) ? slots
							: Math.min(slots, busiest(past)),
					here);
		}

		/**
		 * Return how many slots let jobs start within a time.
		 */
		private static double toStart(QueueStatus queue, double waiting, double run, int slots, double within,
				boolean more) {
			double jobs = waiting + queue.running();
			if (run == 0) {
				return Math.min(jobs, twice(queue, slots));
			}
			double needed = jobs * run / (run + within);
			return more ? Math.max(needed, twice(queue, slots)) : needed;
		}

		private static double twice(QueueStatus queue, int slots) {
			return Math.max(2.0 * Math.min(slots, queue.running()), 1);
		}

		private static boolean hasWaited(List<QueueStatistics> past, Duration time) {
			int bucket = DurationHistogram.bucketOf(time);
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
			int[] limits = limits(queue).mapToInt(value).sorted().toArray();
			return (limits.length == 0 || limits[0] == 0) ? 0 : limits[limits.length - 1];
		}

		/**
		 * Return how many jobs of a queue the loosest of its rates lets start in a time.
		 */
		double startsWithin(String queue, Duration time) {
			return limits(queue).mapToDouble((limit) -> limit.startsWithin(time))
				.max()
				.orElse(Double.POSITIVE_INFINITY);
		}

		/**
		 * Return whether all that serve a queue limit its lanes or have a rate for them.
		 */
		boolean hasBrakedLanes(String queue) {
			return limits(queue).allMatch((limit) -> limit.inLane() > 0 || limit.lanesRated());
		}

		private Stream<WorkerInfo.Limit> limits(String queue) {
			return this.members.stream().map((member) -> member.worker().limit(queue)).filter(Objects::nonNull);
		}

	}

}
