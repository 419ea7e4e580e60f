package dev.jobs.store.jdbc;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.store.jdbc.Dialect.Live;
import org.jspecify.annotations.Nullable;

/**
 * Who holds the jobs under a token, for each queue. A row whose jobs have all ended means
 * nothing and is removed when it is come across; none is ever added to.
 */
final class Deliveries {

	static final String IS_UNREGISTERED = "d.worker is not null "
			+ "and not exists (select 1 from {worker} w where w.id = d.worker)";

	/**
	 * The offset makes PostgreSQL look each delivery up in the index of running jobs,
	 * instead of walking through it all: while any session holds an old snapshot, all
	 * that ever ran are still there.
	 */
	static final String IS_OPEN = "exists (select 1 from {job} j where j.queue = d.queue and j.state = 2 "
			+ "and j.token = d.token limit 1 offset 0)";

	private final Statements statements;

	Deliveries(Statements statements) {
		this.statements = statements;
	}

	void add(Collection<StoredJob> held, String worker, long now) {
		Set<Delivery> added = held.stream()
			.map((job) -> new Delivery(job.queue(), job.token()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
		this.statements.batch("insert into {delivery} (queue, token, worker, started_at, owner) values (?, ?, ?, ?, ?)",
				added.stream()
					.map((each) -> new @Nullable Object[] { each.queue(), each.token(), worker, now, worker })
					.toList());
	}

	/**
	 * Add what nobody holds.
	 */
	void addAbandoned(Collection<String> queues, long token, long now) {
		this.statements.batch(
				"insert into {delivery} (queue, token, worker, started_at, owner) values (?, ?, null, ?, '')",
				queues.stream().map((queue) -> new @Nullable Object[] { queue, token, now }).toList());
	}

	/**
	 * Return the tokens under which a worker holds jobs.
	 */
	Set<Long> openTokens(String worker) {
		Live live = this.statements.dialect().live();
		return new LinkedHashSet<>(this.statements.query(
				"select distinct d.token from " + live.rows() + " d where d.worker = ? and " + IS_OPEN,
				(row, n) -> row.getLong(1), live.with(worker)));
	}

	/**
	 * Return the ids of jobs that a worker runs and is to cancel.
	 */
	Set<String> cancelled(String worker) {
		Live live = this.statements.dialect().live();
		return new HashSet<>(this.statements.query(
				"select j.id from {job} j join " + live.rows()
						+ " d on d.queue = j.queue and d.token = j.token where j.cancel = 1 and d.worker = ?",
				(row, n) -> row.getString(1), live.with(worker)));
	}

	/**
	 * Abandon what workers hold.
	 */
	void abandon(Collection<String> workers) {
		abandon("d.worker in (??)", workers);
	}

	/**
	 * Abandon what workers hold that nobody knows: they were forgotten while a claim of
	 * theirs was under way.
	 */
	void abandonUnregistered() {
		abandon(IS_UNREGISTERED);
	}

	private void abandon(String condition, Object... arguments) {
		Live live = this.statements.dialect().live();
		this.statements.batch("update {delivery} set worker = null where queue = ? and token = ?",
				keys("select d.queue, d.token from " + live.rows() + " d where " + condition, live.with(arguments)));
	}

	/**
	 * Remove rows that mean nothing any more.
	 * @param worker whose, or {@code null} for those of vanished workers
	 */
	void removeClosed(@Nullable String worker, int limit) {
		Live live = this.statements.dialect().live();
		String whose = (worker != null) ? "d.worker = ?" : "d.worker is null";
		this.statements.batch("delete from {delivery} where queue = ? and token = ?",
				keys("select d.queue, d.token from " + live.rows() + " d where " + whose + " and not " + IS_OPEN
						+ " limit ?", (worker != null) ? live.with(worker, limit) : live.with(limit)));
	}

	private List<@Nullable Object[]> keys(String query, @Nullable Object... arguments) {
		return this.statements.query(query, (row, n) -> new @Nullable Object[] { row.getString(1), row.getLong(2) },
				arguments);
	}

	/**
	 * What is held under one token in one queue.
	 *
	 * @param queue the queue
	 * @param token the token
	 */
	record Delivery(String queue, long token) {

	}

}
