package dev.jobs.cron;

import java.time.LocalDateTime;

import org.jspecify.annotations.Nullable;

/**
 * The local times at which something recurs, whatever the zone.
 */
@FunctionalInterface
interface LocalTicks {

	/**
	 * Return the first local time later than the given one.
	 * @return the local time, or {@code null} when there is none
	 */
	@Nullable LocalDateTime next(LocalDateTime after);

}
