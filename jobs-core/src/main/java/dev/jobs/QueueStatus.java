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
	 * Return its name, which is that of its jobs.
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
	 * Return what operators have set, who did and when.
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
	 * @return the limit; -1 if none has set one, so that the workers' limits count
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
	 * Return which of the numbers have reached what is counted, by the names of their
	 * states: of these there are at least as many. Of jobs that are scheduled for the
	 * first time, which is {@code scheduled} without {@code retrying}, the same is said
	 * as of all that are scheduled.
	 * @return the names, none where all is counted
	 */
	Set<String> atLeast();

	/**
	 * Return how many jobs wait, due or not.
	 */
	default long waiting() {
		return ready() + scheduled();
	}

	/**
	 * Return how many of its jobs may run at once by the limit of an operator or, if
	 * there is none, by that of the workers, each of which may also limit how many it
	 * runs itself (jobs that bear other names of the same handler not counted).
	 * @param workers the live workers
	 * @return the limit; 0 for any number
	 */
	long limitAmong(Collection<? extends WorkerStatus> workers);

}
