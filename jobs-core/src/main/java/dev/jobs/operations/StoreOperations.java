package dev.jobs.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Note;
import dev.jobs.QueueStatistics;
import dev.jobs.StoreStatus;

/**
 * Shows the store and acts on everything in the namespace.
 */
public interface StoreOperations {

	/**
	 * Describe the store, without calling it.
	 * @return its status
	 */
	StoreStatus status();

	/**
	 * Find faults of the store that an operator must correct. If the store refuses a
	 * single change, such as the end of one job, only the process that met the refusal
	 * knows it.
	 * @return the faults, usually empty
	 */
	List<StoreStatus.Fault> faults();

	/**
	 * Return what happened in all queues in the past, as far as workers have reported it
	 * and it is still kept: minutes for three hours, tens of minutes for two days.
	 * @param from when the first step begins, rounded down to a whole step
	 * @param to when the last step has ended, rounded up to a whole step
	 * @param step how long a step is, whole minutes; only whole tens of minutes reach
	 * farther back than three hours
	 * @return the counts of each queue and step in which something happened, sorted by
	 * queue, then by time
	 */
	List<QueueStatistics> statistics(Instant from, Instant to, Duration step);

	/**
	 * Return what operators did and which versions of the application began to work, the
	 * latest first by their times, those of the same millisecond in any order. The latest
	 * {@value Note#KEPT} notes are kept.
	 * @return the notes
	 */
	List<Note> notes();

	/**
	 * Add a note about what somebody did.
	 * @param text the note, which is cut to {@value Note#LONGEST} characters
	 */
	void note(String text);

	/**
	 * Remove everything in the namespace, and nothing else.
	 */
	void purge();

}
