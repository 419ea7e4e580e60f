package dev.jobs.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the jobs whose handler was reached. It is all that a handler does, so it is the
 * same for the engine and the floor.
 */
final class Arrivals {

	private static final long PATIENCE_MINUTES = 10;

	private final int expected;

	private final AtomicInteger count = new AtomicInteger();

	private final CountDownLatch all = new CountDownLatch(1);

	Arrivals(int expected) {
		this.expected = expected;
	}

	void arrived() {
		if (this.count.incrementAndGet() == this.expected) {
			this.all.countDown();
		}
	}

	boolean areAll() {
		return this.all.getCount() == 0;
	}

	void awaitAll() {
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
	void requireExact() {
		if (this.count.get() != this.expected) {
			throw new IllegalStateException(this.count + " runs of " + this.expected + " jobs");
		}
	}

}
