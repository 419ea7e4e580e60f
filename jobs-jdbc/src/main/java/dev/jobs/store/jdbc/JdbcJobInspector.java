package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.Unique.Scope;
import dev.jobs.store.JobInspector;
import dev.jobs.store.KeyDigest;
import dev.jobs.store.QueueView;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.Seen;
import dev.jobs.store.StoreFault;
import dev.jobs.store.Tally;
import dev.jobs.store.StoreView;
import dev.jobs.store.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the tables hold.
 */
final class JdbcJobInspector implements JobInspector {

	private static final String JOBS = "select " + StoredJob.COLUMNS
			+ ", d.owner from {job} j left join {delivery} d on d.queue = j.queue and d.token = j.token and j.state = 2 ";

	private static final int PIECE = 500;

	/** Most jobs contain shorter texts, such as a space. */
	private static final int TELLING = 2;

	private static final int COUNTED = 10_000;

	private final Supplier<Session> session;

	JdbcJobInspector(Supplier<Session> session) {
		this.session = session;
	}

	@Override
	public List<QueueView> queues(Instant now) {
		return this.session.get().read((statements) -> statements.dialect().queues(statements, Millis.of(now)));
	}

	@Override
	public List<StoreFault> faults() {
		return List.of();
	}

	@Override
	public StoreView store() {
		return new StoreView("jdbc", true, "as that of the database's transactions", Map.of());
	}

	@Override
	public List<WorkerView> workers(Instant now) {
		return this.session.get().read((statements) -> {
			Dialect.Live live = statements.dialect().live();
			return statements.query("""
					select w.id, w.last_beat, w.lease_until, w.info, coalesce(held.jobs, 0) from {worker} w
					left join (select d.worker, count(*) as jobs from %s d join {job} j
						on j.queue = d.queue and j.token = d.token and j.state = 2 group by d.worker) held
						on held.worker = w.id
					where w.lease_until >= ? order by w.id""".formatted(live.rows()),
					(row, n) -> new WorkerView(row.getString(1), Texts.info(row.getString(4)),
							Millis.instant(row.getLong(2)), Millis.instant(row.getLong(3)), row.getLong(5)),
					live.with(Millis.of(now)));
		});
	}

	@Override
	public List<ScheduleView> schedules() {
		return this.session.get()
			.read((statements) -> statements.query(
					"select s.name, s.definition, s.queue, s.latest, t.paused, t.fired from {schedule} s "
							+ "left join {ticks} t on t.name = s.name order by s.name",
					(row, n) -> new ScheduleView(row.getString(1), row.getString(2), row.getString(3),
							Millis.instant(row.getLong(4)), row.getInt(5) == 1, Texts.fired(row.getString(6)))));
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

	private static Job seen(ResultSet row, Instant now) throws SQLException {
		return StoredJob.read(row, 0).seen(row.getString(14), now);
	}

	@Override
	public Page page(JobFilter filter, Range range, Instant now) {
		if (filter.getKey() != null) {
			return Seen.page(owners(filter.getKey(), filter.getName(), now), filter, range);
		}
		Selection selection = new Selection(filter, range.newestFirst(), Millis.of(now));
		return this.session.get()
			.read((statements) -> (filter.getText() != null
					|| (filter.getTag() != null && !statements.dialect().knowsTags()))
							? pageOfSearch(statements, selection, range, now)
							: page(statements, selection, range, now));
	}

	/**
	 * Return the jobs that own a key, be it within a queue or across queues.
	 */
	private List<Seen> owners(String key, @Nullable String name, Instant now) {
		return this.session.get().read((statements) -> {
			List<String> queues = (name != null) ? List.of(name)
					: statements.query("select name from {queue}", (row, n) -> row.getString(1));
			Set<String> names = new HashSet<>();
			queues.forEach(
					(queue) -> names.add(Keys.name(queue, Scope.HANDLER, KeyDigest.of(Scope.HANDLER, queue, key))));
			names.add(Keys.name("", Scope.NAMESPACE, KeyDigest.of(Scope.NAMESPACE, "", key)));
			return statements.query(JOBS + "where (j.key_until is null or j.key_until > ?) and j.held_key in (??)",
					(row, n) -> new Seen(seen(row, now), Millis.instant(row.getLong(6))), Millis.of(now), names);
		});
	}

	private static Page page(Statements statements, Selection selection, Range range, Instant now) {
		long from = (range.offset() < Long.MAX_VALUE - range.searched()) ? range.searched() + range.offset()
				: Long.MAX_VALUE;
		long total = statements.dialect().count(statements, selection, COUNTED + 1);
		boolean isExact = total <= COUNTED;
		List<String> ids = (range.size() == 0 || (isExact && from >= total)) ? List.of()
				: statements.dialect().find(statements, selection, from, range.size());
		List<Job> jobs = new ArrayList<>();
		inPieces(statements, JOBS, ids, "", now, jobs::add);
		long known = (isExact || ids.isEmpty()) ? total : Math.max(total, from + ids.size());
		return new Page(jobs, known, isExact, known);
	}

	/**
	 * Look for text or a tag in each job, piece by piece, since what a database can look
	 * for in bytes differs. Those of the page are read again, with their stacks.
	 */
	private static Page pageOfSearch(Statements statements, Selection selection, Range range, Instant now) {
		List<String> ids = statements.dialect().find(statements, selection, range.searched(), LOOKED_THROUGH);
		Predicate<Job> search = Seen.containing(selection.filter());
		List<String> page = new ArrayList<>();
		long[] found = new long[1];
		String text = (selection.filter().getText() != null) ? selection.filter().getText().toLowerCase(Locale.ROOT)
				: "";
		String errors = JOBS.replace(StoredJob.TRAIL, statements.dialect().errors());
		inPieces(statements, errors, ids, text, now, (job) -> {
			if (search.test(job) && found[0]++ >= range.offset() && page.size() < range.size()) {
				page.add(job.id());
			}
		});
		List<Job> jobs = new ArrayList<>();
		inPieces(statements, JOBS, page, "", now, jobs::add);
		return new Page(jobs, found[0], ids.size() < LOOKED_THROUGH, range.searched() + ids.size());
	}

	/**
	 * Read jobs in a given order, and decode those that may contain a text, which is in
	 * lower case.
	 */
	private static void inPieces(Statements statements, String select, List<String> ids, String text, Instant now,
			Consumer<Job> action) {
		String part = StoredJob.plainPart(text);
		List<@Nullable Object> arguments = new ArrayList<>();
		String test = (part.length() >= TELLING) ? statements.dialect().containing(part, arguments) : "";
		for (int from = 0; from < ids.size(); from += PIECE) {
			List<String> piece = ids.subList(from, Math.min(from + PIECE, ids.size()));
			Map<String, Job> jobs = new HashMap<>();
			arguments.add(piece);
			statements.query(select + "where " + test + "j.id in (??)", (row, n) -> {
				StoredJob stored = StoredJob.read(row, n);
				return stored.mayContain(text) ? Optional.of(stored.seen(row.getString(14), now))
						: Optional.<Job>empty();
			}, arguments.toArray()).forEach((found) -> found.ifPresent((job) -> jobs.put(job.id(), job)));
			arguments.remove(arguments.size() - 1);
			piece.stream().map(jobs::get).filter(Objects::nonNull).forEach(action);
		}
	}

	@Override
	public List<Tally> history(Set<String> queues, Period period) {
		return this.session.get().read((statements) -> new History(statements).of(queues, period));
	}

}
