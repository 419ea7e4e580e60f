package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as the store knows it.
 *
 * @param name its name
 * @param definition its expression and zone
 * @param queue the queue its jobs go to
 * @param latest its latest tick, or when it was first registered
 * @param paused whether it is paused
 * @param fired the latest ticks that were fired, oldest first
 * @param put what was put at run time, or {@code null} if only the application declares
 * it
 */
public record ScheduleView(String name, String definition, String queue, Instant latest, boolean paused,
		List<Fired> fired, @Nullable Put put) {

	/** How many fired ticks are remembered. */
	public static final int FIRED_KEPT = 5;

	public ScheduleView {
		fired = List.copyOf(fired);
	}

	/**
	 * Return this schedule as paused.
	 */
	public ScheduleView asPaused() {
		return new ScheduleView(this.name, this.definition, this.queue, this.latest, true, this.fired, this.put);
	}

	/**
	 * Return this schedule with another stored definition.
	 */
	public ScheduleView with(Put put) {
		return new ScheduleView(this.name, this.definition, this.queue, this.latest, this.paused, this.fired, put);
	}

	/**
	 * The definition put at run time.
	 *
	 * @param version the digest of all of it
	 * @param spec all of it, opaque to the store; empty in a list of schedules
	 * @param next when it is to be looked at again, or {@code null} for never
	 * @param replaces the definition of the application that it overrides, or
	 * {@code null} if it is no override
	 */
	public record Put(String version, String spec, @Nullable Instant next, @Nullable String replaces) {

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
