package dev.jobs.cron;

import org.jspecify.annotations.Nullable;

/**
 * A job that is enqueued at every tick of a schedule.
 *
 * @param name the name of the recurrence, the same in every process
 * @param schedule when it is enqueued
 * @param jobName the logical name of the job, which its handler carries
 * @param payload the payload of every run, or {@code null} for none
 * @param misfire what becomes of missed ticks
 */
public record RecurringJob(String name, Schedule schedule, String jobName, @Nullable Object payload, Misfire misfire) {

	public RecurringJob {
		if (name.isBlank()) {
			throw new IllegalArgumentException("'name' of a recurring job must not be blank");
		}
		if (jobName.isBlank()) {
			throw new IllegalArgumentException("'jobName' of recurring job '" + name + "' must not be blank");
		}
		if (schedule.isNever()) {
			throw new IllegalArgumentException("'schedule' of recurring job '" + name
					+ "' never ticks: no time matches \"" + schedule.expression() + "\"");
		}
	}

}
