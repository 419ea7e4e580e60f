package dev.jobs.operations;

import java.util.Optional;

import dev.jobs.UnknownNameException;
import dev.jobs.WorkerStatus;

/**
 * Shows a worker and acts on it. An action on an id that no live worker has throws an
 * {@link UnknownNameException}.
 */
public interface WorkerOperations {

	/**
	 * Return the status of the worker.
	 * @return its status, or empty if no live worker has the id
	 */
	Optional<WorkerStatus> status();

	/**
	 * Start no more jobs on it, for example before its process is stopped or examined;
	 * running jobs continue. The setting ends with the worker, since a restarted process
	 * has another id.
	 */
	void quiet();

	/**
	 * Start jobs on it again.
	 */
	void resume();

}
