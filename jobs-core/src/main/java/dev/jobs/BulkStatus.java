package dev.jobs;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A bulk action as it was at one moment: an action on many jobs that workers carry out in
 * small steps. <pre class="code">{@code
 * BulkStatus started = operations.jobs(timeouts).startRetry();
 * String shown = operations.bulkAction(started.id())
 *     .status()
 *     .map((bulk) -> bulk.done() + " of " + bulk.total() + " retried")
 *     .orElse("unknown");
 * }</pre>
 */
public interface BulkStatus {

	/**
	 * Return the unique id.
	 */
	String id();

	/**
	 * Return what is done to the jobs.
	 */
	Action action();

	/**
	 * Return which jobs were selected.
	 */
	JobFilter filter();

	/**
	 * Return the new due time of jobs that are rescheduled.
	 * @return the instant, or {@code null} for another action
	 */
	@Nullable Instant dueAt();

	/**
	 * Return the new lane of jobs that are moved.
	 * @return the lane, or {@code null} for none and for another action
	 */
	@Nullable String toLane();

	/**
	 * Return who started it.
	 * @return the name, or {@code null} if it is not known
	 */
	@Nullable String by();

	/**
	 * Return when it was started. Jobs that were enqueued later are not changed, nor are
	 * jobs that have died or ended since then.
	 */
	Instant startedAt();

	/**
	 * Return when its latest step was stored.
	 */
	Instant changedAt();

	/**
	 * Return whether it is under way.
	 */
	State state();

	/**
	 * Return how many jobs it selected when it was started. Without an exact count, the
	 * estimate is used for the progress.
	 */
	JobCount total();

	/**
	 * Return how many jobs were changed. A worker that vanishes may have changed the jobs
	 * of one step that are not counted; no job is counted twice.
	 */
	long done();

	/**
	 * Return how many jobs were left alone since they had changed meanwhile, or since
	 * another job holds their unique key.
	 */
	long skipped();

	/**
	 * Return how many jobs the store refused to change.
	 */
	long failed();

	/**
	 * Return why the store refused the latest of these, or why the action was stopped by
	 * a fault.
	 * @return the reason, or {@code null} if there was no fault
	 */
	@Nullable String error();

	/**
	 * Return which share of the jobs it has visited, which never shrinks.
	 * @return a number from 0 to 1; 1 once it has ended
	 */
	default double share() {
		if (state() == State.DONE) {
			return 1;
		}
		long visited = done() + skipped() + failed();
		return visited / (double) Math.max(Math.max(total().estimate(), visited + 1), 1);
	}

	/**
	 * Estimate how long it will still take, from its pace since it was started.
	 * @return the time, or {@code null} while it cannot be estimated
	 */
	default @Nullable Duration remaining() {
		double share = share();
		if (state() != State.RUNNING || share <= 0) {
			return null;
		}
		long passed = Math.max(Duration.between(startedAt(), changedAt()).toMillis(), 0);
		return Duration.ofMillis((long) (passed * (1 - share) / share));
	}

	/**
	 * The bulk actions.
	 */
	enum Action {

		/** Dead jobs are retried. */
		RETRY,

		/** Jobs that wait or run are cancelled. */
		CANCEL,

		/** Jobs that do not run are deleted. */
		DELETE,

		/** Jobs that wait get another due time. */
		RESCHEDULE,

		/** Jobs that wait get another lane. */
		MOVE

	}

	/**
	 * The states of a bulk action.
	 */
	enum State {

		/** A worker carries it out, or will as soon as one is free. */
		RUNNING,

		/** It was stopped and can be resumed. */
		STOPPED,

		/** All jobs were visited. */
		DONE

	}

}
