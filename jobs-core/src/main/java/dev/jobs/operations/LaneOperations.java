package dev.jobs.operations;

import dev.jobs.LaneStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a lane of a queue and acts on it, on all workers. An action throws an
 * {@link UnknownNameException} if the queue is not known; a lane needs no jobs to be
 * known. <pre class="code">{@code
 * LaneOperations lane = operations.by("ada").queue("send-invoice").lane("tenant:42");
 * lane.limit(1);
 * int deleted = lane.deleteWaiting();
 * lane.removeLimit();
 * }</pre>
 */
public interface LaneOperations {

	/**
	 * Return the status of the lane.
	 */
	LaneStatus status();

	/**
	 * Start no more of its jobs; those that run continue.
	 * @throws IllegalStateException if operators have set something for 1000 other lanes
	 * of the queue, which are the most that can have settings
	 */
	void pause();

	/**
	 * Start its jobs again.
	 */
	void resume();

	/**
	 * Set how many of its jobs may run at once on all workers together, overriding the
	 * limits of the workers. Those that run continue.
	 * @param maxRunning the limit, from 1
	 * @throws IllegalArgumentException if the limit is less than 1; to start no jobs,
	 * {@linkplain #pause() pause} the lane
	 * @throws IllegalStateException as for {@link #pause()}
	 */
	void limit(int maxRunning);

	/**
	 * Remove the limit, so that the limits of the workers apply again.
	 */
	void removeLimit();

	/**
	 * Set its weight among the lanes of its queue: how many jobs it gives for each one of
	 * a lane without a weight.
	 * @param weight the weight, from 1 to 100
	 * @throws IllegalArgumentException if the weight is not in this range
	 * @throws IllegalStateException if operators have set the weights of 100 other lanes
	 * of the queue
	 */
	void weight(int weight);

	/**
	 * Remove the weight, so that the one of its handler applies again.
	 */
	void removeWeight();

	/**
	 * Delete its jobs that wait, those that are not due yet included, as
	 * {@link SelectionOperations#delete()} does.
	 * @return how many were deleted
	 */
	int deleteWaiting();

}
