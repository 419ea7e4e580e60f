package dev.jobs.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.CountedCalls;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.benchmarks.subject.Subject;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;

/**
 * An engine that waits for the results of jobs, which another one runs on demand.
 */
final class Waiting implements Subject.Idling {

	private static final Duration KEPT = Duration.ofMinutes(10);

	private static final long PATIENCE_MINUTES = 5;

	private final Stores.Opened opened;

	private final Stores.Watch watch;

	private final CountedCalls calls;

	private final JobEngine client;

	private final JobEngine worker;

	private final CompletableFuture<?> all;

	Waiting(Stores stores, Load load, int waiting) {
		this.opened = stores.open();
		this.watch = stores.watch();
		this.calls = new CountedCalls(this.opened.store());
		this.client = new JobEngineBuilder(this.calls.store()).serializer(Payload.SERIALIZER).build();
		JobEngineBuilder builder = new JobEngineBuilder(this.opened.store()).serializer(Payload.SERIALIZER)
			.concurrency(load.concurrency());
		load.names()
			.forEach((name) -> builder
				.handler(HandlerDefinition.of(name, Payload.class, (payload, context) -> JobResult.done(payload))
					.with(HandlerOptions.of((set) -> set.keepResult(KEPT)))));
		this.worker = builder.build();
		List<Enqueued> enqueued = this.client.client()
			.enqueueAll(IntStream.range(0, waiting)
				.mapToObj((i) -> JobRequest.named(load.names().get(i % load.queues())).payload(new Payload(i)))
				.toList());
		this.all = CompletableFuture.allOf(enqueued.stream()
			.map((job) -> this.client.client().completion(job.id(), Void.class))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Run all jobs.
	 * @return how long it took until all who waited had their results, in nanoseconds
	 */
	long endAll() {
		long started = System.nanoTime();
		this.worker.start();
		this.all.orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES).join();
		return System.nanoTime() - started;
	}

	@Override
	public Map<String, Long> counts() {
		Map<String, Long> counts = new TreeMap<>(this.watch.counts());
		counts.put(STORE_CALLS, this.calls.count());
		return counts;
	}

	@Override
	public void close() {
		this.watch.close();
		this.client.closeClient();
		this.worker.stopNow();
		this.opened.close();
	}

}
