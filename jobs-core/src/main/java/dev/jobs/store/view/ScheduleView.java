package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;

/**
 * A schedule as the store knows it.
 *
 * @param name its name
 * @param definition its expression and zone
 * @param queue the queue its jobs go to
 * @param latest its latest tick, or when it was first registered
 * @param paused whether it is paused
 * @param fired the latest ticks that were fired, oldest first
 */
public record ScheduleView(String name, String definition, String queue, Instant latest, boolean paused,
		List<Fired> fired) {

	/** How many fired ticks are remembered. */
	public static final int FIRED_KEPT = 5;

	public ScheduleView {
		fired = List.copyOf(fired);
	}

	/**
	 * A tick that was fired.
	 *
	 * @param tick the tick
	 * @param at when it was fired
	 * @param outcome what enqueueing its job did
	 * @param jobId the job, or the job that kept it from being enqueued
	 */
	public record Fired(Instant tick, Instant at, Enqueued.Outcome outcome, String jobId) {

	}

}
