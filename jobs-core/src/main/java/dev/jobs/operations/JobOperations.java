package dev.jobs.operations;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import dev.jobs.BulkStatus;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobStoreException;
import dev.jobs.PoolStatus;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.WaitReason;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;

/**
 * Shows queues, workers, schedules, the store and jobs to operators and acts on them, no
 * matter who enqueued the jobs. Business code injects {@link JobClient}. Safe for use by
 * many threads.
 * <p>
 * Methods that take a name, an id or a filter do not call the store; the operations they
 * return do, and they return a snapshot of one moment. Times are those of the store if it
 * has a clock. All methods that call the store throw a {@link JobStoreException} if it is
 * out of reach. An action on an unknown queue, pool, worker or schedule throws an
 * {@link UnknownNameException}. <pre class="code">{@code
 * operations.queue("send-email").pause();
 * operations.queue("resize-image").limit(3);
 * int retried = operations.jobs(timeouts).retry();
 * operations.queue("send-email").resume();
 * }</pre>
 */
public interface JobOperations {

	/**
	 * Return these operations for an operator, whose name is stored with bulk actions and
	 * the settings of queues, pools and workers. Without a name nobody can see later who
	 * set them.
	 * @param operator who acts; a name of more than 100 characters is cut
	 * @return the operations
	 */
	JobOperations by(String operator);

	/**
	 * Return all queues, sorted by name: those that have had jobs, and those that a live
	 * worker serves.
	 * @return the queues
	 */
	List<QueueStatus> queues();

	/**
	 * Return the operations of a queue.
	 * @param name the name of its jobs
	 * @return its operations
	 */
	QueueOperations queue(String name);

	/**
	 * Return the pools of live workers, and those for which operators have set something,
	 * sorted by name.
	 * @return the pools
	 */
	List<PoolStatus> pools();

	/**
	 * Return the operations of a pool.
	 * @param name its name
	 * @return its operations
	 */
	PoolOperations pool(String name);

	/**
	 * Return how many workers the pools of live workers need so that no job waits longer
	 * than a target, sorted by pool.
	 * @param target returns how long the jobs of a pool may wait, by its name
	 * @return how many workers are wanted
	 */
	List<WantedWorkers> wantedWorkers(Function<String, Duration> target);

	/**
	 * Return the live workers of all processes, sorted by id.
	 * @return the workers
	 */
	List<WorkerStatus> workers();

	/**
	 * Return the operations of a worker.
	 * @param id its id
	 * @return its operations
	 */
	WorkerOperations worker(String id);

	/**
	 * Return the schedules that the store knows, those of other applications in the
	 * namespace included, sorted by name.
	 * @return the schedules
	 */
	List<ScheduleStatus> schedules();

	/**
	 * Return the operations of a schedule.
	 * @param name its name
	 * @return its operations
	 */
	ScheduleOperations schedule(String name);

	/**
	 * Return the operations of the jobs that a filter selects.
	 * @param filter the filter
	 * @return their operations
	 */
	SelectionOperations jobs(JobFilter filter);

	/**
	 * Return the operations of one job.
	 * @param id its id
	 * @return its operations
	 */
	SingleJobOperations job(String id);

	/**
	 * Forget the signal about a subject that is kept, so that the next one counts. Jobs
	 * that have seen it keep its value.
	 * @param name the name of the signal
	 * @param subject what it is about
	 * @return {@code false} if none was kept
	 */
	boolean forgetSignal(String name, Object subject);

	/**
	 * Return the bulk actions that are under way and the latest others, the latest first.
	 * @return the bulk actions
	 */
	List<BulkStatus> bulkActions();

	/**
	 * Return the operations of a bulk action.
	 * @param id its id
	 * @return its operations
	 */
	BulkOperations bulkAction(String id);

	/**
	 * Find out why a job does not run.
	 * @param job the job
	 * @return the reason; {@link WaitReason.Kind#RUNS} if it runs
	 */
	WaitReason waitReason(Job job);

	/**
	 * Return the operations of the store.
	 * @return its operations
	 */
	StoreOperations store();

}
