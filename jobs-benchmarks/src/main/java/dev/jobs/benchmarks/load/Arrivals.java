package dev.jobs.benchmarks.load;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the jobs whose handler was reached. It is all that a handler does, so it is the
 * same for the engine and the floor.
 */
public final class Arrivals {

	private static final long PATIENCE_MINUTES = 10;

	private final int expected;

	private final AtomicInteger count = new AtomicInteger();

	private final CountDownLatch all = new CountDownLatch(1);

	public Arrivals(int expected) {
		this.expected = expected;
	}

	public void arrived() {
		if (this.count.incrementAndGet() == this.expected) {
			this.all.countDown();
		}
	}

	public boolean areAll() {
		return this.all.getCount() == 0;
	}

	public void awaitAll() {
		try {
			if (!this.all.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
				throw new IllegalStateException("Only " + this.count + " of " + this.expected + " jobs ran");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while jobs ran", ex);
		}
	}

	/**
	 * Check that no job ran twice.
	 */
	public void requireExact() {
		if (this.count.get() != this.expected) {
			throw new IllegalStateException(this.count + " runs of " + this.expected + " jobs");
		}
	}

}
