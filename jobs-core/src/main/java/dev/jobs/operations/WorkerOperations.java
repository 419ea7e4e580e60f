package dev.jobs.operations;

import java.util.Optional;

import dev.jobs.WorkerStatus;

/**
 * Shows a worker.
 */
public interface WorkerOperations {

	/**
	 * Return the status of the worker.
	 * @return its status, or empty if no live worker has the id
	 */
	Optional<WorkerStatus> status();

}
