package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was at one moment. Schedules of other applications in the namespace
 * are included. <pre class="code">{@code
 * List<String> overdue = operations.schedules()
 *     .stream()
 *     .filter((schedule) -> schedule.overdueSince() != null)
 *     .map(ScheduleStatus::name)
 *     .toList();
 * }</pre>
 */
public interface ScheduleStatus {

	/**
	 * Return its name.
	 */
	String name();

	/**
	 * Return the name of its jobs.
	 */
	String jobName();

	/**
	 * Return its definition in the store: its zone and its expression.
	 */
	String definition();

	/**
	 * Return when it ticks.
	 * @return the expression, or {@code null} if the definition is not understood here,
	 * since another version has stored it
	 */
	@Nullable String expression();

	/**
	 * Return where the expression is read.
	 * @return the zone, or {@code null} if the definition is not understood here
	 */
	@Nullable ZoneId zone();

	/**
	 * Return its latest tick that was fired.
	 * @return the instant, or {@code null} if none was fired yet
	 */
	@Nullable Instant last();

	/**
	 * Return its next tick.
	 * @return the instant, or {@code null} if none
	 */
	@Nullable Instant next();

	/**
	 * Return its earliest tick that has passed without being fired.
	 * @return the instant, or {@code null} if there is none, or if the schedule is paused
	 */
	@Nullable Instant overdueSince();

	/**
	 * Return whether it is paused, so that ticks pass without being fired.
	 */
	boolean paused();

	/**
	 * Return whether this application defines it, so that it can be triggered here.
	 * @return {@code true} if it does
	 */
	boolean definedHere();

	/**
	 * Return whether it was put at run time, as a schedule of its own or as an override.
	 */
	boolean put();

	/**
	 * Return what the application declares for it.
	 * @return the zone and the expression; {@code null} if this is no override
	 */
	@Nullable String overrides();

	/**
	 * Return why a worker of this process cannot fire it, though workers of other
	 * processes may.
	 * @return the reason and what to do, or {@code null} if nothing is wrong
	 */
	@Nullable String fault();

	/**
	 * The fate of a tick.
	 */
	interface Run {

		/**
		 * Return the tick.
		 */
		Instant tick();

		/**
		 * Return when it was fired.
		 */
		Instant firedAt();

		/**
		 * Return what became of its job.
		 */
		Fate fate();

		/**
		 * Return the id of the job, or of the job that kept it from being enqueued.
		 */
		String jobId();

		/**
		 * Return how many ticks between the one before and this one were not fired, since
		 * no process ran, by the misfire rule or in a pause.
		 * @return the number, bounded
		 */
		int passedOver();

		/**
		 * Return how long the latest attempt of its job took.
		 * @return the time; {@code null} unless its job is kept and has ended an attempt
		 */
		@Nullable Duration ran();

	}

	/**
	 * The fates of a tick's job. More fates will be added, so a {@code switch} needs a
	 * {@code default}.
	 */
	enum Fate {

		/** It waits for its first attempt. */
		WAITING,

		/** It failed and waits for its next attempt. */
		RETRYING,

		/** It runs. */
		RUNNING,

		/** It succeeded and is kept as history. */
		SUCCEEDED,

		/** It is dead. */
		DEAD,

		/** It was cancelled and is kept as history. */
		CANCELLED,

		/** Its job is no longer kept: it succeeded without being kept, or was removed. */
		ENDED,

		/** It was not enqueued, since an equal job or too many jobs were there. */
		NOT_ENQUEUED

	}

}
