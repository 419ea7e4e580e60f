package dev.jobs.store.jdbc.read;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.Unique.Scope;
import dev.jobs.store.jdbc.read.JobReader.Search;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.SqlFault;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.TallyRows;
import dev.jobs.store.support.Cursor;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.ReadDeadline;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SavedView;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.StoreView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerJson;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;

import static java.util.stream.Collectors.joining;

/**
 * Reads the tables for operators.
 */
public final class JdbcJobInspector implements JobInspector {

	private static final String FROM = " from {job} j "
			+ "left join {delivery} d on d.queue = j.queue and d.token = j.token and j.state = {running} ";

	private static final String JOBS = "select " + StoredJob.COLUMNS + ", d.owner" + FROM;

	private static final String LISTED = "select " + StoredJob.LISTED_COLUMNS + ", d.owner, " + StoredJob.PAYLOAD_SIZE
			+ FROM;

	private static final int PIECE = 500;

	/** How many jobs are read at once for a list; their trails may have stacks. */
	private static final int LISTED_AT_ONCE = 100;

	/** How many bytes are read at once to be searched, unless one job has more. */
	private static final int BYTES_AT_ONCE = 2 << 20;

	/**
	 * Shorter texts, such as a space, are in most jobs, so all jobs are read and
	 * searched.
	 */
	private static final int SHORTEST_SEARCHED = 2;

	private final Supplier<Session> session;

	private final Supplier<JobReader> reader;

	private final Refusals refusals;

	private final Duration patience;

	/** Lists take at most one connection, since workers need the others. */
	private final Semaphore connection = new Semaphore(1, true);

	/**
	 * Create an inspector.
	 * @param session returns the session to read in, once the database can be reached
	 * @param reader returns the reader of lists for that database
	 * @param refusals what the database refuses to change
	 * @param patience how long reading a list may take
	 */
	public JdbcJobInspector(Supplier<Session> session, Supplier<JobReader> reader, Refusals refusals,
			Duration patience) {
		this.session = session;
		this.reader = reader;
		this.refusals = refusals;
		this.patience = patience;
	}

	@Override
	public List<QueueView> queues(Instant now) {
		return this.session.get().read((statements) -> this.reader.get().queues(statements, null, EpochMillis.of(now)));
	}

	@Override
	public Optional<QueueView> queue(String name, Instant now) {
		if (!StoredJob.isId(name)) {
			return Optional.empty();
		}
		return this.session.get()
			.read((statements) -> this.reader.get().queues(statements, name, EpochMillis.of(now)))
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst();
	}

	@Override
	public List<LaneView> lanes(String queue, String after, int limit, Instant now) {
		return lanes(queue, now, (lanes) -> lanes.behind(after, limit));
	}

	@Override
	public LaneView lane(String queue, String lane, Instant now) {
		return lanes(queue, now, (lanes) -> lanes.lane(lane));
	}

	@Override
	public SortedMap<String, LaneSettingsView> laneSettings(String queue) {
		return lanes(queue, Instant.EPOCH, LaneReader::settings);
	}

	private <T> T lanes(String queue, Instant now, Function<LaneReader, T> read) {
		return this.session.get()
			.read((statements) -> read.apply(new LaneReader(statements, this.reader.get().deliveries(), queue, now)));
	}

	@Override
	public List<SavedView> saved(String queue, String job) {
		List<SavedView> saved = !StoredJob.isId(job) ? List.of() : this.session.get()
			.read((statements) -> statements.query("select name, body, saved_at from {saved} where job = ?",
					(row, n) -> new SavedView(row.getString(1), row.getBytes(2), EpochMillis.instant(row.getLong(3))),
					job));
		return saved.stream().sorted(Comparator.comparing(SavedView::savedAt).thenComparing(SavedView::name)).toList();
	}

	@Override
	public Map<String, EndView> ends(Collection<String> jobs, Instant now) {
		List<String> ids = jobs.stream().filter(StoredJob::isId).toList();
		return ids.isEmpty() ? Map.of()
				: this.session.get().read((statements) -> ends(statements, ids, EpochMillis.of(now)));
	}

	/**
	 * The jobs are read first: one that goes meanwhile leaves its end. Ends are found by
	 * their ids alone, since most times are not over and an index of these is no help.
	 */
	private static Map<String, EndView> ends(Statements statements, List<String> ids, long now) {
		Map<String, EndView> found = new HashMap<>();
		statements.query("select id, state, due_at, trail from {job} where id in (??)",
				(row, n) -> found.put(row.getString(1),
						new EndView(StateColumn.seen(row.getInt(2), row.getLong(3), now),
								JsonColumns.trail(row.getString(4)), null)),
				ids);
		List<String> ended = ids.stream().filter((id) -> isEnded(found.get(id))).toList();
		if (!ended.isEmpty()) {
			statements.query("select id, state, trail, body, until_at from {end} where id in (??)", (row, n) -> {
				EndView job = found.get(row.getString(1));
				if (row.getLong(5) > now && isEnded(job)) {
					JobState state = StateColumn.seen(row.getInt(2), 0, now);
					found.put(row.getString(1), (job != null) ? new EndView(job.state(), job.trail(), row.getBytes(4))
							: new EndView(state, JsonColumns.trail(row.getString(3)), row.getBytes(4)));
				}
				return n;
			}, ended);
		}
		return found;
	}

	/**
	 * Return whether a job may have an end: it is gone or has succeeded.
	 */
	private static boolean isEnded(@Nullable EndView job) {
		return job == null || job.state() == JobState.SUCCEEDED;
	}

	@Override
	public List<StoreFault> faults() {
		return this.refusals.faults();
	}

	@Override
	public StoreView store() {
		return new StoreView("jdbc", true, "as that of the database's transactions", Map.of());
	}

	@Override
	public List<WorkerView> workers(Instant now) {
		return this.session.get().read((statements) -> {
			DeliveryRows deliveries = this.reader.get().deliveries();
			return statements.query("""
					select w.id, w.last_beat, w.lease_until, w.info, coalesce(held.jobs, 0) from {worker} w
					left join (select d.worker, sum(%s) as jobs from %s d group by d.worker) held
						on held.worker = w.id
					where w.lease_until >= ? order by w.id""".formatted(Deliveries.RUNNING, deliveries.source()),
					(row, n) -> new WorkerView(row.getString(1), WorkerJson.info(row.getString(4)),
							EpochMillis.instant(row.getLong(2)), EpochMillis.instant(row.getLong(3)), row.getLong(5)),
					deliveries.with(EpochMillis.of(now)));
		});
	}

	@Override
	public List<ScheduleView> schedules() {
		return schedules("''", "order by name");
	}

	@Override
	public Optional<ScheduleView> schedule(String name) {
		// MariaDB ignores blanks at the end of a name.
		return StoredJob.isId(name) ? schedules("spec", "and name = ?", name).stream()
			.filter((schedule) -> schedule.name().equals(name))
			.findFirst() : Optional.empty();
	}

	@Override
	public DueSchedules dueSchedules(Instant now, DueSchedules.@Nullable Place after, int limit) {
		long millis = EpochMillis.of(now);
		long from = (after != null) ? EpochMillis.of(after.at()) : 0;
		List<Map.Entry<String, Integer>> found = this.session.get()
			.read((statements) -> statements.query(
					"select name, coalesce(length(spec), 0) from {schedule} where latest is not null and version is not null "
							+ "and next_at between ? and ? and (next_at > ? or name > ?) order by next_at, name limit ?",
					(row, n) -> Map.entry(row.getString(1), row.getInt(2)), from, millis, from,
					(after != null) ? after.name() : "", limit + 1));
		List<String> names = new ArrayList<>();
		int room = DueSchedules.MOST_CHARACTERS;
		for (Map.Entry<String, Integer> each : found) {
			room -= each.getValue();
			if (names.size() == limit || (room < 0 && !names.isEmpty())) {
				break;
			}
			names.add(each.getKey());
		}
		List<ScheduleView> due = names.isEmpty() ? List.of() : schedules("spec",
				"and version is not null and next_at <= ? and name in (??) order by next_at, name", millis, names);
		Long next = this.session.get()
			.read((statements) -> statements.first(
					"select next_at from {schedule} where next_at > ? order by next_at limit 1",
					(row, n) -> row.getLong(1), millis));
		return new DueSchedules(due, names.size() < found.size(), (next != null) ? EpochMillis.instant(next) : null);
	}

	private List<ScheduleView> schedules(String spec, String which, @Nullable Object... arguments) {
		return this.session.get()
			.read((statements) -> statements.query(
					"select name, coalesce(definition, ''), coalesce(queue, ''), latest, paused, fired, version, next_at, "
							+ "replaces, " + spec + " from {schedule} where latest is not null " + which,
					(row, n) -> new ScheduleView(row.getString(1), row.getString(2), row.getString(3),
							EpochMillis.instant(row.getLong(4)), row.getInt(5) == 1,
							JsonColumns.fired(row.getString(6)), put(row)),
					arguments));
	}

	private static ScheduleView.@Nullable Put put(ResultSet row) throws SQLException {
		String version = row.getString(7);
		if (version == null) {
			return null;
		}
		long next = row.getLong(8);
		boolean never = row.wasNull();
		String spec = row.getString(10);
		return new ScheduleView.Put(version, (spec != null) ? spec : "", never ? null : EpochMillis.instant(next),
				row.getString(9));
	}

	@Override
	public Optional<Job> job(String id, Instant now) {
		if (!StoredJob.isId(id)) {
			return Optional.empty();
		}
		return Optional.ofNullable(this.session.get()
			.read((statements) -> statements.query(JOBS + "where j.id = ?", (row, n) -> seen(row, now), id))
			.stream()
			.findFirst()
			.orElse(null));
	}

	private static Job listed(ResultSet row, Instant now) throws SQLException {
		return StoredJob.read(row, 0).listed(row.getInt(15), row.getString(14), now);
	}

	private static Job seen(ResultSet row, Instant now) throws SQLException {
		return StoredJob.read(row, 0).seen(row.getString(14), now);
	}

	@Override
	public JobPage page(JobFilter filter, PageRequest request, Instant now) {
		if (filter.getUniqueKey() != null) {
			return ListedJob.page(owners(filter.getUniqueKey(), filter.getName(), now), filter, containing(filter, now),
					request);
		}
		ListPosition after = ListPosition.read(Cursor.read(filter, request));
		Selection selection = new Selection(filter, request.isNewestFirst(), EpochMillis.of(now));
		return alone((deadline) -> this.session.get().readSnapshot((statements) -> {
			Found found = find(statements, selection, after, request.limit(), now, deadline);
			List<Job> jobs = listed(statements, found.ids(), now, deadline);
			Candidate last = found.last();
			return JobPage.of(jobs, (last != null)
					? Cursor.write(ListPosition.of(last, filter.getTag() != null).position(), filter, request) : null);
		}));
	}

	@Override
	public JobCount count(JobFilter filter, int bound, Instant now) {
		if (filter.getUniqueKey() != null) {
			return ListedJob.count(owners(filter.getUniqueKey(), filter.getName(), now), filter,
					containing(filter, now), bound);
		}
		Selection selection = new Selection(filter, true, EpochMillis.of(now));
		if (selection.parts().isEmpty()) {
			return JobCount.exactly(0);
		}
		if (selection.isIndexed()) {
			// A test for any dead job takes no turn, since pages that only show sums ask
			// for it.
			return (bound > 1) ? alone((deadline) -> count(selection, bound)) : count(selection, bound);
		}
		return alone((deadline) -> this.session.get().read((statements) -> {
			if (filter.getText() == null && filter.getTag() == null) {
				List<Candidate> some = this.reader.get().some(statements, selection, LOOKED_THROUGH + 1);
				long fitting = some.stream().limit(LOOKED_THROUGH).filter(selection::fits).count();
				return about(statements, (some.size() > LOOKED_THROUGH) ? JobCount.atLeast(Math.min(fitting, bound))
						: ListedJob.count(fitting, bound), filter);
			}
			Found found = find(statements, selection, null, bound, now, deadline);
			return (found.last() == null) ? JobCount.exactly(found.ids().size()) : JobCount.atLeast(found.ids().size());
		}));
	}

	private JobCount count(Selection selection, int bound) {
		return this.session.get()
			.read((statements) -> about(statements,
					ListedJob.count(this.reader.get().count(statements, selection, bound + 1), bound),
					selection.filter()));
	}

	private JobCount about(Statements statements, JobCount count, JobFilter filter) {
		return count.exact() ? count : JobCount.atLeast(count.number(), this.reader.get().estimate(statements, filter));
	}

	/**
	 * Read a list while no other is read.
	 */
	private <T> T alone(Function<ReadDeadline, T> read) {
		ReadDeadline deadline = ReadDeadline.after(this.patience);
		boolean alone = false;
		try {
			alone = this.connection.tryAcquire(this.patience.toMillis(), TimeUnit.MILLISECONDS);
			if (!alone) {
				throw JobStoreException.late("Other lists of jobs are being read, one after the other", null);
			}
			return read.apply(deadline);
		}
		catch (JobStoreException ex) {
			throw (SqlFault.of(ex) == SqlFault.LATE) ? deadline.passed(ex) : ex;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw JobStoreException.late("The thread was interrupted before it read a list of jobs", ex);
		}
		finally {
			if (alone) {
				this.connection.release();
			}
		}
	}

	private Predicate<Job> containing(JobFilter filter, Instant now) {
		return ListedJob.containing(filter, (id) -> job(id, now));
	}

	/**
	 * Return the jobs that own a key, within a queue or across queues.
	 */
	private List<ListedJob> owners(String key, @Nullable String name, Instant now) {
		return this.session.get().read((statements) -> {
			List<String> queues = (name != null) ? List.of(name)
					: statements.query("select name from {queue}", (row, n) -> row.getString(1));
			Set<String> names = new HashSet<>();
			queues.forEach((queue) -> names
				.add(KeyColumns.name(queue, Scope.HANDLER, UniqueKeyDigest.of(Scope.HANDLER, queue, key))));
			names.add(KeyColumns.name("", Scope.NAMESPACE, UniqueKeyDigest.of(Scope.NAMESPACE, "", key)));
			return statements.query(LISTED + "where (j.key_until is null or j.key_until > ?) and j.held_key in (??)",
					(row, n) -> new ListedJob(listed(row, now), EpochMillis.instant(row.getLong(6))),
					EpochMillis.of(now), names);
		});
	}

	/**
	 * Find jobs that the filter selects, within a bounded number of jobs from the indexes
	 * and a bounded number of bytes.
	 */
	private Found find(Statements statements, Selection selection, @Nullable ListPosition after, int limit, Instant now,
			ReadDeadline deadline) {
		boolean looks = !selection.isIndexed();
		OrderedScan scan = new OrderedScan(statements, this.reader.get(), selection, after, looks ? PIECE : limit + 1);
		List<String> ids = new ArrayList<>();
		Candidate last = null;
		int looked = 0;
		long bytes = BYTES_LOOKED_THROUGH;
		while (true) {
			deadline.check();
			int room = looks ? Math.min(Math.min(PIECE, Math.max(limit + 1, looked)), LOOKED_THROUGH + 1 - looked)
					: limit + 1 - ids.size();
			List<Candidate> candidates = scan.next(room);
			Looked found = look(statements, selection, candidates, bytes, now, deadline);
			bytes -= found.bytes();
			for (Candidate candidate : candidates) {
				if (ids.size() == limit || looked == LOOKED_THROUGH || candidate.id().equals(found.end())) {
					return new Found(ids, last);
				}
				if (found.selected().contains(candidate.id())) {
					ids.add(candidate.id());
				}
				looked += looks ? 1 : 0;
				last = candidate;
			}
			if (candidates.size() < room) {
				return new Found(ids, null);
			}
		}
	}

	/**
	 * Find out which of some jobs the filter selects. Only text and tags need rows; the
	 * database filters first, and the remaining rows are read in bounded parts.
	 * @param most how many bytes are searched, and the job that exceeds them
	 */
	private Looked look(Statements statements, Selection selection, List<Candidate> candidates, long most, Instant now,
			ReadDeadline deadline) {
		JobFilter filter = selection.filter();
		List<String> fitting = candidates.stream().filter(selection::fits).map(Candidate::id).toList();
		if (filter.getText() == null && filter.getTag() == null) {
			return new Looked(new HashSet<>(fitting), 0, null);
		}
		JobReader reader = this.reader.get();
		String text = (filter.getText() != null) ? filter.getText().toLowerCase(Locale.ROOT) : "";
		String part = StoredJob.plainPart(text);
		Search search = reader.search((part.length() >= SHORTEST_SEARCHED) ? part : "",
				(filter.getTag() != null) ? filter.getTag() : "");
		String jobs = ((filter.getText() != null) ? JOBS : LISTED).replace(StoredJob.TRAIL,
				reader.trailWithoutStacks());
		Predicate<Job> wanted = ListedJob.containing(filter);
		RowMapper<Optional<Job>> read = (row, n) -> {
			StoredJob stored = StoredJob.read(row, n);
			return stored.mayContain(text) ? Optional.of(stored.seen(row.getString(14), now)).filter(wanted)
					: Optional.empty();
		};
		Map<String, Long> sizes = (filter.getText() != null) ? sizes(statements, fitting) : Map.of();
		Set<String> selected = new HashSet<>();
		long bytes = 0;
		for (int from = 0; from < fitting.size();) {
			if (bytes >= most) {
				return new Looked(selected, bytes, fitting.get(from));
			}
			deadline.check();
			long some = 0;
			int to = from;
			do {
				some += sizes.getOrDefault(fitting.get(to), 0L);
				to++;
			}
			while (to < fitting.size() && some + sizes.getOrDefault(fitting.get(to), 0L) <= BYTES_AT_ONCE);
			query(statements, jobs, fitting.subList(from, to), search, read)
				.forEach((found) -> found.ifPresent((job) -> selected.add(job.id())));
			bytes += some;
			from = to;
		}
		return new Looked(selected, bytes, null);
	}

	private static Map<String, Long> sizes(Statements statements, List<String> ids) {
		Map<String, Long> sizes = new HashMap<>();
		if (!ids.isEmpty()) {
			statements.query("select j.id, " + StoredJob.SIZE + " from {job} j where j.id in (??)",
					(row, n) -> sizes.put(row.getString(1), row.getLong(2)), ids);
		}
		return sizes;
	}

	/**
	 * Read jobs for a list, in a given order.
	 */
	private static List<Job> listed(Statements statements, List<String> ids, Instant now, ReadDeadline deadline) {
		Map<String, Job> jobs = new HashMap<>();
		for (int from = 0; from < ids.size(); from += LISTED_AT_ONCE) {
			deadline.check();
			query(statements, LISTED, ids.subList(from, Math.min(from + LISTED_AT_ONCE, ids.size())), Search.ALL,
					(row, n) -> listed(row, now))
				.forEach((job) -> jobs.put(job.id(), job));
		}
		return ids.stream().map(jobs::get).filter(Objects::nonNull).toList();
	}

	private static <T> List<T> query(Statements statements, String select, List<String> ids, Search search,
			RowMapper<T> read) {
		String where = search.conditions().stream().map((condition) -> condition + " and ").collect(joining());
		List<@Nullable Object> arguments = new ArrayList<>(search.arguments());
		arguments.add(ids);
		return statements.query(select + "where " + where + "j.id in (??)", read, arguments.toArray());
	}

	@Override
	public List<Tally> statistics(Set<String> queues, Period period) {
		return this.session.get()
			.read((statements) -> new TallyRows(statements, this.session.get().dialect()).of(queues, period));
	}

	@Override
	public List<Note> notes() {
		return this.session.get()
			.read((statements) -> statements
				.query("select noted_at, line from {note} where line is not null order by noted_at desc, id limit "
						+ Note.KEPT, (row, n) -> Note.of(EpochMillis.instant(row.getLong(1)), row.getString(2))));
	}

	@Override
	public GateView gate(String queue, String lane, Instant now) {
		return this.session.get()
			.read((statements) -> statements.query(
					"select held_until, permit_at from {gate} where queue = ? and lane = ?",
					(row, n) -> GateView.of(row.getLong(1), row.getLong(2), now), queue, lane))
			.stream()
			.findFirst()
			.orElse(GateView.OPEN);
	}

	@Override
	public List<OperatorSetting> operatorSettings() {
		return this.session.get()
			.read((statements) -> statements.query(
					"select id, body, changed_at, changed_by from {setting} where id like '%:%' and body is not null",
					(row, n) -> {
						String[] id = row.getString(1).split(":", 2);
						return new OperatorSetting(id[0], id[1], row.getString(2), EpochMillis.instant(row.getLong(3)),
								row.getString(4));
					}))
			.stream()
			.sorted(OperatorSetting.ORDER)
			.toList();
	}

	/**
	 * The jobs that were found.
	 *
	 * @param ids the ids of the jobs selected, in order
	 * @param last the last job looked at, or {@code null} if there are no more
	 */
	private record Found(List<String> ids, @Nullable Candidate last) {

	}

	/**
	 * The result for some jobs.
	 *
	 * @param selected the ids of those that are selected
	 * @param bytes how many bytes were searched
	 * @param end the id of the first one that was not looked at, or {@code null} if all
	 * were
	 */
	private record Looked(Set<String> selected, long bytes, @Nullable String end) {

	}

}
