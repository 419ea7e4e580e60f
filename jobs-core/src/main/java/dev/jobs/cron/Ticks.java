package dev.jobs.cron;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The rule behind a {@link Schedule}: ticks on whole milliseconds, ordered in time.
 */
@FunctionalInterface
interface Ticks {

	/**
	 * Return the first tick later than the given instant.
	 * @return the tick, or {@code null} when there is none
	 */
	@Nullable Instant next(Instant after);

}
