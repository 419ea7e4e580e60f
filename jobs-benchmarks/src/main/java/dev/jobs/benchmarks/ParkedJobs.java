package dev.jobs.benchmarks;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.Signal;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.benchmarks.subject.EngineSubject;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;

/**
 * An engine beside whose plain jobs many others wait for a signal each.
 */
final class ParkedJobs implements AutoCloseable {

	private static final String PLAIN = "plain";

	private static final String PARKED = "parked";

	private static final Signal<Payload> GO = Signal.of("go", Payload.class);

	private static final Duration LONG = Duration.ofDays(14);

	private static final Duration PAUSE = Duration.ofMillis(2);

	private static final JobFilter WAITING = JobFilter.of((only) -> only.states(JobState.WAITING));

	private final Stores.Opened opened;

	private final int concurrency;

	ParkedJobs(Stores stores, Load load) {
		this.opened = stores.open();
		this.concurrency = load.concurrency();
	}

	/**
	 * Have jobs wait for a signal each, and nothing else to do.
	 * @param jobs how many
	 */
	void park(int jobs) {
		JobEngine engine = engine((job) -> {
		});
		engine.start();
		EngineSubject.enqueueAll(engine, 0, jobs, requests(PARKED));
		JobStore store = this.opened.store();
		while (store.inspector().count(WAITING, jobs, StoreJobs.now()).number() < jobs) {
			LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
		}
		engine.stopNow();
		this.opened.cleanUp();
	}

	/**
	 * Run plain jobs that are all there at the start.
	 * @param jobs how many
	 * @return how long that took, in nanoseconds
	 */
	long drain(int jobs) {
		Arrivals arrivals = new Arrivals(jobs);
		JobEngine engine = engine((job) -> arrivals.arrived());
		EngineSubject.enqueueAll(engine, 0, jobs, requests(PLAIN));
		System.gc();
		long started = System.nanoTime();
		engine.start();
		arrivals.awaitAll();
		long took = System.nanoTime() - started;
		engine.stop(Duration.ofMinutes(1));
		arrivals.requireExact();
		return took;
	}

	/**
	 * Enqueue one plain job after the other.
	 * @param samples how many
	 * @return how long each took from before its enqueue to the start of its handler, in
	 * nanoseconds
	 */
	long[] starts(int samples) {
		IntFunction<JobRequest> requests = requests(PLAIN);
		return pings(samples, (engine, job) -> engine.client().enqueue(requests.apply(job)));
	}

	/**
	 * Send the signals of parked jobs, one after the other.
	 * @param samples how many
	 * @return how long each took from before it was sent until its job had it, in
	 * nanoseconds
	 */
	long[] signals(int samples) {
		return pings(samples, (engine, job) -> engine.client().send(GO, job, new Payload(job)));
	}

	private long[] pings(int samples, Sender sender) {
		Pings pings = new Pings(samples);
		JobEngine engine = engine(pings::arrived);
		engine.start();
		try {
			return pings.time(PAUSE, (job) -> sender.send(engine, job));
		}
		finally {
			engine.stop(Duration.ofMinutes(1));
		}
	}

	private JobEngine engine(IntConsumer reached) {
		return new JobEngineBuilder(this.opened.store()).serializer(Payload.SERIALIZER)
			.concurrency(this.concurrency)
			.handler(PLAIN, Payload.class, (payload, context) -> {
				reached.accept(payload.i());
				return JobResult.done();
			})
			.handler(PARKED, Payload.class, (payload, context) -> {
				context.await(GO, payload.i(), LONG);
				reached.accept(payload.i());
				return JobResult.done();
			})
			.build();
	}

	private static IntFunction<JobRequest> requests(String queue) {
		return (job) -> JobRequest.named(queue).payload(new Payload(job));
	}

	@Override
	public void close() {
		this.opened.close();
	}

	/**
	 * Makes a job start.
	 */
	@FunctionalInterface
	private interface Sender {

		void send(JobEngine engine, int job);

	}

}
