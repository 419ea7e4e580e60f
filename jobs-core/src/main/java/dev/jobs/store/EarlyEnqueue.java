package dev.jobs.store;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import dev.jobs.Enqueued;

/**
 * An {@linkplain JobStore#as ability} of a {@link JobStore} that gets its replies on
 * another thread: it passes on the outcome of an enqueue before the caller has woken up,
 * so that other callers of the same batch need not wait for that.
 */
@FunctionalInterface
public interface EarlyEnqueue {

	/**
	 * Store new jobs as {@link JobStore#enqueue} does.
	 * @param jobs the jobs
	 * @param now the time
	 * @param early may be given what will be returned, by any thread; it does not block
	 * @return what happened, one for each job, in their order
	 */
	List<Enqueued> enqueue(List<NewJob> jobs, Instant now, Consumer<List<Enqueued>> early);

}
