package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

import dev.jobs.HandlerOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;

/**
 * An engine whose jobs are in lanes.
 */
public final class LaneTurns {

	private static final String QUEUE = "laned";

	/** How long a job of a noisy lane runs. */
	private static final Duration RUN = Duration.ofMillis(5);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private final Stores stores;

	LaneTurns(Stores stores) {
		this.stores = stores;
	}

	/**
	 * Run jobs that are all there at the start.
	 * @param load how many, and how many at once
	 * @param lanes over how many lanes they are spread; 0 for none
	 * @param most how many of a lane may run at once; 0 for any number
	 * @return how long that took, in nanoseconds
	 */
	public long drain(Load load, int lanes, int most) {
		try (Stores.Opened opened = this.stores.open()) {
			Arrivals arrivals = new Arrivals(load.jobs());
			JobEngine engine = engine(opened, load, most, (job) -> arrivals.arrived());
			EngineSubject.enqueueAll(engine, 0, load.jobs(), requests((job) -> job % Math.max(lanes, 1), lanes > 0));
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

	/**
	 * Enqueue jobs of lanes in which nothing waits, beside many of noisy lanes.
	 * @param load how many jobs the noisy lanes have, and how many run at once
	 * @param noisy how many noisy lanes there are
	 * @param samples how many jobs are timed
	 * @return how long each took from before its enqueue to the start of its handler, in
	 * nanoseconds
	 */
	public long[] waits(Load load, int noisy, int samples) {
		Pings pings = new Pings(samples);
		try (Stores.Opened opened = this.stores.open()) {
			JobEngine engine = engine(opened, load, 0, (job) -> {
				if (job < samples) {
					pings.arrived(job);
				}
				else {
					LockSupport.parkNanos(RUN.toNanos());
				}
			});
			EngineSubject.enqueueAll(engine, samples, samples + load.jobs(), requests((job) -> job % noisy, true));
			engine.start();
			try {
				IntFunction<JobRequest> quiet = requests((job) -> noisy + job, true);
				return pings.time(PAUSE, (job) -> engine.client().enqueue(quiet.apply(job)));
			}
			finally {
				engine.stopNow();
			}
		}
	}

	private static JobEngine engine(Stores.Opened opened, Load load, int most, IntConsumer run) {
		return new JobEngineBuilder(opened.store()).serializer(Payload.SERIALIZER)
			.concurrency(load.concurrency())
			.handler(HandlerDefinition.of(QUEUE, Payload.class, (payload, context) -> {
				run.accept(payload.i());
				return JobResult.done();
			}).with(HandlerOptions.of((set) -> set.laneConcurrency(most))))
			.build();
	}

	private static IntFunction<JobRequest> requests(IntUnaryOperator lane, boolean inLanes) {
		return (job) -> {
			JobRequest request = JobRequest.named(QUEUE).payload(new Payload(job));
			return inLanes ? request.options((set) -> set.lane("lane-" + lane.applyAsInt(job))) : request;
		};
	}

}
