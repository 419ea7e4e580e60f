package dev.jobs.store.jdbc.worker;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.jobs.JobStoreException;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.StopWatch;

/**
 * Finds running jobs that nobody holds, and leaves them to the next takeover. The store
 * itself leaves no such jobs behind, but another program that changes a token or its
 * delivery may. A job must be found twice, since concurrent statements may see half of a
 * claim. This takes at most a hundredth of the time, because PostgreSQL reads all jobs
 * that ever ran while an old snapshot is open.
 */
public final class OrphanRepair {

	private static final Logger logger = LoggerFactory.getLogger(OrphanRepair.class);

	private static final long REST = 10_000;

	private static final long LONGEST_REST = 20 * 60_000;

	private static final int AT_ONCE = 100;

	private static final String FIND = "select j.id, j.queue, j.token from {job} j where j.state = {running} and not exists "
			+ "(select 1 from {delivery} d where d.queue = j.queue and d.token = j.token) and not (j.id in (??)) limit ?";

	private static final String GIVE_UP = "update {job} set token = ? where id = ? and state = {running} and coalesce(token, 0) = ?";

	private final RefusedRows refused;

	private Set<Run> before = Set.of();

	private long next;

	/**
	 * Create a repair.
	 * @param refused the rows that cannot be repaired
	 */
	public OrphanRepair(RefusedRows refused) {
		this.refused = refused;
	}

	/**
	 * Look for such jobs, unless that was done a moment ago.
	 */
	public synchronized void run(Session session, Instant time) {
		long now = EpochMillis.of(time);
		if (now < this.next && this.next - now <= LONGEST_REST) {
			return;
		}
		StopWatch watch = new StopWatch();
		watch.start();
		try {
			Set<Run> found = session.writePast(this.refused, (work) -> giveUp(work, now));
			found.removeAll(this.before);
			this.before = found;
		}
		catch (JobStoreException ex) {
			logger.debug("Could not look for jobs that nobody holds", ErrorText.loggable(ex));
		}
		watch.stop();
		this.next = now + Math.min(Math.max(REST, watch.getTotalTimeMillis() * 100), LONGEST_REST);
	}

	private Set<Run> giveUp(UnitOfWork work, long now) {
		Statements statements = work.statements();
		Set<Run> found = new HashSet<>(statements.query(FIND,
				(row, n) -> new Run(row.getString(1), row.getString(2), row.getLong(3)), work.passedOver(), AT_ONCE));
		List<Run> given = found.stream().filter(this.before::contains).toList();
		if (given.isEmpty()) {
			return found;
		}
		long token = work.dialect().next(statements, "token", 1).get(0);
		Map<String, Integer> queues = new TreeMap<>();
		work.changeEach(given, Run::queue, Run::job, GIVE_UP,
				(run) -> new @Nullable Object[] { token, run.job(), run.token() })
			.forEach((run) -> queues.merge(run.queue(), 1, Integer::sum));
		new Deliveries(statements, DeliveryRows.ALL).addAbandoned(queues.keySet(), token, now);
		queues.forEach((queue, many) -> logger.warn("Repaired {} running jobs of the queue '{}' that no worker held",
				many, ErrorText.clean(queue)));
		return found;
	}

	/**
	 * A running job.
	 *
	 * @param job the job
	 * @param queue its queue
	 * @param token the token in its row, or 0 for none
	 */
	private record Run(String job, String queue, long token) {

	}

}
