package dev.jobs.operations;

import java.util.List;
import java.util.Optional;

import dev.jobs.Enqueued;
import dev.jobs.JobRejectedException;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a schedule and acts on it, on all workers. An action on a schedule that neither
 * the store nor this application knows throws an {@link UnknownNameException}.
 */
public interface ScheduleOperations {

	/**
	 * Return the status of the schedule.
	 * @return its status, or empty if the store does not know it
	 */
	Optional<ScheduleStatus> status();

	/**
	 * Return what became of its latest ticks. Each is looked up with a call to the store.
	 * @return the runs, latest first; empty if the store does not know the schedule
	 */
	List<ScheduleStatus.Run> runs();

	/**
	 * Fire no more of its ticks. Jobs that it has enqueued, and other jobs of the same
	 * name, run as before.
	 */
	void pause();

	/**
	 * Fire its ticks again, from the next one on. Ticks that were due meanwhile are not
	 * made up for, whatever the misfire rule.
	 */
	void resume();

	/**
	 * Enqueue its job now, beside its ticks. It has the payload of the ticks, and all
	 * rules of an enqueue apply.
	 * @return what happened
	 * @throws IllegalStateException if another application defines the schedule
	 * @throws JobRejectedException if the queue is full or the client is closing
	 */
	Enqueued runNow();

}
