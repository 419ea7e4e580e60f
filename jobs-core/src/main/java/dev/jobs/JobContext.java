package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One run of a job, as its handler and interceptors see it. A new one is made for every
 * run. <pre class="code">{@code
 * for (int line = 1; line <= lines && !context.cancelled(); line++) {
 *     context.progress(line, lines);
 * }
 * }</pre>
 */
public interface JobContext {

	/**
	 * Return the job at hand.
	 */
	Job job();

	/**
	 * Return the job's id.
	 */
	default String id() {
		return job().id();
	}

	/**
	 * Return the job's logical name as it was enqueued, which may be an alias.
	 */
	default String name() {
		return job().name();
	}

	/**
	 * Return the number of this attempt.
	 * @return the number, from 1
	 */
	default int attempt() {
		return job().attempt();
	}

	/**
	 * Return when the job was enqueued.
	 */
	default Instant createdAt() {
		return job().createdAt();
	}

	/**
	 * Return when this run was due.
	 */
	default Instant dueAt() {
		return job().dueAt();
	}

	/**
	 * Return the text that travels with the job.
	 */
	default Map<String, String> headers() {
		return job().headers();
	}

	/**
	 * Return values that interceptors and the handler share during this run only.
	 * @return a changeable map
	 */
	Map<String, Object> attributes();

	/**
	 * Report the state of the work, for operators to read. This is cheap: the text is
	 * written with a later beat, and the latest one wins.
	 * @param text the text; cut to 1000 characters
	 */
	void checkIn(@Nullable String text);

	/**
	 * Report how far the work has got, for operators to read.
	 * @param done units done
	 * @param total units in all; 0 if unknown
	 */
	void progress(long done, long total);

	/**
	 * Return whether this run should end: the job was cancelled or timed out, its lease
	 * is lost or the worker is stopping. The handler's thread is interrupted as well.
	 */
	boolean cancelled();

	/**
	 * Return how long this run may still take, as a timeout for calls to other systems.
	 * @return the time until it has used up its timeout or the job reaches its
	 * {@linkplain EnqueueOptions.Builder#deadline deadline}, zero if that has passed, or
	 * {@code null} if neither is set
	 */
	default @Nullable Duration remaining() {
		return null;
	}

	/**
	 * Return whether another worker may have this job now. Then this run can no longer
	 * change the job.
	 * @return {@code true} if the lease is lost
	 */
	boolean leaseLost();

	/**
	 * Return a number that grows with every delivery of the job, to be stored beside the
	 * handler's own writes so that a write of an earlier delivery can be refused. It may
	 * not grow if the server of the store lost the latest deliveries: in a database, by a
	 * failover to a replica that was behind; in Redis, only if the replica lacked more
	 * than a minute and its clock was behind, too.
	 */
	long fencingToken();

}
