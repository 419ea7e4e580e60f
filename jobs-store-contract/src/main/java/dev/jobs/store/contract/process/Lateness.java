package dev.jobs.store.contract.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how late a thread wakes up because the machine is busy. Timed expectations may
 * take that much longer; on an idle machine it is next to nothing.
 */
public final class Lateness implements AutoCloseable {

	private static final long REST = Duration.ofMillis(5).toNanos();

	private final Thread thread = new Thread(this::measure, "lateness");

	private volatile boolean closed;

	private volatile long total;

	private volatile long longest;

	public Lateness() {
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void measure() {
		while (!this.closed) {
			long begun = System.nanoTime();
			LockSupport.parkNanos(REST);
			long late = Math.max(System.nanoTime() - begun - 2 * REST, 0);
			this.total += late;
			this.longest = Math.max(this.longest, late);
		}
	}

	/**
	 * Return a limit with all delays of this machine since the start.
	 * @param limit the limit on an idle machine
	 */
	public Duration allow(Duration limit) {
		return limit.plusNanos(this.total);
	}

	/**
	 * Return a limit for each of many things with the longest delay of this machine.
	 * @param limit the limit on an idle machine
	 */
	public Duration allowEach(Duration limit) {
		return limit.plusNanos(this.longest);
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
