package dev.jobs.store.jdbc.operation;

import java.util.List;

import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * Moves single jobs to where jobs wait: to another due time, or to the ready ones.
 */
final class WaitingJobs {

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	WaitingJobs(UnitOfWork work, long now) {
		this.work = work;
		this.statements = work.statements();
		this.now = now;
	}

	/**
	 * Move the due time of a waiting job. A ready one that stays ready keeps its place.
	 */
	void reschedule(String id, String queue, int state, long dueAt) {
		if (dueAt > this.now) {
			this.statements.update("update {job} set state = {scheduled}, due_at = ?, since = ? where id = ?", dueAt, dueAt, id);
		}
		else if (state == StateColumn.READY) {
			this.statements.update("update {job} set due_at = ?, since = ? where id = ?", dueAt, dueAt, id);
		}
		else {
			makeReady(id, dueAt);
		}
		this.work.signalReady(queue, Math.max(dueAt, this.now));
	}

	private void makeReady(String id, long dueAt) {
		List<Long> place = this.work.dialect().next(this.statements, "place", 1);
		this.statements.update("update {job} set state = {ready}, place = ?, due_at = ?, since = ? where id = ?",
				place.get(0), dueAt, dueAt, id);
	}

	/**
	 * Retry a dead job now.
	 */
	void retry(String id, String queue, @Nullable String trail, int attempt) {
		makeReady(id, this.now);
		this.statements.update("update {job} set trail = ?, attempt = ? where id = ?", trail, attempt, id);
		this.work.signalReady(queue, this.now);
	}

}
