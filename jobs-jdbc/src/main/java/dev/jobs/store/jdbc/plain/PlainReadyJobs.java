package dev.jobs.store.jdbc.plain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.JobState;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.jdbc.operation.QueueSnapshot;
import dev.jobs.store.jdbc.operation.ReadyJobs;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Finds ready jobs queue by queue, locks them and then holds them one by one.
 *
 * @param dialect what differs on this database
 */
record PlainReadyJobs(Dialect dialect) implements ReadyJobs {

	@Override
	public @Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		if (!new Workers(statements, EpochMillis.of(request.now())).isAlive(request.worker())) {
			return null;
		}
		return QueueSnapshot.of(statements, request.quotas().stream().map(ClaimRequest.Quota::queue).toList());
	}

	@Override
	public List<StoredJob> hold(Statements statements, List<Wanted> wanted, int limit, String worker, long now) {
		List<StoredJob> found = new ArrayList<>();
		for (Wanted each : wanted) {
			int count = Math.min(each.count(), limit - found.size());
			if (count > 0) {
				found.addAll(statements.query("select " + StoredJob.COLUMNS
						+ " from {job} j where j.queue = ? and j.state = 1 order by j.place limit ?"
						+ this.dialect.skippingLocked(), StoredJob::read, each.queue(), count));
			}
		}
		if (found.isEmpty()) {
			return found;
		}
		long token = this.dialect.next(statements, "token", 1).get(0);
		statements.batch(
				"update {job} set state = 2, token = ?, since = ?, cancel = null, held_key = "
						+ KeyColumns.heldIn(JobState.RUNNING) + " where id = ?",
				found.stream().map((job) -> new @Nullable Object[] { token, now, job.id() }).toList());
		List<StoredJob> held = found.stream().map((job) -> job.heldUnder(token)).toList();
		new Deliveries(statements, DeliveryRows.ALL).add(held, worker, now);
		return held;
	}

	/**
	 * Not by {@code exists}: MariaDB may then collect the whole backlog before it looks
	 * for the queues.
	 */
	@Override
	public Set<String> withReady(Statements statements, Map<String, Long> queues) {
		return new HashSet<>(statements.query(
				"select n.name from {queue} n where n.name in (??) "
						+ "and (select 1 from {job} j where j.queue = n.name and j.state = 1 limit 1) = 1",
				(row, n) -> row.getString(1), queues.keySet()));
	}

}
