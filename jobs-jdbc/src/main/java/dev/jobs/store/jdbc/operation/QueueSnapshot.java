package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue that a claim reads before it takes jobs.
 *
 * @param paused whether it is paused
 * @param max its stored running limit, or -1
 * @param refuses whether it was too long for a job
 * @param firstDue when its first job that waits until then is due, or {@code null}
 * @param mayHaveReady whether it may have ready jobs
 * @param firstLane the first lane that ready jobs are in, or {@code null} if none are;
 * empty if some without a lane are more or less urgent than normal
 * @param laneSettings whether operators have set something for lanes of it
 * @param heldUntil until when it or a lane of it is held back
 */
public record QueueSnapshot(boolean paused, int max, boolean refuses, @Nullable Long firstDue, boolean mayHaveReady,
		@Nullable String firstLane, boolean laneSettings, long heldUntil) {

	/** The value of {@code limit_hit} if a limit kept a claim from getting more. */
	static final int LIMIT_HIT = 1;

	/**
	 * The value of {@code limit_hit} if there is a limit and nobody waits for room below
	 * it.
	 */
	static final int LIMITED = 2;

	private static final QueueSnapshot UNKNOWN = new QueueSnapshot(false, -1, false, null, true, null, false, 0);

	public static QueueSnapshot of(Map<String, QueueSnapshot> seen, String queue) {
		return seen.getOrDefault(queue, UNKNOWN);
	}

	/**
	 * Read queues in steps. Whether they have ready jobs is not read.
	 */
	public static Map<String, QueueSnapshot> of(Statements statements, Dialect dialect, List<String> names) {
		Map<String, Long> due = firstDue(statements, dialect, names, Long.MIN_VALUE, Set.of());
		Map<String, QueueSnapshot> seen = new HashMap<>();
		statements
			.query("select n.name, n.paused, n.max_running, n.refused_length, (select j.lane from {job} j where j.queue = n.name "
					+ "and j.state = {laned} order by j.lane limit 1), n.lanes_set, n.held_until from {queue} n where n.name in (??)",
					(row, n) -> seen.put(row.getString(1),
							new QueueSnapshot(row.getInt(2) == 1, row.getInt(3), row.getInt(4) > 0,
									due.get(row.getString(1)), true, row.getString(5), row.getInt(6) > 0,
									row.getLong(7))),
					names);
		return seen;
	}

	/**
	 * Return the due time of each queue's first job that waits until then, from an
	 * instant on.
	 * @param except the ids of jobs that do not count
	 */
	static Map<String, Long> firstDue(Statements statements, Dialect dialect, Collection<String> names, long from,
			Set<String> except) {
		Map<String, Long> due = new HashMap<>();
		StringBuilder sql = new StringBuilder("select n.name");
		List<Object> arguments = new ArrayList<>();
		for (String condition : dialect.untilDue()) {
			sql.append(", (select min(j.due_at) from {job} j where j.queue = n.name and ")
				.append(condition)
				.append(" and j.due_at >= ? and not (j.id in (??)))");
			arguments.addAll(List.of(from, except));
		}
		arguments.add(new LinkedHashSet<>(names));
		statements.query(sql + " from {queue} n where n.name in (??)", (row, number) -> {
			for (int column = 2; column <= arguments.size() / 2 + 1; column++) {
				long at = row.getLong(column);
				if (!row.wasNull()) {
					due.merge(row.getString(1), at, Math::min);
				}
			}
			return number;
		}, arguments.toArray());
		return due;
	}

	int limit(Quota quota) {
		return (this.max >= 0) ? this.max : quota.maxRunning();
	}

	public boolean lanes() {
		return this.firstLane != null;
	}

	/**
	 * Return whether rates or holds may keep its jobs from starting.
	 */
	public boolean isGated(Quota quota, long now) {
		return quota.rates() != null || this.heldUntil > now;
	}

	public boolean isDue(long now) {
		return this.firstDue != null && this.firstDue <= now;
	}

}
