package dev.jobs.store.jdbc.row;

import dev.jobs.store.NewJob;
import dev.jobs.store.support.Standing;
import dev.jobs.store.support.StoredCode;
import org.jspecify.annotations.Nullable;

/**
 * Writes the row of a new job.
 */
public final class NewJobRow {

	public static final String COLUMNS = "id, queue, state, place, due_at, since, created_at, payload, headers, "
			+ "key_name, key_mode, key_until, held_key, lane, urgency";

	public static final String INSERT = "insert into {job} (" + COLUMNS
			+ ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

	private NewJobRow() {
	}

	/**
	 * Return the values of a job.
	 * @param job the job
	 * @param held the name of the key it holds, or {@code null} if it holds none
	 * @param place its place among the ready jobs
	 * @param now the time
	 */
	public static @Nullable Object[] of(NewJob job, @Nullable String held, long place, long now) {
		NewJob.UniqueKey key = job.uniqueKey();
		Standing standing = Standing.of(job.headers());
		long dueAt = EpochMillis.of(job.dueAt());
		return new @Nullable Object[] { job.id(), job.name(), StateColumn.waiting(dueAt, standing.lane(), now), place,
				dueAt, dueAt, EpochMillis.of(job.createdAt()), job.payload(), JsonColumns.headers(job.headers()),
				KeyColumns.name(job.name(), key), (key != null) ? StoredCode.KEY_MODE.of(key.mode()) : null,
				(key != null) ? EpochMillis.ofOptional(key.until()) : null, held, standing.lane(),
				standing.urgency().ordinal() };
	}

}
