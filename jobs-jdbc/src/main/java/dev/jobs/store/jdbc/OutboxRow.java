package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.support.StoredCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * A row of the outbox: how a job is written, and read again, perhaps by another version
 * of the application. Everything but the payload is read as text, so that faults are
 * found here and not by the driver.
 *
 * @param place its place in the table
 * @param job the job, or {@code null} if the row cannot be read
 * @param problem why it cannot be read
 */
record OutboxRow(long place, @Nullable NewJob job, @Nullable String problem) {

	private static final String OF_JOB = "id, queue, payload, headers, created_at, due_at, "
			+ "key_digest, key_mode, key_scope, key_until, key_rule, max_length, max_in_lane";

	static final String COLUMNS = "place, " + OF_JOB;

	static final String INSERT = "insert into {outbox} (" + OF_JOB + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

	static @Nullable Object[] of(NewJob job) {
		@Nullable Object[] values = new @Nullable Object[] { job.id(), job.name(), job.payload(),
				JsonColumns.headers(job.headers()), EpochMillis.of(job.createdAt()), EpochMillis.of(job.dueAt()), null,
				null, null, null, null, job.maxWaiting(), job.maxInLane() };
		NewJob.UniqueKey key = job.uniqueKey();
		if (key != null) {
			values[6] = key.digest();
			values[7] = StoredCode.KEY_MODE.of(key.mode());
			values[8] = StoredCode.KEY_SCOPE.of(key.scope());
			values[9] = EpochMillis.ofOptional(key.until());
			values[10] = StoredCode.ON_DUPLICATE.of(key.onDuplicate());
		}
		return values;
	}

	static OutboxRow read(ResultSet row, int number) throws SQLException {
		long place = row.getLong("place");
		try {
			return new OutboxRow(place, job(row), null);
		}
		catch (IllegalArgumentException | JacksonException ex) {
			return new OutboxRow(place, null, String.valueOf(ex.getMessage()));
		}
	}

	private static NewJob job(ResultSet row) throws SQLException {
		byte[] payload = row.getBytes("payload");
		if (payload == null) {
			throw new IllegalArgumentException("It has no payload");
		}
		return NewJob.of(text(row, "id"), text(row, "queue"), payload, instant(row, "created_at"))
			.withHeaders(JsonColumns.readHeaders(row.getString("headers")))
			.withDueAt(instant(row, "due_at"))
			.withUniqueKey(key(row))
			.withMaxWaiting(Integer.parseInt(text(row, "max_length")))
			.withMaxInLane(Integer.parseInt(text(row, "max_in_lane")));
	}

	private static NewJob.@Nullable UniqueKey key(ResultSet row) throws SQLException {
		String digest = row.getString("key_digest");
		if (digest == null) {
			return null;
		}
		Instant until = (row.getString("key_until") != null) ? instant(row, "key_until") : null;
		return new NewJob.UniqueKey(digest, StoredCode.KEY_MODE.read(text(row, "key_mode")),
				StoredCode.KEY_SCOPE.read(text(row, "key_scope")), until,
				StoredCode.ON_DUPLICATE.read(text(row, "key_rule")));
	}

	private static Instant instant(ResultSet row, String column) throws SQLException {
		return EpochMillis.instant(Long.parseLong(text(row, column)));
	}

	private static String text(ResultSet row, String column) throws SQLException {
		String text = row.getString(column);
		if (text == null || text.isEmpty()) {
			throw new IllegalArgumentException("It has no " + column);
		}
		return text;
	}

}
