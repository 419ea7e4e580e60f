package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How far the places of each queue are known to be empty, so that claims need not pass
 * over the entries of all jobs that have left: while any session holds an old snapshot,
 * PostgreSQL cannot clear these away.
 * <p>
 * That no job is to be seen below a place is no proof: one may be locked, or not
 * committed yet. So it is looked at again when all {@link Writers} of jobs have ended
 * that were under way after the first look. Now and then a queue is looked through from
 * the start all the same, since another program may have drawn a place long before it
 * inserted the job; that is no claim's business, since it may take seconds. Processes
 * tell each other by the table of queues, so that one which starts need not find out by
 * itself.
 */
final class LowWater {

	private static final long LOOK = 200;

	/** How much farther a mark must be to be worth telling. */
	private static final long STEP = 10_000;

	private static final String FIRST_PLACE = PostgresDialect.PLANS
			+ "select place from {job} where queue = ? and state = 1 and place >= ? and place < ? order by place limit 1";

	private static final String FIRST_PLACES = PostgresDialect.PLANS + """
			select asked.queue, (select j.place from {job} j where j.queue = asked.queue and j.state = 1
					and j.place >= 0 and j.place < asked.mark order by j.place limit 1)
				from unnest(?::text[], ?::bigint[]) as asked (queue, mark)""";

	private static final String TOLD = "select name, low_place from {queue} where name in (??)";

	private static final String TELL = "update {queue} set low_place = ? where name = ? " + "and (low_place < ? - "
			+ STEP + " or low_place > ?)";

	private final Map<String, Level> levels = new HashMap<>();

	private long nextLook;

	private volatile int lookedThroughAtOnce = Integer.MAX_VALUE;

	/**
	 * Return up to where a queue is known to be empty.
	 */
	synchronized long of(String queue) {
		Level level = this.levels.get(queue);
		return (level != null) ? level.mark : 0;
	}

	/**
	 * Return up to where queues are known to be empty.
	 */
	synchronized Map<String, Long> marks() {
		Map<String, Long> marks = new LinkedHashMap<>();
		this.levels.forEach((queue, level) -> marks.put(queue, level.mark));
		return marks;
	}

	/**
	 * Learn what other processes know of queues, once for each.
	 */
	void learn(Statements statements, Collection<String> queues) {
		List<String> unknown = unknown(queues);
		if (!unknown.isEmpty()) {
			Map<String, Long> told = new HashMap<>();
			statements.query(TOLD, (row, n) -> told.put(row.getString(1), Math.max(row.getLong(2), 0)), unknown);
			learned(unknown, told);
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
	 * Note the first places that a claim found in queues.
	 */
	synchronized void found(Map<String, Long> firstPlaces) {
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
	 * Raise marks that have become certain, and look where that is to be found out. To be
	 * called before a claim holds anything: its jobs come back if it is rolled back.
	 */
	void raise(Statements statements, long now) {
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

	/**
	 * Look through queues from the start, those first that have waited longest for it,
	 * and tell other processes. They are fewer the next time if it does not succeed.
	 * @return which part of all queues they are
	 */
	double lookThrough(Statements statements) {
		Map<String, Long> asked = toBeLookedThrough();
		if (asked.isEmpty()) {
			return 1;
		}
		this.lookedThroughAtOnce = Math.max(asked.size() / 2, 1);
		Map<String, @Nullable Long> first = new LinkedHashMap<>();
		List<String> queues = List.copyOf(asked.keySet());
		PostgresDialect.run(statements, FIRST_PLACES,
				(row, n) -> first.put(row.getString(1), row.getObject(2, Long.class)),
				PostgresDialect.texts(queues, (queue) -> queue), PostgresDialect.numbers(queues, asked::get));
		this.lookedThroughAtOnce = asked.size() * 2;
		List<@Nullable Object[]> told = new ArrayList<>();
		new TreeMap<>(lookedThrough(first))
			.forEach((queue, mark) -> told.add(new @Nullable Object[] { mark, queue, mark, mark }));
		statements.batch(TELL, told);
		return (double) asked.size() / size();
	}

	private synchronized int size() {
		return Math.max(this.levels.size(), 1);
	}

	private synchronized Map<String, Long> toBeLookedThrough() {
		Map<String, Long> marks = new LinkedHashMap<>();
		this.levels.values()
			.stream()
			.filter((level) -> level.mark > 0)
			.sorted(Comparator.comparingLong((level) -> level.looks))
			.limit(this.lookedThroughAtOnce)
			.forEach((level) -> {
				level.looks++;
				marks.put(level.queue, level.mark);
			});
		return marks;
	}

	private synchronized Map<String, Long> lookedThrough(Map<String, @Nullable Long> first) {
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

	/** How far one queue is known to be empty. */
	private static final class Level {

		private final String queue;

		private long mark;

		/** A place below which nothing was seen, or 0. */
		private long candidate;

		/** Whose end makes that certain, or {@code null} if it is not known yet. */
		private @Nullable Writers awaited;

		/** How often the queue was looked through. */
		private long looks;

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
