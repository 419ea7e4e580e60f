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
	 * Start no more jobs on it, such as before its process is stopped or examined; those
	 * that run continue. Its process has another id when it starts again, so that is the
	 * end of it.
	 */
	void quiet();

	/**
	 * Start jobs on it again.
	 */
	void resume();

}
