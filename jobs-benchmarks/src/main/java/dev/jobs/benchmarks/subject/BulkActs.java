package dev.jobs.benchmarks.subject;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import dev.jobs.BulkStatus;
import dev.jobs.JobFilter;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.view.JobInspector;

/**
 * An engine that retries dead jobs by a bulk action while it runs others.
 */
public final class BulkActs implements AutoCloseable {

	private static final String DEAD = "dead";

	private static final String BUSY = "busy";

	/** How many jobs of the other queue wait at least. */
	private static final int STOCK = 2000;

	private static final int BATCH = 500;

	private static final Duration PAUSE = Duration.ofMillis(1);

	private final StoreJobs deadJobs = new StoreJobs(List.of(DEAD));

	private final StoreJobs busyJobs = new StoreJobs(List.of(BUSY));

	private final Load load;

	private final Stores stores;

	private final Stores.Opened opened;

	private final Map<String, List<Long>> nanos = new ConcurrentHashMap<>();

	private final AtomicInteger stock = new AtomicInteger();

	private final JobEngine engine;

	BulkActs(Stores stores, Load load) {
		this.load = load;
		this.stores = stores;
		this.opened = stores.open();
		this.engine = new JobEngineBuilder(JobStore.class.cast(timed(JobStore.class, this.opened.store())))
			.serializer(Payload.SERIALIZER)
			.settings(EngineSettings.defaults().withRetention(new Retention(null, 0, null, 0, null)))
			.concurrency(load.concurrency())
			.handler(HandlerDefinition.of(BUSY, Payload.class, (payload, context) -> {
				this.stock.decrementAndGet();
				return JobResult.done();
			}))
			.build();
	}

	private Object timed(Class<?> type, Object target) {
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
			long begin = System.nanoTime();
			try {
				Object result = method.invoke(target, arguments);
				return switch (method.getName()) {
					case "inspector" -> timed(JobInspector.class, result);
					case "claim", "page", "change" -> {
						this.nanos
							.computeIfAbsent(method.getName(),
									(name) -> Collections.synchronizedList(new ArrayList<>()))
							.add(System.nanoTime() - begin);
						yield result;
					}
					default -> result;
				};
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		});
	}

	/**
	 * Store as many dead jobs as the load has.
	 */
	public void prepare() {
		JobStore store = this.opened.store();
		for (int i = 0; i < this.load.jobs(); i += BATCH) {
			this.deadJobs.enqueue(store, i, Math.min(i + BATCH, this.load.jobs()));
			Instant later = StoreJobs.now().plusMillis(1);
			while (store.prune(new PruneRequest(null, 0, null, 0, later, null, BATCH, later)).stranded() > 0) {
				// Until none is left.
			}
		}
		this.engine.start();
	}

	/**
	 * Run jobs for a time.
	 * @return how long each claim took, in nanoseconds
	 */
	public long[] alone(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		this.nanos.clear();
		runWhile(() -> System.nanoTime() < end);
		return times("claim");
	}

	/**
	 * Retry all dead jobs while others run.
	 * @return how long that took, in nanoseconds
	 */
	public long retryAll() {
		this.nanos.clear();
		this.stores.slowest();
		long begin = System.nanoTime();
		BulkStatus started = this.engine.operations().jobs(JobFilter.of((only) -> only.name(DEAD))).startRetry();
		runWhile(() -> status(started).state() == BulkStatus.State.RUNNING);
		long took = System.nanoTime() - begin;
		if (status(started).done() != this.load.jobs()) {
			throw new IllegalStateException(status(started).done() + " of " + this.load.jobs() + " jobs were retried");
		}
		return took;
	}

	private BulkStatus status(BulkStatus started) {
		return this.engine.operations().bulkAction(started.id()).status().orElseThrow();
	}

	private void runWhile(BooleanSupplier condition) {
		long nextLook = System.nanoTime();
		boolean goesOn = true;
		while (goesOn) {
			if (this.stock.get() < STOCK) {
				this.busyJobs.enqueue(this.opened.store(), 0, BATCH);
				this.stock.addAndGet(BATCH);
			}
			LockSupport.parkNanos(PAUSE.toNanos());
			if (System.nanoTime() > nextLook) {
				goesOn = condition.getAsBoolean();
				nextLook = System.nanoTime() + Duration.ofMillis(200).toNanos();
			}
		}
	}

	/**
	 * Return how long each call took since the last start, in nanoseconds.
	 * @param verb which calls
	 */
	public long[] times(String verb) {
		return new ArrayList<>(this.nanos.getOrDefault(verb, List.of())).stream().mapToLong(Long::longValue).toArray();
	}

	/**
	 * Return the longest script or statement on the server since the last start.
	 * @return the time in nanoseconds, or -1 if it is not known
	 */
	public long slowest() {
		return this.stores.slowest();
	}

	@Override
	public void close() {
		this.engine.stopNow();
		this.opened.close();
	}

}
