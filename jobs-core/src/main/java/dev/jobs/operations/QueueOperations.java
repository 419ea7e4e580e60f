package dev.jobs.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.jobs.JobResult;
import dev.jobs.LaneStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.Rate;
import dev.jobs.UnknownNameException;
import org.jspecify.annotations.Nullable;

/**
 * Shows a queue and acts on it, on all workers. A queue is known once it had a job, or
 * while a live worker serves it or this application has a handler for it; an action on
 * any other throws an {@link UnknownNameException}.
 */
public interface QueueOperations {

	/**
	 * Return the status of the queue.
	 * @return its status, or empty if it never had a job and no live worker serves it
	 */
	Optional<QueueStatus> status();

	/**
	 * Start no more of its jobs; those that run continue.
	 */
	void pause();

	/**
	 * Start its jobs again, also those that a handler {@linkplain JobResult#holdBack held
	 * back}.
	 */
	void resume();

	/**
	 * Set how many of its jobs may run at once on all workers together, overriding the
	 * limits of the workers. Those that run continue.
	 * @param maxRunning the limit, from 1
	 * @throws IllegalArgumentException if the limit is less than 1; to start no jobs,
	 * {@linkplain #pause() pause} the queue
	 */
	void limit(int maxRunning);

	/**
	 * Remove the limit, so that the limits of the workers apply again.
	 */
	void removeLimit();

	/**
	 * Set the weight of the queue among those of its pool, in the place of the priority
	 * of its handler.
	 * @param weight the weight, from 1 to 100000
	 * @throws IllegalArgumentException if the weight is not in this range
	 */
	void weight(int weight);

	/**
	 * Remove the weight, so that the priority of its handler applies again.
	 */
	void removeWeight();

	/**
	 * Set how many attempts its jobs have, counting attempts that have failed before. A
	 * job that has had more dies when it fails next.
	 * @param attempts the number, from 1 to 100000
	 * @throws IllegalArgumentException if the number is not in this range
	 */
	void attempts(int attempts);

	/**
	 * Remove that number, so that the retry policy of its handler applies again.
	 */
	void removeAttempts();

	/**
	 * Return its lanes that have jobs which wait for a worker, sorted by name.
	 * @param after the name behind which to begin, or {@code null} for the first
	 * @param limit how many lanes to return at most, from 1 to 1000; if there are fewer,
	 * there are no more
	 * @throws IllegalArgumentException if the limit is not in this range
	 */
	List<LaneStatus> lanes(@Nullable String after, int limit);

	/**
	 * Return the lanes that have the most jobs which wait for a worker, among its first
	 * lanes by name; those with the most come first. It looks at 10,000 lanes, or at
	 * fewer if these have many jobs.
	 * @param limit how many lanes to return at most, from 1 to 1000
	 * @throws IllegalArgumentException if the limit is not in this range
	 */
	List<LaneStatus> busiestLanes(int limit);

	/**
	 * Return its lanes that are {@linkplain LaneStatus#blocked() blocked} and have jobs
	 * which wait for a worker, among the lanes that {@link #busiestLanes} looks at; those
	 * whose jobs have waited longest come first.
	 * @param limit how many lanes to return at most, from 1 to 1000
	 * @throws IllegalArgumentException if the limit is not in this range
	 */
	List<LaneStatus> blockedLanes(int limit);

	/**
	 * Return the lanes for which operators have set something, whether they have jobs or
	 * not, sorted by name.
	 * @param after the name behind which to begin, or {@code null} for the first
	 * @param limit how many lanes to return at most, from 1 to 1000
	 * @throws IllegalArgumentException if the limit is not in this range
	 */
	List<LaneStatus> lanesWithSettings(@Nullable String after, int limit);

	/**
	 * Return the operations of a lane.
	 * @param name its name
	 * @return its operations
	 * @throws IllegalArgumentException if no lane can have this name
	 */
	LaneOperations lane(String name);

	/**
	 * Set how many of its jobs may start in any window on all workers together.
	 * @param rate the rate
	 */
	void rate(Rate rate);

	/**
	 * Remove that rate, so that the rate of its handler applies again.
	 */
	void removeRate();

	/**
	 * Set how many jobs of each of its lanes may start in any window on all workers
	 * together.
	 * @param rate the rate
	 */
	void rateOfLanes(Rate rate);

	/**
	 * Remove that rate, so that the rate of lanes of its handler applies again.
	 */
	void removeRateOfLanes();

	/**
	 * Return what happened in the queue in the past, as
	 * {@link StoreOperations#statistics(Instant, Instant, Duration)} does for all.
	 * @param from when the first step begins, rounded down to a whole step
	 * @param to when the last step has ended, rounded up to a whole step
	 * @param step how long a step is
	 * @return the counts of each step in which something happened, sorted by time
	 */
	List<QueueStatistics> statistics(Instant from, Instant to, Duration step);

}
