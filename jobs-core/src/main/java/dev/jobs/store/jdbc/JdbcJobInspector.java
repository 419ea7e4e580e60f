package dev.jobs.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.JobInspector;
import dev.jobs.store.QueueView;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.Tally;
import dev.jobs.store.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the tables hold.
 */
final class JdbcJobInspector implements JobInspector {

	private static final String JOBS = "select " + StoredJob.COLUMNS
			+ ", d.owner from {job} j left join {delivery} d on d.queue = j.queue and d.token = j.token and j.state = 2 ";

	private static final int SINCE = 6;

	private static final int PIECE = 500;

	private final Supplier<Session> session;

	JdbcJobInspector(Supplier<Session> session) {
		this.session = session;
	}

	@Override
	public List<QueueView> queues(Instant now) {
		return this.session.get().read((statements) -> queues(statements, Millis.of(now)));
	}

	private List<QueueView> queues(Statements statements, long now) {
		Map<String, Counts> counts = new TreeMap<>();
		statements.query("select name, paused, max_running from {queue}", (row, n) -> {
			Counts queue = counts.computeIfAbsent(row.getString(1), (name) -> new Counts());
			queue.paused = row.getInt(2) == 1;
			queue.limit = row.getInt(3);
			return queue;
		});
		statements.query("""
				select queue, state, is_due, is_again, count(*), min(due_at) from (
					select queue, state, due_at, case when due_at <= ? then 1 else 0 end as is_due,
						case when attempt > 1 then 1 else 0 end as is_again
					from {job}) seen
				group by queue, state, is_due, is_again""", (row, n) -> {
			Counts queue = counts.computeIfAbsent(row.getString(1), (name) -> new Counts());
			queue.add(row.getInt(2), row.getInt(3) == 1, row.getInt(4) == 1, row.getLong(5), row.getLong(6));
			return queue;
		}, now);
		Set<String> served = new Workers(statements, now).served();
		return counts.entrySet()
			.stream()
			.map((entry) -> entry.getValue().view(entry.getKey(), served.contains(entry.getKey())))
			.toList();
	}

	@Override
	public List<WorkerView> workers(Instant now) {
		return this.session.get()
			.read((statements) -> statements.query("""
					select w.id, w.last_beat, w.lease_until, w.info, (select count(*) from {delivery} d join {job} j
						on j.queue = d.queue and j.token = d.token and j.state = 2 where d.worker = w.id)
					from {worker} w where w.lease_until >= ? order by w.id""",
					(row, n) -> new WorkerView(row.getString(1), Texts.info(row.getString(4)),
							Millis.instant(row.getLong(2)), Millis.instant(row.getLong(3)), row.getLong(5)),
					Millis.of(now)));
	}

	@Override
	public List<ScheduleView> schedules() {
		return this.session.get()
			.read((statements) -> statements.query(
					"select name, definition, queue, latest from {schedule} order by name",
					(row, n) -> new ScheduleView(row.getString(1), row.getString(2), row.getString(3),
							Millis.instant(row.getLong(4)))));
	}

	@Override
	public Optional<Job> job(String id, Instant now) {
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
		return this.session.get()
			.read((statements) -> (filter.text() != null)
					? pageWithText(statements, filter, filter.text().toLowerCase(Locale.ROOT), range, now)
					: page(statements, filter, range, now));
	}

	@Override
	public List<Tally> history(Set<String> queues, Period period) {
		return this.session.get().read((statements) -> new History(statements).of(queues, period));
	}

	private Page page(Statements statements, JobFilter filter, Range range, Instant now) {
		Condition condition = Condition.of(filter, Millis.of(now));
		long total = statements.number("select count(*) from {job} j where " + condition.text(),
				condition.arguments().toArray());
		if (range.size() == 0 || range.offset() >= total) {
			return new Page(List.of(), total);
		}
		List<@Nullable Object> arguments = new ArrayList<>(condition.arguments());
		arguments.add(range.size());
		arguments.add(range.offset());
		List<Job> jobs = statements.query(JOBS + "where " + condition.text() + order(range) + " limit ? offset ?",
				(row, n) -> seen(row, now), arguments.toArray());
		return new Page(jobs, total);
	}

	/**
	 * Look for text in each job, piece by piece, since what a database can look for in
	 * bytes differs.
	 */
	private Page pageWithText(Statements statements, JobFilter filter, String text, Range range, Instant now) {
		Condition condition = Condition.of(filter, Millis.of(now));
		String order = range.newestFirst() ? "<" : ">";
		String behind = " and (j.since " + order + " ? or (j.since = ? and j.id " + order + " ?))";
		List<Job> jobs = new ArrayList<>();
		long total = 0;
		List<Seen> piece = List.of();
		do {
			List<@Nullable Object> arguments = new ArrayList<>(condition.arguments());
			if (!piece.isEmpty()) {
				Seen last = piece.get(piece.size() - 1);
				arguments.addAll(List.of(last.since(), last.since(), last.job().id()));
			}
			arguments.add(PIECE);
			piece = statements.query(
					JOBS + "where " + condition.text() + (piece.isEmpty() ? "" : behind) + order(range) + " limit ?",
					(row, n) -> new Seen(seen(row, now), row.getLong(SINCE)), arguments.toArray());
			for (Job job : piece.stream().map(Seen::job).filter((seen) -> contains(seen, text)).toList()) {
				if (total >= range.offset() && jobs.size() < range.size()) {
					jobs.add(job);
				}
				total++;
			}
		}
		while (piece.size() == PIECE);
		return new Page(jobs, total);
	}

	private static String order(Range range) {
		return range.newestFirst() ? " order by j.since desc, j.id desc" : " order by j.since, j.id";
	}

	private static boolean contains(Job job, String text) {
		Trail.End end = job.trail().end();
		return Stream
			.of(Stream.of(job.id()), job.trail().attempts().stream().map(Trail.Attempt::error),
					Stream.ofNullable(end).map(Trail.End::message),
					Stream.of(job.payload()).map((payload) -> new String(payload, StandardCharsets.UTF_8)))
			.flatMap((texts) -> texts)
			.filter(Objects::nonNull)
			.anyMatch((candidate) -> candidate.toLowerCase(Locale.ROOT).contains(text));
	}

	/**
	 * What a filter without its text selects.
	 *
	 * @param text the condition
	 * @param arguments its arguments
	 */
	private record Condition(String text, List<@Nullable Object> arguments) {

		static Condition of(JobFilter filter, long now) {
			List<@Nullable Object> arguments = new ArrayList<>();
			StringBuilder text = new StringBuilder("1 = 1");
			if (filter.name() != null) {
				text.append(" and j.queue = ?");
				arguments.add(filter.name());
			}
			if (filter.retrying() != null) {
				text.append(filter.retrying() ? " and j.attempt > 1" : " and j.attempt = 1");
			}
			if (!filter.states().isEmpty()) {
				List<String> states = filter.states().stream().sorted().map(Condition::of).toList();
				text.append(" and (").append(String.join(" or ", states)).append(")");
				filter.states()
					.stream()
					.filter((state) -> state == JobState.SCHEDULED || state == JobState.READY)
					.forEach((state) -> arguments.add(now));
			}
			return new Condition(text.toString(), arguments);
		}

		private static String of(JobState state) {
			return switch (state) {
				case SCHEDULED -> "(j.state = 0 and j.due_at > ?)";
				case READY -> "(j.state = 1 or (j.state = 0 and j.due_at <= ?))";
				case RUNNING -> "j.state = 2";
				case DEAD -> "j.state = 3";
				case SUCCEEDED -> "j.state = 4";
				case CANCELLED -> "j.state = 5";
			};
		}

	}

	/**
	 * A job, and when it entered its state.
	 *
	 * @param job the job
	 * @param since when that was
	 */
	private record Seen(Job job, long since) {

	}

	/** What is counted of a queue. */
	private static final class Counts {

		private boolean paused;

		private int limit = -1;

		private long ready;

		private long scheduled;

		private long retrying;

		private long running;

		private long dead;

		private long history;

		private long oldestReady = Long.MAX_VALUE;

		void add(int state, boolean due, boolean again, long count, long firstDue) {
			switch (state) {
				case Standing.SCHEDULED, Standing.READY ->
					addWaiting(state == Standing.READY || due, again, count, firstDue);
				case Standing.RUNNING -> this.running += count;
				case Standing.DEAD -> this.dead += count;
				default -> this.history += count;
			}
		}

		private void addWaiting(boolean isReady, boolean again, long count, long firstDue) {
			if (isReady) {
				this.ready += count;
				this.oldestReady = Math.min(this.oldestReady, firstDue);
				return;
			}
			this.scheduled += count;
			this.retrying += again ? count : 0;
		}

		QueueView view(String name, boolean served) {
			Instant oldest = (this.ready > 0) ? Millis.instant(this.oldestReady) : null;
			return new QueueView(name, this.ready, this.scheduled, this.retrying, this.running, this.dead, this.history,
					oldest, this.paused, this.limit, served, true);
		}

	}

}
