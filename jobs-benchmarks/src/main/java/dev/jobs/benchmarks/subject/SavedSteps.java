package dev.jobs.benchmarks.subject;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;

/**
 * An engine whose jobs do steps and nothing else.
 */
public final class SavedSteps {

	/** How many steps a job has. */
	public static final int OF_A_JOB = 10;

	private static final String QUEUE = "stepped";

	private static final String VALUE = "v".repeat(200);

	private final Stores stores;

	SavedSteps(Stores stores) {
		this.stores = stores;
	}

	/**
	 * Run jobs that are all there at the start.
	 * @param load how many, and how many at once
	 * @return how long that took, in nanoseconds
	 */
	public long run(Load load) {
		try (Stores.Opened opened = this.stores.open()) {
			Arrivals arrivals = new Arrivals(load.jobs());
			JobEngine engine = new JobEngineBuilder(opened.store()).concurrency(load.concurrency())
				.handler(HandlerDefinition.of(QUEUE, Payload.class, (payload, context) -> {
					for (int i = 0; i < OF_A_JOB; i++) {
						context.step("step " + i, String.class, () -> VALUE);
					}
					arrivals.arrived();
					return JobResult.done();
				}))
				.build();
			EngineSubject.enqueueAll(engine, 0, load.jobs(),
					(job) -> JobRequest.named(QUEUE).payload(new Payload(job)));
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

}
