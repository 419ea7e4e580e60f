package dev.jobs.engine.lease;

import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.store.WorkerBeat.Note;

/**
 * The jobs that a worker holds, as its {@link Heartbeat} sees them.
 */
public interface HeldJobs {

	/**
	 * Take the running jobs' progress that no beat has carried yet.
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
