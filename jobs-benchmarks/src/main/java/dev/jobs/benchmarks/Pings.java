package dev.jobs.benchmarks;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Sends one job after the other, each after a pause in which everything comes to rest,
 * and takes the time until its handler starts.
 */
final class Pings {

	private final long[] arrivedNanos;

	private final Semaphore arrived = new Semaphore(0);

	Pings(int count) {
		this.arrivedNanos = new long[count];
	}

	void arrived(int job) {
		this.arrivedNanos[job] = System.nanoTime();
		this.arrived.release();
	}

	long[] time(Duration pause, IntConsumer send) {
		long[] latencies = new long[this.arrivedNanos.length];
		for (int job = 0; job < latencies.length; job++) {
			LockSupport.parkNanos(pause.toNanos());
			long sent = System.nanoTime();
			send.accept(job);
			this.arrived.acquireUninterruptibly();
			latencies[job] = this.arrivedNanos[job] - sent;
		}
		return latencies;
	}

}
