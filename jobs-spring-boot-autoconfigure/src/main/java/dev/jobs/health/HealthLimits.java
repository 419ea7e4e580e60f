package dev.jobs.health;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * From when on something counts as ill. A limit that is {@code null} is none.
 *
 * @param loopLag how long a success of one of the engine's loops may be awaited
 * @param readyWait how long a job that is due may wait in a queue that is not paused
 * @param unserved how long a job that is due may wait while no live worker has a handler
 * for it
 * @param scheduleDelay how late a tick of a schedule of this application may be, and how
 * far ahead of the store's time the latest one that was fired
 */
public record HealthLimits(@Nullable Duration loopLag, @Nullable Duration readyWait, @Nullable Duration unserved,
		@Nullable Duration scheduleDelay) {

}
