package dev.jobs.store.jdbc.postgres.mark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * The place up to which each queue is known to be empty, so that claims skip the index
 * entries of jobs that have left, which PostgreSQL cannot clean up while any session has
 * an old snapshot.
 * <p>
 * Seeing no job below a place proves nothing: one may be locked or not committed. So the
 * range is read again once all {@link Writers} that were under way after the first read
 * have ended. Now and then a queue is checked from its start anyway, since another
 * program may have drawn a place long before it inserted the job; claims do not do this,
 * since it may take seconds. Processes share their marks in the table of queues, so that
 * a new process need not find them itself.
 */
public final class LowWaterMarks {

	private static final long LOOK = 200;

	/** By how much a mark must rise to be worth sharing. */
	private static final long STEP = 10_000;

	private static final String SHARED = "select name, low_place from {queue} where name in (??)";

	private static final String SHARE = "update {queue} set low_place = ? where name = ? " + "and (low_place < ? - "
			+ STEP + " or low_place > ?)";

	private final Map<String, Level> levels = new HashMap<>();

	private long nextLook;

	private volatile int checkedAtOnce = Integer.MAX_VALUE;

	/**
	 * Return up to where a queue is known to be empty.
	 */
	public synchronized long of(String queue) {
		Level level = this.levels.get(queue);
		return (level != null) ? level.mark : 0;
	}

	/**
	 * Return up to where queues are known to be empty.
	 */
	public synchronized Map<String, Long> all() {
		Map<String, Long> marks = new LinkedHashMap<>();
		this.levels.forEach((queue, level) -> marks.put(queue, level.mark));
		return marks;
	}

	/**
	 * Read the marks that other processes have shared, once for each queue.
	 */
	public void learn(Statements statements, Collection<String> queues) {
		List<String> unknown = unknown(queues);
		if (!unknown.isEmpty()) {
			Map<String, Long> shared = new HashMap<>();
			statements.query(SHARED, (row, n) -> shared.put(row.getString(1), Math.max(row.getLong(2), 0)), unknown);
			learned(unknown, shared);
		}
	}

	private synchronized List<String> unknown(Collection<String> queues) {
		return queues.stream().filter((queue) -> !this.levels.containsKey(queue)).distinct().toList();
	}

	private synchronized void learned(List<String> queues, Map<String, Long> marks) {
		queues.forEach((queue) -> this.levels.computeIfAbsent(queue,
				(added) -> new Level(queue, marks.getOrDefault(queue, 0L))));
	}

	/**
	 * Record the first places that a claim found in queues.
	 */
	public synchronized void found(Map<String, Long> firstPlaces) {
		firstPlaces.forEach((queue, place) -> {
			Level level = this.levels.computeIfAbsent(queue, (added) -> new Level(queue, 0));
			if (place >= 0 && place < level.mark) {
				level.lower(place);
			}
			if (level.candidate == 0 && place > level.mark) {
				level.candidate = place;
				level.awaited = null;
			}
		});
	}

	/**
	 * Raise marks that have become certain, and begin to find others. Call this before a
	 * claim holds jobs: they come back if it is rolled back.
	 */
	public void raise(Statements statements, long now) {
		List<String> due = due(now);
		if (due.isEmpty()) {
			return;
		}
		Writers writers = Writers.underWay(statements, "job");
		for (String queue : due) {
			raise(statements, queue, writers);
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

	private void raise(Statements statements, String queue, Writers writers) {
		long mark;
		long candidate;
		synchronized (this) {
			Level level = this.levels.get(queue);
			if (level == null || level.candidate == 0) {
				return;
			}
			level.awaited = (level.awaited != null) ? level.awaited.still(writers) : writers;
			if (!level.awaited.isNone()) {
				return;
			}
			candidate = level.candidate;
			mark = level.mark;
		}
		List<Long> left = PostgresStatements.runByIndex(statements, PostgresSql.FIRST_PLACE, (row, n) -> row.getLong(1),
				queue, mark, candidate);
		settle(queue, candidate, left.isEmpty() ? candidate : left.get(0));
	}

	private synchronized void settle(String queue, long candidate, long certain) {
		Level level = this.levels.get(queue);
		if (level != null && level.candidate == candidate) {
			level.mark = certain;
			level.candidate = 0;
		}
	}

	/**
	 * Check queues from their start, those first that have waited longest, and share the
	 * marks. If this fails, the next check takes fewer queues.
	 * @return the checked part of all queues
	 */
	double check(Statements statements) {
		Map<String, Long> asked = toBeChecked();
		if (asked.isEmpty()) {
			return 1;
		}
		this.checkedAtOnce = Math.max(asked.size() / 2, 1);
		Map<String, @Nullable Long> first = new LinkedHashMap<>();
		List<String> queues = List.copyOf(asked.keySet());
		PostgresStatements.runByIndex(statements, PostgresSql.FIRST_PLACES_BELOW_MARKS,
				(row, n) -> first.put(row.getString(1), row.getObject(2, Long.class)),
				PostgresStatements.texts(queues, (queue) -> queue), PostgresStatements.numbers(queues, asked::get));
		this.checkedAtOnce = asked.size() * 2;
		List<@Nullable Object[]> rows = new ArrayList<>();
		new TreeMap<>(checked(first))
			.forEach((queue, mark) -> rows.add(new @Nullable Object[] { mark, queue, mark, mark }));
		statements.batch(SHARE, rows);
		return (double) asked.size() / size();
	}

	private synchronized int size() {
		return Math.max(this.levels.size(), 1);
	}

	private synchronized Map<String, Long> toBeChecked() {
		Map<String, Long> marks = new LinkedHashMap<>();
		this.levels.values()
			.stream()
			.filter((level) -> level.mark > 0)
			.sorted(Comparator.comparingLong((level) -> level.checks))
			.limit(this.checkedAtOnce)
			.forEach((level) -> {
				level.checks++;
				marks.put(level.queue, level.mark);
			});
		return marks;
	}

	private synchronized Map<String, Long> checked(Map<String, @Nullable Long> first) {
		Map<String, Long> marks = new LinkedHashMap<>();
		first.forEach((queue, place) -> {
			Level level = this.levels.get(queue);
			if (level != null) {
				if (place != null && place < level.mark) {
					level.lower(place);
				}
				marks.put(queue, level.mark);
			}
		});
		return marks;
	}

	/** The mark of one queue. */
	private static final class Level {

		private final String queue;

		private long mark;

		/** A place below which no job was seen, or 0. */
		private long candidate;

		/**
		 * The writers whose end makes that certain, or {@code null} until they are known.
		 */
		private @Nullable Writers awaited;

		/** How often the queue was checked. */
		private long checks;

		Level(String queue, long mark) {
			this.queue = queue;
			this.mark = mark;
		}

		void lower(long place) {
			this.mark = place;
			this.candidate = 0;
		}

	}

}
