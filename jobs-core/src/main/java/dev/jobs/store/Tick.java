package dev.jobs.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A tick of a schedule.
 *
 * @param schedule the schedule's name
 * @param definition its expression and zone as text, to notice that they changed
 * @param queue the queue its jobs go to
 * @param instant the tick
 * @param job the job to enqueue, or {@code null} to register the schedule only
 * @param now the current time
 */
public record Tick(String schedule, String definition, String queue, Instant instant, @Nullable NewJob job,
		Instant now) {

	/**
	 * Return this tick with its job.
	 */
	public Tick with(NewJob job) {
		return new Tick(this.schedule, this.definition, this.queue, this.instant, job, this.now);
	}

}
