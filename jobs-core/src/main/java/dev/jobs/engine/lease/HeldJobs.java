package dev.jobs.engine.lease;

import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.store.WorkerBeat.Note;

/**
 * The jobs that a worker holds, as far as its {@link Heartbeat} is concerned.
 */
public interface HeldJobs {

	/**
	 * Take the progress of the running jobs that no beat has carried yet.
	 */
	void drainPendingProgress(Consumer<Note> notes);

	/**
	 * Stop jobs that this worker no longer holds, and forget those that wait.
	 * @param tokens the tokens it has lost
	 */
	void lost(Set<Long> tokens);

	/**
	 * Cancel jobs.
	 * @param ids their ids; those of others are ignored
	 */
	void cancel(Set<String> ids);

}
