package dev.jobs.operations;

import java.util.Optional;

import dev.jobs.PoolStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a pool and acts on it, on all workers that have a pool of this name. An action on
 * a pool that neither a live worker nor this application has throws an
 * {@link UnknownNameException}.
 */
public interface PoolOperations {

	/**
	 * Return the status of the pool.
	 * @return its status, or empty if no live worker has it and no operator has set
	 * anything for it
	 */
	Optional<PoolStatus> status();

	/**
	 * Set how many jobs it runs at once on each worker. Jobs that run beyond that
	 * continue.
	 * @param concurrency the number, from 1 to 100000
	 * @throws IllegalArgumentException if the number is not in this range; to start no
	 * jobs, {@linkplain #pause() pause} the pool
	 */
	void concurrency(int concurrency);

	/**
	 * Remove that number, so that those of the workers apply again.
	 */
	void removeConcurrency();

	/**
	 * Start no more jobs in it; those that run continue.
	 */
	void pause();

	/**
	 * Start jobs in it again.
	 */
	void resume();

}
