package dev.jobs.engine;

import java.time.Instant;

import dev.jobs.cron.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * The status of a schedule.
 *
 * @param name its name
 * @param jobName the name of its jobs
 * @param definition what the store has of it: its zone and its expression
 * @param schedule when it ticks, or {@code null} if the definition is not understood
 * @param last its latest tick that was fired, or when it was first registered
 * @param next its next tick, or {@code null} if there is none
 * @param paused whether it is paused, so that ticks pass without being fired
 */
public record ScheduleStatus(String name, String jobName, String definition, @Nullable Schedule schedule, Instant last,
		@Nullable Instant next, boolean paused) {

}
