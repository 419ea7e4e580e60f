package dev.jobs.store.jdbc;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

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
	 * Return the tokens under which a worker holds jobs.
	 */
	Set<Long> openTokens(String worker) {
		return new LinkedHashSet<>(
				this.statements.query("select distinct d.token from {delivery} d where d.worker = ? and " + IS_OPEN,
						(row, n) -> row.getLong(1), worker));
	}

	/**
	 * Abandon what workers hold that nobody knows: they were forgotten while a claim of
	 * theirs was under way.
	 */
	void abandonUnregistered() {
		List<String> unregistered = this.statements
			.query("select distinct d.worker from {delivery} d where " + IS_UNREGISTERED, (row, n) -> row.getString(1));
		if (!unregistered.isEmpty()) {
			this.statements.update("update {delivery} set worker = null where worker in (??)", unregistered);
		}
	}

	/**
	 * Remove rows that mean nothing any more.
	 * @param worker whose, or {@code null} for those of vanished workers
	 */
	void removeClosed(@Nullable String worker, int limit) {
		String whose = (worker != null) ? "d.worker = ?" : "d.worker is null";
		@Nullable Object[] arguments = (worker != null) ? new @Nullable Object[] { worker, limit }
				: new @Nullable Object[] { limit };
		List<@Nullable Object[]> closed = this.statements.query(
				"select d.queue, d.token from {delivery} d where " + whose + " and not " + IS_OPEN + " limit ?",
				(row, n) -> new @Nullable Object[] { row.getString(1), row.getLong(2) }, arguments);
		this.statements.batch("delete from {delivery} where queue = ? and token = ?", closed);
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
