package dev.jobs.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Note;
import dev.jobs.QueueHistory;
import dev.jobs.StoreStatus;

/**
 * Shows the store and acts on all it holds in the namespace.
 */
public interface StoreOperations {

	/**
	 * Return what the store is, without asking it.
	 * @return its status
	 */
	StoreStatus status();

	/**
	 * Look for what an operator must set right in the store. What it refuses although it
	 * takes others, such as the end of one job, is known in the process that met it.
	 * @return what was found, mostly nothing
	 */
	List<StoreStatus.Fault> faults();

	/**
	 * Return what happened in all queues in the past, as far as workers have reported it
	 * and it is still kept: minutes for three hours, tens of minutes for two days.
	 * @param from when the first step begins, rounded down to a whole step
	 * @param to when the last step has ended, rounded up to a whole step
	 * @param step how long a step is, whole minutes; only whole tens of minutes reach
	 * farther back than three hours
	 * @return what happened in each queue and step in which something did, sorted by
	 * queue, then by time
	 */
	List<QueueHistory> history(Instant from, Instant to, Duration step);

	/**
	 * Return what operators did and which versions of the application began to work, the
	 * latest first by their times, those of the same millisecond in any order. The latest
	 * {@value Note#KEPT} notes are kept.
	 * @return the notes
	 */
	List<Note> notes();

	/**
	 * Add a note on what somebody did.
	 * @param text the note; of more than {@value Note#LONGEST} characters the beginning
	 */
	void note(String text);

	/**
	 * Remove everything the namespace holds, and nothing else.
	 */
	void purge();

}
