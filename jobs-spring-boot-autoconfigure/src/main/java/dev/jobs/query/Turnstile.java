package dev.jobs.query;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets people read one list of a kind, or one job, at a time. So many viewers need no
 * more memory or store time than one, and abandoned reads do not pile up.
 */
public final class Turnstile {

	private static final Duration PATIENCE = Duration.ofMillis(250);

	private final Map<String, Semaphore> kinds = new ConcurrentHashMap<>();

	/**
	 * Read while nobody else reads the same kind; refuse after a short wait.
	 * @param <T> the type of what is read
	 * @param kind the name of the kind, for messages
	 * @param read reads
	 * @return the result
	 */
	public <T> T pass(String kind, Supplier<T> read) {
		Semaphore turn = this.kinds.computeIfAbsent(kind, (added) -> new Semaphore(1, true));
		if (!acquire(turn)) {
			throw new RefusedException(503,
					"Others read " + kind + " of jobs at the moment, one after the other. Ask again in a second.");
		}
		try {
			return read.get();
		}
		finally {
			turn.release();
		}
	}

	private static boolean acquire(Semaphore turn) {
		try {
			return turn.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
