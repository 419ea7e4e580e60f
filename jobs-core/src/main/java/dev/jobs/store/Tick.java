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
	 * Return a tick of a schedule that the application declares.
	 * @param job the job to enqueue, or {@code null} to register the schedule only
	 */
	public static Tick of(NewSchedule schedule, Instant instant, @Nullable NewJob job) {
		return new Tick(schedule, instant, job, null);
	}

	/**
	 * Return this tick with its job.
	 */
	public Tick with(NewJob job) {
		return new Tick(this.schedule, this.instant, job, this.next);
	}

	/**
	 * Return this tick of a schedule that was put.
	 * @param next when the schedule is to be looked at again, or {@code null} for never
	 */
	public Tick withNext(@Nullable Instant next) {
		return new Tick(this.schedule, this.instant, this.job, next);
	}

}
