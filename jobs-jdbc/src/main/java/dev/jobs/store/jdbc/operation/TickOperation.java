package dev.jobs.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import org.jspecify.annotations.Nullable;

/**
 * Ticks of schedules. Their rows are read and written together, and so are their jobs,
 * unless a schedule has more than one tick.
 */
public final class TickOperation {

	private static final String SET = "{schedule} set definition = ?, queue = ?, latest = ?, touched_at = ?, fired = ?, "
			+ "offered = ?, outcome = ?, outcome_id = ?, outcome_due = ? where name = ?";

	private static final String INTO = "{schedule} (definition, queue, latest, touched_at, fired, "
			+ "offered, outcome, outcome_id, outcome_due, name) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

	private final UnitOfWork work;

	private final Statements statements;

	private final JobInserts inserts;

	private final List<Tick> ticks;

	private final Instant now;

	public TickOperation(UnitOfWork work, JobInserts inserts, List<Tick> ticks, Instant now) {
		this.work = work;
		this.statements = work.statements();
		this.inserts = inserts;
		this.ticks = ticks;
		this.now = now;
	}

	/**
	 * Fire the first tick of each schedule, then the second of each that has one, and so
	 * on: the first step locks all schedules, in the order of their names, so that no two
	 * workers block each other.
	 */
	public List<TickReply> run() {
		TickReply[] replies = new TickReply[this.ticks.size()];
		List<Integer> left = IntStream.range(0, replies.length).boxed().toList();
		while (!left.isEmpty()) {
			Map<String, Tick> together = new LinkedHashMap<>();
			List<Integer> indexes = new ArrayList<>();
			List<Integer> later = new ArrayList<>();
			for (int i : left) {
				Tick tick = this.ticks.get(i);
				(together.putIfAbsent(tick.schedule().name(), tick) == null ? indexes : later).add(i);
			}
			Iterator<TickReply> fired = fire(together).iterator();
			indexes.forEach((i) -> replies[i] = fired.next());
			left = later;
		}
		return Arrays.asList(replies);
	}

	private Collection<TickReply> fire(Map<String, Tick> ticks) {
		Map<String, Row> rows = read(ticks.keySet());
		Map<String, TickReply> replies = new LinkedHashMap<>();
		Map<String, Row> written = new TreeMap<>();
		Map<String, NewJob> claimed = new LinkedHashMap<>();
		ticks.forEach((name, tick) -> {
			Row row = rows.getOrDefault(name, Row.UNKNOWN);
			NewJob job = tick.job();
			TickReply known = (job != null) ? row.reply(tick, job) : null;
			Row next = (job != null) ? row.claimed(tick) : row.registered(tick);
			replies.put(name, (known != null) ? known
					: new TickReply(null, EpochMillis.instant(Objects.requireNonNull(next.latest()))));
			if (known == null) {
				written.put(name, next);
			}
			if (job != null && known == null && !row.paused()) {
				claimed.put(name, job);
			}
		});
		Iterator<Enqueued> enqueued = new EnqueueOperation(this.work, this.inserts, List.copyOf(claimed.values()),
				this.now)
			.run()
			.iterator();
		claimed.forEach((name, job) -> {
			Tick tick = Objects.requireNonNull(ticks.get(name));
			Enqueued its = enqueued.next();
			replies.put(name, new TickReply(its, tick.instant()));
			written.computeIfPresent(name, (key, row) -> row.fired(tick, job, its, this.now));
		});
		write(written);
		return replies.values();
	}

	/**
	 * Read schedules and keep others from firing them.
	 */
	private Map<String, Row> read(Set<String> names) {
		Map<String, Row> rows = new HashMap<>();
		this.statements.query(
				"select name, definition, queue, latest, paused, fired, offered, outcome, outcome_id, outcome_due "
						+ "from {schedule} where name in (??) order by name" + this.work.dialect().locking(),
				(row, n) -> rows.put(row.getString(1), Row.read(row)), names);
		return rows;
	}

	/**
	 * Write schedules. If another process has added one, that fails and all is tried
	 * again.
	 */
	private void write(Map<String, Row> rows) {
		List<@Nullable Object[]> added = new ArrayList<>();
		List<@Nullable Object[]> changed = new ArrayList<>();
		rows.forEach((name, row) -> (row.stored() ? changed : added).add(row.columns(name, this.now)));
		this.statements.batch("insert into " + INTO, added);
		this.statements.batch("update " + SET, changed);
	}

	/**
	 * What is known of a schedule. Only a pause is if it has no latest tick.
	 *
	 * @param stored whether there is a row
	 * @param definition its expression and zone
	 * @param queue the queue of its jobs
	 * @param latest its latest tick
	 * @param paused whether it is paused
	 * @param fired the latest ticks that were fired
	 * @param offered the id of the job that the latest tick offered
	 * @param enqueued what became of that
	 */
	private record Row(boolean stored, @Nullable String definition, @Nullable String queue, @Nullable Long latest,
			boolean paused, @Nullable String fired, @Nullable String offered, @Nullable Enqueued enqueued) {

		private static final Row UNKNOWN = new Row(false, null, null, null, false, null, null, null);

		static Row read(ResultSet row) throws SQLException {
			long latest = row.getLong(4);
			boolean registered = !row.wasNull();
			Outcome outcome = StoredCode.OUTCOME.find(row.getString(8));
			String id = row.getString(9);
			return new Row(true, row.getString(2), row.getString(3), registered ? latest : null, row.getInt(5) == 1,
					row.getString(6), row.getString(7), (outcome != null && id != null)
							? Enqueued.of(id, outcome, EpochMillis.instant(row.getLong(10))) : null);
		}

		/**
		 * Return the reply to a tick that is not claimed, or {@code null} if it is.
		 */
		@Nullable TickReply reply(Tick tick, NewJob job) {
			long instant = EpochMillis.of(tick.instant());
			if (this.latest == null || instant > this.latest) {
				return null;
			}
			boolean repeated = instant == this.latest && job.id().equals(this.offered);
			return new TickReply(repeated ? this.enqueued : null, EpochMillis.instant(this.latest), repeated);
		}

		Row registered(Tick tick) {
			long instant = EpochMillis.of(tick.instant());
			String definition = tick.schedule().definition();
			boolean same = this.latest != null && (definition.equals(this.definition) || instant <= this.latest);
			return new Row(this.stored, definition, tick.schedule().queue(), same ? this.latest : Long.valueOf(instant),
					this.paused, same ? this.fired : null, same ? this.offered : null, same ? this.enqueued : null);
		}

		/**
		 * Claim a tick. That does not change what was registered.
		 */
		Row claimed(Tick tick) {
			boolean known = this.latest != null;
			return new Row(this.stored, known ? this.definition : tick.schedule().definition(),
					known ? this.queue : tick.schedule().queue(), EpochMillis.of(tick.instant()), this.paused,
					this.fired, null, null);
		}

		Row fired(Tick tick, NewJob job, Enqueued enqueued, Instant now) {
			List<Fired> fired = new ArrayList<>(JsonColumns.fired(this.fired));
			fired.add(new Fired(tick.instant(), now, enqueued.outcome(), enqueued.id()));
			String text = JsonColumns
				.fired(fired.subList(Math.max(0, fired.size() - ScheduleView.FIRED_KEPT), fired.size()));
			return new Row(this.stored, this.definition, this.queue, this.latest, this.paused, text, job.id(),
					enqueued);
		}

		@Nullable Object[] columns(String name, Instant now) {
			Enqueued its = this.enqueued;
			return new @Nullable Object[] { this.definition, this.queue, this.latest, EpochMillis.of(now), this.fired,
					this.offered, (its != null) ? StoredCode.OUTCOME.of(its.outcome()) : null,
					(its != null) ? its.id() : null, (its != null) ? EpochMillis.of(its.dueAt()) : null, name };
		}

	}

}
