package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.Note;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Change.Changes;
import dev.jobs.store.Changed;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeptEnd;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.saved.SavedValues;
import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.Standing;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * Applies the changes of operators.
 */
public final class ChangeOperation implements Changes<Changed> {

	private static final int PIECE = 5000;

	/**
	 * These come before the definition, because MariaDB uses values that it has just set.
	 */
	private static final String STARTED_OVER = "fired = case when latest < ? and definition <> ? then null else fired end, "
			+ "offered = case when latest < ? then null else offered end, "
			+ "outcome = case when latest < ? then null else outcome end, "
			+ "latest = case when latest is null or latest < ? then ? else latest end, ";

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	private final ReadyLine waiting;

	public ChangeOperation(UnitOfWork work, Instant now) {
		this.work = work;
		this.statements = work.statements();
		this.now = EpochMillis.of(now);
		this.waiting = new ReadyLine(work, this.now);
	}

	public List<Changed> run(List<Change> changes) {
		return changes.stream().map((change) -> change.applyTo(this)).toList();
	}

	@Override
	public Changed ofJob(Change.OfJob change) {
		StoredJob job = job(change.id());
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		return switch (change.effectIn(StateColumn.seen(job.state(), job.dueAt(), this.now))) {
			case REMOVED -> remove(job);
			case CANCEL_REQUESTED -> this.work.mayLock() ? requestCancel(job) : afterCommit(change);
			case MOVED -> move(job, dueAt(change));
			case REVIVED -> retry(job);
			case PAYLOAD_REPLACED -> replacePayload(job, (Change.ReplacePayload) change);
			case STANDING_SET -> setStanding(job, (Change.SetStanding) change);
			case SAVED_FORGOTTEN -> forget(job, ((Change.ForgetSaved) change).name());
			case NONE -> Changed.DONE;
			case REFUSED -> Changed.REFUSED;
		};
	}

	private long dueAt(Change.OfJob change) {
		return (change instanceof Change.Reschedule reschedule) ? EpochMillis.of(reschedule.dueAt()) : this.now;
	}

	private Changed remove(StoredJob job) {
		this.statements.update("delete from {job} where id = ?", job.id());
		new SavedValues(this.statements).forget(List.of(job.id()));
		if (StateColumn.isWaiting(job.state())) {
			this.work.signalRoom(job.queue());
		}
		if (!job.lane().isEmpty()) {
			this.work.signalReady(job.queue(), this.now);
		}
		return Changed.DONE;
	}

	private Changed requestCancel(StoredJob job) {
		this.statements.update("update {job} set cancel = 1 where id = ?", job.id());
		this.statements
			.query("select worker from {delivery} where queue = ? and token = ? and worker is not null",
					(row, n) -> row.getString(1), job.queue(), job.token())
			.forEach((worker) -> this.work.signal(Signal.Kind.CANCELLED, worker));
		return Changed.DONE;
	}

	private Changed move(StoredJob job, long dueAt) {
		this.waiting.move(job.id(), job.queue(), job.state(), dueAt);
		return Changed.DONE;
	}

	private Changed retry(StoredJob job) {
		if (!new UniqueKeys(this.work, this.now).takeAgain(job.id(), true)) {
			return Changed.REFUSED;
		}
		Trail trail = TrailBuilder.retried(JsonColumns.trail(job.trail()));
		this.waiting.move(job.id(), job.queue(), job.state(), this.now);
		this.statements.update("update {job} set trail = ?, attempt = ? where id = ?", JsonColumns.trail(trail),
				trail.attempt(), job.id());
		return Changed.DONE;
	}

	private Changed replacePayload(StoredJob job, Change.ReplacePayload change) {
		this.statements.update("update {job} set payload = ? where id = ?", change.payload(), job.id());
		new SavedValues(this.statements).forget(List.of(job.id()));
		return Changed.DONE;
	}

	private Changed forget(StoredJob job, String name) {
		return new SavedValues(this.statements).forget(job.id(), name) ? Changed.DONE : Changed.NOT_FOUND;
	}

	/**
	 * Change one of the headers, none of which may get lost.
	 */
	private Changed setStanding(StoredJob job, Change.SetStanding change) {
		Map<String, String> headers;
		try {
			headers = change.changed(JsonColumns.readHeaders(job.headers()));
		}
		catch (RuntimeException ex) {
			return Changed.REFUSED;
		}
		this.statements.update("update {job} set headers = ? where id = ?", JsonColumns.headers(headers), job.id());
		this.waiting.changeStanding(job.id(), job.queue(), job.state(), Standing.of(headers));
		return Changed.DONE;
	}

	/**
	 * Find a job and lock it, but not a running one if others must not wait, because its
	 * worker's beat would wait.
	 */
	private @Nullable StoredJob job(String id) {
		if (!StoredJob.isId(id)) {
			return null;
		}
		StoredJob seen = this.work.mayLock() ? null : job(id, "");
		return (seen != null && seen.state() == StateColumn.RUNNING) ? seen : job(id, this.work.dialect().locking());
	}

	private @Nullable StoredJob job(String id, String locking) {
		return this.statements.first("select " + StoredJob.COLUMNS + " from {job} j where j.id = ?" + locking,
				StoredJob::read, id);
	}

	@Override
	public Changed pause(Change.Pause pause) {
		this.work.openQueue(pause.queue());
		this.statements.update(
				"update {queue} set version = version + 1, paused = 1, paused_at = ?, paused_by = ? where name = ?",
				this.now, orEmpty(pause.by()), pause.queue());
		this.work.signalRestricted(pause.queue());
		return Changed.DONE;
	}

	@Override
	public Changed resume(Change.Resume resume) {
		if (this.statements.update(
				"update {queue} set version = version + 1, paused = 0, held_until = 0 where name = ?",
				resume.queue()) == 0) {
			return Changed.NOT_FOUND;
		}
		this.statements.update("update {gate} set held_until = 0 where queue = ? and held_until > 0", resume.queue());
		this.work.signalReady(resume.queue(), this.now);
		return Changed.DONE;
	}

	@Override
	public Changed limit(Change.Limit limit) {
		if (limit.maxRunning() < Change.Limit.OF_WORKERS) {
			return Changed.REFUSED;
		}
		this.work.openQueue(limit.queue());
		this.statements.update(
				"update {queue} set version = version + 1, max_running = ?, limited_at = ?, limited_by = ?, "
						+ "limit_hit = case when limit_hit = 0 then ? else limit_hit end where name = ?",
				limit.maxRunning(), this.now, orEmpty(limit.by()), QueueSnapshot.LIMITED, limit.queue());
		this.work.signalRestricted(limit.queue());
		this.work.signalReady(limit.queue(), this.now);
		return Changed.DONE;
	}

	/**
	 * Set or remove what holds for a lane, while the row of its queue is locked.
	 */
	@Override
	public Changed setLane(Change.SetLane set) {
		String queue = set.queue();
		Integer value = set.value();
		if (value != null && value < 1) {
			return Changed.REFUSED;
		}
		if (value != null) {
			this.work.openQueue(queue);
		}
		this.statements.query("select name from {queue} where name = ?" + this.work.dialect().locking(),
				(row, n) -> row.getString(1), queue);
		LaneSettingsView before = this.statements.first(
				"select " + SettingsColumns.OF_LANE + " from {lane} where queue = ? and lane = ?",
				(row, n) -> SettingsColumns.readLane(row, 1), queue, set.lane());
		if (value == null && (before == null || !before.has(set.rule()))) {
			return Changed.NOT_FOUND;
		}
		if (before == null && this.statements.number("select count(*) from {lane} where queue = ?",
				queue) >= Change.SetLane.MOST) {
			return Changed.REFUSED;
		}
		LaneSettingsView after = ((before != null) ? before : LaneSettingsView.NONE).with(set.rule(),
				(value != null) ? new Value<>(value, EpochMillis.instant(this.now), set.by()) : null);
		this.statements.update("delete from {lane} where queue = ? and lane = ?", queue, set.lane());
		if (!after.equals(LaneSettingsView.NONE)) {
			this.statements.update(
					"insert into {lane} (queue, lane, " + SettingsColumns.OF_LANE + ") values (?, ?, ?, ?, ?, ?, ?)",
					SettingsColumns.ofLane(queue, set.lane(), after));
		}
		this.statements.update(
				"update {queue} set lanes_set = (select count(*) from {lane} where queue = ?), "
						+ "limit_hit = case when limit_hit = 0 then ? else limit_hit end where name = ?",
				queue, QueueSnapshot.LIMITED, queue);
		this.work.signalRestricted(queue);
		this.work.signalReady(queue, this.now);
		return Changed.DONE;
	}

	private static String orEmpty(@Nullable String by) {
		return (by != null) ? by : "";
	}

	/**
	 * Pause a schedule, after the commit if others must not wait, because workers that
	 * fire its ticks would wait.
	 */
	@Override
	public Changed pauseSchedule(Change.PauseSchedule pause) {
		if (!this.work.mayLock()) {
			return afterCommit(pause);
		}
		this.work.dialect().insertNew(this.statements, "schedule", "name, touched_at", pause.schedule(), this.now);
		this.statements.update("update {schedule} set paused = 1 where name = ?", pause.schedule());
		return Changed.DONE;
	}

	@Override
	public Changed resumeSchedule(Change.ResumeSchedule resume) {
		String name = resume.schedule();
		if (!this.work.mayLock()) {
			return (this.statements.number("select count(*) from {schedule} where name = ? and paused = 1", name) > 0)
					? afterCommit(resume) : Changed.NOT_FOUND;
		}
		long from = this.now - resume.offset().toMillis();
		this.statements
			.update("update {schedule} set latest = ?, offered = null, outcome = null where name = ? and latest < ? "
					+ "and paused = 1", from, name, from);
		return (this.statements.update("update {schedule} set paused = 0 where name = ? and paused = 1", name) > 0)
				? Changed.DONE : Changed.NOT_FOUND;
	}

	/**
	 * Put a schedule. In a transaction of the application its row stays locked until the
	 * commit; only its own ticks wait for that.
	 */
	@Override
	public Changed putSchedule(Change.PutSchedule put) {
		NewSchedule schedule = put.schedule();
		String name = schedule.name();
		PutRow row = PutRow.of(this.statements, name, "");
		if (row == null) {
			this.work.dialect().insertNew(this.statements, "schedule", "name, touched_at", name, this.now);
		}
		if (row == null || !row.has(schedule.version())) {
			row = PutRow.of(this.statements, name, this.work.dialect().locking());
		}
		if (row != null && row.has(schedule.version())) {
			return Changed.UNCHANGED;
		}
		if (row != null && row.latest() != null && !schedule.queue().equals(row.queue())) {
			return Changed.REFUSED;
		}
		long from = this.now - put.offset().toMillis();
		this.statements.update(
				"update {schedule} set replaces = case when latest is null then null when version is null then definition "
						+ "else replaces end, " + STARTED_OVER
						+ "definition = ?, queue = ?, touched_at = ?, version = ?, next_at = ?, spec = ? where name = ?",
				from, schedule.definition(), from, from, from, from, schedule.definition(), schedule.queue(), this.now,
				schedule.version(), EpochMillis.ofOptional(put.next()), put.spec(), name);
		if (put.next() != null) {
			this.work.signal(Signal.ticks(name, EpochMillis.of(put.next())));
		}
		return (row != null && row.latest() != null) ? Changed.DONE : Changed.NEW;
	}

	@Override
	public Changed dropSchedule(Change.DropSchedule drop) {
		String name = drop.schedule();
		PutRow row = PutRow.of(this.statements, name, this.work.dialect().locking());
		if (row == null || row.latest() == null) {
			return Changed.NOT_FOUND;
		}
		if (row.version() == null) {
			return Changed.REFUSED;
		}
		if (row.replaces() == null) {
			this.statements.update("delete from {schedule} where name = ?", name);
		}
		else {
			this.statements.update(
					"update {schedule} set " + STARTED_OVER + "definition = ?, touched_at = ?, paused = 0, "
							+ "version = null, next_at = null, spec = null, replaces = null where name = ?",
					this.now, row.replaces(), this.now, this.now, this.now, this.now, row.replaces(), this.now, name);
		}
		return Changed.DONE;
	}

	/**
	 * An end whose time is over is replaced first, so that the insert finds only one that
	 * counts.
	 */
	@Override
	public Changed keepEnd(Change.KeepEnd keep) {
		if (keep.end() == null) {
			return (this.statements.update("delete from {end} where id = ? and until_at > ?", keep.thing(),
					this.now) > 0) ? Changed.DONE : Changed.NOT_FOUND;
		}
		KeptEnd end = KeptEnd.of(keep.thing(), 0, keep.end());
		boolean first = this.statements.update(
				"update {end} set state = ?, until_at = ?, trail = ?, body = ? where id = ? and until_at <= ?",
				end.state(), end.until(), end.trail(), end.value(), end.id(), this.now) > 0
				|| this.work.dialect()
					.insertNew(this.statements, "end", "id, state, until_at, trail, body", end.id(), end.state(),
							end.until(), end.trail(), end.value());
		if (first) {
			this.work.signal(Signal.Kind.ENDED, end.id());
		}
		return first ? Changed.DONE : Changed.REFUSED;
	}

	@Override
	public Changed release(Change.Release release) {
		boolean any = StoredJob.isId(release.thing()) && this.waiting.release(release.thing(), Change.Release.AT_ONCE);
		return any ? Changed.DONE : Changed.NOT_FOUND;
	}

	@Override
	public Changed keepNote(Change.KeepNote note) {
		if (this.work.dialect().insertNew(this.statements, "note", "id", note.id())) {
			this.statements.update("update {note} set noted_at = ?, line = ? where id = ?", this.now, note.text(),
					note.id());
			Long oldest = this.statements.first("select noted_at from {note} order by noted_at desc limit 1 offset ?",
					(row, n) -> row.getLong(1), Note.KEPT - 1);
			if (oldest != null) {
				this.statements.update("delete from {note} where noted_at < ?", oldest);
			}
		}
		return Changed.DONE;
	}

	/**
	 * The row without an id has the revision of all settings. It is never below the time,
	 * so that a server that takes over without the latest changes does not repeat one.
	 */
	@Override
	public Changed set(Change.Set set) {
		if (!this.work.mayLock()) {
			return afterCommit(set);
		}
		String id = set.kind() + ":" + set.name();
		raiseRevision();
		if (set.value() == null && this.statements.update("delete from {setting} where id = ?", id) == 0) {
			return Changed.NOT_FOUND;
		}
		if (set.value() != null) {
			this.work.dialect().insertNew(this.statements, "setting", "id", id);
			this.statements.update("update {setting} set body = ?, changed_at = ?, changed_by = ? where id = ?",
					set.value(), this.now, set.by(), id);
		}
		this.work.signal(Signal.Kind.SET, "");
		return Changed.DONE;
	}

	@Override
	public Changed swap(Change.Swap swap) {
		if (!this.work.mayLock()) {
			return afterCommit(swap);
		}
		String id = swap.kind() + ":" + swap.name();
		if (this.statements.update("update {setting} set body = ?, changed_at = ? where id = ? and body = ?",
				swap.value(), this.now, id, swap.expected()) == 0) {
			return (this.statements.first("select id from {setting} where id = ?", (row, n) -> row.getString(1),
					id) != null) ? Changed.REFUSED : Changed.NOT_FOUND;
		}
		if (swap.announced()) {
			raiseRevision();
			this.work.signal(Signal.Kind.SET, "");
		}
		return Changed.DONE;
	}

	private void raiseRevision() {
		this.work.dialect().insertNew(this.statements, "setting", "id", "");
		this.statements.update("update {setting} set revision = case when revision < ? then ? else revision + 1 end "
				+ "where id = ''", this.now, this.now);
	}

	private Changed afterCommit(Change change) {
		Instant then = EpochMillis.instant(this.now);
		this.work.afterCommit((own) -> change.applyTo(new ChangeOperation(own, then)));
		return Changed.DONE;
	}

	/**
	 * Delete everything, the deliveries before their jobs: claims run meanwhile, and no
	 * running job without a delivery may stay.
	 */
	@Override
	public Changed purge(Change.Purge purge) {
		this.statements.query("select name from {queue} where refused_length > 0", (row, n) -> row.getString(1))
			.forEach((queue) -> this.work.signal(Signal.Kind.ROOM, Objects.requireNonNull(queue)));
		this.statements.update("delete from {delivery}");
		deleteAllJobs();
		this.statements.update("delete from {saved}");
		this.statements.update("delete from {end}");
		this.statements.update("delete from {lane}");
		this.statements.update("delete from {queue}");
		this.statements.update("delete from {gate}");
		this.statements.update("delete from {schedule}");
		this.statements.update("delete from {tally}");
		this.statements.update("delete from {note}");
		this.statements.update("delete from {throttle}");
		this.statements.update("delete from {setting} where id <> ''");
		this.statements.update("update {setting} set revision = revision + 1");
		this.statements.update("delete from {worker} where lease_until < ?", this.now);
		return Changed.DONE;
	}

	/**
	 * Delete all jobs in small pieces.
	 */
	private void deleteAllJobs() {
		List<String> ids;
		do {
			ids = this.statements.query("select id from {job} limit ?", (row, n) -> row.getString(1), PIECE);
			if (!ids.isEmpty()) {
				this.statements.update("delete from {job} where id in (??)", ids);
			}
		}
		while (ids.size() == PIECE);
	}

	/**
	 * The state of a schedule before a put or a drop.
	 *
	 * @param queue the queue
	 * @param latest the latest tick, or {@code null} if only a pause is known
	 * @param version the version that was put, or {@code null}
	 * @param replaces the definition that it overrides, or {@code null}
	 */
	private record PutRow(@Nullable String queue, @Nullable Number latest, @Nullable String version,
			@Nullable String replaces) {

		static @Nullable PutRow of(Statements statements, String name, String locking) {
			return statements.first("select queue, latest, version, replaces from {schedule} where name = ?" + locking,
					(row, n) -> new PutRow(row.getString(1), (Number) row.getObject(2), row.getString(3),
							row.getString(4)),
					name);
		}

		boolean has(@Nullable String version) {
			return this.version != null && this.version.equals(version);
		}

	}

}
