package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a person sees of the jobs in PostgreSQL, in a time that hardly grows with them:
 * each state of each queue has an index, of which a bounded part is read.
 */
final class PostgresViews {

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

	/** The jobs that have a tag, found by the index of tags before anything else. */
	private static final String TAGGED = """
			with tagged as materialized (
				select j.id, j.queue, j.state, j.due_at, j.since, j.attempt from {job} j
				where j.headers like '%"jobs.tags":%'
					and string_to_array(j.headers::json ->> 'jobs.tags', ',') @> array[?::text]
			)
			""";

	private PostgresViews() {
	}

	static long count(Statements statements, Selection selection, int most) {
		if (selection.filter().getTag() != null) {
			return statements.number(TAGGED + "select count(*) from (select 1 from tagged j where "
					+ selection.whole().condition() + " limit ?) counted", tagged(selection, most));
		}
		if (selection.isTimeOfReadyJobs()) {
			return statements.number("select count(*) from (select 1 from {job} j where "
					+ selection.whole().condition() + " limit ?) counted", with(selection.whole().arguments(), most));
		}
		List<@Nullable Object> arguments = new ArrayList<>();
		String text = merged(selection, most, arguments);
		arguments.add(most);
		return statements.number(text.formatted("count(*) from (select 1") + " limit ?) counted", arguments.toArray());
	}

	static List<String> find(Statements statements, Selection selection, long from, int size) {
		if (selection.filter().getTag() != null) {
			Selection.Part whole = selection.whole();
			return statements.query(TAGGED + "select j.id from tagged j where " + whole.condition() + " order by "
					+ whole.order() + " limit ? offset ?", (row, n) -> row.getString(1), tagged(selection, size, from));
		}
		List<Selection.Part> parts = selection.parts();
		if (selection.isTimeOfReadyJobs()) {
			return sorted(statements, selection, from, size);
		}
		return (selection.filter().getName() != null && parts.size() == 1)
				? ofOneIndex(statements, selection, parts.get(0), from, size)
				: Merging.find(statements, selection, from, size);
	}

	private static List<String> ofOneIndex(Statements statements, Selection selection, Selection.Part part, long from,
			int size) {
		String of = " from {job} j where j.queue = ? and " + part.condition();
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(selection.filter().getName());
		arguments.addAll(part.arguments());
		if (!part.isByPlace()) {
			return ids(statements, "select j.id" + of + " order by " + part.order(), arguments, from, size);
		}
		List<@Nullable Object> all = new ArrayList<>(arguments);
		all.addAll(arguments);
		all.add(from);
		String first = "(select j.place" + of + " order by " + part.order() + " limit 1 offset ?)";
		return ids(statements, "select j.id" + of + " and j.place " + (selection.newestFirst() ? "<= " : ">= ") + first
				+ " order by " + part.order(), all, 0, size);
	}

	private static List<String> sorted(Statements statements, Selection selection, long from, int size) {
		Selection.Part whole = selection.whole();
		return ids(statements, "select j.id from {job} j where " + whole.condition() + " order by " + whole.order(),
				whole.arguments(), from, size);
	}

	private static List<String> ids(Statements statements, String sql, List<@Nullable Object> arguments, long from,
			int size) {
		return statements.query(sql + " limit ? offset ?", (row, n) -> row.getString(1), with(arguments, size, from));
	}

	private static @Nullable Object[] with(List<@Nullable Object> arguments, Object... more) {
		List<@Nullable Object> all = new ArrayList<>(arguments);
		all.addAll(List.of(more));
		return all.toArray();
	}

	private static @Nullable Object[] tagged(Selection selection, Object... more) {
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(selection.filter().getTag());
		arguments.addAll(selection.whole().arguments());
		return with(arguments, more);
	}

	/**
	 * Return a query for the first jobs of each part of a selection, in each queue.
	 */
	private static String merged(Selection selection, int most, List<@Nullable Object> arguments) {
		String name = selection.filter().getName();
		List<String> parts = new ArrayList<>();
		for (Selection.Part part : selection.parts()) {
			String first = "(select 1 from {job} j where j.queue = " + ((name != null) ? "?" : "k.name") + " and "
					+ part.condition() + " order by " + part.order() + " limit ?)";
			parts.add((name != null) ? first : "select j.* from known k cross join lateral " + first + " j");
			if (name != null) {
				arguments.add(name);
			}
			arguments.addAll(part.arguments());
			arguments.add(most);
		}
		return ((name != null) ? "" : NAMES) + "select %s from (" + String.join(" union all ", parts) + ") j";
	}

}
