package dev.jobs.benchmarks.load;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/**
 * Sends one job after the other, each after a pause in which everything comes to rest,
 * and takes the time until its handler starts.
 */
public final class Pings {

	private static final long PATIENCE_MINUTES = 1;

	private final long[] arrivedNanos;

	private final Semaphore arrived = new Semaphore(0);

	private final LongSupplier clock;

	public Pings(int count) {
		this(count, System::nanoTime);
	}

	/**
	 * Create the series.
	 * @param count how many jobs there are
	 * @param clock returns nanoseconds, for the sender and the handler alike
	 */
	public Pings(int count, LongSupplier clock) {
		this.arrivedNanos = new long[count];
		this.clock = clock;
	}

	public void arrived(int job) {
		arrived(job, this.clock.getAsLong());
	}

	public void arrived(int job, long nanos) {
		this.arrivedNanos[job] = nanos;
		this.arrived.release();
	}

	public long[] time(Duration pause, IntConsumer send) {
		long[] latencies = new long[this.arrivedNanos.length];
		for (int job = 0; job < latencies.length; job++) {
			LockSupport.parkNanos(pause.toNanos());
			long sent = this.clock.getAsLong();
			send.accept(job);
			await(job);
			latencies[job] = this.arrivedNanos[job] - sent;
		}
		return latencies;
	}

	private void await(int job) {
		try {
			if (!this.arrived.tryAcquire(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
				throw new IllegalStateException("Job " + job + " did not start");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while a job was to start", ex);
		}
	}

}
