package dev.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job. An end of a run is reported after the store has
 * accepted it, and once.
 * <p>
 * Other kinds of events will be added. The type is not sealed, so a {@code switch} over
 * events has a default branch, and does not break when they are.
 */
public interface JobEvent {

	/**
	 * Return the logical name of the job.
	 * @return the name
	 */
	String name();

	/**
	 * Return when it happened.
	 * @return the instant
	 */
	Instant at();

	/**
	 * An event about one stored job.
	 */
	interface OfJob extends JobEvent {

		/**
		 * Return the job as it was seen then.
		 * @return the job
		 */
		Job job();

		@Override
		default String name() {
			return job().name();
		}

	}

	/**
	 * The end of a run.
	 */
	interface OfRun extends OfJob {

		/**
		 * Return how long the run took.
		 * @return the duration; zero if the job was not run here
		 */
		Duration took();

	}

	/**
	 * A job was enqueued, or a waiting one replaced.
	 *
	 * @param job the job
	 * @param outcome what the enqueue did
	 * @param at when
	 */
	record Accepted(Job job, Enqueued.Outcome outcome, Instant at) implements OfJob {

	}

	/**
	 * A job was not taken because its queue was full.
	 *
	 * @param name the job's name
	 * @param at when
	 */
	record Rejected(String name, Instant at) implements JobEvent {

	}

	/**
	 * A job was not enqueued although the caller was told that it would be after the
	 * commit of its transaction, which has taken place: nothing else tells of it. Its
	 * payload is there to enqueue it again.
	 *
	 * @param job the job, which is not stored unless in doubt
	 * @param error what went wrong
	 * @param cause the exception, or {@code null} if there was none
	 * @param inDoubt whether it is unknown if the job is stored, or if the transaction
	 * was committed
	 * @param at when
	 */
	record EnqueueFailed(Job job, String error, @Nullable Throwable cause, boolean inDoubt,
			Instant at) implements OfJob {

	}

	/**
	 * A run began.
	 *
	 * @param job the job
	 * @param at when
	 */
	record Started(Job job, Instant at) implements OfJob {

	}

	/**
	 * A job succeeded.
	 *
	 * @param job the job
	 * @param took how long the run took
	 * @param at when
	 */
	record Succeeded(Job job, Duration took, Instant at) implements OfRun {

	}

	/**
	 * An attempt failed and another will follow.
	 *
	 * @param job the job
	 * @param error what went wrong
	 * @param cause the exception, or {@code null} if there was none
	 * @param dueAt when the next attempt is due
	 * @param took how long the run took
	 * @param at when
	 */
	record Retrying(Job job, String error, @Nullable Throwable cause, Instant dueAt, Duration took,
			Instant at) implements OfRun {

	}

	/**
	 * A job was put off without using an attempt.
	 *
	 * @param job the job
	 * @param dueAt when it is due again
	 * @param took how long the run took
	 * @param at when
	 */
	record Postponed(Job job, Instant dueAt, Duration took, Instant at) implements OfRun {

	}

	/**
	 * A job died.
	 *
	 * @param job the job, with the end in its trail
	 * @param reason why
	 * @param error the last error
	 * @param cause the exception, or {@code null} if there was none
	 * @param kept whether it is kept in the morgue
	 * @param took how long the run took
	 * @param at when
	 */
	record Died(Job job, DeadReason reason, String error, @Nullable Throwable cause, boolean kept, Duration took,
			Instant at) implements OfRun {

	}

	/**
	 * A running job ended because a person cancelled it.
	 *
	 * @param job the job
	 * @param took how long the run took
	 * @param at when
	 */
	record Cancelled(Job job, Duration took, Instant at) implements OfRun {

	}

	/**
	 * A job went back to its queue unharmed because its worker stopped.
	 *
	 * @param job the job
	 * @param took how long the run took
	 * @param at when
	 */
	record Released(Job job, Duration took, Instant at) implements OfRun {

	}

	/**
	 * A run ended whose job another worker has; its end changed nothing.
	 *
	 * @param job the job
	 * @param at when
	 */
	record LeaseLost(Job job, Instant at) implements OfJob {

	}

	/**
	 * A job was taken over from a worker that vanished.
	 *
	 * @param job the job, with the abandonment in its trail unless it had not started
	 * @param at when
	 */
	record Rescued(Job job, Instant at) implements OfJob {

	}

	/**
	 * A handler went on although it was timed out or cancelled and interrupted.
	 *
	 * @param job the job
	 * @param since since when it should have ended
	 * @param at when
	 */
	record Stuck(Job job, Instant since, Instant at) implements OfJob {

	}

	/**
	 * A schedule enqueued its job for a tick.
	 *
	 * @param schedule the schedule's name
	 * @param job the job
	 * @param tick the tick
	 * @param at when
	 */
	record Ticked(String schedule, Job job, Instant tick, Instant at) implements OfJob {

	}

	/**
	 * Ticks of a schedule passed without a run and will not be made up for.
	 *
	 * @param schedule the schedule's name
	 * @param name the job's name
	 * @param since the earliest missed tick
	 * @param at when
	 */
	record TicksMissed(String schedule, String name, Instant since, Instant at) implements JobEvent {

	}

}
