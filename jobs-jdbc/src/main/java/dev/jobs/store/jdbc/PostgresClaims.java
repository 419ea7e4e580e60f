package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.JobState;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.Dialect.FirstLook;
import dev.jobs.store.jdbc.Dialect.Wanted;
import dev.jobs.store.jdbc.PostgresDialect.Listed;
import org.jspecify.annotations.Nullable;

/**
 * Finds and holds ready jobs in PostgreSQL, from where queues are not known to be empty.
 */
final class PostgresClaims {

	/**
	 * The first place is that of any job that went back to the front, if there is one.
	 */
	private static final String SIGHT = """
			asked.queue, q.paused, q.max_running, q.refused_at,
				(select j.due_at from {job} j where j.queue = asked.queue and j.state = 0
					order by j.due_at limit 1) as due,
				coalesce(
					(select j.place from {job} j where j.queue = asked.queue and j.state = 1 and j.place < 0
						order by j.place limit 1),
					(select j.place from {job} j where j.queue = asked.queue and j.state = 1
						and j.place >= asked.mark order by j.place limit 1)) as place""";

	private static final String SEEN = """
			left join {queue} q on q.name = asked.queue
			where exists (select 1 from {worker} w where w.id = ? and w.lease_until >= ?)""";

	private static final String LOOK = "select " + SIGHT + """

			from unnest(?::text[], ?::bigint[]) as asked (queue, mark)
			""" + SEEN;

	private static final String FOUND = """
			cross join lateral (
				select spot from (
					select job.ctid as spot from {job} job
					where job.queue = asked.queue and job.state = 1 and job.place < 0
					order by job.place limit asked.count for update skip locked) front
				union all
				select spot from (
					select job.ctid as spot from {job} job
					where job.queue = asked.queue and job.state = 1 and job.place >= asked.mark
					order by job.place limit asked.count for update skip locked) back
				limit asked.count
			) found
			""";

	/**
	 * The token is drawn when all rows are locked, so it is greater than any they were
	 * held under.
	 */
	private static final String HELD = """
			held as (
				update {job} j set state = 2, since = ?, cancel = null,
					token = (select nextval('{token}') from (select count(*) from picked) counted),
					held_key =\s""" + UniqueKeys.heldIn(JobState.RUNNING) + """

			where j.ctid = any (array(select spot from picked))
			returning\s""" + StoredJob.COLUMNS + """
			), delivered as (
				insert into {delivery} (queue, token, worker, started_at, owner)
				select distinct j.queue, j.token, asking.worker, j.since, asking.worker
				from held j, (select ?::text as worker) asking
			)
			""";

	private static final String HOLD = """
			with picked as materialized (
				select found.spot from unnest(?::text[], ?::int[], ?::bigint[]) as asked (queue, count, mark)
				""" + FOUND + """
			limit ?
			),\s""" + HELD + "select " + StoredJob.COLUMNS + " from held j";

	/**
	 * All parts of it see the same moment, in which what it holds is still ready. So
	 * there is more behind the last job held, or if more are seen than are held.
	 */
	private static final String LOOK_AND_HOLD = PostgresDialect.PLANS + """
			with seen as materialized (
				select asked.count, asked.mark,\s""" + SIGHT + """

			from unnest(?::text[], ?::int[], ?::bigint[]) with ordinality as asked (queue, count, mark, number)
			""" + SEEN + """

			order by asked.number
			), picked as materialized (
				select found.spot from seen asked
				""" + FOUND + """
			where asked.place is not null and coalesce(asked.paused, 0) = 0 and not exists (
				select 1 from seen other where other.max_running > 0 or other.refused_at > 0 or other.due <= ?)
			limit ?
			),\s""" + HELD + ", given as materialized (select j.queue, count(*) as count, max(j.place) as last"
			+ " from held j group by j.queue) select " + StoredJob.COLUMNS + """
					, null, null, null, null, null, null from held j
					union all
					select null, s.queue, null, null, null, null, null, null, null, null, null, null, null,
						s.paused, s.max_running, s.refused_at, s.due, s.place,
						case when g.queue is null then s.place is not null
						else exists (select 1 from {job} r where r.queue = s.queue and r.state = 1
								and r.place > greatest(g.last, s.mark - 1))
							or (select count(*) from (
								(select 1 from {job} r where r.queue = s.queue and r.state = 1 and r.place < 0
									order by r.place limit g.count + 1)
								union all
								(select 1 from {job} r where r.queue = s.queue and r.state = 1 and r.place >= s.mark
									order by r.place limit g.count + 1)) ready) > g.count end
					from seen s left join given g on g.queue = s.queue""";

	private static final int SIGHT_COLUMN = 14;

	private static final String WITH_READY = """
			select asked.queue from unnest(?::text[], ?::bigint[], ?::bigint[]) as asked (queue, mark, given)
			where exists (select 1 from {job} j where j.queue = asked.queue and j.state = 1 and j.place < 0)
				or exists (select 1 from {job} j where j.queue = asked.queue and j.state = 1
					and j.place >= greatest(asked.mark, asked.given))
				or exists (select 1 from {job} j where j.queue = asked.queue and j.state = 1
					and j.place >= asked.mark and j.place < asked.given)""";

	private final LowWater lowWater;

	PostgresClaims(LowWater lowWater) {
		this.lowWater = lowWater;
	}

	@Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		long now = EpochMillis.of(request.now());
		List<String> names = request.quotas().stream().map(Quota::queue).distinct().toList();
		this.lowWater.learn(statements, names);
		Seen seen = new Seen();
		PostgresDialect.run(statements, LOOK, (row, n) -> seen.read(row, row.getString(1), 2),
				PostgresDialect.texts(names, (queue) -> queue),
				PostgresDialect.numbers(names, (queue) -> this.lowWater.of(queue)), request.worker(), now);
		this.lowWater.found(seen.firstPlaces);
		return (seen.sights.isEmpty() && !names.isEmpty()) ? null : seen.sights;
	}

	FirstLook lookAndHold(Statements statements, ClaimRequest request, List<Wanted> wanted, int limit) {
		long now = EpochMillis.of(request.now());
		this.lowWater.learn(statements, wanted.stream().map(Wanted::queue).toList());
		this.lowWater.raise(statements, now);
		Seen seen = new Seen();
		List<StoredJob> held = new ArrayList<>();
		Set<String> more = new HashSet<>();
		PostgresDialect.run(statements, LOOK_AND_HOLD, (row, n) -> {
			if (row.getString(1) != null) {
				return held.add(StoredJob.read(row, n));
			}
			String queue = seen.read(row, row.getString(2), SIGHT_COLUMN);
			return row.getBoolean(SIGHT_COLUMN + 5) && more.add(queue);
		}, PostgresDialect.texts(wanted, Wanted::queue), counts(wanted),
				PostgresDialect.numbers(wanted, (each) -> this.lowWater.of(each.queue())), request.worker(), now, now,
				limit, now, request.worker());
		this.lowWater.found(seen.firstPlaces);
		return new FirstLook(seen.sights, sorted(held, wanted), more);
	}

	List<StoredJob> hold(Statements statements, List<Wanted> wanted, int limit, String worker, long now) {
		this.lowWater.raise(statements, now);
		List<StoredJob> held = sorted(PostgresDialect.run(statements, HOLD, StoredJob::read,
				PostgresDialect.texts(wanted, Wanted::queue), counts(wanted),
				PostgresDialect.numbers(wanted, (each) -> this.lowWater.of(each.queue())), limit, now, worker), wanted);
		Map<String, Long> firstPlaces = new HashMap<>();
		held.forEach((job) -> firstPlaces.putIfAbsent(job.queue(), job.place()));
		this.lowWater.found(firstPlaces);
		return held;
	}

	private static Listed counts(List<Wanted> wanted) {
		return new Listed("int", wanted.stream().map(Wanted::count).toArray());
	}

	private static List<StoredJob> sorted(List<StoredJob> held, List<Wanted> wanted) {
		Map<String, Integer> order = new HashMap<>();
		wanted.forEach((each) -> order.put(each.queue(), order.size()));
		return held.stream()
			.sorted(Comparator.comparing((StoredJob job) -> order.getOrDefault(job.queue(), 0))
				.thenComparing(StoredJob::place))
			.toList();
	}

	Set<String> withReady(Statements statements, Map<String, Long> queues) {
		List<String> names = List.copyOf(queues.keySet());
		return new HashSet<>(PostgresDialect.returned(statements, WITH_READY,
				PostgresDialect.texts(names, (queue) -> queue), PostgresDialect.numbers(names, this.lowWater::of),
				PostgresDialect.numbers(names, (queue) -> queues.getOrDefault(queue, 0L))));
	}

	/** What rows tell of queues. */
	private static final class Seen {

		private final Map<String, QueueSnapshot> sights = new HashMap<>();

		private final Map<String, Long> firstPlaces = new HashMap<>();

		private String read(ResultSet row, String queue, int column) throws SQLException {
			boolean known = row.getObject(column) != null;
			Long place = row.getObject(column + 4, Long.class);
			this.sights.put(queue, new QueueSnapshot(row.getInt(column) == 1, known ? row.getInt(column + 1) : -1,
					row.getInt(column + 2) > 0, row.getObject(column + 3, Long.class), place != null));
			if (place != null) {
				this.firstPlaces.put(queue, place);
			}
			return queue;
		}

	}

}
