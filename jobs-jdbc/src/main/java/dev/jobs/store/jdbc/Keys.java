package dev.jobs.store.jdbc;

import java.util.Objects;

import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * The owners of unique keys. A job's row names its key, and once more in another column
 * while the job holds it; a unique index over that column knows the owner.
 */
final class Keys {

	private static final String OF = "select id, queue, state, due_at, key_name, key_until, held_key, key_mode from {job} ";

	private final Work work;

	private final Statements statements;

	private final long now;

	Keys(Work work, long now) {
		this.work = work;
		this.statements = work.statements();
		this.now = now;
	}

	/**
	 * Return the name of a key: its digest with the scope in which it is unique.
	 */
	static @Nullable String name(String queue, NewJob.@Nullable Key key) {
		return (key != null) ? name(queue, key.scope(), key.digest()) : null;
	}

	static String name(String queue, Unique.Scope scope, String digest) {
		return (scope == Unique.Scope.HANDLER) ? digest + " " + queue : digest;
	}

	/**
	 * Return the owner of a key, as long as that counts; if it does not any more, the key
	 * is free from now on.
	 */
	@Nullable Owner owner(String name) {
		Owner owner = this.statements.first(OF + "where held_key = ?" + this.work.dialect().locking(), Keys::read,
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
	 * Give a stored job its key again, if it has one that still counts.
	 * @param unlessStarted whether a key that was given up at the start stays so
	 * @return whether that went well; not if another job holds the key
	 */
	boolean takeAgain(String id, boolean unlessStarted) {
		Owner job = this.statements.first(OF + "where id = ?", Keys::read, id);
		if (job == null || job.name() == null || !counts(job.until()) || job.isHeld()
				|| (unlessStarted && job.mode() == Unique.Mode.UNTIL_STARTED)) {
			return true;
		}
		if (owner(job.name()) != null) {
			return false;
		}
		this.statements.update("update {job} set held_key = key_name where id = ?", id);
		return true;
	}

	private static Owner read(java.sql.ResultSet row, int number) throws java.sql.SQLException {
		long until = row.getLong(6);
		Long end = row.wasNull() ? null : until;
		String held = row.getString(7);
		return new Owner(row.getString(1), row.getString(2), row.getInt(3), row.getLong(4), row.getString(5), end,
				held != null, mode(row.getInt(8)));
	}

	/**
	 * Return the mode of a key; one that another program has made up is what the
	 * statements take it for, neither the shortest nor the longest.
	 */
	private static Unique.Mode mode(int ordinal) {
		Unique.Mode[] modes = Unique.Mode.values();
		return (ordinal >= 0 && ordinal < modes.length) ? modes[ordinal] : Unique.Mode.UNTIL_DONE;
	}

	/**
	 * A job with a key.
	 *
	 * @param id its id
	 * @param queue its queue
	 * @param state its {@link Standing}
	 * @param dueAt when it is due
	 * @param name the name of the key
	 * @param until from when on the key does not count, or {@code null}
	 * @param isHeld whether it holds the key
	 * @param mode how long it may
	 */
	record Owner(String id, String queue, int state, long dueAt, @Nullable String name, @Nullable Long until,
			boolean isHeld, Unique.Mode mode) {

		boolean isWaitingIn(String other) {
			return Standing.isWaiting(this.state) && Objects.equals(this.queue, other);
		}

	}

}
