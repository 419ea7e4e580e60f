package dev.jobs.operations;

import java.util.Optional;

import dev.jobs.BulkStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a bulk action and acts on it. Stopping or resuming an unknown one throws an
 * {@link UnknownNameException}.
 */
public interface BulkOperations {

	/**
	 * Return the status of the bulk action.
	 * @return its status, or empty if no bulk action has the id, or no longer
	 */
	Optional<BulkStatus> status();

	/**
	 * Stop it after the step at hand. What was changed stays changed. One that has ended
	 * or is stopped stays as it is.
	 */
	void stop();

	/**
	 * Continue one that was stopped, from where it stopped. One that has ended or is
	 * under way stays as it is.
	 */
	void resume();

}
