package dev.jobs.benchmarks;

import java.time.Duration;

/**
 * What is measured with workers that are processes of their own.
 */
interface Processes {

	/**
	 * Enqueue one job after the other here, to be run in another process that has nothing
	 * else to do.
	 * @param load the load
	 * @param pause the pause before each job
	 * @return how long each job took from before its enqueue to the start of its handler,
	 * in nanoseconds
	 */
	long[] latencies(Load load, Duration pause);

	/**
	 * Strike a process down that runs a job.
	 * @param load the queues and the concurrency
	 * @param fault what happens to it
	 * @param lease how long a worker counts as alive after a beat
	 * @return how long it took until the job started in another process, in nanoseconds
	 */
	long recovery(Load load, Fault fault, Duration lease);

	/**
	 * What happens to a process.
	 */
	enum Fault {

		/** It is killed by {@code SIGKILL}. */
		KILLED("KILL"),

		/** It is frozen by {@code SIGSTOP}. */
		FROZEN("STOP");

		private final String signal;

		Fault(String signal) {
			this.signal = signal;
		}

		String signal() {
			return this.signal;
		}

	}

}
