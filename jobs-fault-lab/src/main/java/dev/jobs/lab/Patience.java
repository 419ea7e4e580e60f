package dev.jobs.lab;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Waits for a condition.
 */
final class Patience {

	private Patience() {
	}

	/**
	 * Wait until something holds. What it throws counts as not yet.
	 * @param what what it is, for the message
	 * @param most how long to wait
	 * @param condition whether it holds
	 */
	static void await(String what, Duration most, Callable<Boolean> condition) {
		long end = System.nanoTime() + most.toNanos();
		Exception last = null;
		while (true) {
			try {
				if (condition.call()) {
					return;
				}
				last = null;
			}
			catch (Exception ex) {
				last = ex;
			}
			if (System.nanoTime() - end > 0) {
				throw failure(what, most, last);
			}
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
	}

	private static IllegalStateException failure(String what, Duration most, @Nullable Exception cause) {
		return new IllegalStateException(
				"Waited " + most.toSeconds() + " s in vain for " + what + ((cause != null) ? ": " + cause : ""), cause);
	}

}
