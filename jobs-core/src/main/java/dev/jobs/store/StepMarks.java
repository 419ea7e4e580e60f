package dev.jobs.store;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;

/**
 * Keeps the marks of steps where the application keeps its data, if the jobs are kept
 * elsewhere: a mark is committed together with the effect of its step. It belongs to a
 * job with its payload: a job that gets another payload does its steps again. Faults are
 * {@link dev.jobs.JobStoreException}s, as a store's are.
 */
public interface StepMarks {

	/**
	 * Return the values of the steps of a job that were done.
	 * @param job the id of the job
	 * @param payload a digest of its payload
	 * @return the values by the names of the steps
	 */
	Map<String, byte[]> find(String job, String payload);

	/**
	 * Return whether the calling thread has a transaction to write in.
	 */
	boolean inTransaction();

	/**
	 * Mark a step as done, as a part of the calling thread's transaction. Of two that
	 * mark the same step, one fails, at the latest in its commit.
	 * @param step the step and its value
	 * @param payload a digest of the payload of its job
	 * @param now the current time
	 */
	void write(Save step, String payload, Instant now);

	/**
	 * Return the jobs of some marks, and for each the time of its latest one among them.
	 * @param after the time after which to begin
	 * @param before the time before which to end
	 * @param limit how many marks to look at, beginning with the oldest
	 */
	Map<String, Instant> jobs(Instant after, Instant before, int limit);

	/**
	 * Forget the marks of jobs.
	 * @param jobs their ids
	 * @param before which marks: those older than this
	 */
	void forget(Collection<String> jobs, Instant before);

	/**
	 * Forget one mark.
	 * @param job the id of the job
	 * @param step the name of the step
	 * @return whether there was one
	 */
	boolean forget(String job, String step);

}
