package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import org.jspecify.annotations.Nullable;

/**
 * What a person may change.
 */
final class Changing {

	private static final int LIMIT_OF_WORKERS = -1;

	private static final int PIECE = 5000;

	private final Work work;

	private final Statements statements;

	private final long now;

	private final Moves moves;

	Changing(Work work, Instant now) {
		this.work = work;
		this.statements = work.statements();
		this.now = Millis.of(now);
		this.moves = new Moves(work, this.now);
	}

	Changed apply(Change change) {
		if (change instanceof Change.Cancel cancel) {
			return cancel(job(cancel.id()));
		}
		if (change instanceof Change.Delete delete) {
			return delete(job(delete.id()));
		}
		if (change instanceof Change.Reschedule reschedule) {
			return reschedule(job(reschedule.id()), Millis.of(reschedule.dueAt()));
		}
		if (change instanceof Change.Retry retry) {
			return retry(job(retry.id()));
		}
		return applyToQueue(change);
	}

	private Changed applyToQueue(Change change) {
		if (change instanceof Change.Pause pause) {
			this.moves.openQueue(pause.queue());
			this.statements.update("update {queue} set paused = 1 where name = ?", pause.queue());
			this.work.tell(Signal.Kind.PAUSED, pause.queue());
			return Changed.DONE;
		}
		if (change instanceof Change.Resume resume) {
			return resume(resume.queue());
		}
		if (change instanceof Change.Limit limit) {
			return limit(limit.queue(), limit.maxRunning());
		}
		if (change instanceof Change.Forget forget) {
			return forget(forget.queue());
		}
		return applyToSchedule(change);
	}

	private Changed applyToSchedule(Change change) {
		if (change instanceof Change.PauseSchedule pause) {
			return pauseSchedule(pause.schedule());
		}
		if (change instanceof Change.ResumeSchedule resume) {
			return resumeSchedule(resume.schedule());
		}
		purge();
		return Changed.DONE;
	}

	/**
	 * Pause a schedule; after the commit if others must not wait, as all who fire its
	 * ticks would have to.
	 */
	private Changed pauseSchedule(String name) {
		if (!this.work.mayLock()) {
			return afterCommit(new Change.PauseSchedule(name));
		}
		this.work.dialect().insertNew(this.statements, "ticks", "name", name);
		this.statements.update("update {ticks} set paused = 1 where name = ?", name);
		return Changed.DONE;
	}

	private Changed afterCommit(Change change) {
		Instant then = Millis.instant(this.now);
		this.work.afterCommit((own) -> new Changing(own, then).apply(change));
		return Changed.DONE;
	}

	/**
	 * Resume a schedule. Its row comes first, as for whoever fires a tick.
	 */
	private Changed resumeSchedule(String name) {
		if (!this.work.mayLock()) {
			return (this.statements.number("select count(*) from {ticks} where name = ? and paused = 1", name) > 0)
					? afterCommit(new Change.ResumeSchedule(name)) : Changed.NOT_FOUND;
		}
		this.statements.update(
				"update {schedule} set latest = ?, offered = null, outcome = null where name = ? and latest < ? "
						+ "and exists (select 1 from {ticks} where name = ? and paused = 1)",
				this.now, name, this.now, name);
		return (this.statements.update("update {ticks} set paused = 0 where name = ? and paused = 1", name) > 0)
				? Changed.DONE : Changed.NOT_FOUND;
	}

	/**
	 * Find a job and lock it; not one that runs if others must not wait, as its worker's
	 * beat would have to.
	 */
	private @Nullable StoredJob job(String id) {
		if (!StoredJob.isId(id)) {
			return null;
		}
		StoredJob seen = this.work.mayLock() ? null : job(id, "");
		return (seen != null && seen.state() == Standing.RUNNING) ? seen : job(id, this.work.dialect().locking());
	}

	private @Nullable StoredJob job(String id, String locking) {
		return this.statements.first("select " + StoredJob.COLUMNS + " from {job} j where j.id = ?" + locking,
				StoredJob::read, id);
	}

	private Changed cancel(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (Standing.isWaiting(job.state())) {
			remove(job);
			return Changed.DONE;
		}
		if (job.state() != Standing.RUNNING) {
			return Changed.REFUSED;
		}
		if (!this.work.mayLock()) {
			return afterCommit(new Change.Cancel(job.id()));
		}
		this.statements.update("update {job} set cancel = 1 where id = ?", job.id());
		this.statements
			.query("select worker from {delivery} where queue = ? and token = ? and worker is not null",
					(row, n) -> row.getString(1), job.queue(), job.token())
			.forEach((worker) -> this.work.tell(Signal.Kind.CANCELLED, worker));
		return Changed.DONE;
	}

	private Changed delete(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (job.state() == Standing.RUNNING) {
			return Changed.REFUSED;
		}
		remove(job);
		return Changed.DONE;
	}

	private void remove(StoredJob job) {
		this.statements.update("delete from {job} where id = ?", job.id());
		if (Standing.isWaiting(job.state())) {
			this.work.tellOfRoom(job.queue());
		}
	}

	private Changed reschedule(@Nullable StoredJob job, long dueAt) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (!Standing.isWaiting(job.state())) {
			return Changed.REFUSED;
		}
		this.moves.reschedule(job.id(), job.queue(), job.state(), dueAt);
		return Changed.DONE;
	}

	private Changed retry(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		return switch (Standing.seen(job.state(), job.dueAt(), this.now)) {
			case READY -> Changed.DONE;
			case SCHEDULED -> makeReady(job, Texts.trail(job.trail()));
			case DEAD -> new Keys(this.work, this.now).takeAgain(job.id(), true)
					? makeReady(job, Texts.trail(job.trail()).retried()) : Changed.REFUSED;
			case RUNNING, SUCCEEDED, CANCELLED -> Changed.REFUSED;
		};
	}

	private Changed makeReady(StoredJob job, Trail trail) {
		this.moves.retry(job.id(), job.queue(), Texts.trail(trail), trail.attempt());
		return Changed.DONE;
	}

	private Changed resume(String queue) {
		if (this.statements.update("update {queue} set paused = 0 where name = ?", queue) == 0) {
			return Changed.NOT_FOUND;
		}
		this.work.ready(queue, this.now);
		return Changed.DONE;
	}

	private Changed limit(String queue, int maxRunning) {
		if (maxRunning < LIMIT_OF_WORKERS) {
			return Changed.REFUSED;
		}
		this.moves.openQueue(queue);
		this.statements.update(
				"update {queue} set max_running = ?, limit_hit = case when limit_hit = 0 then ? else limit_hit end where name = ?",
				maxRunning, Settling.LIMITED, queue);
		this.work.ready(queue, this.now);
		return Changed.DONE;
	}

	private Changed forget(String queue) {
		List<String> known = this.statements.query(
				"select name from {queue} where name = ?" + this.work.dialect().locking(), (row, n) -> row.getString(1),
				queue);
		boolean hasJobs = this.statements.first("select id from {job} where queue = ? limit 1",
				(row, n) -> row.getString(1), queue) != null;
		if (known.isEmpty() && !hasJobs) {
			return Changed.NOT_FOUND;
		}
		if (hasJobs) {
			return Changed.REFUSED;
		}
		this.statements.update("delete from {queue} where name = ?", queue);
		return Changed.DONE;
	}

	/**
	 * Remove everything. What is held is removed after what tells who holds it, since
	 * other claims go on meanwhile, and no job may stay that nobody holds.
	 */
	private void purge() {
		this.statements.query("select name from {queue} where refused_at > 0", (row, n) -> row.getString(1))
			.forEach((queue) -> this.work.tell(Signal.Kind.ROOM, Objects.requireNonNull(queue)));
		this.statements.update("delete from {delivery}");
		removeAllJobs();
		this.statements.update("delete from {queue}");
		this.statements.update("delete from {schedule}");
		this.statements.update("delete from {ticks}");
		this.statements.update("delete from {tally}");
		this.statements.update("delete from {worker} where lease_until < ?", this.now);
	}

	/**
	 * Remove all jobs in pieces, none of which takes long.
	 */
	private void removeAllJobs() {
		List<String> ids;
		do {
			ids = this.statements.query("select id from {job} limit ?", (row, n) -> row.getString(1), PIECE);
			if (!ids.isEmpty()) {
				this.statements.update("delete from {job} where id in (??)", ids);
			}
		}
		while (ids.size() == PIECE);
	}

}
