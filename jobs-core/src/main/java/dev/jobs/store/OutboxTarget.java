package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;

/**
 * An {@linkplain JobStore#as ability} of a {@link JobStore} that can be the target of an
 * {@link Outbox}: it recognizes a job that it got before, even if the job is gone.
 */
@FunctionalInterface
public interface OutboxTarget {

	/**
	 * Store new jobs as {@link JobStore#enqueue} does, and remember each by its id,
	 * unless its outcome is {@code FULL}. While an id is remembered, another call with it
	 * returns {@link Enqueued.Outcome#NEW} and changes nothing, whether the first job is
	 * still there, is gone, or was never stored as it was a duplicate.
	 * @param jobs the jobs
	 * @param memory how long to remember them
	 * @param now the time
	 * @return what happened, one for each job, in their order
	 */
	List<Enqueued> enqueueOnce(List<NewJob> jobs, Duration memory, Instant now);

}
