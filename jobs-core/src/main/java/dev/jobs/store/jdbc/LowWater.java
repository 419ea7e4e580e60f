package dev.jobs.store.jdbc;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far the places of each queue are known to be empty, so that claims need not pass
 * over the entries of all jobs that have left: while any session holds an old snapshot,
 * PostgreSQL cannot clear these away.
 * <p>
 * That no job is to be seen below a place is no proof: one may be locked, or not
 * committed yet. So it is looked at again when all transactions have ended that were
 * under way at the first look. About once a minute a claim looks through a queue from the
 * start all the same, since a place may have been drawn long before its job was inserted.
 */
final class LowWater {

	private static final long LOOK = 200;

	private static final long WHOLE_LOOK = 60_000;

	private static final String FIRST_PLACE = PostgresDialect.PLANS
			+ "select place from {job} where queue = ? and state = 1 and place >= ? and place < ? order by place limit 1";

	private final Map<String, Level> levels = new HashMap<>();

	private long nextLook;

	private long nextWholeLook;

	/**
	 * Return up to where a queue is known to be empty.
	 */
	synchronized long of(String queue) {
		Level level = this.levels.get(queue);
		return (level != null) ? level.mark : 0;
	}

	/**
	 * Return up to where queues are known to be empty that were looked through lately.
	 */
	synchronized Map<String, Long> marks(long now) {
		Map<String, Long> marks = new LinkedHashMap<>();
		this.levels.forEach((queue, level) -> {
			if (Math.abs(now - level.nextWholeLook) <= WHOLE_LOOK) {
				marks.put(queue, level.mark);
			}
		});
		return marks;
	}

	/**
	 * Return from where a claim is to look for ready jobs.
	 */
	synchronized long from(String queue, long now) {
		Level level = this.levels.get(queue);
		return (level == null || isToBeLookedThrough(level, now)) ? 0 : level.mark;
	}

	/**
	 * Tell whether it is time to look through a queue, which may take seconds, so one
	 * claim does not do so with all. Claims that are rare do it with several.
	 */
	private boolean isToBeLookedThrough(Level level, long now) {
		if (level.mark == 0 || !isReached(this.nextWholeLook, now) || !isReached(level.nextWholeLook, now)) {
			return false;
		}
		level.nextWholeLook = now + WHOLE_LOOK;
		this.nextWholeLook = Math.max(Math.min(this.nextWholeLook, now), now - WHOLE_LOOK / 2)
				+ WHOLE_LOOK / (this.levels.size() + 1);
		return true;
	}

	/**
	 * Tell whether a time has come, or is so far off that the clock was set back.
	 */
	private static boolean isReached(long time, long now) {
		return now >= time || time - now > WHOLE_LOOK;
	}

	/**
	 * Note the first places that a claim found in queues.
	 */
	synchronized void found(Map<String, Long> firstPlaces) {
		firstPlaces.forEach((queue, place) -> {
			Level level = this.levels.computeIfAbsent(queue, (added) -> new Level());
			if (place >= 0 && place < level.mark) {
				level.mark = place;
				level.candidate = 0;
			}
			if (level.candidate == 0 && place > level.mark) {
				level.candidate = place;
				level.until = 0;
			}
		});
	}

	/**
	 * Raise marks that have become certain, and look where that is to be found out. To be
	 * called before a claim holds anything: its jobs come back if it is rolled back.
	 */
	void raise(Statements statements, long now) {
		List<String> due = due(now);
		if (due.isEmpty()) {
			return;
		}
		Snapshot snapshot = statements.first(
				"select pg_snapshot_xmin(s)::text, pg_snapshot_xmax(s)::text " + "from pg_current_snapshot() s",
				(row, n) -> new Snapshot(row.getLong(1), row.getLong(2)));
		if (snapshot == null) {
			return;
		}
		for (String queue : due) {
			raise(statements, queue, snapshot);
		}
	}

	private synchronized List<String> due(long now) {
		if (now < this.nextLook && this.nextLook - now <= LOOK) {
			return List.of();
		}
		this.nextLook = now + LOOK;
		return this.levels.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().candidate > 0)
			.map(Map.Entry::getKey)
			.toList();
	}

	private void raise(Statements statements, String queue, Snapshot snapshot) {
		long mark;
		long candidate;
		synchronized (this) {
			Level level = this.levels.get(queue);
			if (level == null || level.candidate == 0) {
				return;
			}
			if (level.until == 0) {
				level.until = snapshot.end();
				return;
			}
			if (snapshot.begin() < level.until) {
				return;
			}
			candidate = level.candidate;
			mark = level.mark;
		}
		List<Long> left = PostgresDialect.run(statements, FIRST_PLACE, (row, n) -> row.getLong(1), queue, mark,
				candidate);
		settle(queue, candidate, left.isEmpty() ? candidate : left.get(0));
	}

	private synchronized void settle(String queue, long candidate, long certain) {
		Level level = this.levels.get(queue);
		if (level != null && level.candidate == candidate) {
			level.mark = certain;
			level.candidate = 0;
		}
	}

	/** How far one queue is known to be empty. */
	private static final class Level {

		private long mark;

		/** A place below which nothing was seen, or 0. */
		private long candidate;

		/** The first transaction that began after that, or 0 if it is not known yet. */
		private long until;

		private long nextWholeLook;

	}

	/**
	 * Which transactions are under way.
	 *
	 * @param begin the first that is
	 * @param end the first that has not begun
	 */
	private record Snapshot(long begin, long end) {

	}

}
