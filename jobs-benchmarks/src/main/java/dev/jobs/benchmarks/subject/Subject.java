package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.Map;

import dev.jobs.benchmarks.load.Load;

/**
 * What is measured: the engine on a store, or its floor, which is the least that could do
 * the same work there. Each call begins with nothing stored and leaves nothing behind.
 */
public interface Subject {

	/**
	 * Run all jobs of a load, which are there before the clock starts.
	 * @param load the load
	 * @return how long that took, in nanoseconds
	 */
	long drain(Load load);

	/**
	 * Enqueue all jobs of a load and run none.
	 * @param load the load
	 * @param threads how many threads enqueue
	 * @param batch how many jobs each enqueues with one call
	 * @return how long that took, in nanoseconds
	 */
	long enqueue(Load load, int threads, int batch);

	/**
	 * Enqueue one job after the other while nothing else is to be done.
	 * @param load the load
	 * @param pause the pause before each job
	 * @return how long each job took from before its enqueue to the start of its handler,
	 * in nanoseconds
	 */
	long[] latencies(Load load, Duration pause);

	/**
	 * Run jobs at instants spread evenly over a time.
	 * @param load the load
	 * @param time the time
	 * @return how late each job started, in nanoseconds; negative if it was early
	 */
	long[] lateness(Load load, Duration time);

	/**
	 * Start and have nothing to do.
	 * @param load the queues and the concurrency
	 * @return what idles
	 */
	Idling idle(Load load);

	/**
	 * Something that is started and has nothing to do.
	 */
	interface Idling extends AutoCloseable {

		/** How often the store was called. */
		String STORE_CALLS = "store calls";

		/**
		 * Return what was called so far, how often.
		 * @return the numbers by what is counted
		 */
		Map<String, Long> counts();

		@Override
		void close();

	}

}
