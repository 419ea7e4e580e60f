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
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import dev.jobs.store.QueueView;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;

import static java.util.stream.Collectors.joining;

/**
 * What a person sees of the queues in PostgreSQL. Of each state of each queue a bounded
 * part is counted. A number above the bound is estimated from a sample, and not counted
 * again for some seconds, as long as it is not zero: the overview is looked at every
 * other second.
 */
final class PostgresQueues {

	/** For how many milliseconds a sample is good. */
	private static final long SAMPLED_FOR = 10_000;

	/**
	 * For how many milliseconds at least what is above the bound is not counted; up to
	 * twice as long, so that not all is counted at the same time.
	 */
	private static final long UNCOUNTED_FOR = 5_000;

	/** The same for what is far above the bound, as the sample tells. */
	private static final long LONG_UNCOUNTED_FOR = 30_000;

	/**
	 * Up to how many jobs of a kind are counted: fewer if there are many queues, so that
	 * all of them take no longer.
	 */
	private static final String BOUND = "greatest(100, least(10000, 15000 / greatest(1, count(*))))";

	private static final List<Kind> KINDS = List.of(
			new Kind("j.state = 1 and j.place >= front.place", "j.place", "front.place is null", "true"),
			new Kind("j.state = 0 and j.due_at <= k.now", "j.due_at, j.id", "coalesce(next.due_at > k.now, true)",
					"true"),
			new Kind("j.state = 0 and j.due_at > k.now", "j.due_at, j.id", "next.due_at is null",
					"next.due_at > k.now"),
			new Kind("j.state = 0 and j.attempt > 1 and j.due_at > k.now", "j.due_at, j.id", "next.due_at is null",
					"false"),
			new Kind("j.state = 2 and j.token >= k.token", "j.token", "k.token is null", "false"),
			new Kind("j.state = 3", "j.since, j.id", "false", "false"),
			new Kind("j.state > 3", "j.since, j.id", "false", "false"));

	private static final String FIRST_READY = "select j.place, j.due_at from {job} j where j.queue = k.name "
			+ "and j.state = 1 and %s order by j.place limit 1";

	/**
	 * The first ready job of a queue: at the front, or else from where the queue is not
	 * known empty. Up to where it was seen last there are few, so a look at these alone
	 * is cheaper, since an index is read by whole pages.
	 */
	private static final String FRONT = "left join lateral (" + FIRST_READY.formatted("j.place < 0")
			+ ") ahead on true left join lateral ("
			+ FIRST_READY.formatted("ahead.place is null and j.place between k.mark and k.front")
			+ ") still on true left join lateral ("
			+ FIRST_READY
				.formatted("coalesce(ahead.place, still.place) is null and j.place >= greatest(k.mark, k.front)")
			+ ") later on true cross join lateral (select coalesce(ahead.place, still.place, later.place) as place, "
			+ "coalesce(ahead.due_at, still.due_at, later.due_at) as due_at) front ";

	/**
	 * What is known of each queue, with the first of its ready and of its scheduled jobs:
	 * these spare most queues more lookups.
	 */
	private static final String COUNTS = PostgresViews.NAMES + ", bound (most) as materialized (select " + BOUND + """
			from known), each_queue as materialized (
			select k.name, coalesce(q.paused, 0) as paused, coalesce(q.max_running, -1) as max_running, bound.most,
				?::bigint as now, coalesce(crowd.kinds, 0) as kinds, crowd.front,
				coalesce(low.mark, q.low_place, 0) as mark, held.token
			from bound cross join known k left join {queue} q on q.name = k.name
			left join unnest(?::text[], ?::int[], ?::bigint[]) as crowd (queue, kinds, front) on crowd.queue = k.name
			left join unnest(?::text[], ?::bigint[]) as low (queue, mark) on low.queue = k.name
			left join (select d.queue, min(d.token) as token from\s""" + LiveDeliveries.ROWS_BY_ARRAY
			+ """
					 d group by d.queue) held on held.queue = k.name
					)
					select k.name, k.paused, k.max_running, k.most, front.due_at, case when next.due_at <= k.now then next.due_at end,
						front.place,\s"""
			+ IntStream.range(0, KINDS.size()).mapToObj((i) -> KINDS.get(i).counting(1 << i)).collect(joining(", "))
			+ " from each_queue k " + FRONT + """
					left join lateral (select j.due_at from {job} j where j.queue = k.name and j.state = 0
						order by j.due_at, j.id limit 1) next on true
					order by k.name;
					select w.info from {worker} w where w.lease_until >= ? and w.info is not null""";

	/**
	 * A sample of some 200 pages, with how many times as many there are, which is asked
	 * once and not for each row. They are always the same ones, so that they need not be
	 * read from disk.
	 */
	private static final String SAMPLE = """
			select j.queue, case when j.state = 0 and j.due_at > ? then 2
					when j.state = 0 then 1 when j.state = 1 then 0 when j.state > 3 then 6 else j.state + 2 end as kind,
				count(*), count(*) filter (where j.attempt > 1),
				(select greatest(1, pg_relation_size(cast(? as regclass)) / 1638400.0))
			from {job} j tablesample system (100 / greatest(1, pg_relation_size(cast(? as regclass)) / 1638400.0))
				repeatable (1)
			group by 1, 2""";

	/** Only what is known of each queue is joined, and it is short. */
	private static final String PLANS = PostgresDialect.PLANS.replace("'enable_hashjoin', 'off'",
			"'enable_hashjoin', 'on'");

	private final Map<Crowd, Seen> crowds = new ConcurrentHashMap<>();

	/** Where the first ready job of each crowded queue was seen last. */
	private final Map<String, Long> fronts = new ConcurrentHashMap<>();

	private final LowWater lowWater;

	private final LiveDeliveries deliveries;

	private volatile @Nullable Sample sample;

	PostgresQueues(LowWater lowWater, LiveDeliveries deliveries) {
		this.lowWater = lowWater;
		this.deliveries = deliveries;
	}

	List<QueueView> views(Statements statements, long now) {
		this.crowds.entrySet().removeIf((entry) -> isOld(entry.getKey(), entry.getValue(), now));
		Map<String, Integer> known = new HashMap<>();
		this.crowds.keySet().forEach((crowd) -> known.merge(crowd.queue(), 1 << crowd.kind(), Integer::sum));
		this.fronts.keySet().retainAll(known.keySet());
		Set<String> served = new HashSet<>();
		List<Counted> counted = count(statements, known, served, now);
		counted.forEach((queue) -> remember(queue, known.getOrDefault(queue.name(), 0), now));
		Map<String, long[]> sampled = counted.stream().anyMatch((queue) -> queue.crowded() > 0)
				? sample(statements, now) : Map.of();
		return counted.stream().map((queue) -> queue.view(sampled.get(queue.name()), served)).toList();
	}

	private List<Counted> count(Statements statements, Map<String, Integer> crowds, Set<String> served, long now) {
		String plans = statements.isAlone() ? PLANS : "";
		return Objects.requireNonNull(statements.jdbc().execute((connection) -> {
			PreparedStatement prepared = connection.prepareStatement(statements.text(plans + COUNTS));
			prepared.setLong(1, now);
			List<String> queues = List.copyOf(crowds.keySet());
			prepared.setArray(2, connection.createArrayOf("text", queues.toArray()));
			prepared.setArray(3, connection.createArrayOf("int", queues.stream().map(crowds::get).toArray()));
			prepared.setArray(4, connection.createArrayOf("bigint", queues.stream().map(this.fronts::get).toArray()));
			Map<String, Long> marks = this.lowWater.marks();
			prepared.setArray(5, connection.createArrayOf("text", marks.keySet().toArray()));
			prepared.setArray(6, connection.createArrayOf("bigint", marks.values().toArray()));
			LiveDeliveries.Known live = this.deliveries.known();
			prepared.setLong(7, live.mark());
			prepared.setArray(8, connection.createArrayOf("bigint", live.kept().toArray()));
			prepared.setLong(9, now);
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (!plans.isEmpty()) {
				prepared.getMoreResults();
			}
			List<Counted> counted = rows(prepared, (row) -> Counted.read(row, crowds));
			prepared.getMoreResults();
			rows(prepared, (row) -> row.getString(1)).forEach((text) -> addServed(Texts.info(text), served));
			return counted;
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

	private Map<String, long[]> sample(Statements statements, long now) {
		Sample last = this.sample;
		if (last != null && last.at() <= now && now < last.at() + SAMPLED_FOR) {
			return last.counts();
		}
		String table = statements.name("job");
		Map<String, long[]> sampled = new HashMap<>();
		statements.query(SAMPLE, (row, n) -> {
			long[] counts = sampled.computeIfAbsent(row.getString(1), (queue) -> new long[KINDS.size()]);
			int kind = row.getInt(2);
			double times = row.getDouble(5);
			counts[kind] = Math.round(row.getLong(3) * times);
			if (kind == 2) {
				counts[3] = Math.round(row.getLong(4) * times);
			}
			return kind;
		}, now, table, table);
		this.sample = new Sample(now, sampled);
		return sampled;
	}

	private void remember(Counted queue, int known, long now) {
		if (queue.front() != null) {
			this.fronts.put(queue.name(), queue.front());
		}
		int changed = queue.crowded() ^ known;
		for (int i = 0; changed >> i > 0; i++) {
			if ((changed & 1 << i) != 0 && queue.isCrowded(i)) {
				this.crowds.putIfAbsent(new Crowd(queue.name(), i), new Seen(now, queue.most()));
			}
			else if ((changed & 1 << i) != 0) {
				this.crowds.remove(new Crowd(queue.name(), i));
			}
		}
	}

	private boolean isOld(Crowd crowd, Seen seen, long now) {
		Sample last = this.sample;
		long[] sampled = (last != null) ? last.counts().get(crowd.queue()) : null;
		boolean far = sampled != null && sampled[crowd.kind()] > 2 * seen.most();
		long least = far ? LONG_UNCOUNTED_FOR : UNCOUNTED_FOR;
		long age = now - seen.at();
		return age < 0 || age >= least + Math.floorMod(crowd.hashCode() * 0x9E3779B9, least);
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
	 * @param some when, if not, it is known that there are some
	 */
	private record Kind(String condition, String order, String none, String some) {

		String counting(int bit) {
			String crowded = "k.kinds & " + bit + " > 0";
			return "case when " + this.none + " then 0 when " + crowded + " and " + this.some
					+ " then 1 else (select count(*) from (select 1 from {job} j where j.queue = k.name and "
					+ this.condition + " order by " + this.order + " limit case when " + crowded
					+ " then 1 else k.most end) counted) end";
		}

	}

	/**
	 * Jobs of a kind in a queue that are too many to be counted.
	 *
	 * @param queue the queue
	 * @param kind the index of the kind
	 */
	private record Crowd(String queue, int kind) {

	}

	/**
	 * When such jobs were counted.
	 *
	 * @param at the time
	 * @param most how many were counted
	 */
	private record Seen(long at, long most) {

	}

	/**
	 * How many jobs there are about.
	 *
	 * @param at when the sample was taken
	 * @param counts how many of each kind, by queue
	 */
	private record Sample(long at, Map<String, long[]> counts) {

	}

	/**
	 * What was counted of a queue.
	 *
	 * @param name its name
	 * @param paused whether it is paused
	 * @param limit its limit
	 * @param counts how many of each kind
	 * @param most up to how many were counted
	 * @param crowded a bit for each kind of which there are more than were counted
	 * @param oldest when the oldest ready job was due, or {@code null}
	 * @param front the place of the first ready job, or {@code null}
	 */
	private record Counted(String name, boolean paused, int limit, long[] counts, long most, int crowded,
			@Nullable Instant oldest, @Nullable Long front) {

		static Counted read(ResultSet row, Map<String, Integer> crowds) throws SQLException {
			String name = row.getString(1);
			long most = row.getLong(4);
			int uncounted = crowds.getOrDefault(name, 0);
			int crowded = 0;
			long[] counts = new long[KINDS.size()];
			for (int i = 0; i < counts.length; i++) {
				boolean some = (uncounted & 1 << i) != 0;
				long count = row.getLong(8 + i);
				crowded |= (count >= (some ? 1 : most)) ? 1 << i : 0;
				counts[i] = (some && count > 0) ? most : count;
			}
			long oldest = Long.MAX_VALUE;
			for (int column = 5; column <= 6; column++) {
				long due = row.getLong(column);
				oldest = row.wasNull() ? oldest : Math.min(oldest, due);
			}
			return new Counted(name, row.getInt(2) == 1, row.getInt(3), counts, most, crowded,
					(oldest < Long.MAX_VALUE) ? Millis.instant(oldest) : null, row.getObject(7, Long.class));
		}

		boolean isCrowded(int kind) {
			return (this.crowded & 1 << kind) != 0;
		}

		QueueView view(long @Nullable [] sampled, Set<String> served) {
			long[] known = this.counts.clone();
			for (int i = 0; i < known.length; i++) {
				if (isCrowded(i) && sampled != null) {
					known[i] = Math.max(known[i], sampled[i]);
				}
			}
			return new QueueView(this.name, known[0] + known[1], known[2], known[3], known[4], known[5], known[6],
					this.oldest, this.paused, this.limit, served.contains(this.name), this.crowded == 0);
		}

	}

}
