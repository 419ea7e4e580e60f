package dev.jobs.operations;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.jobs.Job;
import dev.jobs.SavedStep;
import dev.jobs.Signal;
import dev.jobs.Urgency;
import org.jspecify.annotations.Nullable;

/**
 * Shows one job and acts on it, no matter who enqueued it. Within a transaction that the
 * store is part of, an action is committed or rolled back with it. Otherwise it takes
 * effect at once, whatever becomes of the transaction, and a job whose enqueue returned
 * {@link dev.jobs.Enqueued.Outcome#DEFERRED} is not there before the commit.
 */
public interface SingleJobOperations {

	/**
	 * Look the job up.
	 * @return the job, or empty if there is none (any more)
	 */
	Optional<Job> find();

	/**
	 * Run the job again if it is dead, or now if it waits. A dead job's counters start at
	 * zero.
	 * @return {@code false} if there is no such job or another one holds its unique key
	 */
	boolean retry();

	/**
	 * End the job: a waiting job is removed; the handler of a running job is asked to end
	 * and interrupted. If its worker has vanished, it ends once another worker takes it
	 * over.
	 * @return {@code false} if there was nothing to cancel
	 */
	boolean cancel();

	/**
	 * Remove the job, in whatever state, unless it runs.
	 * @return {@code false} if there was nothing to delete
	 */
	boolean delete();

	/**
	 * Move the due time of the job while it waits.
	 * @param dueAt the new due time
	 * @return {@code false} if no such job waits
	 */
	boolean reschedule(Instant dueAt);

	/**
	 * Give the job another payload while it waits. The payload is written and checked as
	 * in an enqueue. The job keeps its due time, its headers and its unique key, even a
	 * key that was derived from the old payload.
	 * @param payload the payload, or {@code null} for none
	 * @return {@code false} if there is no such job
	 * @throws IllegalStateException if the job runs or has ended
	 */
	boolean replacePayload(@Nullable Object payload);

	/**
	 * Give the job another urgency while it waits. A ready job takes the place that it
	 * then has by its due time or, if its urgency becomes normal and it has no lane, the
	 * last one.
	 * @return {@code false} if no such job waits
	 */
	boolean setUrgency(Urgency urgency);

	/**
	 * Move the job to another lane while it waits. A ready job takes the place that it
	 * then has by its due time or, without a lane and an urgency, the last one. One that
	 * kept the place of its ordered lane gives it up.
	 * @param lane the lane, or {@code null} for none
	 * @return {@code false} if no such job waits
	 */
	boolean moveTo(@Nullable String lane);

	/**
	 * Return what the job has saved: the values of its steps, the positions of its
	 * cursors and the ends of its sleeps.
	 * @return the values, by when they were saved; empty if there is no such job
	 */
	List<SavedStep> steps();

	/**
	 * Forget what the job has saved under a name, so that its next run does that step
	 * again.
	 * @param name the name
	 * @return {@code false} if there is no such job or value, or the job runs
	 */
	boolean forgetStep(String name);

	/**
	 * Send the signal that the job waits for, as {@link dev.jobs.JobClient#send} does.
	 * All jobs that wait for it go on.
	 * @param value its value, or {@code null} for none
	 * @return what became of it
	 * @throws IllegalStateException if the job waits for no signal
	 */
	Signal.Sent send(@Nullable Object value);

}
