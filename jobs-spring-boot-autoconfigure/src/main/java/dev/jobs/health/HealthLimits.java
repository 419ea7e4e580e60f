package dev.jobs.health;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The limits beyond which health is down. {@code null} means no limit.
 *
 * @param loopLag how long one of the engine's loops may go without success
 * @param readyWait how long a job that is due may wait in a queue that is not paused
 * @param unserved how long a job that is due may wait while no live worker has a handler
 * for it
 * @param scheduleDelay how late a tick of this application's schedules may be, and how
 * far ahead of the store's time the latest fired tick may be
 */
public record HealthLimits(@Nullable Duration loopLag, @Nullable Duration readyWait, @Nullable Duration unserved,
		@Nullable Duration scheduleDelay) {

}
