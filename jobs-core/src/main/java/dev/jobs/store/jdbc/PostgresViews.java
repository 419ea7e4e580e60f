package dev.jobs.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.jobs.store.JobInspector;
import dev.jobs.store.QueueView;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * What a person sees of the jobs in PostgreSQL, in a time that hardly grows with them:
 * each state of each queue has an index, of which a bounded part is read.
 */
final class PostgresViews {

	/**
	 * Up to how many jobs of a kind are counted for the overview: fewer if there are many
	 * queues, so that all of them take no longer.
	 */
	private static final String BOUND = "(select greatest(100, least(10000, 15000 / greatest(1, count(*)))) from known)";

	/** How far queues and states are merged; farther away all is sorted. */
	private static final int MERGED = 2000;

	/**
	 * The queues that are known, and those of jobs that another program added. They are
	 * found by leaping through the index.
	 */
	private static final String NAMES = """
			with recursive foreign_name (name) as (
				(select j.queue from {job} j where j.state = 1 order by j.queue, j.place limit 1)
				union all
				select (select j.queue from {job} j where j.state = 1 and j.queue > f.name
					order by j.queue, j.place limit 1)
				from foreign_name f where f.name is not null
			), known (name) as (
				select name from {queue} union select name from foreign_name where name is not null
			)
			""";

	private static final List<Kind> KINDS = List.of(new Kind("j.state = 1", "j.place"),
			new Kind("j.state = 0 and j.due_at <= ?", "j.due_at, j.id"),
			new Kind("j.state = 0 and j.due_at > ?", "j.due_at, j.id"),
			new Kind("j.state = 0 and j.attempt > 1 and j.due_at > ?", "j.due_at, j.id"),
			new Kind("j.state = 2", "j.token"), new Kind("j.state = 3", "j.since, j.id"),
			new Kind("j.state > 3", "j.since, j.id"));

	/**
	 * Counts, what workers have told to serve, and a sample of some 200 pages with the
	 * part of the whole that it is.
	 */
	private static final String QUEUES = NAMES + "select k.name, coalesce(q.paused, 0), coalesce(q.max_running, -1), "
			+ String.join(", ", KINDS.stream().map(Kind::counting).toList()) + """
					,
						(select j.due_at from {job} j where j.queue = k.name and j.state = 1 order by j.place limit 1),
						(select j.due_at from {job} j where j.queue = k.name and j.state = 0 and j.due_at <= ?
							order by j.due_at, j.id limit 1),
						""" + BOUND
			+ """
					from known k left join {queue} q on q.name = k.name order by k.name;
					select w.info from {worker} w where w.lease_until >= ? and w.info is not null;
					select seen.queue, seen.kind, sum(seen.many) * greatest(1, pg_relation_size(cast(? as regclass)) / 1638400.0)
					from (select j.queue, count(*) as many, case when j.state = 0 and j.due_at > ? then 2
							when j.state = 0 then 1 when j.state = 1 then 0 when j.state > 3 then 6 else j.state + 2 end as kind
						from {job} j tablesample system (100 / greatest(1, pg_relation_size(cast(? as regclass)) / 1638400.0))
						group by 1, 3
						union all
						select j.queue, count(*), 3
						from {job} j tablesample system (100 / greatest(1, pg_relation_size(cast(? as regclass)) / 1638400.0))
						where j.state = 0 and j.attempt > 1 and j.due_at > ? group by 1) seen
					group by 1, 2""";

	private PostgresViews() {
	}

	static List<QueueView> queues(Statements statements, long now) {
		String table = statements.name("job");
		Object[] arguments = { now, now, now, now, now, table, now, table, table, now };
		return Objects.requireNonNull(statements.jdbc().execute((connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(QUEUES));
			for (int i = 0; i < arguments.length; i++) {
				prepared.setObject(i + 1, arguments[i]);
			}
			return prepared;
		}, (PreparedStatement prepared) -> read(prepared)));
	}

	private static List<QueueView> read(PreparedStatement prepared) throws SQLException {
		prepared.execute();
		List<Counted> counted = rows(prepared, Counted::read);
		prepared.getMoreResults();
		Set<String> served = new HashSet<>();
		for (String text : rows(prepared, (row) -> row.getString(1))) {
			WorkerInfo info = Texts.info(text);
			if (info != null) {
				info.pools().forEach((pool) -> served.addAll(pool.queues()));
			}
		}
		prepared.getMoreResults();
		Map<String, long[]> sampled = new HashMap<>();
		rows(prepared, (row) -> sampled.computeIfAbsent(row.getString(1), (queue) -> new long[KINDS.size()])[row
			.getInt(2)] = Math.round(row.getDouble(3)));
		return counted.stream().map((queue) -> queue.view(sampled.get(queue.name()), served)).toList();
	}

	private static <T> List<T> rows(PreparedStatement prepared, Reading<T> reading) throws SQLException {
		List<T> rows = new ArrayList<>();
		try (ResultSet result = prepared.getResultSet()) {
			while (result.next()) {
				rows.add(reading.read(result));
			}
		}
		return rows;
	}

	static long count(Statements statements, Selection selection, int most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String text = merged(selection, "1", most, arguments);
		arguments.add(most);
		return statements.number(text.formatted("count(*) from (select 1") + " limit ?) counted", arguments.toArray());
	}

	static List<String> find(Statements statements, Selection selection, long from, int size) {
		List<@Nullable Object> arguments = new ArrayList<>();
		List<Selection.Part> parts = selection.parts();
		String text;
		if (selection.filter().name() != null && parts.size() == 1) {
			text = "select j.id from {job} j where j.queue = ? and " + parts.get(0).condition() + " order by "
					+ parts.get(0).order();
			arguments.add(selection.filter().name());
			arguments.addAll(parts.get(0).arguments());
		}
		else if (from > JobInspector.FARTHEST) {
			return List.of();
		}
		else if (from + size <= MERGED) {
			text = merged(selection, "j.id, j.since", (int) from + size, arguments).formatted("j.id") + " order by "
					+ selection.whole().order();
		}
		else {
			Selection.Part whole = selection.whole();
			text = "select j.id from {job} j where " + whole.condition() + " order by " + whole.order();
			arguments.addAll(whole.arguments());
		}
		arguments.add(size);
		arguments.add(from);
		return statements.query(text + " limit ? offset ?", (row, n) -> row.getString(1), arguments.toArray());
	}

	/**
	 * Return a query for the first jobs of each part of a selection, in each queue.
	 */
	private static String merged(Selection selection, String columns, int most, List<@Nullable Object> arguments) {
		String name = selection.filter().name();
		List<String> parts = new ArrayList<>();
		for (Selection.Part part : selection.parts()) {
			String first = "(select " + columns + " from {job} j where j.queue = " + ((name != null) ? "?" : "k.name")
					+ " and " + part.condition() + " order by " + part.order() + " limit ?)";
			parts.add((name != null) ? first : "select j.* from known k cross join lateral " + first + " j");
			if (name != null) {
				arguments.add(name);
			}
			arguments.addAll(part.arguments());
			arguments.add(most);
		}
		return ((name != null) ? "" : NAMES) + "select %s from (" + String.join(" union all ", parts) + ") j";
	}

	@FunctionalInterface
	private interface Reading<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * Jobs that are counted together.
	 *
	 * @param condition what they have in common
	 * @param order the order of the index that they are in
	 */
	private record Kind(String condition, String order) {

		String counting() {
			return "(select count(*) from (select 1 from {job} j where j.queue = k.name and " + this.condition
					+ " order by " + this.order + " limit " + BOUND + ") counted)";
		}

	}

	/**
	 * What was counted of a queue.
	 *
	 * @param name its name
	 * @param paused whether it is paused
	 * @param limit its limit
	 * @param counts how many of each kind
	 * @param oldest when the oldest ready job was due, or {@code null}
	 * @param bound how many of a kind were counted at most
	 */
	private record Counted(String name, boolean paused, int limit, long[] counts, @Nullable Instant oldest,
			long bound) {

		static Counted read(ResultSet row) throws SQLException {
			long[] counts = new long[KINDS.size()];
			for (int i = 0; i < counts.length; i++) {
				counts[i] = row.getLong(4 + i);
			}
			long oldest = Long.MAX_VALUE;
			for (int column = 4 + counts.length; column < 6 + counts.length; column++) {
				long due = row.getLong(column);
				oldest = row.wasNull() ? oldest : Math.min(oldest, due);
			}
			return new Counted(row.getString(1), row.getInt(2) == 1, row.getInt(3), counts,
					(oldest < Long.MAX_VALUE) ? Millis.instant(oldest) : null, row.getLong(6 + counts.length));
		}

		QueueView view(long @Nullable [] sampled, Set<String> served) {
			boolean exact = true;
			long[] known = this.counts.clone();
			for (int i = 0; i < known.length; i++) {
				if (known[i] >= this.bound) {
					exact = false;
					known[i] = Math.max(known[i], (sampled != null) ? sampled[i] : 0);
				}
			}
			return new QueueView(this.name, known[0] + known[1], known[2], known[3], known[4], known[5], known[6],
					this.oldest, this.paused, this.limit, served.contains(this.name), exact);
		}

	}

}
