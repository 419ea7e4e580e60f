package dev.jobs.store.jdbc.operation;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue that a claim reads before it takes jobs.
 *
 * @param paused whether it is paused
 * @param max its stored running limit, or -1
 * @param refuses whether it was too long for a job
 * @param firstDue when its first scheduled job is due, or {@code null}
 * @param mayHaveReady whether it may have ready jobs
 * @param firstLane the first lane that ready jobs are in, or {@code null} if none are;
 * empty if some without a lane are more or less urgent than normal
 */
public record QueueSnapshot(boolean paused, int max, boolean refuses, @Nullable Long firstDue, boolean mayHaveReady,
		@Nullable String firstLane) {

	/** The value of {@code limit_hit} if a limit kept a claim from getting more. */
	static final int LIMIT_HIT = 1;

	/**
	 * The value of {@code limit_hit} if there is a limit and nobody waits for room below
	 * it.
	 */
	static final int LIMITED = 2;

	private static final QueueSnapshot UNKNOWN = new QueueSnapshot(false, -1, false, null, true, null);

	public static QueueSnapshot of(Map<String, QueueSnapshot> seen, String queue) {
		return seen.getOrDefault(queue, UNKNOWN);
	}

	/**
	 * Read queues in steps. Whether they have ready jobs is not read.
	 */
	public static Map<String, QueueSnapshot> of(Statements statements, List<String> names) {
		Map<String, Long> due = firstDue(statements, names, Long.MIN_VALUE, Set.of());
		Map<String, QueueSnapshot> seen = new HashMap<>();
		statements.query(
				"select n.name, n.paused, n.max_running, n.refused_length, (select j.lane from {job} j where j.queue = n.name "
						+ "and j.state = {laned} order by j.lane limit 1) from {queue} n where n.name in (??)",
				(row, n) -> seen.put(row.getString(1), new QueueSnapshot(row.getInt(2) == 1, row.getInt(3),
						row.getInt(4) > 0, due.get(row.getString(1)), true, row.getString(5))),
				names);
		return seen;
	}

	/**
	 * Return the due time of each queue's first scheduled job, from an instant on.
	 * @param except the ids of jobs that do not count
	 */
	static Map<String, Long> firstDue(Statements statements, Collection<String> names, long from, Set<String> except) {
		Map<String, Long> due = new HashMap<>();
		Set<String> distinct = new LinkedHashSet<>(names);
		statements.query(
				"select n.name, (select min(j.due_at) from {job} j where j.queue = n.name and j.state = {scheduled} "
						+ "and j.due_at >= ? and not (j.id in (??))) from {queue} n where n.name in (??)",
				(row, number) -> {
					long at = row.getLong(2);
					if (!row.wasNull()) {
						due.put(row.getString(1), at);
					}
					return at;
				}, from, except, distinct);
		return due;
	}

	int limit(Quota quota) {
		return (this.max >= 0) ? this.max : quota.maxRunning();
	}

	public boolean lanes() {
		return this.firstLane != null;
	}

	public boolean isDue(long now) {
		return this.firstDue != null && this.firstDue <= now;
	}

}
