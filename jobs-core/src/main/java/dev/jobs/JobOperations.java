package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Shows operators what there is and acts on it: queues, workers, schedules, the store and
 * jobs, whoever has enqueued them. Business code injects {@link JobClient}. Safe for use
 * by many threads.
 * <p>
 * What is returned is how things were at one moment. Times are those of the store where
 * it has a clock. All but {@link #store()} throw a {@link JobStoreException} if the store
 * is out of reach. <pre class="code">{@code
 * operations.pause("send-email");
 * operations.limit("resize-image", 3);
 * int retried = operations.retryAll(timeouts);
 * operations.resume("send-email");
 * }</pre>
 */
public interface JobOperations {

	// --- what there is

	/**
	 * Return all queues, sorted by name: those that have had jobs, and those that a live
	 * worker serves.
	 * @return the queues
	 */
	List<QueueStatus> queues();

	/**
	 * Return the live workers of all processes, sorted by id.
	 * @return the workers
	 */
	List<WorkerStatus> workers();

	/**
	 * Return the schedules that the store knows, those of other applications in the
	 * namespace included, sorted by name.
	 * @return the schedules
	 */
	List<ScheduleStatus> schedules();

	/**
	 * Return what became of the latest ticks of a schedule. Each is looked up with a call
	 * to the store.
	 * @param schedule the schedule's name
	 * @return the runs, latest first; empty if there is no such schedule
	 */
	List<ScheduleStatus.Run> runs(String schedule);

	/**
	 * Return what the store is, without asking it.
	 * @return the store
	 */
	StoreStatus store();

	/**
	 * Look for what an operator must set right in the store. What it refuses although it
	 * takes others, such as the end of one job, is known in the process that met it.
	 * @return what was found, mostly nothing
	 */
	List<StoreStatus.Fault> faults();

	/**
	 * Return what happened in the past, as far as workers have reported it and it is
	 * still kept: minutes for three hours, tens of minutes for two days.
	 * @param queues the queues wanted; all if empty
	 * @param from when the first step begins, rounded down to a whole step
	 * @param to when the last step has ended, rounded up to a whole step
	 * @param step how long a step is, whole minutes; only whole tens of minutes reach
	 * farther back than three hours
	 * @return what happened in each queue and step in which something did, sorted by
	 * queue, then by time
	 */
	List<QueueHistory> history(Set<String> queues, Instant from, Instant to, Duration step);

	// --- jobs

	/**
	 * Look a job up.
	 * @param id its id
	 * @return the job, or empty if there is none (any more)
	 */
	Optional<Job> find(String id);

	/**
	 * Find out why a job does not run.
	 * @param job the job
	 * @return why; that it runs, if it does
	 */
	WaitReason waitReason(Job job);

	/**
	 * Return a page of the jobs that a filter selects. Those that are ready come first,
	 * queue by queue as they will run; all others follow by the time they entered their
	 * state or, while they wait, are due. Jobs of a tag come by id.
	 * <p>
	 * Following the cursors visits every job that stays in the selection exactly once,
	 * whatever comes or leaves meanwhile. No cursor expires. What no index serves, text
	 * above all, is looked for in a bounded number of jobs, so a page with a cursor may
	 * hold fewer jobs than its limit, or none.
	 * @param filter the filter
	 * @param request how many jobs, in which order, behind which cursor
	 * @return the page
	 * @throws IllegalArgumentException if the cursor is none of this list
	 */
	JobPage page(JobFilter filter, PageRequest request);

	/**
	 * Count the jobs that a filter selects, up to a bound. What no index serves is looked
	 * for in a bounded number of jobs; the count then says how many there are at least.
	 * @param filter the filter
	 * @param bound up to which number the count is exact, from 1
	 * @return the count
	 */
	JobCount count(JobFilter filter, int bound);

	/**
	 * Return the jobs that died last, grouped by what they died of.
	 * @param filter selects dead jobs; its states do not count
	 * @return the groups
	 */
	Deaths deaths(JobFilter filter);

	/**
	 * End a job: one that waits is removed, one that runs has its handler asked to end
	 * and interrupted. If its worker has vanished, it ends once another worker takes it
	 * over.
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
	 * @return how many were removed or asked to end
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
	 * @return how many were removed or asked to end
	 */
	int cancelAll(JobFilter filter, Consumer<String> changed);

	// --- queues

	/**
	 * Stop starting jobs of a name on all workers; those that run continue.
	 * @param name the job name
	 */
	void pause(String name);

	/**
	 * Start jobs of a paused name again.
	 * @param name the job name
	 */
	void resume(String name);

	/**
	 * Set how many jobs of a name may run at once on all workers together, instead of
	 * what the workers say. Those that run continue.
	 * @param name the job name
	 * @param maxRunning the limit, from 1
	 * @throws IllegalArgumentException if the limit is less than 1; to start no jobs,
	 * {@linkplain #pause(String) pause} them
	 */
	void limit(String name, int maxRunning);

	/**
	 * Remove the limit of a name, so that what the workers say counts again.
	 * @param name the job name
	 */
	void removeLimit(String name);

	// --- schedules

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
	 * Enqueue the job of a schedule of this application now, beside its ticks. It has the
	 * payload of the ticks, and all rules of an enqueue hold.
	 * @param schedule the schedule's name
	 * @return what happened, or empty if this application does not define the schedule
	 * @throws JobRejectedException if the queue is full or the client is closing
	 */
	Optional<Enqueued> trigger(String schedule);

	// --- everything

	/**
	 * Remove everything the namespace holds, and nothing else.
	 */
	void purge();

}
