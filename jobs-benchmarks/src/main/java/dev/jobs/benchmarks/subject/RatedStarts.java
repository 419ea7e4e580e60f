package dev.jobs.benchmarks.subject;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.HandlerOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.Rate;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;

/**
 * Two engines that share the rate of a queue, in which more jobs wait than may start.
 */
public final class RatedStarts {

	private static final String QUEUE = "rated";

	private final Stores stores;

	RatedStarts(Stores stores) {
		this.stores = stores;
	}

	/**
	 * Run all jobs.
	 * @param load how many, and how many at once
	 * @param rate the rate
	 * @return when each began by the counter of nanoseconds, sorted
	 */
	public long[] run(Load load, Rate rate) {
		try (Stores.Opened opened = this.stores.open()) {
			Arrivals arrivals = new Arrivals(load.jobs());
			long[] starts = new long[load.jobs()];
			List<JobEngine> engines = Stream
				.generate(() -> new JobEngineBuilder(opened.store()).serializer(Payload.SERIALIZER)
					.concurrency(load.concurrency())
					.handler(HandlerDefinition.of(QUEUE, Payload.class, (payload, context) -> {
						starts[payload.i()] = System.nanoTime();
						arrivals.arrived();
						return JobResult.done();
					}).with(HandlerOptions.of((set) -> set.rate(rate))))
					.build())
				.limit(2)
				.toList();
			EngineSubject.enqueueAll(engines.get(0), 0, load.jobs(),
					(job) -> JobRequest.named(QUEUE).payload(new Payload(job)));
			System.gc();
			engines.forEach(JobEngine::start);
			arrivals.awaitAll();
			engines.forEach(JobEngine::stopNow);
			arrivals.requireExact();
			Arrays.sort(starts);
			return starts;
		}
	}

}
