package dev.jobs.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A tick of a schedule.
 *
 * @param schedule the schedule
 * @param instant the tick
 * @param job the job to enqueue, or {@code null} to register the schedule only
 */
public record Tick(NewSchedule schedule, Instant instant, @Nullable NewJob job) {

	/**
	 * Return this tick with its job.
	 */
	public Tick with(NewJob job) {
		return new Tick(this.schedule, this.instant, job);
	}

}
