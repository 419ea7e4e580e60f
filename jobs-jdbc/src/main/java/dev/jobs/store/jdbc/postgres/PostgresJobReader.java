package dev.jobs.store.jdbc.postgres;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.mark.LowWaterMarks;
import dev.jobs.store.jdbc.postgres.statement.PostgresFragments;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.read.Candidate;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.read.ListPosition;
import dev.jobs.store.jdbc.read.Selection;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.row.StoredTrail;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists of jobs in PostgreSQL, in a time that hardly grows with their length: each
 * state of each queue has an index, and a bounded part of it is read.
 */
final class PostgresJobReader implements JobReader {

	/**
	 * If more jobs have a tag, all jobs are scanned by id, which soon finds some. The
	 * statement counts up to one more.
	 */
	private static final int FEW = 10_000;

	private static final String KNOWN_QUEUES = PostgresFragments.fragment("known-queues") + "\n";

	private static final String HAS_TAG = PostgresFragments.fragment("has-tag");

	private static final String ERRORS = "split_part(" + StoredJob.TRAIL + ", '" + StoredTrail.STACKS + "', 1)";

	private final LiveDeliveries deliveries;

	private final PostgresQueues queues;

	PostgresJobReader(LowWaterMarks marks, LiveDeliveries deliveries) {
		this.deliveries = deliveries;
		this.queues = new PostgresQueues(marks, deliveries);
	}

	@Override
	public DeliveryRows deliveries() {
		return this.deliveries.rows();
	}

	@Override
	public List<QueueView> queues(Statements statements, @Nullable String name, long now) {
		return this.queues.views(statements, name, now);
	}

	@Override
	public List<String> names(Statements statements) {
		return statements.query(PostgresSql.QUEUE_NAMES.text(), (row, n) -> row.getString(1));
	}

	/**
	 * Count the jobs of each part and queue until there are enough.
	 */
	@Override
	public long count(Statements statements, Selection selection, int most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String some = some(selection, "1", most, arguments);
		return PostgresStatements
			.runByIndex(statements, some.replace("%s", "select count(*) from (select 1 from") + " counted",
					(row, n) -> row.getLong(1), arguments.toArray())
			.get(0);
	}

	/**
	 * Estimate by the index sizes of the last vacuum or analysis.
	 */
	@Override
	public long estimate(Statements statements, JobFilter filter) {
		Set<JobState> states = filter.getStates();
		if (states.isEmpty() || filter.getName() != null || filter.getTag() != null || filter.getLane() != null
				|| filter.getUrgency() != null || filter.getSince() != null || filter.getBefore() != null) {
			return 0;
		}
		Boolean retrying = filter.getRetrying();
		if (states.equals(Set.of(JobState.SCHEDULED)) && retrying != null) {
			long again = size(statements, "job_retry");
			return retrying ? again : scheduled(statements) - again;
		}
		if (states.equals(Set.of(JobState.SCHEDULED))) {
			return scheduled(statements);
		}
		if (states.equals(Set.of(JobState.SUCCEEDED, JobState.CANCELLED))) {
			return size(statements, "job_history");
		}
		if (states.equals(Set.of(JobState.READY)) && retrying == null) {
			return size(statements, "job_ready") + size(statements, "job_laned");
		}
		return (states.size() == 1 && retrying == null)
				? size(statements, "job_" + states.iterator().next().name().toLowerCase(Locale.ROOT)) : 0;
	}

	private static long scheduled(Statements statements) {
		return size(statements, "job_scheduled") - size(statements, "job_waiting");
	}

	private static long size(Statements statements, String index) {
		return statements.number("select coalesce(max(reltuples), 0)::bigint from pg_class where oid = to_regclass(?)",
				statements.name(index));
	}

	/**
	 * Read some jobs of each part and queue until there are enough.
	 */
	@Override
	public List<Candidate> some(Statements statements, Selection selection, int most) {
		List<@Nullable Object> arguments = new ArrayList<>();
		String some = some(selection, Candidate.COLUMNS, most, arguments);
		return read(statements, some.replace("%s", "select * from (select * from") + " found", arguments);
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
		return ((name != null) ? "" : KNOWN_QUEUES) + "%s (" + String.join(" union all ", parts) + ") j limit ?)";
	}

	@Override
	public List<Candidate> ready(Statements statements, Selection selection, Selection.Part ready,
			@Nullable ListPosition after, int many) {
		boolean newestFirst = selection.newestFirst();
		String direction = newestFirst ? " desc" : "";
		String name = selection.filter().getName();
		StringBuilder sql = new StringBuilder("select " + Candidate.COLUMNS + " from {job} j where ")
			.append(ready.condition());
		List<@Nullable Object> arguments = new ArrayList<>(ready.arguments());
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

	@Override
	public List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst, List<Start> starts) {
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(PostgresStatements.texts(starts, Start::queue));
		arguments.add(PostgresStatements.numbers(starts, Start::time));
		arguments.add(PostgresStatements.texts(starts, Start::id));
		arguments.add(PostgresStatements.numbers(starts, (start) -> (long) start.many()));
		arguments.addAll(part.arguments());
		return read(statements, "select " + Candidate.COLUMNS
				+ " from unnest(?::text[], ?::bigint[], ?::text[], ?::bigint[]) as k (name, time, id, many) "
				+ "cross join lateral (select " + Candidate.COLUMNS + " from {job} j where j.queue = k.name and "
				+ part.condition() + " and (j." + part.column() + ", j.id) " + (newestFirst ? "<" : ">")
				+ " (k.time, k.id) order by " + part.order(newestFirst) + " limit k.many) j", arguments);
	}

	@Override
	public List<Candidate> byId(Statements statements, String tag, @Nullable String after, boolean newestFirst,
			int many) {
		List<Candidate> tagged = tagged(statements, tag, after, newestFirst);
		return (tagged != null) ? tagged : Candidate.byId(statements, after, newestFirst, many);
	}

	/**
	 * Read all jobs that have a tag, by the index of tags.
	 * @return the jobs, or {@code null} if there are too many
	 */
	private static @Nullable List<Candidate> tagged(Statements statements, String tag, @Nullable String after,
			boolean newestFirst) {
		List<Candidate> found = new ArrayList<>();
		String behind = (after == null) ? "" : " and j.id " + (newestFirst ? "< ?" : "> ?");
		boolean few = statements.query(
				PostgresSql.TAGGED_JOBS.text() + behind + " order by j.id" + (newestFirst ? " desc" : ""), (row, n) -> {
					if (row.getString(1) != null) {
						found.add(Candidate.read(row, n));
					}
					return row.getLong(8) <= FEW;
				}, (after == null) ? new Object[] { tag } : new Object[] { tag, after })
			.get(0);
		return few ? found : null;
	}

	private static List<Candidate> read(Statements statements, String sql, List<@Nullable Object> arguments) {
		return PostgresStatements.runByIndex(statements, sql, Candidate::read, arguments.toArray());
	}

	@Override
	public Search search(String text, String tag) {
		List<String> conditions = new ArrayList<>();
		List<Object> arguments = new ArrayList<>();
		if (!text.isEmpty()) {
			conditions.add("(strpos(j.id, ?) > 0 or strpos(" + ERRORS + ", ?) > 0 or position(? in j.payload) > 0)");
			arguments.addAll(List.of(text, text, text.getBytes(StandardCharsets.US_ASCII)));
		}
		if (!tag.isEmpty()) {
			conditions.add(HAS_TAG);
			arguments.add(tag);
		}
		return new Search(conditions, arguments);
	}

	@Override
	public String trailWithoutStacks() {
		return ERRORS + " || '}'";
	}

}
