package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs and acts on those that exist. Safe for use by many threads.
 * <p>
 * An enqueue is one atomic write: when a method returns, the job is stored; when it
 * throws, nothing is. There are two exceptions, both told:
 * <ul>
 * <li>Within a Spring transaction a job is stored after the commit, and not at all after
 * a rollback; until then the outcome is {@link Enqueued.Outcome#DEFERRED}. What goes
 * wrong after the commit is told by {@link JobEvent.EnqueueFailed}.</li>
 * <li>If the store may have taken a job but does not answer,
 * {@link EnqueueUnconfirmedException} is thrown.</li>
 * </ul>
 */
public interface JobClient {

	/**
	 * Enqueue a job by its payload's type, which has a {@link JobType} or is the payload
	 * of exactly one handler of this application.
	 * @param payload the payload
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(Object payload) {
		return enqueue(JobRequest.of(payload));
	}

	/**
	 * Enqueue a job by its payload's type.
	 * @param payload the payload
	 * @param options how to enqueue it
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(Object payload, EnqueueOptions options) {
		return enqueue(JobRequest.of(payload).with(options));
	}

	/**
	 * Enqueue a job without payload by its name.
	 * @param name the logical name
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(String name) {
		return enqueue(JobRequest.of(name, null));
	}

	/**
	 * Enqueue a job without payload by its name.
	 * @param name the logical name
	 * @param options how to enqueue it, or {@code null} for the defaults
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(String name, @Nullable EnqueueOptions options) {
		return enqueue(JobRequest.of(name, null).with((options != null) ? options : EnqueueOptions.defaults()));
	}

	/**
	 * Enqueue a job by its name.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(String name, @Nullable Object payload) {
		return enqueue(JobRequest.of(name, payload));
	}

	/**
	 * Enqueue a job by its name.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @param options how to enqueue it
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	default Enqueued enqueue(String name, @Nullable Object payload, EnqueueOptions options) {
		return enqueue(JobRequest.of(name, payload).with(options));
	}

	/**
	 * Enqueue a job, waiting for room as its options say.
	 * @param request the job
	 * @return what happened
	 * @throws JobRejectedException if the queue is full or the client is closing
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	Enqueued enqueue(JobRequest request);

	/**
	 * Enqueue many jobs with few round trips. Each job is stored fully or not at all;
	 * jobs for a full queue answer {@link Enqueued.Outcome#FULL} instead of waiting. They
	 * are written in steps of some hundred; if one fails, those before it stay and those
	 * after it are not tried.
	 * @param requests the jobs
	 * @return what happened, in the order of the requests
	 * @throws EnqueueUnconfirmedException if it is unknown whether some jobs are stored,
	 * with their ids
	 */
	List<Enqueued> enqueueAll(Collection<JobRequest> requests);

	/**
	 * Enqueue a job unless its queue is full, without waiting. Within a transaction the
	 * answer is always {@code true}.
	 * @param request the job
	 * @return {@code false} if the queue was full and nothing was stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	boolean tryEnqueue(JobRequest request);

	/**
	 * Enqueue a job, waiting a while for room if its queue is full. Within a transaction
	 * the answer is always {@code true}, and the waiting follows the commit.
	 * @param request the job
	 * @param timeout how long to wait
	 * @return {@code false} if the queue stayed full and nothing was stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	boolean tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException;

	/**
	 * Look a job up.
	 * @param id its id
	 * @return the job, or empty if there is none (any more)
	 */
	Optional<Job> find(String id);

	/**
	 * End a job: one that waits is removed, one that runs has its handler told and
	 * interrupted.
	 * @param id its id
	 * @return {@code false} if there was nothing to cancel
	 */
	boolean cancel(String id);

	/**
	 * Remove a job that does not run, in whatever state.
	 * @param id its id
	 * @return {@code false} if there was nothing to delete
	 */
	boolean delete(String id);

	/**
	 * Move the due time of a job that waits.
	 * @param id its id
	 * @param dueAt the new due time
	 * @return {@code false} if no such job waits
	 */
	boolean reschedule(String id, Instant dueAt);

	/**
	 * Run a dead job again, or a waiting one now. A dead job's counters start at zero.
	 * @param id its id
	 * @return {@code false} if there is no such job or another one holds its unique key
	 */
	boolean retry(String id);

	/**
	 * Retry all dead jobs that a filter selects, in bounded steps.
	 * @param filter the filter; its states are taken as {@link JobState#DEAD}
	 * @return how many were retried
	 */
	default int retryAll(JobFilter filter) {
		return retryAll(filter, (id) -> {
		});
	}

	/**
	 * Retry all dead jobs that a filter selects, in bounded steps.
	 * @param filter the filter; its states are taken as {@link JobState#DEAD}
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were retried
	 */
	int retryAll(JobFilter filter, Consumer<String> changed);

	/**
	 * Delete all jobs that a filter selects and that do not run, in bounded steps.
	 * @param filter the filter; no states stand for all
	 * @return how many were deleted
	 */
	default int deleteAll(JobFilter filter) {
		return deleteAll(filter, (id) -> {
		});
	}

	/**
	 * Delete all jobs that a filter selects and that do not run, in bounded steps.
	 * @param filter the filter; no states stand for all
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were deleted
	 */
	int deleteAll(JobFilter filter, Consumer<String> changed);

	/**
	 * Cancel all jobs that a filter selects and that wait or run, in bounded steps. Those
	 * that run may end a little later, or even succeed.
	 * @param filter the filter; no states stand for those that can be cancelled
	 * @return how many were removed or told to end
	 */
	default int cancelAll(JobFilter filter) {
		return cancelAll(filter, (id) -> {
		});
	}

	/**
	 * Cancel all jobs that a filter selects and that wait or run, in bounded steps. Those
	 * that run may end a little later, or even succeed.
	 * @param filter the filter; no states stand for those that can be cancelled
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were removed or told to end
	 */
	int cancelAll(JobFilter filter, Consumer<String> changed);

	/**
	 * Stop starting jobs of a name on all workers; those that run go on.
	 * @param name the logical name
	 */
	void pause(String name);

	/**
	 * Start jobs of a paused name again.
	 * @param name the logical name
	 */
	void resume(String name);

	/**
	 * Set how many jobs of a name may run at once on all workers together, instead of
	 * what the workers say. Those that run go on.
	 * @param name the logical name
	 * @param maxRunning the limit, from 1; -1 to go by the workers again
	 * @throws IllegalArgumentException if the limit is 0, which would be none; to start
	 * no jobs, {@linkplain #pause(String) pause} them
	 */
	void limit(String name, int maxRunning);

	/**
	 * Fire no more ticks of a schedule, on any worker; what it has enqueued already runs
	 * as before, and other jobs of the same name do too.
	 * @param schedule the schedule's name
	 */
	void pauseSchedule(String schedule);

	/**
	 * Fire the ticks of a paused schedule again, from the next one on. What was due
	 * meanwhile is not made up for, whatever the misfire rule.
	 * @param schedule the schedule's name
	 */
	void resumeSchedule(String schedule);

	/**
	 * Remove everything the namespace holds, and nothing else.
	 */
	void purge();

}
