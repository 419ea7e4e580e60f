package dev.jobs.store.view;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Rate;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * Describes a worker, for operators and to know which queues are served.
 *
 * @param host its host name
 * @param pid its process id
 * @param version the version of the application, or empty
 * @param startedAt when it started
 * @param pools its pools
 * @param limits the limits of its handlers that have any
 * @param jvm its Java process, or {@code null} if that is not reported
 */
public record WorkerInfo(String host, long pid, String version, Instant startedAt, List<Pool> pools, List<Limit> limits,
		@Nullable Jvm jvm) implements WorkerStatus.Info {

	/**
	 * Create a description without the Java process.
	 * @param host its host name
	 * @param pid its process id
	 * @param version the version of the application, or empty
	 * @param startedAt when it started
	 * @param pools its pools
	 * @param limits the limits of its handlers that have any
	 */
	public WorkerInfo(String host, long pid, String version, Instant startedAt, List<Pool> pools, List<Limit> limits) {
		this(host, pid, version, startedAt, pools, limits, null);
	}

	/**
	 * Return the limits of a queue, which may be none, or {@code null} if this worker
	 * does not serve it.
	 */
	@Nullable Limit limit(String queue) {
		for (Pool pool : this.pools) {
			if (pool.queues().contains(queue)) {
				return limits(queue);
			}
		}
		return null;
	}

	private Limit limits(String queue) {
		for (Limit limit : this.limits) {
			if (limit.queue().equals(queue)) {
				return limit;
			}
		}
		return Limit.none(queue);
	}

	/**
	 * A pool of a worker.
	 *
	 * @param name its name
	 * @param concurrency how many jobs it runs at once
	 * @param busy how many it ran at its last report
	 * @param queues the queues it serves, sorted
	 */
	public record Pool(String name, int concurrency, int busy, List<String> queues) implements WorkerStatus.Pool {

	}

	/**
	 * How many jobs of a queue may run at once, and start, by the options of its handler.
	 *
	 * @param queue the queue
	 * @param everywhere how many on all workers; 0 for any number
	 * @param here how many on this one; 0 for any number
	 * @param inLane how many of each lane on all workers; 0 for any number
	 * @param rate the {@linkplain Rate#toText() rate} of the queue; empty for none
	 * @param lanesRated whether its lanes have a rate
	 */
	public record Limit(String queue, int everywhere, int here, int inLane, String rate, boolean lanesRated) {

		public Limit

		{
			startsWithin(rate, Duration.ZERO);
		}

		/**
		 * Create limits without a rate.
		 * @param queue the queue
		 * @param everywhere how many on all workers; 0 for any number
		 * @param here how many on this one; 0 for any number
		 * @param inLane how many of each lane on all workers; 0 for any number
		 */
		public Limit(String queue, int everywhere, int here, int inLane) {
			this(queue, everywhere, here, inLane, "", false);
		}

		/**
		 * Return those of a queue that has no limits.
		 */
		public static Limit none(String queue) {
			return new Limit(queue, 0, 0, 0);
		}

		/**
		 * Return how many jobs the rate lets start in a time at most.
		 */
		double startsWithin(Duration time) {
			return startsWithin(this.rate, time);
		}

		private static double startsWithin(String text, Duration time) {
			if (text.isEmpty()) {
				return Double.POSITIVE_INFINITY;
			}
			Rate rate = Rate.parse(text);
			double windows = (double) time.toMillis() / rate.getWindow().toMillis();
			return Math.min(rate.getStarts() * Math.ceil(windows),
					rate.getBurst() * Math.ceil(windows * rate.getStarts() / rate.getBurst()));
		}

	}

	/**
	 * The Java process of a worker at its last report.
	 *
	 * @param java the version of Java
	 * @param jobs the version of Jobs, or empty
	 * @param heapUsed how many bytes of the heap are in use
	 * @param heapMax how many bytes the heap may have
	 * @param threads how many threads there are, whether busy or not
	 */
	public record Jvm(String java, String jobs, long heapUsed, long heapMax, int threads) implements WorkerStatus.Jvm {

		/**
		 * Return this process as it is now. This reads some counters of the JVM and
		 * causes no garbage collection.
		 */
		public static Jvm here() {
			Runtime runtime = Runtime.getRuntime();
			String jobs = WorkerInfo.class.getPackage().getImplementationVersion();
			return new Jvm(Runtime.version().toString(), (jobs != null) ? jobs : "",
					runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(),
					ManagementFactory.getThreadMXBean().getThreadCount());
		}

	}

}
