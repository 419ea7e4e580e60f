package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.jobs.store.jdbc.PostgresDialect.Listed;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;

/**
 * Finds a slice of the jobs of several queues and states in PostgreSQL, of which each has
 * an index in the order of time, without reading what is before it: the {@link Course}
 * tells about when the slice begins and ends, and how many jobs are before these times is
 * counted in the indexes.
 */
final class Merging {

	/** How many jobs before and behind a slice may be read. */
	private static final int NEAR = 2000;

	/** How often a time is guessed; there is none if very many jobs have the same. */
	private static final int GUESSES = 12;

	private static final String QUEUES = "with k (name, begins, ends) as (select * from unnest(?::text[], ?::bigint[], "
			+ "?::bigint[])) ";

	private final Statements statements;

	private final Selection selection;

	private final List<String> names;

	private final Course course;

	/** How many jobs come before some moments. */
	private final TreeMap<Long, Long> ranks = new TreeMap<>(Map.of(Course.BEGIN, 0L));

	private Merging(Statements statements, Selection selection) {
		this.statements = statements;
		this.selection = selection;
		String name = selection.filter().getName();
		this.names = (name != null) ? List.of(name)
				: statements.query(PostgresViews.NAMES + "select name from known", (row, n) -> row.getString(1));
		this.course = Course.of(statements, selection, this.names);
	}

	static List<String> find(Statements statements, Selection selection, long from, int size) {
		return new Merging(statements, selection).slice(from, size);
	}

	private List<String> slice(long from, int size) {
		if (from >= this.course.most()) {
			return List.of();
		}
		long begin = before(from);
		long end = (from + size < this.course.about()) ? behind(from + size) : Course.END;
		long passedOver = from - Objects.requireNonNull(this.ranks.get(begin));
		return read(begin, end, passedOver + size).stream()
			.sorted(this.selection.newestFirst() ? Row.ORDER.reversed() : Row.ORDER)
			.skip(passedOver)
			.limit(size)
			.map(Row::id)
			.toList();
	}

	/**
	 * Return a moment with no more than so many jobs before it, and hardly fewer.
	 */
	private long before(long rank) {
		for (int guess = 0;; guess++) {
			Map.Entry<Long, Long> low = low(rank);
			Map.Entry<Long, Long> high = this.ranks.higherEntry(low.getKey());
			if (rank - low.getValue() <= NEAR || guess == GUESSES || !look(low, high, rank - NEAR / 2)) {
				return low.getKey();
			}
		}
	}

	/**
	 * Return a moment with at least so many jobs before it, and hardly more.
	 */
	private long behind(long rank) {
		for (int guess = 0;; guess++) {
			Map.Entry<Long, Long> low = low(rank);
			Map.Entry<Long, Long> high = low.getValue().equals(rank) ? low : this.ranks.higherEntry(low.getKey());
			boolean near = high != null && high.getValue() - rank <= NEAR;
			if (near || guess == GUESSES || !look(low, high, rank + NEAR / 2)) {
				return (high != null) ? high.getKey() : Course.END;
			}
		}
	}

	private Map.Entry<Long, Long> low(long rank) {
		Map.Entry<Long, Long> low = this.ranks.firstEntry();
		for (Map.Entry<Long, Long> next = low; next != null
				&& next.getValue() <= rank; next = this.ranks.higherEntry(next.getKey())) {
			low = next;
		}
		return low;
	}

	/**
	 * Count up to a moment between two, from the one that is nearer.
	 * @return whether there was one to be tried
	 */
	private boolean look(Map.Entry<Long, Long> low, Map.@Nullable Entry<Long, Long> high, long rank) {
		long moment = this.course.guess(low, high, rank, this.ranks.size() % 2 == 0);
		if (moment <= low.getKey() || (high != null && moment >= high.getKey())) {
			return false;
		}
		this.ranks.put(moment, (high != null && high.getValue() - rank < rank - low.getValue())
				? high.getValue() - count(moment, high.getKey()) : low.getValue() + count(low.getKey(), moment));
		return true;
	}

	private long count(long begin, long end) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String text = select("1", new Period(begin, end, -1), arguments);
		return run(QUEUES + "select count(*) from (" + text + ") j", (row, n) -> row.getLong(1), arguments).get(0);
	}

	private List<Row> read(long begin, long end, long most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String text = select("j.id, j.queue, %s", new Period(begin, end, most), arguments);
		return run(QUEUES + text, (row, n) -> {
			long at = row.getLong(3);
			return (row.getInt(4) == 1) ? new Row(this.course.time(row.getString(2), at), at, row.getString(1))
					: new Row(at, Long.MIN_VALUE, row.getString(1));
		}, arguments);
	}

	private <T> List<T> run(String sql, RowMapper<T> mapper, List<@Nullable Object> arguments) {
		return PostgresDialect.run(this.statements, (this.statements.isAlone() ? PostgresDialect.PLANS : "") + sql,
				mapper, arguments.toArray());
	}

	/**
	 * Return a query for what comes in a period. Ready jobs are looked up by their
	 * places, of which the course tells when they come.
	 */
	private String select(String columns, Period period, List<@Nullable Object> arguments) {
		boolean newest = this.selection.newestFirst();
		Period times = newest ? period.turned() : period;
		arguments.add(PostgresDialect.texts(this.names, (name) -> name));
		arguments.add(places(times.begin()));
		arguments.add(places(times.end()));
		String direction = newest ? " desc" : "";
		List<String> selects = new ArrayList<>();
		for (Selection.Part part : this.selection.parts()) {
			String time = part.column().equals("due_at") ? "j.due_at" : "j.since";
			String found = "select j.* from k cross join lateral (select " + columns
					+ " from {job} j where j.queue = k.name and " + part.condition();
			boolean byPlace = part.isByPlace();
			selects.add(found.formatted(byPlace ? "j.place, 1" : time + ", 0")
					+ (byPlace ? " and j.place >= k.begins and j.place < k.ends"
							: " and " + time + " >= ? and " + time + " < ?")
					+ limit(times, (byPlace ? "j.place" : time + direction + ", j.id") + direction) + ") j");
			arguments.addAll(part.arguments());
			if (!byPlace) {
				arguments.addAll(List.of(times.begin(), times.end()));
			}
		}
		return String.join(" union all ", selects);
	}

	private Listed places(long time) {
		return PostgresDialect.numbers(this.names, (name) -> this.course.place(name, time));
	}

	private static String limit(Period period, String order) {
		return (period.most() < 0) ? " offset 0" : " order by " + order + " limit " + period.most();
	}

	/**
	 * What to look at.
	 *
	 * @param begin the first moment
	 * @param end the first moment behind it
	 * @param most how many jobs of a kind and queue, or less than 0 for all
	 */
	private record Period(long begin, long end, long most) {

		/** Return the times where the latest come first. */
		Period turned() {
			return new Period(1 - this.end, 1 - this.begin, this.most);
		}

	}

	/**
	 * A job that was read.
	 *
	 * @param time when it comes
	 * @param place where it comes among those of the same time if it is ready
	 * @param id its id
	 */
	private record Row(long time, long place, String id) {

		static final Comparator<Row> ORDER = Comparator.comparingLong(Row::time)
			.thenComparingLong(Row::place)
			.thenComparing(Row::id);

	}

}
