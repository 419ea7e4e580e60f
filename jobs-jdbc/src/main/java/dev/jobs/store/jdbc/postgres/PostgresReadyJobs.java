package dev.jobs.store.jdbc.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.HeldJobs;
import dev.jobs.store.jdbc.operation.QueueSnapshot;
import dev.jobs.store.jdbc.operation.ReadyJobs;
import dev.jobs.store.jdbc.postgres.mark.LowWaterMarks;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements.Listed;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * Finds and holds ready jobs in PostgreSQL, from each queue's low-water mark on.
 */
final class PostgresReadyJobs implements ReadyJobs {

	/** The first column of queues in the statement that reads and holds. */
	private static final int QUEUE_COLUMN = 14;

	private final LowWaterMarks marks;

	PostgresReadyJobs(LowWaterMarks marks) {
		this.marks = marks;
	}

	@Override
	public @Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		long now = EpochMillis.of(request.now());
		List<String> names = request.quotas().stream().map(Quota::queue).distinct().toList();
		this.marks.learn(statements, names);
		Seen seen = new Seen();
		PostgresStatements.run(statements, PostgresSql.LOOK_AT_QUEUES, (row, n) -> seen.read(row, row.getString(1), 2),
				PostgresStatements.texts(names, (queue) -> queue),
				PostgresStatements.numbers(names, (queue) -> this.marks.of(queue)), request.worker(), now);
		this.marks.found(seen.firstPlaces);
		return (seen.queues.isEmpty() && !names.isEmpty()) ? null : seen.queues;
	}

	/**
	 * Read queues without a transaction, and hold their ready jobs at once, unless one
	 * has a stored limit, due jobs or callers that wait for room.
	 */
	FirstLook lookAndHold(Statements statements, ClaimRequest request, List<Wanted> wanted, int limit) {
		long now = EpochMillis.of(request.now());
		this.marks.learn(statements, wanted.stream().map(Wanted::queue).toList());
		this.marks.raise(statements, now);
		Seen seen = new Seen();
		List<StoredJob> held = new ArrayList<>();
		Set<String> more = new HashSet<>();
		PostgresStatements.runByIndex(statements, PostgresSql.LOOK_AND_HOLD, (row, n) -> {
			if (row.getString(1) != null) {
				return held.add(StoredJob.read(row, n));
			}
			String queue = seen.read(row, row.getString(2), QUEUE_COLUMN);
			return row.getBoolean(QUEUE_COLUMN + 8) && more.add(queue);
		}, PostgresStatements.texts(wanted, Wanted::queue), counts(wanted),
				PostgresStatements.numbers(wanted, (each) -> this.marks.of(each.queue())), request.worker(), now, now,
				now, limit, now, request.worker());
		this.marks.found(seen.firstPlaces);
		return new FirstLook(seen.queues, sorted(held, wanted), more);
	}

	@Override
	public List<StoredJob> hold(UnitOfWork work, List<Wanted> wanted, int limit, String worker, long now) {
		if (work.isCareful()) {
			return HeldJobs.hold(work, wanted, limit, worker, now);
		}
		List<Wanted> inLanes = wanted.stream().filter(Wanted::isInLane).toList();
		if (inLanes.isEmpty()) {
			return holdInLine(work.statements(), wanted, limit, worker, now);
		}
		List<StoredJob> held = new ArrayList<>(PostgresStatements.run(work.statements(), PostgresSql.HOLD_LANES,
				StoredJob::read, PostgresStatements.texts(inLanes, Wanted::queue),
				PostgresStatements.texts(inLanes, Wanted::lane), ints(inLanes, (each) -> each.from().ordinal()),
				ints(inLanes, (each) -> each.to().ordinal()), counts(inLanes),
				new Listed("boolean", inLanes.stream().map(Wanted::onlyFirst).toArray()), now, worker));
		List<Wanted> inLine = wanted.stream().filter((each) -> !each.isInLane()).toList();
		if (!inLine.isEmpty()) {
			held.addAll(holdInLine(work.statements(), inLine, limit, worker, now));
		}
		return held;
	}

	private List<StoredJob> holdInLine(Statements statements, List<Wanted> wanted, int limit, String worker, long now) {
		this.marks.raise(statements, now);
		List<StoredJob> held = sorted(
				PostgresStatements.run(statements, PostgresSql.HOLD, StoredJob::read,
						PostgresStatements.texts(wanted, Wanted::queue), counts(wanted),
						PostgresStatements.numbers(wanted, (each) -> this.marks.of(each.queue())), limit, now, worker),
				wanted);
		Map<String, Long> firstPlaces = new HashMap<>();
		held.forEach((job) -> firstPlaces.putIfAbsent(job.queue(), job.place()));
		this.marks.found(firstPlaces);
		return held;
	}

	private static Listed counts(List<Wanted> wanted) {
		return ints(wanted, Wanted::count);
	}

	private static Listed ints(List<Wanted> wanted, Function<Wanted, Integer> number) {
		return new Listed("int", wanted.stream().map(number).toArray());
	}

	private static List<StoredJob> sorted(List<StoredJob> held, List<Wanted> wanted) {
		Map<String, Integer> order = new HashMap<>();
		wanted.forEach((each) -> order.put(each.queue(), order.size()));
		return held.stream()
			.sorted(Comparator.comparing((StoredJob job) -> order.getOrDefault(job.queue(), 0))
				.thenComparing(StoredJob::place))
			.toList();
	}

	@Override
	public Set<String> withReady(UnitOfWork work, Map<String, Long> queues) {
		if (work.isCareful()) {
			return HeldJobs.withReady(work, queues.keySet());
		}
		List<String> names = List.copyOf(queues.keySet());
		return new HashSet<>(PostgresStatements.run(work.statements(), PostgresSql.QUEUES_WITH_READY_JOBS,
				(row, n) -> row.getString(1), PostgresStatements.texts(names, (queue) -> queue),
				PostgresStatements.numbers(names, this.marks::of),
				PostgresStatements.numbers(names, (queue) -> queues.getOrDefault(queue, 0L))));
	}

	/** The queues in the rows of a result. */
	private static final class Seen {

		private final Map<String, QueueSnapshot> queues = new HashMap<>();

		private final Map<String, Long> firstPlaces = new HashMap<>();

		private String read(ResultSet row, String queue, int column) throws SQLException {
			boolean known = row.getObject(column) != null;
			Long place = row.getObject(column + 4, Long.class);
			this.queues.put(queue,
					new QueueSnapshot(row.getInt(column) == 1, known ? row.getInt(column + 1) : -1,
							row.getInt(column + 2) > 0, row.getObject(column + 3, Long.class), place != null,
							row.getString(column + 5), row.getInt(column + 6) > 0, row.getLong(column + 7)));
			if (place != null) {
				this.firstPlaces.put(queue, place);
			}
			return queue;
		}

	}

	/**
	 * The queues that were read and the jobs that were held.
	 *
	 * @param seen the state of each queue; nothing if the worker is not alive
	 * @param held the jobs, in the order of the queues and of their places
	 * @param more the queues with more ready jobs
	 */
	record FirstLook(Map<String, QueueSnapshot> seen, List<StoredJob> held, Set<String> more) {

	}

}
