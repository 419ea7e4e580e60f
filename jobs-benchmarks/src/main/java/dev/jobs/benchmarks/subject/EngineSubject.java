package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.CountedCalls;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.load.Timetable;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;

/**
 * The whole engine on a store.
 */
public final class EngineSubject implements Subject {

	private static final int BATCH = 500;

	/** How many steps a job has that does steps. */
	public static final int STEPS = 10;

	private static final String VALUE = "v".repeat(200);

	private static final int WAVE = 20 * BATCH;

	private static final List<String> OTHERS = List.of("other-a", "other-b", "other-c", "other-d", "other-e");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Stores stores;

	/**
	 * Create the subject.
	 * @param stores where stores come from
	 */
	EngineSubject(Stores stores) {
		this.stores = stores;
	}

	@Override
	public long drain(Load load) {
		try (Stores.Opened opened = this.stores.open();
				Bystanders bystanders = new Bystanders(opened.store(), load);
				Stores.Others others = this.stores.others(load.crowd())) {
			return drain(opened, load);
		}
	}

	private static long drain(Stores.Opened opened, Load load) {
		Arrivals arrivals = new Arrivals(load.jobs());
		JobEngine engine = engine(opened.store(), load, (payload) -> arrivals.arrived());
		new StoreJobs(load.names()).schedule(opened.store(), load.crowd().scheduled());
		enqueueAll(engine, 0, load.jobs(), requests(load.names()));
		enqueueAll(engine, 0, load.others(), requests(OTHERS));
		System.gc();
		long started = System.nanoTime();
		engine.start();
		arrivals.awaitAll();
		awaitSettled(opened, load);
		long took = System.nanoTime() - started;
		engine.stopNow();
		arrivals.requireExact();
		return took;
	}

	private static void awaitSettled(Stores.Opened opened, Load load) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		Set<String> names = Set.copyOf(load.names());
		while (opened.running(names) > load.running()) {
			if (System.nanoTime() > end) {
				throw new IllegalStateException("Not every job was settled");
			}
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	@Override
	public long enqueue(Load load, int threads, int batch) {
		try (Stores.Opened opened = this.stores.open()) {
			JobEngine engine = engine(opened.store(), load, (payload) -> {
			});
			IntFunction<JobRequest> request = requests(load.names());
			System.gc();
			return Producers.time(load.jobs(), threads, batch, (from, to) -> {
				if (batch == 1) {
					engine.client().enqueue(request.apply(from));
				}
				else {
					enqueueAll(engine, from, to, request);
				}
			});
		}
	}

	@Override
	public long[] latencies(Load load, Duration pause) {
		Pings pings = new Pings(load.jobs());
		Semaphore passed = new Semaphore(0);
		IntFunction<JobRequest> request = requests(load.names());
		try (Stores.Opened opened = this.stores.open(); Stores.Others others = this.stores.others(load.crowd())) {
			JobEngine engine = engine(opened.store(), load, (payload) -> {
				if (payload.i() < load.jobs()) {
					pings.arrived(payload.i());
				}
				else {
					passed.release();
				}
			});
			engine.start();
			try {
				pass(engine, load, passed);
				return pings.time(pause, (job) -> engine.client().enqueue(request.apply(job)));
			}
			finally {
				engine.stopNow();
			}
		}
	}

	/**
	 * Run jobs that come as fast as they are run, not all at once.
	 */
	private static void pass(JobEngine engine, Load load, Semaphore passed) {
		int first = load.jobs();
		int end = first + load.crowd().passed();
		for (int from = first; from < end; from += WAVE) {
			int to = Math.min(from + WAVE, end);
			enqueueAll(engine, from, to, requests(load.names()));
			try {
				if (!passed.tryAcquire(to - from, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
					throw new IllegalStateException("Not all of " + (to - first) + " jobs have run");
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Interrupted while jobs ran", ex);
			}
		}
	}

	@Override
	public long[] lateness(Load load, Duration time) {
		IntFunction<JobRequest> request = requests(load.names());
		Timetable timetable = new Timetable(load.jobs(), time);
		try (Stores.Opened opened = this.stores.open()) {
			JobEngine engine = engine(opened.store(), load, (payload) -> timetable.started(payload.i()));
			engine.start();
			try {
				enqueueAll(engine, 0, load.jobs(),
						(job) -> request.apply(job).options((set) -> set.at(timetable.dueAt(job))));
				return timetable.awaitLateness();
			}
			finally {
				engine.stopNow();
			}
		}
	}

	@Override
	public Idling idle(Load load) {
		Stores.Opened opened = this.stores.open();
		Stores.Watch watch = this.stores.watch();
		CountedCalls calls = new CountedCalls(opened.store());
		JobEngine engine = engine(calls.store(), load, (payload) -> {
		});
		engine.start();
		return new Idling() {

			@Override
			public Map<String, Long> counts() {
				Map<String, Long> counts = new TreeMap<>(watch.counts());
				counts.put(STORE_CALLS, calls.count());
				return counts;
			}

			@Override
			public void close() {
				watch.close();
				engine.stopNow();
				opened.close();
			}

		};
	}

	public static JobEngine engine(JobStore store, Load load, Consumer<Payload> handler) {
		return engine(store, load, EngineSettings.defaults(), handler);
	}

	public static JobEngine engine(JobStore store, Load load, EngineSettings settings, Consumer<Payload> handler) {
		JobEngineBuilder builder = new JobEngineBuilder(store).serializer(Payload.SERIALIZER)
			.settings(settings)
			.concurrency(load.concurrency());
		for (String name : load.names()) {
			builder.handler(HandlerDefinition.of(name, Payload.class, (payload, context) -> {
				handler.accept(payload);
				return JobResult.done();
			}));
		}
		return builder.build();
	}

	/**
	 * Run jobs that do steps and nothing else.
	 * @param load how many, and how many at once
	 * @return how long that took, in nanoseconds
	 */
	public long steps(Load load) {
		try (Stores.Opened opened = this.stores.open()) {
			Arrivals arrivals = new Arrivals(load.jobs());
			JobEngine engine = new JobEngineBuilder(opened.store()).concurrency(load.concurrency())
				.handler(HandlerDefinition.of("stepped", Payload.class, (payload, context) -> {
					for (int i = 0; i < STEPS; i++) {
						context.step("step " + i, String.class, () -> VALUE);
					}
					arrivals.arrived();
					return JobResult.done();
				}))
				.build();
			enqueueAll(engine, 0, load.jobs(), requests(List.of("stepped")));
			System.gc();
			long started = System.nanoTime();
			engine.start();
			arrivals.awaitAll();
			long took = System.nanoTime() - started;
			engine.stopNow();
			arrivals.requireExact();
			return took;
		}
	}

	private static IntFunction<JobRequest> requests(List<String> names) {
		return (job) -> JobRequest.named(names.get(job % names.size())).payload(new Payload(job));
	}

	public static void enqueueAll(JobEngine engine, int from, int to, IntFunction<JobRequest> request) {
		List<JobRequest> batch = new ArrayList<>(BATCH);
		for (int job = from; job < to; job++) {
			batch.add(request.apply(job));
			if (batch.size() == BATCH || job == to - 1) {
				engine.client().enqueueAll(batch);
				batch.clear();
			}
		}
	}

}
