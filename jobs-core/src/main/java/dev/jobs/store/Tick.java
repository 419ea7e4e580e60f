package dev.jobs.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A tick of a schedule.
 *
 * @param schedule the schedule
 * @param instant the tick
 * @param job the job to enqueue, or {@code null} to register the schedule only, or to
 * pass a tick over
 * @param next when a schedule that was put is to be looked at again, or {@code null} for
 * never
 */
public record Tick(NewSchedule schedule, Instant instant, @Nullable NewJob job, @Nullable Instant next) {

	/**
	 * Create a tick of a schedule that the application declares.
	 */
	public Tick(NewSchedule schedule, Instant instant, @Nullable NewJob job) {
		this(schedule, instant, job, null);
	}

	/**
	 * Return this tick with its job.
	 */
	public Tick with(NewJob job) {
		return new Tick(this.schedule, this.instant, job, this.next);
	}

}
