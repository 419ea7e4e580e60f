package dev.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job. The end of a run is reported once, after the store
 * has accepted it.
 * <p>
 * Other kinds of events, and methods of these, will be added. The types are not sealed,
 * so a {@code switch} over events has a default branch and does not break then.
 * <pre class="code">{@code
 * JobListener listener = (event) -> {
 *     if (event instanceof JobEvent.Died died) {
 *         alerts.add(died.name() + " died of " + died.error());
 *     }
 * };
 * }</pre>
 */
public interface JobEvent {

	/**
	 * Return the logical name of the job.
	 */
	String name();

	/**
	 * Return when it happened.
	 */
	Instant at();

	/**
	 * An event about one stored job.
	 */
	interface OfJob extends JobEvent {

		/**
		 * Return the job as it was seen then.
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
	 * Something that went wrong with one job.
	 */
	interface OfFailure extends OfJob {

		/**
		 * Return what went wrong.
		 */
		String error();

		/**
		 * Return the exception.
		 * @return the exception, or {@code null} if none
		 */
		@Nullable Throwable cause();

	}

	/**
	 * A job was enqueued, or a waiting one replaced.
	 */
	interface Accepted extends OfJob {

		/**
		 * Return what the enqueue did.
		 */
		Enqueued.Outcome outcome();

	}

	/**
	 * A job was not taken because its queue was full.
	 */
	interface Rejected extends JobEvent {

	}

	/**
	 * A job could not be enqueued after the commit of its transaction, although its
	 * enqueue returned {@link Enqueued.Outcome#DEFERRED}. Nothing else reports that. The
	 * event has the payload, so that the job can be enqueued again. The job is not stored
	 * unless in doubt.
	 */
	interface EnqueueFailed extends OfFailure {

		/**
		 * Return whether it is unknown if the job is stored, or if the transaction was
		 * committed.
		 */
		boolean inDoubt();

	}

	/**
	 * A run began.
	 */
	interface Started extends OfJob {

	}

	/**
	 * A job succeeded.
	 */
	interface Succeeded extends OfRun {

	}

	/**
	 * An attempt failed and another will follow.
	 */
	interface Retrying extends OfRun, OfFailure {

		/**
		 * Return when the next attempt is due.
		 */
		Instant dueAt();

	}

	/**
	 * A job was put off without using an attempt.
	 */
	interface Postponed extends OfRun {

		/**
		 * Return when the job is due again.
		 */
		Instant dueAt();

	}

	/**
	 * A job died. Its trail has the end.
	 */
	interface Died extends OfRun, OfFailure {

		/**
		 * Return why it died.
		 */
		DeadReason reason();

		/**
		 * Return whether it is kept among the dead jobs.
		 * @return {@code false} if it was removed
		 */
		boolean kept();

	}

	/**
	 * A job was not started in time: it expired, or its deadline passed before its first
	 * run.
	 */
	interface Expired extends JobEvent {

		/**
		 * Return the id of the job.
		 */
		String id();

		/**
		 * Return whether it is kept among the dead jobs.
		 * @return {@code false} if it was removed
		 */
		boolean kept();

	}

	/**
	 * A running job ended because an operator cancelled it.
	 */
	interface Cancelled extends OfRun {

	}

	/**
	 * A job went back to its queue unharmed because its worker stopped.
	 */
	interface Released extends OfRun {

	}

	/**
	 * A run did a step, and the value of it was saved.
	 */
	interface StepSaved extends OfJob {

		/**
		 * Return the name of the step.
		 */
		String step();

	}

	/**
	 * A run ended after another worker had got its job; the end changed nothing.
	 */
	interface LeaseLost extends OfJob {

	}

	/**
	 * A job was taken over from a worker that vanished. If it had started, its trail has
	 * the abandonment.
	 */
	interface Rescued extends OfJob {

	}

	/**
	 * A handler kept running although it was timed out or cancelled and interrupted.
	 */
	interface Stuck extends OfJob {

		/**
		 * Return since when the run should have ended.
		 */
		Instant since();

	}

	/**
	 * A schedule enqueued its job for a tick.
	 */
	interface Ticked extends OfJob {

		/**
		 * Return the schedule's name.
		 */
		String schedule();

		/**
		 * Return the tick.
		 */
		Instant tick();

	}

	/**
	 * Ticks of a schedule passed without a run and will not be made up for.
	 */
	interface TicksMissed extends JobEvent {

		/**
		 * Return the schedule's name.
		 */
		String schedule();

		/**
		 * Return the earliest missed tick.
		 */
		Instant since();

	}

}
