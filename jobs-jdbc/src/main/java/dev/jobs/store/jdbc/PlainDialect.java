package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.JobState;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ErrorText;
import dev.jobs.store.NewJob;
import dev.jobs.store.QueueView;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;

/**
 * Databases without arrays: rows are found first and then written one by one, in batches
 * of the driver.
 */
final class PlainDialect implements Dialect {

	private static final Logger logger = LoggerFactory.getLogger(PlainDialect.class);

	/**
	 * H2 lists the delay twice, as it is stored and as it is. The stored one is no longer
	 * in force when the file is opened again.
	 */
	private static final String H2_DELAYS = "select count(*) from information_schema.settings "
			+ "where setting_name = 'WRITE_DELAY' and setting_value <> '0'";

	private final String locking;

	private final String skipping;

	private final NumberSequence drawing;

	/** What a transaction that writes begins with. */
	private final @Nullable String first;

	private final @Nullable String time;

	/** What a query without a table is from. */
	private final String nowhere;

	private final boolean isH2;

	private PlainDialect(String locking, String skipping, NumberSequence drawing, @Nullable String first,
			@Nullable String time, String nowhere, boolean isH2) {
		this.isH2 = isH2;
		this.locking = locking;
		this.skipping = skipping;
		this.drawing = drawing;
		this.first = first;
		this.time = time;
		this.nowhere = nowhere;
	}

	static PlainDialect h2() {
		return new PlainDialect(" for update", " for update skip locked",
				NumberSequence.sequence("select next value for {%s} from system_range(1, ?)"), null, null, "", true);
	}

	static PlainDialect mariadb() {
		return mysql(NumberSequence
			.sequence("with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ?) "
					+ "select next value for {%s} from numbers"));
	}

	/**
	 * MariaDB without sequences.
	 */
	static PlainDialect mysql() {
		return mysql(NumberSequence.rows());
	}

	private static PlainDialect mysql(NumberSequence drawing) {
		return new PlainDialect(" for update", " for update skip locked", drawing, null,
				"select timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(3)) div 1000", " from dual",
				false);
	}

	/**
	 * There is one writer at a time, so nothing has to be locked, and a table counts. The
	 * first statement writes, so that a transaction never has to become a writing one
	 * when others wrote meanwhile.
	 */
	static PlainDialect sqlite() {
		return new PlainDialect("", "", NumberSequence.counter(),
				"update {counter} set last = last where name = 'place'", null, "", false);
	}

	/**
	 * H2 writes a commit to its file half a second later unless it is told not to, and it
	 * is told for all connections, each time the file is opened. What was acknowledged
	 * would be gone if the process was killed before.
	 */
	@Override
	public void open(Statements statements) {
		if (!this.isH2 || statements.number(H2_DELAYS) == 0) {
			return;
		}
		try {
			statements.jdbc().execute("set write_delay 0");
		}
		catch (DataAccessException ex) {
			logger
				.warn("The user of H2 is no administrator, so H2 writes commits to its file later, and jobs that were "
						+ "accepted in the last moments are lost if the process is killed. Make it an administrator "
						+ "(alter user ... admin true): {}", ErrorText.clean(String.valueOf(ex.getMessage())));
		}
	}

	@Override
	public void begin(Statements statements) {
		if (this.first != null) {
			statements.update(this.first);
		}
	}

	@Override
	public void beginEnd(Statements statements) {
	}

	@Override
	public String locking() {
		return this.locking;
	}

	@Override
	public String skipping() {
		return this.skipping;
	}

	@Override
	public List<Long> next(Statements statements, String sequence, int count) {
		return this.drawing.draw(statements, sequence, count);
	}

	@Override
	public boolean insertNew(Statements statements, String table, String columns, @Nullable Object... values) {
		String key = columns.split(",", 2)[0];
		@Nullable Object[] arguments = new @Nullable Object[values.length + 1];
		System.arraycopy(values, 0, arguments, 0, values.length);
		arguments[values.length] = values[0];
		String marks = String.join(", ", Collections.nCopies(values.length, "?"));
		String sql = "insert into {" + table + "} (" + columns + ") select " + marks + this.nowhere
				+ " where not exists (select 1 from {" + table + "} where " + key + " = ?)";
		try {
			return statements.update(sql, arguments) > 0;
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}

	/**
	 * SQLite alone has numbers in all columns that overflow when they are added up, and a
	 * sum that does not.
	 */
	@Override
	public String sum(String column) {
		return this.first != null ? "cast(total(" + column + ") as integer)" : "sum(" + column + ")";
	}

	@Override
	public Set<String> insertPlain(UnitOfWork work, List<NewJob> jobs, long now) {
		Statements statements = work.statements();
		Set<String> ids = new LinkedHashSet<>();
		jobs.forEach((job) -> ids.add(job.id()));
		Set<String> known = new HashSet<>(
				statements.query("select id from {job} where id in (??)", (row, n) -> row.getString(1), ids));
		List<NewJob> added = new ArrayList<>();
		Set<String> news = new HashSet<>();
		for (NewJob job : jobs) {
			if (!known.contains(job.id()) && news.add(job.id())) {
				added.add(job);
			}
		}
		List<Long> places = next(statements, "place", added.size());
		statements.batch(NewJobRow.INSERT,
				IntStream.range(0, added.size())
					.mapToObj((i) -> NewJobRow.of(added.get(i), null, places.get(i), now))
					.toList());
		added.stream().map(NewJob::name).distinct().forEach(work::openQueue);
		return news;
	}

	@Override
	public @Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		if (!new Workers(statements, EpochMillis.of(request.now())).isAlive(request.worker())) {
			return null;
		}
		return QueueSnapshot.of(statements, request.quotas().stream().map(ClaimRequest.Quota::queue).toList());
	}

	@Override
	public List<StoredJob> hold(Statements statements, List<Wanted> wanted, int limit, String worker, long now) {
		List<StoredJob> found = new ArrayList<>();
		for (Wanted each : wanted) {
			int count = Math.min(each.count(), limit - found.size());
			if (count > 0) {
				found.addAll(statements.query("select " + StoredJob.COLUMNS
						+ " from {job} j where j.queue = ? and j.state = 1 order by j.place limit ?" + this.skipping,
						StoredJob::read, each.queue(), count));
			}
		}
		if (found.isEmpty()) {
			return found;
		}
		long token = next(statements, "token", 1).get(0);
		statements.batch(
				"update {job} set state = 2, token = ?, since = ?, cancel = null, " + "held_key = "
						+ UniqueKeys.heldIn(JobState.RUNNING) + " where id = ?",
				found.stream().map((job) -> new @Nullable Object[] { token, now, job.id() }).toList());
		List<StoredJob> held = found.stream().map((job) -> job.heldUnder(token)).toList();
		new Deliveries(statements).add(held, worker, now);
		return held;
	}

	/**
	 * Not by {@code exists}: MariaDB may then collect the whole backlog before it looks
	 * for the queues.
	 */
	@Override
	public Set<String> withReady(Statements statements, Map<String, Long> queues) {
		return new HashSet<>(statements.query(
				"select n.name from {queue} n where n.name in (??) "
						+ "and (select 1 from {job} j where j.queue = n.name and j.state = 1 limit 1) = 1",
				(row, n) -> row.getString(1), queues.keySet()));
	}

	@Override
	public Set<String> remove(Statements statements, List<Transition> transitions) {
		int[] removed = statements.batchCounted("delete from {job} where id = ? and token = ?",
				transitions.stream()
					.map((transition) -> new @Nullable Object[] { transition.id(), transition.token() })
					.toList());
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < removed.length; i++) {
			if (removed[i] != 0) {
				ids.add(transitions.get(i).id());
			}
		}
		return ids;
	}

	@Override
	public void removeFromOutbox(Statements statements, List<Long> places) {
		statements.batch("delete from {outbox} where place = ?",
				places.stream().map((place) -> new @Nullable Object[] { place }).toList());
	}

	@Override
	public void adopt(Statements statements, Collection<String> queues) {
		Set<String> unknown = new LinkedHashSet<>(queues);
		statements.query("select name from {queue} where name in (??)", (row, n) -> row.getString(1), unknown)
			.forEach(unknown::remove);
		for (String queue : unknown) {
			if (statements.first("select id from {job} where queue = ? limit 1", (row, n) -> row.getString(1),
					queue) != null) {
				insertNew(statements, "queue", "name", queue);
			}
		}
	}

	@Override
	public String isAmong(String column, int count) {
		return (count > 0) ? column + " in (" + String.join(", ", Collections.nCopies(count, "?")) + ")" : "1 = 0";
	}

	@Override
	public List<Object> arguments(Collection<?> values) {
		return new ArrayList<>(values);
	}

	@Override
	public @Nullable Long time(Statements statements) {
		return (this.time != null) ? statements.number(this.time) : null;
	}

	@Override
	public List<QueueView> queues(Statements statements, long now) {
		return PlainQueues.of(statements, now);
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
	public List<Candidate> line(Statements statements, Selection selection, Selection.Part line,
			@Nullable ListPosition after, int many) {
		boolean newestFirst = selection.newestFirst();
		String sql = "select " + Candidate.COLUMNS + " from {job} j where j.queue = ? and " + line.condition()
				+ " and j.place " + (newestFirst ? "<" : ">") + " ? order by " + line.order(newestFirst) + " limit ?";
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
	public List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst,
			List<OrderedScan.Start> starts) {
		String column = "j." + part.column();
		String sql = "select " + Candidate.COLUMNS + " from {job} j where j.queue = ? and " + part.condition()
				+ " and (" + column + (newestFirst ? " < " : " > ") + "? or (" + column + " = ? and j.id"
				+ (newestFirst ? " < " : " > ") + "?)) order by " + part.order(newestFirst) + " limit ?";
		List<Candidate> found = new ArrayList<>();
		for (OrderedScan.Start start : starts) {
			List<@Nullable Object> arguments = new ArrayList<>();
			arguments.add(start.queue());
			arguments.addAll(part.arguments());
			arguments.addAll(List.of(start.time(), start.time(), start.id(), start.many()));
			found.addAll(statements.query(sql, Candidate::read, arguments.toArray()));
		}
		return found;
	}

}
