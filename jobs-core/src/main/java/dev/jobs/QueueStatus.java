package dev.jobs;

import java.time.Instant;
import java.util.Collection;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A queue as it was at one moment. <pre class="code">{@code
 * List<String> unserved = operations.queues()
 *     .stream()
 *     .filter((queue) -> !queue.served())
 *     .map(QueueStatus::name)
 *     .toList();
 * }</pre>
 */
public interface QueueStatus {

	/**
	 * Return its name, which is the name of its jobs.
	 */
	String name();

	/**
	 * Return how many jobs wait for a worker, those whose time has come included.
	 */
	long ready();

	/**
	 * Return how many jobs are not yet due.
	 */
	long scheduled();

	/**
	 * Return how many of the {@link #scheduled()} jobs failed or were abandoned before,
	 * so that their next attempt is not the first.
	 */
	long retrying();

	/**
	 * Return how many jobs workers hold.
	 */
	long running();

	/**
	 * Return how many dead jobs are kept.
	 */
	long dead();

	/**
	 * Return how many succeeded and cancelled jobs are kept.
	 */
	long history();

	/**
	 * Return since when the ready job that waits longest has been due.
	 * @return the instant, or {@code null} if none is ready
	 */
	@Nullable Instant oldestReady();

	/**
	 * Return what operators have set, with who and when.
	 */
	QueueSettings settings();

	/**
	 * Return whether it is paused.
	 * @return {@code true} if none of its jobs is started
	 */
	default boolean paused() {
		return settings().paused() != null;
	}

	/**
	 * Return how many of its jobs may run at once as an operator has set it.
	 * @return the limit; -1 to use the limits of the workers
	 */
	default int limit() {
		QueueSettings.Setting<Integer> limit = settings().limit();
		return (limit != null) ? limit.value() : -1;
	}

	/**
	 * Return whether a live worker serves it. If not, its jobs wait until one does.
	 */
	boolean served();

	/**
	 * Return the states whose number is a lower bound, since counting stopped there. Jobs
	 * that are scheduled for the first time, {@code scheduled} without {@code retrying},
	 * have a lower bound if {@code scheduled} has.
	 * @return the names of the states, empty if all were counted
	 */
	Set<String> atLeast();

	/**
	 * Return how many jobs wait for a signal or another job, and not yet in vain.
	 */
	long parked();

	/**
	 * Return how many jobs wait for their time or a worker.
	 */
	default long waiting() {
		return ready() + scheduled();
	}

	/**
	 * Return how many of its jobs may run at once: the operator's limit or, without one,
	 * the limit of the workers. Each worker may also limit how many it runs itself; jobs
	 * with other names of the same handler are not counted there.
	 * @param workers the live workers
	 * @return the limit; 0 for any number
	 */
	long limitAmong(Collection<? extends WorkerStatus> workers);

}
