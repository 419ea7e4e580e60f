package dev.jobs.engine.context;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.Refusals;

/**
 * What all parts of a worker share.
 *
 * @param worker the worker's id, new for every start
 * @param store the store
 * @param registry the handlers
 * @param settings the settings
 * @param clock the clock
 * @param events the listeners
 * @param tallies counts what happens to jobs
 * @param refusals what the store does not take
 * @param testPoints what tests want of runs
 * @param inTransaction returns whether the calling thread is in a transaction
 * @param random draws random numbers, on any thread
 */
public record WorkerContext(String worker, JobStore store, HandlerRegistry registry, EngineSettings settings,
		StoreClock clock, EventBus events, Tallies tallies, Refusals refusals, TestPoints testPoints,
		BooleanSupplier inTransaction, RandomGenerator random) {

	/** Seeded differently in every process. */
	public static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

	/**
	 * Vary a time at random, so that many processes do not act together.
	 * @return the time, a fifth shorter or longer at most
	 */
	public Duration vary(Duration duration) {
		return Duration.ofNanos((long) (duration.toNanos() * (0.8 + 0.4 * this.random.nextDouble())));
	}

}
