package dev.jobs.store.jdbc.plain;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.jobs.store.jdbc.read.Candidate;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.read.ListPosition;
import dev.jobs.store.jdbc.read.Selection;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists of jobs queue by queue and state by state.
 */
final class PlainJobReader implements JobReader {

	@Override
	public DeliveryRows deliveries() {
		return DeliveryRows.ALL;
	}

	@Override
	public List<QueueView> queues(Statements statements, @Nullable String name, long now) {
		return PlainQueues.of(statements, name, now);
	}

	@Override
	public List<String> names(Statements statements) {
		return statements
			.query("select name from {queue} union select distinct queue from {job}", (row, n) -> row.getString(1))
			.stream()
			.sorted()
			.toList();
	}

	@Override
	public long count(Statements statements, Selection selection, int most) {
		long count = 0;
		for (Selection.Part part : selection.parts()) {
			List<@Nullable Object> arguments = new ArrayList<>();
			String some = some(selection, part, arguments);
			arguments.add(most - count);
			count += statements.number("select count(*) from (select 1 as one " + some + ") counted",
					arguments.toArray());
		}
		return count;
	}

	@Override
	public List<Candidate> some(Statements statements, Selection selection, int most) {
		List<Candidate> found = new ArrayList<>();
		for (Selection.Part part : selection.parts()) {
			List<@Nullable Object> arguments = new ArrayList<>();
			String some = some(selection, part, arguments);
			arguments.add(most - found.size());
			found.addAll(
					statements.query("select " + Candidate.COLUMNS + " " + some, Candidate::read, arguments.toArray()));
		}
		return found;
	}

	private static String some(Selection selection, Selection.Part part, List<@Nullable Object> arguments) {
		arguments.addAll(part.arguments());
		String name = selection.filter().getName();
		if (name != null) {
			arguments.add(name);
		}
		return "from {job} j where " + part.condition() + ((name != null) ? " and j.queue = ?" : "") + " limit ?";
	}

	@Override
	public List<Candidate> ready(Statements statements, Selection selection, Selection.Part ready,
			@Nullable ListPosition after, int many) {
		boolean newestFirst = selection.newestFirst();
		String sql = "select " + Candidate.COLUMNS + " from {job} j where j.queue = ? and " + ready.condition()
				+ " and j.place " + (newestFirst ? "<" : ">") + " ? order by " + ready.order(newestFirst) + " limit ?";
		List<Candidate> found = new ArrayList<>();
		String name = selection.filter().getName();
		List<String> names = new ArrayList<>((name != null) ? List.of(name) : names(statements));
		if (newestFirst) {
			Collections.reverse(names);
		}
		for (String queue : names) {
			int passed = (after != null) ? queue.compareTo(after.queue()) : newestFirst ? -1 : 1;
			if (passed == 0 || passed < 0 == newestFirst) {
				long place = (passed == 0 && after != null) ? after.number()
						: newestFirst ? Long.MAX_VALUE : Long.MIN_VALUE;
				found.addAll(statements.query(sql, Candidate::read, queue, place, many - found.size()));
			}
			if (found.size() >= many) {
				break;
			}
		}
		return found;
	}

	@Override
	public List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst, List<Start> starts) {
		String column = "j." + part.column();
		String sql = "select " + Candidate.COLUMNS + " from {job} j where j.queue = ? and " + part.condition()
				+ " and (" + column + (newestFirst ? " < " : " > ") + "? or (" + column + " = ? and j.id"
				+ (newestFirst ? " < " : " > ") + "?)) order by " + part.order(newestFirst) + " limit ?";
		List<Candidate> found = new ArrayList<>();
		for (Start start : starts) {
			List<@Nullable Object> arguments = new ArrayList<>();
			arguments.add(start.queue());
			arguments.addAll(part.arguments());
			arguments.addAll(List.of(start.time(), start.time(), start.id(), start.many()));
			found.addAll(statements.query(sql, Candidate::read, arguments.toArray()));
		}
		return found;
	}

	@Override
	public List<Candidate> byId(Statements statements, String tag, @Nullable String after, boolean newestFirst,
			int many) {
		return Candidate.byId(statements, after, newestFirst, many);
	}

	/**
	 * Databases differ in searching bytes, so jobs are read to be searched.
	 */
	@Override
	public Search search(String text, String tag) {
		return Search.ALL;
	}

	@Override
	public String trailWithoutStacks() {
		return StoredJob.TRAIL;
	}

}
