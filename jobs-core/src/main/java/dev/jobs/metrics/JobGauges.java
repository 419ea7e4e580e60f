package dev.jobs.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.JobStoreException;
import dev.jobs.store.support.TimedCache;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WantedWorkersView;
import dev.jobs.store.view.WorkerInfo;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of queues, pools and loops. A scrape reads the queues once, and not again for a
 * while; the series of a queue, pool or loop end with it. The series of queues that this
 * process serves exist from its start, since a registry that is asked for a meter by name
 * reads nothing that it lacks. While the store is out of reach, the gauges of queues are
 * {@code NaN}.
 */
public final class JobGauges implements MeterBinder {

	private static final Map<String, ToDoubleFunction<QueueView>> STATES = Map.of("ready", QueueView::ready,
			"scheduled", (queue) -> queue.scheduled() - queue.retrying(), "retrying", QueueView::retrying, "parked",
			QueueView::parked, "running", QueueView::running, "dead", QueueView::dead, "history", QueueView::history);

	private final JobInspector inspector;

	private final Supplier<List<WorkerInfo.Pool>> pools;

	private final Supplier<Map<String, Duration>> loops;

	private final Function<String, Duration> targetWait;

	private final InstantSource clock;

	private final MeterNames names;

	private final Duration age;

	private final Duration patience;

	private final List<Bound> bound = new CopyOnWriteArrayList<>();

	/**
	 * Create the gauges.
	 * @param inspector reads the store
	 * @param pools returns the pools of this process
	 * @param loops returns the loops of this process and their lags
	 * @param targetWait returns how long the jobs of a pool may wait
	 * @param clock the clock
	 * @param mostNames how many queues have series of their own
	 * @param age how old a reading of the store may be
	 * @param patience how long the store is waited for
	 */
	public JobGauges(JobInspector inspector, Supplier<List<WorkerInfo.Pool>> pools,
			Supplier<Map<String, Duration>> loops, Function<String, Duration> targetWait, InstantSource clock,
			int mostNames, Duration age, Duration patience) {
		this.inspector = inspector;
		this.pools = pools;
		this.loops = loops;
		this.targetWait = targetWait;
		this.clock = clock;
		this.names = new MeterNames(mostNames);
		this.age = age;
		this.patience = patience;
	}

	/**
	 * Bind the gauges and begin to read the store, so that the first scrape finds the
	 * series of all queues.
	 */
	@Override
	public void bindTo(MeterRegistry registry) {
		Bound bound = new Bound(registry);
		this.bound.add(bound);
		bound.begin();
	}

	/**
	 * Add the queues, pools and loops of an engine that has just started, so that the
	 * first scrape finds their series too.
	 */
	public void engineStarted() {
		this.bound.forEach(Bound::setRowsOfThisProcess);
	}

	private Stream<String> served() {
		return this.pools.get().stream().flatMap((pool) -> pool.queues().stream());
	}

	/**
	 * The gauges in one registry. Their rows are updated whenever the store was read.
	 */
	private final class Bound {

		private final MeterRegistry registry;

		private final TimedCache<Seen> queues = new TimedCache<>(this::read, JobGauges.this.clock, JobGauges.this.age,
				JobGauges.this.patience);

		private final Set<String> repairs = ConcurrentHashMap.newKeySet();

		/** Which queues have rows. */
		private Set<String> queuesOfRows = Set.of();

		private final MultiGauge jobs;

		private final MultiGauge oldest;

		private final MultiGauge paused;

		private final MultiGauge served;

		private final MultiGauge exact;

		private final MultiGauge wanted;

		private final MultiGauge workersWanted;

		private final MultiGauge poolSize;

		private final MultiGauge poolBusy;

		private final MultiGauge loopLag;

		Bound(MeterRegistry registry) {
			this.registry = registry;
			this.jobs = rows("jobs.queue.jobs", "Jobs by queue and state", null);
			this.oldest = rows("jobs.queue.oldest", "How long the longest waiting job of a queue has been due",
					"seconds");
			this.paused = rows("jobs.queue.paused", "Whether a queue is paused", null);
			this.served = rows("jobs.queue.served", "Whether a live worker has a handler for a queue", null);
			this.exact = rows("jobs.queue.exact", "Whether the jobs of a queue are all counted, and not up to a bound",
					null);
			this.wanted = rows("jobs.queue.wanted", "How many jobs of a queue should run at once", null);
			this.workersWanted = rows("jobs.workers.wanted", "How many workers a pool needs", null);
			this.poolSize = rows("jobs.pool.size", "How many jobs a pool of this process runs at once", null);
			this.poolBusy = rows("jobs.pool.busy", "How many jobs a pool of this process runs now", null);
			this.loopLag = rows("jobs.loop.lag", "How long the success of a loop of this process has been awaited",
					"seconds");
		}

		private MultiGauge rows(String name, String description, @Nullable String unit) {
			return MultiGauge.builder(name).description(description).baseUnit(unit).register(this.registry);
		}

		void begin() {
			Gauge.builder("jobs.store.up", () -> seen() != null ? 1 : 0)
				.description("Whether the store answers")
				.register(this.registry);
			this.queues.refresh();
		}

		private @Nullable Seen seen() {
			try {
				return this.queues.get();
			}
			catch (JobStoreException ex) {
				return null;
			}
		}

		private Seen read() {
			setLocalRows();
			Instant now = JobGauges.this.clock.instant();
			JobInspector inspector = JobGauges.this.inspector;
			List<QueueView> views = inspector.queues(now);
			List<WantedWorkersView> wanted = wanted(views, now);
			JobGauges.this.names
				.retain(Stream.concat(views.stream().map(QueueView::name), served()).collect(Collectors.toSet()));
			Map<String, Queue> queues = new TreeMap<>();
			for (QueueView view : views) {
				double slots = (wanted != null)
						? wanted.stream().mapToInt((pool) -> pool.queues().getOrDefault(view.name(), 0)).sum()
						: Double.NaN;
				queues.merge(JobGauges.this.names.of(view.name()), Queue.of(view, slots), Queue::plus);
			}
			setQueueRows(queues.keySet());
			Map<String, Integer> workers = new TreeMap<>();
			if (wanted != null) {
				wanted.forEach((pool) -> workers.put(pool.pool(), pool.workers()));
			}
			set(this.workersWanted, workers.keySet().stream().map(this::workersRow).toList());
			countRepairs();
			return new Seen(queues, workers);
		}

		/** If workers or statistics cannot be read, the gauges of queues still can. */
		private @Nullable List<WantedWorkersView> wanted(List<QueueView> queues, Instant now) {
			try {
				return WantedWorkersView.of(JobGauges.this.inspector, queues, JobGauges.this.targetWait, now);
			}
			catch (JobStoreException ex) {
				return null;
			}
		}

		private synchronized void setQueueRows(Set<String> stored) {
			Set<String> all = new TreeSet<>(stored);
			served().map(JobGauges.this.names::of).forEach(all::add);
			if (!all.equals(this.queuesOfRows)) {
				setRows(all);
				this.queuesOfRows = all;
			}
		}

		private void setRows(Set<String> names) {
			List<Row<?>> jobs = new ArrayList<>();
			STATES.keySet()
				.forEach((state) -> names.forEach((name) -> jobs.add(row(name, Tags.of("queue", name, "state", state),
						(queue) -> queue.counts.getOrDefault(state, 0.0)))));
			set(this.jobs, jobs);
			setRows(this.oldest, names, (queue) -> queue.age(JobGauges.this.clock.instant()));
			setRows(this.paused, names, (queue) -> queue.paused ? 1 : 0);
			setRows(this.served, names, (queue) -> queue.served ? 1 : 0);
			setRows(this.exact, names, (queue) -> queue.exact ? 1 : 0);
			setRows(this.wanted, names, (queue) -> queue.wanted);
		}

		private void setRows(MultiGauge gauge, Set<String> names, ToDoubleFunction<Queue> value) {
			set(gauge, names.stream().map((name) -> row(name, Tags.of("queue", name), value)).toList());
		}

		private Row<?> row(String name, Tags tags, ToDoubleFunction<Queue> value) {
			return Row.of(tags, this, (bound) -> {
				Seen seen = bound.seen();
				return (seen != null) ? value.applyAsDouble(seen.queues().getOrDefault(name, Queue.NONE)) : Double.NaN;
			});
		}

		private Row<?> workersRow(String pool) {
			return Row.of(Tags.of("pool", pool), this, (bound) -> {
				Seen seen = bound.seen();
				Integer wanted = (seen != null) ? seen.workers().get(pool) : null;
				return (wanted != null) ? wanted : Double.NaN;
			});
		}

		synchronized void setRowsOfThisProcess() {
			setLocalRows();
			setQueueRows(this.queuesOfRows);
		}

		private synchronized void setLocalRows() {
			List<Row<?>> sizes = new ArrayList<>();
			List<Row<?>> busy = new ArrayList<>();
			for (WorkerInfo.Pool pool : JobGauges.this.pools.get()) {
				Tags tags = Tags.of("pool", pool.name());
				sizes.add(row(pool, tags, WorkerInfo.Pool::concurrency));
				busy.add(row(pool, tags, WorkerInfo.Pool::busy));
			}
			set(this.poolSize, sizes);
			set(this.poolBusy, busy);
			List<Row<?>> lags = new ArrayList<>();
			JobGauges.this.loops.get()
				.keySet()
				.forEach((loop) -> lags.add(Row.of(Tags.of("loop", loop), JobGauges.this.loops,
						(loops) -> seconds(loops.get().getOrDefault(loop, Duration.ZERO)))));
			set(this.loopLag, lags);
		}

		private Row<?> row(WorkerInfo.Pool pool, Tags tags, ToIntFunction<WorkerInfo.Pool> value) {
			return Row.of(tags, JobGauges.this.pools,
					(pools) -> pools.get()
						.stream()
						.filter((each) -> each.name().equals(pool.name()))
						.mapToInt(value)
						.sum());
		}

		/**
		 * Set the rows. Rows that stay are not replaced, since a concurrent scrape would
		 * see a row twice that is removed and added again.
		 */
		private static void set(MultiGauge gauge, List<? extends Row<?>> rows) {
			gauge.register(rows, false);
		}

		private void countRepairs() {
			JobInspector inspector = JobGauges.this.inspector;
			for (String fault : inspector.store().repairs().keySet()) {
				if (this.repairs.add(fault)) {
					FunctionCounter
						.builder("jobs.repairs", inspector, (store) -> store.store().repairs().getOrDefault(fault, 0L))
						.description("Inconsistencies found in the store and repaired")
						.tag("fault", fault)
						.register(this.registry);
				}
			}
		}

	}

	private static double seconds(Duration duration) {
		return duration.toMillis() / 1000.0;
	}

	/**
	 * What a scrape found.
	 *
	 * @param queues the queues
	 * @param workers how many workers each pool needs
	 */
	private record Seen(Map<String, Queue> queues, Map<String, Integer> workers) {

	}

	/**
	 * The numbers of one queue, or of several together.
	 *
	 * @param counts how many jobs are in each state
	 * @param oldest since when its longest waiting job has been due
	 * @param paused whether one of them is paused
	 * @param served whether each queue that has jobs to run is served
	 * @param exact whether all jobs are counted
	 * @param wanted how many jobs should run at once
	 */
	private record Queue(Map<String, Double> counts, @Nullable Instant oldest, boolean paused, boolean served,
			boolean exact, double wanted) {

		static final Queue NONE = new Queue(Map.of(), null, false, true, true, 0);

		static Queue of(QueueView view, double wanted) {
			Map<String, Double> counts = new TreeMap<>();
			STATES.forEach((state, count) -> counts.put(state, count.applyAsDouble(view)));
			return new Queue(counts, view.oldestReady(), view.paused(), view.served() || view.waiting() == 0,
					view.atLeast().isEmpty(), wanted);
		}

		Queue plus(Queue other) {
			Map<String, Double> sums = new TreeMap<>(this.counts);
			other.counts.forEach((state, count) -> sums.merge(state, count, Double::sum));
			return new Queue(sums, earliest(this.oldest, other.oldest), this.paused || other.paused,
					this.served && other.served, this.exact && other.exact, this.wanted + other.wanted);
		}

		private static @Nullable Instant earliest(@Nullable Instant one, @Nullable Instant other) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			return one.isBefore(other) ? one : other;
		}

		double age(Instant now) {
			return (this.oldest != null && this.oldest.isBefore(now)) ? seconds(Duration.between(this.oldest, now)) : 0;
		}

	}

}
