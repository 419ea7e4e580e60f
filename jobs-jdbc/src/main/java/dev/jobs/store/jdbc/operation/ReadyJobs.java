package dev.jobs.store.jdbc.operation;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Urgency;
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
	 * @return the jobs, in the order of the queues and of their places; those of one lane
	 * and urgency in their order
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
	 * How many ready jobs in line or of a lane are wanted.
	 *
	 * @param queue the queue
	 * @param count how many
	 * @param lane the lane, empty for jobs without one that are not in line, or
	 * {@code null} for those in line
	 * @param from the most urgent jobs of the lane that are wanted
	 * @param to the least urgent ones
	 * @param onlyFirst whether only the first jobs of the lane will do, and not the next
	 * one instead of one that another transaction has locked
	 */
	record Wanted(String queue, int count, @Nullable String lane, Urgency from, Urgency to, boolean onlyFirst) {

		public Wanted(String queue, int count) {
			this(queue, count, null, Urgency.NORMAL, Urgency.NORMAL, false);
		}

		public boolean isInLane() {
			return this.lane != null;
		}

	}

}
