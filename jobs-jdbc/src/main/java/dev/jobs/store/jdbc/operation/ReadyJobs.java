package dev.jobs.store.jdbc.operation;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.ClaimRequest;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * Finds ready jobs and holds them for a worker.
 */
public interface ReadyJobs {

	/**
	 * Read how much queues may give to a worker.
	 * @return the state of each queue that is known or has jobs, or {@code null} if the
	 * worker is not alive
	 */
	@Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request);

	/**
	 * Hold ready jobs: as many of each queue as wanted, in the order of the queues, up to
	 * the limit, except jobs that are passed over.
	 * @return the jobs, in the order of the queues and of their places
	 */
	List<StoredJob> hold(UnitOfWork work, List<Wanted> wanted, int limit, String worker, long now);

	/**
	 * Return the given queues that have ready jobs, except jobs that are passed over.
	 * @param queues the queues, each with the last place that was just given. The
	 * remaining jobs are most likely behind it, but others may have locked jobs before it
	 * and not taken them
	 */
	Set<String> withReady(UnitOfWork work, Map<String, Long> queues);

	/**
	 * How many ready jobs of a queue or of one of its lanes are wanted.
	 *
	 * @param queue the queue
	 * @param count how many
	 * @param lane the lane; empty for the jobs without one
	 */
	record Wanted(String queue, int count, String lane) {

		public Wanted(String queue, int count) {
			this(queue, count, "");
		}

		public boolean isInLane() {
			return !this.lane.isEmpty();
		}

	}

}
