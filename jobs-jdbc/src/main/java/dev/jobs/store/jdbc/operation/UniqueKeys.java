package dev.jobs.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * The owners of unique keys. A job's row has its key, and has it again in a second column
 * while the job holds it; a unique index over that column finds the owner.
 */
final class UniqueKeys {

	private static final String OF = "select id, queue, state, due_at, key_name, key_until, held_key, key_mode from {job} ";

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	UniqueKeys(UnitOfWork work, long now) {
		this.work = work;
		this.statements = work.statements();
		this.now = now;
	}

	/**
	 * Return the owner of a key while the key counts; a key that no longer counts is
	 * freed.
	 */
	@Nullable Owner owner(String name) {
		Owner owner = this.statements.first(OF + "where held_key = ?" + this.work.dialect().locking(), UniqueKeys::read,
				name);
		if (owner == null || counts(owner.until())) {
			return owner;
		}
		this.statements.update("update {job} set held_key = null where id = ?", owner.id());
		return null;
	}

	boolean counts(@Nullable Long until) {
		return until == null || until > this.now;
	}

	/**
	 * Give a stored job its key back, if it has one that still counts.
	 * @param byRetry whether it is retried, for which not every mode needs the key
	 * @return whether that succeeded; not if another job holds the key
	 */
	boolean takeAgain(String id, boolean byRetry) {
		Owner job = this.statements.first(OF + "where id = ?", UniqueKeys::read, id);
		if (job == null || job.name() == null || !counts(job.until()) || job.isHeld()
				|| (byRetry && !NewJob.UniqueKey.isTakenByRetry(job.mode()))) {
			return true;
		}
		if (owner(job.name()) != null) {
			return false;
		}
		this.statements.update("update {job} set held_key = key_name where id = ?", id);
		return true;
	}

	private static Owner read(ResultSet row, int number) throws SQLException {
		long until = row.getLong(6);
		Long end = row.wasNull() ? null : until;
		String held = row.getString(7);
		return new Owner(row.getString(1), row.getString(2), row.getInt(3), row.getLong(4), row.getString(5), end,
				held != null, KeyColumns.mode(row.getString(8)));
	}

	/**
	 * A job with a key.
	 *
	 * @param id its id
	 * @param queue its queue
	 * @param state its {@link StateColumn}
	 * @param dueAt when it is due
	 * @param name the name of the key
	 * @param until from when on the key does not count, or {@code null}
	 * @param isHeld whether it holds the key
	 * @param mode how long it may hold the key
	 */
	record Owner(String id, String queue, int state, long dueAt, @Nullable String name, @Nullable Long until,
			boolean isHeld, Unique.Mode mode) {

		boolean isWaitingIn(String other) {
			return StateColumn.isWaiting(this.state) && Objects.equals(this.queue, other);
		}

	}

}
