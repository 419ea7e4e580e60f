package dev.jobs.store;

import java.time.Instant;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the marks of steps where the application keeps its data, if the jobs are kept
 * elsewhere: a mark is committed together with the effect of its step. Faults are
 * {@link dev.jobs.JobStoreException}s, as a store's are.
 */
public interface StepMarks {

	/**
	 * Return the value of a step that was done.
	 * @param job the id of the job
	 * @param step the name of the step
	 * @return the value, or {@code null} if the step is not marked
	 */
	byte @Nullable [] find(String job, String step);

	/**
	 * Mark a step as done, as a part of the calling thread's transaction. Of two that
	 * mark the same step, one is refused, at the latest by its commit.
	 * @param job the id of the job
	 * @param step the name of the step
	 * @param value its value
	 * @param now the current time
	 * @return {@code false} if the step is marked already, or there is no transaction to
	 * write in; then the transaction must not be committed
	 */
	boolean write(String job, String step, byte[] value, Instant now);

	/**
	 * Return ids of jobs that marked a step before an instant, in their order.
	 * @param before the instant
	 * @param after the id after which to begin; empty for the first
	 * @param limit how many at most
	 */
	List<String> jobs(Instant before, String after, int limit);

	/**
	 * Forget all marks of jobs.
	 */
	void forget(Collection<String> jobs);

}
