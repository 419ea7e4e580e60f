package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads lists of jobs in PostgreSQL, in a time that hardly grows with them: each state of
 * each queue has an index, of which a bounded part is read.
 */
final class PostgresPages {

	/** The first queue with ready jobs in what is left of a gap. */
	private static final String NEXT = """
			select coalesce(
				(select j.queue from {job} j where j.state = 1 and j.queue > gap.name and j.queue < gap.until
					order by j.queue, j.place limit 1),
				(select j.queue from {job} j where j.state = 1 and j.queue > gap.name and gap.until is null
					order by j.queue, j.place limit 1)), gap.until
			from\s""";

	/**
	 * The queues that are known, and those of jobs that another program added. They are
	 * found by leaping through the index, in the gaps between those that are known.
	 */
	static final String NAMES = """
			with recursive outset (name, until) as (
				select '', min(name) from {queue}
				union all
				select name, lead(name) over (order by name) from {queue}
			), foreign_name (name, until) as (
			""" + NEXT + "outset gap union all " + NEXT + """
			foreign_name gap where gap.name is not null
			), known (name) as (
				select name from {queue} union select name from foreign_name where name is not null
			)
			""";

	static final String HAS_TAG = "j.headers like '%\"jobs.tags\":%' "
			+ "and string_to_array(j.headers::json ->> 'jobs.tags', ',') @> array[?::text]";

	/** More jobs than these are looked for among all, where they are not far apart. */
	private static final int FEW = 10_000;

	/**
	 * The jobs that have a tag, found by the index of tags before anything else, and how
	 * many of them were found.
	 */
	private static final String TAGGED = "with tagged as materialized (select " + Candidate.COLUMNS
			+ " from {job} j where " + HAS_TAG + " limit " + (FEW + 1) + ") select " + Candidate.COLUMNS
			+ ", counted.all_tagged from (select count(*) as all_tagged from tagged) counted "
			+ "left join tagged j on counted.all_tagged <= " + FEW;

	private PostgresPages() {
	}

	static List<String> names(Statements statements) {
		return statements.query(NAMES + "select name from known", (row, n) -> row.getString(1));
	}

	/**
	 * Count the jobs of each part, in each queue, until there are enough.
	 */
	static long count(Statements statements, Selection selection, int most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String some = some(selection, "1", most, arguments);
		return statements.number(some.replace("%s", "select count(*) from (select 1 from") + " counted",
				arguments.toArray());
	}

	/**
	 * Read some jobs of each part, in each queue, until there are enough.
	 */
	static List<Candidate> some(Statements statements, Selection selection, int most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String some = some(selection, Candidate.COLUMNS, most, arguments);
		return statements.query(some.replace("%s", "select * from (select * from") + " found", Candidate::read,
				arguments.toArray());
	}

	private static String some(Selection selection, String columns, int most, List<@Nullable Object> arguments) {
		String name = selection.filter().getName();
		List<String> parts = new ArrayList<>();
		for (Selection.Part part : selection.parts()) {
			String first = "(select " + columns + " from {job} j where j.queue = " + ((name != null) ? "?" : "k.name")
					+ " and " + part.condition() + " order by " + part.order(false) + " limit ?)";
			parts.add((name != null) ? first : "select j.* from known k cross join lateral " + first + " j");
			if (name != null) {
				arguments.add(name);
			}
			arguments.addAll(part.arguments());
			arguments.add(most);
		}
		arguments.add(most);
		return ((name != null) ? "" : NAMES) + "%s (" + String.join(" union all ", parts) + ") j limit ?)";
	}

	static List<Candidate> line(Statements statements, Selection selection, Selection.Part line,
			@Nullable ListPosition after, int many) {
		boolean newestFirst = selection.newestFirst();
		String direction = newestFirst ? " desc" : "";
		String name = selection.filter().getName();
		StringBuilder sql = new StringBuilder("select " + Candidate.COLUMNS + " from {job} j where ")
			.append(line.condition());
		List<@Nullable Object> arguments = new ArrayList<>(line.arguments());
		if (name != null) {
			sql.append(" and j.queue = ?");
			arguments.add(name);
		}
		if (after != null) {
			sql.append(" and (j.queue, j.place) ").append(newestFirst ? "< (?, ?)" : "> (?, ?)");
			arguments.addAll(List.of(after.queue(), after.number()));
		}
		sql.append(" order by j.queue" + direction + ", j.place" + direction + " limit ?");
		arguments.add(many);
		return read(statements, sql.toString(), arguments);
	}

	static List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst,
			List<OrderedScan.Start> starts) {
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(PostgresDialect.texts(starts, OrderedScan.Start::queue));
		arguments.add(PostgresDialect.numbers(starts, OrderedScan.Start::time));
		arguments.add(PostgresDialect.texts(starts, OrderedScan.Start::id));
		arguments.add(PostgresDialect.numbers(starts, (start) -> (long) start.many()));
		arguments.addAll(part.arguments());
		return read(statements, "select " + Candidate.COLUMNS
				+ " from unnest(?::text[], ?::bigint[], ?::text[], ?::bigint[]) as k (name, time, id, many) "
				+ "cross join lateral (select " + Candidate.COLUMNS + " from {job} j where j.queue = k.name and "
				+ part.condition() + " and (j." + part.column() + ", j.id) " + (newestFirst ? "<" : ">")
				+ " (k.time, k.id) order by " + part.order(newestFirst) + " limit k.many) j", arguments);
	}

	static @Nullable List<Candidate> tagged(Statements statements, String tag, @Nullable String after,
			boolean newestFirst) {
		List<Candidate> found = new ArrayList<>();
		String behind = (after == null) ? "" : " and j.id " + (newestFirst ? "< ?" : "> ?");
		boolean few = statements.query(TAGGED + behind + " order by j.id" + (newestFirst ? " desc" : ""), (row, n) -> {
			if (row.getString(1) != null) {
				found.add(Candidate.read(row, n));
			}
			return row.getLong(8) <= FEW;
		}, (after == null) ? new Object[] { tag } : new Object[] { tag, after }).get(0);
		return few ? found : null;
	}

	private static List<Candidate> read(Statements statements, String sql, List<@Nullable Object> arguments) {
		return PostgresDialect.run(statements, (statements.isAlone() ? PostgresDialect.PLANS : "") + sql,
				Candidate::read, arguments.toArray());
	}

}
