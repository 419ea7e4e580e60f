package dev.jobs.store.support;

import java.time.Duration;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The time at which a read of many steps is given up, so that no reader keeps a store
 * busy for long. It is measured by a counter that cannot be set.
 *
 * @param end the count at which it is given up
 * @param patience how long that is after its start
 */
public record ReadDeadline(long end, Duration patience) {

	/**
	 * Return the deadline of a read that begins now.
	 * @param patience how long it may take
	 */
	public static ReadDeadline after(Duration patience) {
		return new ReadDeadline(System.nanoTime() + patience.toNanos(), patience);
	}

	/**
	 * Return how long the read may still take.
	 * @return the time, negative if it is over
	 */
	public Duration left() {
		return Duration.ofNanos(this.end - System.nanoTime());
	}

	/**
	 * Require that the read may continue.
	 * @throws JobStoreException if it took too long
	 */
	public void check() {
		if (left().isNegative()) {
			throw passed(null);
		}
	}

	/**
	 * Return the exception for a read that took too long.
	 * @param cause what ended it, or {@code null}
	 * @return an exception whose message names a remedy
	 */
	public JobStoreException passed(@Nullable Throwable cause) {
		return JobStoreException.late("Reading the jobs took longer than " + this.patience.toMillis()
				+ " ms and was given up. Ask for fewer, or select them by state or name", cause);
	}

}
