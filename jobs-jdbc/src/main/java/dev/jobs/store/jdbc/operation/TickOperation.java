package dev.jobs.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
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
 * Fires ticks of schedules. Their rows and their jobs are read and written together,
 * unless a schedule has more than one tick.
 */
public final class TickOperation {

	private static final String SET = "{schedule} set definition = ?, queue = ?, latest = ?, touched_at = ?, fired = ?, "
			+ "offered = ?, outcome = ?, outcome_id = ?, outcome_due = ?, version = ?, next_at = ?, replaces = ? "
			+ "where name = ?";

	private static final String INTO = "{schedule} (definition, queue, latest, touched_at, fired, "
			+ "offered, outcome, outcome_id, outcome_due, version, next_at, replaces, name) "
			+ "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

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
	 * Fire the first tick of each schedule, then the second where there is one, and so
	 * on. The first step locks all schedules in the order of their names, so that no two
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
			Set<String> locked = new HashSet<>();
			indexes.forEach((i) -> {
				replies[i] = fired.next();
				if (replies[i] == TickReply.LOCKED) {
					locked.add(this.ticks.get(i).schedule().name());
				}
			});
			// A later tick must not pass one that is left for later.
			later.stream()
				.filter((i) -> locked.contains(this.ticks.get(i).schedule().name()))
				.forEach((i) -> replies[i] = TickReply.LOCKED);
			later.removeIf((i) -> replies[i] != null);
			left = later;
		}
		return Arrays.asList(replies);
	}

	private Collection<TickReply> fire(Map<String, Tick> ticks) {
		Map<String, Row> rows = read(ticks);
		Map<String, TickReply> replies = new LinkedHashMap<>();
		Map<String, Row> written = new TreeMap<>();
		Map<String, NewJob> claimed = new LinkedHashMap<>();
		ticks.forEach((name, tick) -> {
			Row row = rows.getOrDefault(name, Row.UNKNOWN);
			NewJob job = tick.job();
			boolean registers = job == null && tick.schedule().version() == null;
			TickReply known = (registers && row != Row.LOCKED) ? null : row.reply(tick);
			Row next = registers ? row.registered(tick) : row.claimed(tick);
			replies.put(name, (known != null) ? known : next.reply(tick.instant()));
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
	 * Read schedules and keep others from firing them. Those that another worker or a
	 * transaction of the application has locked are not waited for.
	 */
	private Map<String, Row> read(Map<String, Tick> ticks) {
		Map<String, Row> rows = read(ticks.keySet(), this.work.dialect().skippingLocked());
		Set<String> missing = new HashSet<>(ticks.keySet());
		missing.removeAll(rows.keySet());
		if (!missing.isEmpty()) {
			read(missing, "").keySet().forEach((name) -> rows.put(name, Row.LOCKED));
		}
		return rows;
	}

	private Map<String, Row> read(Set<String> names, String locking) {
		Map<String, Row> rows = new HashMap<>();
		this.statements.query(
				"select name, definition, queue, latest, paused, fired, offered, outcome, outcome_id, outcome_due, "
						+ "version, next_at, replaces from {schedule} where name in (??) order by name" + locking,
				(row, n) -> rows.put(row.getString(1), Row.read(row)), names);
		return rows;
	}

	/**
	 * Write schedules. If another process has added one, this fails and everything is
	 * tried again.
	 */
	private void write(Map<String, Row> rows) {
		List<@Nullable Object[]> added = new ArrayList<>();
		List<@Nullable Object[]> changed = new ArrayList<>();
		rows.forEach((name, row) -> (row.stored() ? changed : added).add(row.columns(name, this.now)));
		this.statements.batch("insert into " + INTO, added);
		this.statements.batch("update " + SET, changed);
	}

	/**
	 * The stored state of a schedule. Without a latest tick it is only a pause.
	 *
	 * @param stored whether there is a row
	 * @param definition its expression and zone
	 * @param queue the queue of its jobs
	 * @param latest its latest tick
	 * @param paused whether it is paused
	 * @param fired the latest ticks that were fired
	 * @param offered the id of the job that the latest tick offered
	 * @param enqueued the result of that
	 * @param version the version that was put, or {@code null}
	 * @param next when it is next looked at
	 * @param replaces what it overrides
	 */
	private record Row(boolean stored, @Nullable String definition, @Nullable String queue, @Nullable Long latest,
			boolean paused, @Nullable String fired, @Nullable String offered, @Nullable Enqueued enqueued,
			@Nullable String version, @Nullable Long next, @Nullable String replaces) {

		private static final Row UNKNOWN = new Row(false, null, null, null, false, null, null, null, null, null, null);

		private static final Row LOCKED = new Row(true, null, null, null, false, null, null, null, null, null, null);

		static Row read(ResultSet row) throws SQLException {
			long latest = row.getLong(4);
			boolean registered = !row.wasNull();
			Outcome outcome = StoredCode.OUTCOME.find(row.getString(8));
			String id = row.getString(9);
			return new Row(true, row.getString(2), row.getString(3), registered ? latest : null, row.getInt(5) == 1,
					row.getString(6), row.getString(7), (outcome != null && id != null)
							? Enqueued.of(id, outcome, EpochMillis.instant(row.getLong(10))) : null,
					row.getString(11), optional(row, 12), row.getString(13));
		}

		private static @Nullable Long optional(ResultSet row, int column) throws SQLException {
			long value = row.getLong(column);
			return row.wasNull() ? null : value;
		}

		/**
		 * Return the reply to a claimed tick or to a registration. For the registration
		 * of an overridden schedule it has the registration's own instant.
		 */
		TickReply reply(Instant instant) {
			return new TickReply(null,
					(this.version != null) ? instant : EpochMillis.instant(Objects.requireNonNull(this.latest)));
		}

		/**
		 * Return the reply to a tick that is not claimed, or {@code null} if it is
		 * claimed.
		 */
		@Nullable TickReply reply(Tick tick) {
			if (this == LOCKED) {
				return TickReply.LOCKED;
			}
			if (!Objects.equals(this.version, tick.schedule().version())) {
				return new TickReply(null, tick.instant());
			}
			long instant = EpochMillis.of(tick.instant());
			NewJob job = tick.job();
			if (this.latest == null || instant > this.latest || (job == null && instant == this.latest)) {
				return null;
			}
			boolean repeated = job != null && instant == this.latest && job.id().equals(this.offered);
			return new TickReply(repeated ? this.enqueued : null, EpochMillis.instant(this.latest), repeated);
		}

		Row registered(Tick tick) {
			long instant = EpochMillis.of(tick.instant());
			String definition = tick.schedule().definition();
			if (this.version != null && tick.schedule().queue().equals(this.queue)
					&& (this.replaces == null || this.replaces.equals(definition))) {
				return new Row(true, this.definition, this.queue, this.latest, this.paused, this.fired, this.offered,
						this.enqueued, this.version, this.next, definition);
			}
			boolean same = this.latest != null && (definition.equals(this.definition) || instant <= this.latest);
			return new Row(this.stored, definition, tick.schedule().queue(), same ? this.latest : Long.valueOf(instant),
					this.paused, same ? this.fired : null, same ? this.offered : null, same ? this.enqueued : null,
					null, null, null);
		}

		/**
		 * Claim a tick. That does not change what was registered.
		 */
		Row claimed(Tick tick) {
			boolean known = this.latest != null;
			boolean passes = known && Long.valueOf(EpochMillis.of(tick.instant())).equals(this.latest);
			return new Row(this.stored, known ? this.definition : tick.schedule().definition(),
					known ? this.queue : tick.schedule().queue(), EpochMillis.of(tick.instant()), this.paused,
					this.fired, passes ? this.offered : null, passes ? this.enqueued : null, this.version,
					(this.version != null) ? EpochMillis.ofOptional(tick.next()) : null, this.replaces);
		}

		Row fired(Tick tick, NewJob job, Enqueued enqueued, Instant now) {
			List<Fired> fired = new ArrayList<>(JsonColumns.fired(this.fired));
			fired.add(new Fired(tick.instant(), now, enqueued.outcome(), enqueued.id()));
			String text = JsonColumns
				.fired(fired.subList(Math.max(0, fired.size() - ScheduleView.FIRED_KEPT), fired.size()));
			return new Row(this.stored, this.definition, this.queue, this.latest, this.paused, text, job.id(), enqueued,
					this.version, this.next, this.replaces);
		}

		@Nullable Object[] columns(String name, Instant now) {
			Enqueued its = this.enqueued;
			return new @Nullable Object[] { this.definition, this.queue, this.latest, EpochMillis.of(now), this.fired,
					this.offered, (its != null) ? StoredCode.OUTCOME.of(its.outcome()) : null,
					(its != null) ? its.id() : null, (its != null) ? EpochMillis.of(its.dueAt()) : null, this.version,
					this.next, this.replaces, name };
		}

	}

}
