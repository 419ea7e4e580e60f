package dev.jobs.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.jobs.store.QueueView;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;

import static java.util.stream.Collectors.joining;

/**
 * What operators see of the queues in PostgreSQL. Of each state of each queue a bounded
 * part is counted.
 */
final class PostgresQueues {

	/**
	 * Up to how many jobs of a state are counted in each queue: fewer if there are many
	 * queues, so that all of them take no longer.
	 */
	private static final String BOUND = "greatest(1000, least(10000, 150000 / greatest(1, count(*))))";

	private static final List<Kind> KINDS = List.of(
			new Kind("j.state = 1 and j.place >= front.place", "j.place", "front.place is null"),
			new Kind("j.state = 0 and j.due_at <= k.now", "j.due_at, j.id", "coalesce(next.due_at > k.now, true)"),
			new Kind("j.state = 0 and j.due_at > k.now", "j.due_at, j.id", "next.due_at is null"),
			new Kind("j.state = 0 and j.attempt > 1 and j.due_at > k.now", "j.due_at, j.id", "next.due_at is null"),
			new Kind("j.state = 2 and j.token >= k.token", "j.token", "k.token is null"),
			new Kind("j.state = 3", "j.since, j.id", "false"), new Kind("j.state > 3", "j.since, j.id", "false"));

	private static final String FIRST_READY = "select j.place, j.due_at from {job} j where j.queue = k.name "
			+ "and j.state = 1 and %s order by j.place limit 1";

	/**
	 * The first ready job of a queue: at the front, or else from where the queue is not
	 * known empty.
	 */
	private static final String FRONT = "left join lateral (" + FIRST_READY.formatted("j.place < 0")
			+ ") ahead on true left join lateral (" + FIRST_READY.formatted("ahead.place is null and j.place >= k.mark")
			+ ") later on true cross join lateral (select coalesce(ahead.place, later.place) as place, "
			+ "coalesce(ahead.due_at, later.due_at) as due_at) front ";

	/**
	 * What is known of each queue, with the first of its ready and of its scheduled jobs:
	 * these spare most queues more lookups.
	 */
	private static final String COUNTS = PostgresPages.NAMES + """
			, bound (most) as materialized (select\s""" + BOUND + """
			 from known), each_queue as materialized (
			select k.name, bound.most, coalesce(q.paused, 0) as paused, coalesce(q.max_running, -1) as max_running,
				?::bigint as now, coalesce(low.mark, q.low_place, 0) as mark, held.token
			from bound cross join known k left join {queue} q on q.name = k.name
			left join unnest(?::text[], ?::bigint[]) as low (queue, mark) on low.queue = k.name
			left join (select d.queue, min(d.token) as token from\s""" + LiveDeliveries.ROWS_BY_ARRAY
			+ """
					 d group by d.queue) held on held.queue = k.name
					)
					select k.name, k.paused, k.max_running, k.most, front.due_at, case when next.due_at <= k.now then next.due_at end,\s"""
			+ KINDS.stream().map(Kind::counting).collect(joining(", ")) + " from each_queue k " + FRONT + """
					left join lateral (select j.due_at from {job} j where j.queue = k.name and j.state = 0
						order by j.due_at, j.id limit 1) next on true
					order by k.name;
					select w.info from {worker} w where w.lease_until >= ? and w.info is not null""";

	/** Only what is known of each queue is joined, and it is short. */
	private static final String PLANS = PostgresDialect.PLANS.replace("'enable_hashjoin', 'off'",
			"'enable_hashjoin', 'on'");

	private final LowWater lowWater;

	private final LiveDeliveries deliveries;

	PostgresQueues(LowWater lowWater, LiveDeliveries deliveries) {
		this.lowWater = lowWater;
		this.deliveries = deliveries;
	}

	List<QueueView> views(Statements statements, long now) {
		String plans = statements.isAlone() ? PLANS : "";
		return Objects.requireNonNull(statements.jdbc().execute((connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(plans + COUNTS));
			prepared.setLong(1, now);
			Map<String, Long> marks = this.lowWater.marks();
			prepared.setArray(2, connection.createArrayOf("text", marks.keySet().toArray()));
			prepared.setArray(3, connection.createArrayOf("bigint", marks.values().toArray()));
			LiveDeliveries.Known live = this.deliveries.known();
			prepared.setLong(4, live.mark());
			prepared.setArray(5, connection.createArrayOf("bigint", live.kept().toArray()));
			prepared.setLong(6, now);
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (!plans.isEmpty()) {
				prepared.getMoreResults();
			}
			List<Counted> counted = rows(prepared, Counted::read);
			prepared.getMoreResults();
			Set<String> served = new HashSet<>();
			rows(prepared, (row) -> row.getString(1)).forEach((text) -> addServed(JsonColumns.info(text), served));
			return counted.stream().map((queue) -> queue.view(served)).toList();
		}));
	}

	private static void addServed(@Nullable WorkerInfo info, Set<String> served) {
		if (info != null) {
			info.pools().forEach((pool) -> served.addAll(pool.queues()));
		}
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

	@FunctionalInterface
	private interface Reading<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * Jobs that are counted together.
	 *
	 * @param condition what they have in common
	 * @param order the order of the index that they are in
	 * @param none when it is known without a look that there are none
	 */
	private record Kind(String condition, String order, String none) {

		String counting() {
			return "case when " + this.none
					+ " then 0 else (select count(*) from (select 1 from {job} j where j.queue = k.name and "
					+ this.condition + " order by " + this.order + " limit k.most) counted) end";
		}

	}

	/**
	 * What was counted of a queue.
	 *
	 * @param name its name
	 * @param paused whether it is paused
	 * @param limit its limit
	 * @param most up to how many of each kind were counted
	 * @param counts how many of each kind
	 * @param oldest when the oldest ready job was due, or {@code null}
	 */
	private record Counted(String name, boolean paused, int limit, long most, long[] counts, @Nullable Instant oldest) {

		static Counted read(ResultSet row) throws SQLException {
			long[] counts = new long[KINDS.size()];
			for (int i = 0; i < counts.length; i++) {
				counts[i] = row.getLong(7 + i);
			}
			long oldest = Long.MAX_VALUE;
			for (int column = 5; column <= 6; column++) {
				long due = row.getLong(column);
				oldest = row.wasNull() ? oldest : Math.min(oldest, due);
			}
			return new Counted(row.getString(1), row.getInt(2) == 1, row.getInt(3), row.getLong(4), counts,
					(oldest < Long.MAX_VALUE) ? EpochMillis.instant(oldest) : null);
		}

		QueueView view(Set<String> served) {
			long ready = Math.min(this.counts[0] + this.counts[1], this.most);
			boolean exact = ready < this.most && Arrays.stream(this.counts).allMatch((count) -> count < this.most);
			return new QueueView(this.name, ready, this.counts[2], this.counts[3], this.counts[4], this.counts[5],
					this.counts[6], this.oldest, this.paused, this.limit, served.contains(this.name),
					exact ? Long.MAX_VALUE : this.most);
		}

	}

}
