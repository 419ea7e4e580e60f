package dev.jobs.operations;

import java.util.List;
import java.util.Optional;

import dev.jobs.Enqueued;
import dev.jobs.JobRejectedException;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a schedule and acts on it, on all workers. An act on a schedule that neither the
 * store nor this application knows throws an {@link UnknownNameException}.
 */
public interface ScheduleOperations {

	/**
	 * Return how the schedule stands.
	 * @return its status, or empty if the store does not know it
	 */
	Optional<ScheduleStatus> status();

	/**
	 * Return what became of its latest ticks. Each is looked up with a call to the store.
	 * @return the runs, latest first; empty if the store does not know the schedule
	 */
	List<ScheduleStatus.Run> runs();

	/**
	 * Fire no more of its ticks. What it has enqueued already runs as before, and so do
	 * other jobs of the same name.
	 */
	void pause();

	/**
	 * Fire its ticks again, from the next one on, and not those that were due meanwhile,
	 * whatever the misfire rule.
	 */
	void resume();

	/**
	 * Enqueue its job now, beside its ticks. It has the payload of the ticks, and all
	 * rules of an enqueue hold.
	 * @return what happened
	 * @throws IllegalStateException if another application defines the schedule
	 * @throws JobRejectedException if the queue is full or the client is closing
	 */
	Enqueued runNow();

}
