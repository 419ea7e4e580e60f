package dev.jobs.store.jdbc.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * The holders of jobs under a token, for each queue. A row whose jobs have all ended
 * means nothing and is deleted when a beat or a prune finds it; rows never get more jobs.
 *
 * @param rows the source of the rows
 */
public record Deliveries(Statements statements, DeliveryRows rows) {

	static final String IS_UNREGISTERED = "d.worker is not null "
			+ "and not exists (select 1 from {worker} w where w.id = d.worker)";

	/**
	 * The offset makes PostgreSQL look each delivery up in the index of running jobs
	 * instead of reading all of it: while any session has an old snapshot, every job that
	 * ever ran is still there.
	 */
	static final String IS_OPEN = "exists (select 1 from {job} j where j.queue = d.queue and j.state = {running} "
			+ "and j.token = d.token limit 1 offset 0)";

	/**
	 * How many jobs run under a delivery, looked up for each like {@link #IS_OPEN}.
	 */
	public static final String RUNNING = "(select count(*) from {job} j where j.queue = d.queue and j.state = {running} "
			+ "and j.token = d.token)";

	/** Nothing runs under a token before the first that any worker holds. */
	private static final String RUNNING_IN_LANES = """
			select j.lane, count(*) from (select min(d.token) as first from %s d where d.queue in (??)) q
			join {job} j on j.token >= q.first
			where j.queue = ? and j.state = {running} and j.lane is not null group by j.lane""";

	/**
	 * Return how many jobs of each lane of a queue run.
	 */
	public Map<String, Integer> runningInLanes(String queue) {
		Map<String, Integer> running = new HashMap<>();
		this.statements.query(RUNNING_IN_LANES.formatted(this.rows.source()),
				(row, n) -> running.put(row.getString(1), row.getInt(2)), this.rows.with(List.of(queue), queue));
		return running;
	}

	public void add(Collection<StoredJob> held, String worker, long now) {
		Set<Delivery> added = held.stream()
			.map((job) -> new Delivery(job.queue(), job.token()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
		this.statements.batch("insert into {delivery} (queue, token, worker, started_at, owner) values (?, ?, ?, ?, ?)",
				added.stream()
					.map((each) -> new @Nullable Object[] { each.queue(), each.token(), worker, now, worker })
					.toList());
	}

	/**
	 * Add a delivery that nobody holds.
	 */
	void addAbandoned(Collection<String> queues, long token, long now) {
		this.statements.batch(
				"insert into {delivery} (queue, token, worker, started_at, owner) values (?, ?, null, ?, '')",
				queues.stream().map((queue) -> new @Nullable Object[] { queue, token, now }).toList());
	}

	/**
	 * Return how many jobs a worker holds under each token.
	 */
	Map<Long, Integer> held(String worker) {
		Map<Long, Integer> held = new HashMap<>();
		this.statements.query("select d.token, " + RUNNING + " from " + this.rows.source() + " d where d.worker = ?",
				(row, n) -> (row.getInt(2) > 0) ? held.merge(row.getLong(1), row.getInt(2), Integer::sum) : 0,
				this.rows.with(worker));
		return held;
	}

	/**
	 * Return the ids of jobs that a worker runs and must cancel.
	 */
	Set<String> cancelled(String worker) {
		return new HashSet<>(this.statements.query(
				"select j.id from {job} j join " + this.rows.source()
						+ " d on d.queue = j.queue and d.token = j.token where j.cancel = 1 and d.worker = ?",
				(row, n) -> row.getString(1), this.rows.with(worker)));
	}

	/**
	 * Abandon the deliveries of workers.
	 */
	void abandon(Collection<String> workers) {
		abandon("d.worker in (??)", workers);
	}

	/**
	 * Abandon the deliveries of unknown workers, which were forgotten while their claim
	 * was under way.
	 */
	void abandonUnregistered() {
		abandon(IS_UNREGISTERED);
	}

	private void abandon(String condition, Object... arguments) {
		this.statements.batch("update {delivery} set worker = null where queue = ? and token = ?",
				keys("select d.queue, d.token from " + this.rows.source() + " d where " + condition,
						this.rows.with(arguments)));
	}

	/**
	 * Delete rows that mean nothing any more.
	 * @param worker the worker, or {@code null} for vanished workers
	 */
	public void removeClosed(@Nullable String worker, int limit) {
		String whose = (worker != null) ? "d.worker = ?" : "d.worker is null";
		this.statements
			.batch("delete from {delivery} where queue = ? and token = ?",
					keys("select d.queue, d.token from " + this.rows.source() + " d where " + whose + " and not "
							+ IS_OPEN + " limit ?",
							(worker != null) ? this.rows.with(worker, limit) : this.rows.with(limit)));
	}

	private List<@Nullable Object[]> keys(String query, @Nullable Object... arguments) {
		return this.statements.query(query, (row, n) -> new @Nullable Object[] { row.getString(1), row.getLong(2) },
				arguments);
	}

	/**
	 * The jobs held under one token in one queue.
	 *
	 * @param queue the queue
	 * @param token the token
	 */
	record Delivery(String queue, long token) {

	}

}
