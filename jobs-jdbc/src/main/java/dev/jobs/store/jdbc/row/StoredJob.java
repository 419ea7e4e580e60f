package dev.jobs.store.jdbc.row;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.Claim;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.Standing;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of jobs, without its unique key.
 *
 * @param id its id
 * @param queue its queue
 * @param state its {@link StateColumn}
 * @param place its place among the ready jobs of its queue
 * @param dueAt when it is due
 * @param since when it entered its state or, if it waits, when it is due
 * @param createdAt when it was enqueued
 * @param token the token it is held under, or 0; only running jobs have one
 * @param cancel whether an operator asked to end it
 * @param payload its payload
 * @param headers its headers, or {@code null} for none
 * @param trail its trail, or {@code null} for none
 * @param progress what it reported while it runs, or {@code null} for nothing
 */
public record StoredJob(String id, String queue, int state, long place, long dueAt, long since, long createdAt,
		long token, boolean cancel, byte[] payload, @Nullable String headers, @Nullable String trail,
		@Nullable String progress) {

	public static final String TRAIL = "j.trail";

	public static final String COLUMNS = "j.id, j.queue, j.state, j.place, j.due_at, j.since, j.created_at, j.token, j.cancel, "
			+ "j.payload, j.headers, " + TRAIL + ", j.progress";

	/** The same with only the preview of the payload. */
	public static final String LISTED_COLUMNS = COLUMNS.replace("j.payload",
			"substring(j.payload, 1, " + Job.LONGEST_PREVIEW + ")");

	public static final String PAYLOAD_SIZE = "octet_length(j.payload)";

	/** The size of a job's row, except for columns that are always small. */
	public static final String SIZE = PAYLOAD_SIZE + " + coalesce(octet_length(" + TRAIL + "), 0)";

	public static StoredJob read(ResultSet row, int number) throws SQLException {
		return new StoredJob(row.getString(1), row.getString(2), row.getInt(3), row.getLong(4), row.getLong(5),
				row.getLong(6), row.getLong(7), row.getLong(8), row.getInt(9) == 1, bytes(row.getBytes(10)),
				row.getString(11), row.getString(12), row.getString(13));
	}

	/** SQLite returns null for the beginning of an empty payload. */
	private static byte[] bytes(byte @Nullable [] payload) {
		return (payload != null) ? payload : new byte[0];
	}

	/**
	 * Return whether a job can have an id. PostgreSQL keeps no character 0 in texts, and
	 * refuses queries with one.
	 */
	public static boolean isId(String text) {
		return text.indexOf('\0') < 0;
	}

	public StoredJob heldUnder(long token) {
		return new StoredJob(this.id, this.queue, StateColumn.RUNNING, this.place, this.dueAt, this.since,
				this.createdAt, token, false, this.payload, this.headers, this.trail, null);
	}

	public StoredJob takenUnder(long token) {
		return new StoredJob(this.id, this.queue, StateColumn.RUNNING, this.place, this.dueAt, this.since,
				this.createdAt, token, this.cancel, this.payload, this.headers, this.trail, this.progress);
	}

	/**
	 * Return whether the job may contain a lower-case text, without parsing its trail.
	 * Ordinary characters appear in JSON unchanged.
	 */
	public boolean mayContain(String text) {
		return !text.chars().allMatch((sign) -> sign >= ' ' && sign <= '~' && sign != '"' && sign != '\\') || Stream
			.of(this.id, new String(this.payload, StandardCharsets.UTF_8), (this.trail != null) ? this.trail : "")
			.anyMatch((candidate) -> candidate.toLowerCase(Locale.ROOT).contains(text));
	}

	/**
	 * Return the longest part of a text that has no letters and appears unchanged in JSON
	 * and in bytes, whatever the case of the letters beside it.
	 */
	public static String plainPart(String text) {
		return Stream.of(text.split("[^ -~]|[\"\\\\a-zA-Z]")).max(Comparator.comparingInt(String::length)).orElse("");
	}

	/**
	 * Return where it stands once it is ready.
	 */
	public Standing standing() {
		return Standing.of(JsonColumns.headers(this.headers));
	}

	/**
	 * Return its lane, or an empty text if it has none.
	 */
	public String lane() {
		return Objects.requireNonNullElse(standing().lane(), "");
	}

	/**
	 * Return the job as operators and workers see it.
	 * @param worker the worker that holds it, or {@code null} if none does
	 * @param now the time
	 */
	public Job seen(@Nullable String worker, Instant now) {
		JobState seen = StateColumn.seen(this.state, this.dueAt, EpochMillis.of(now));
		Job.Run run = (seen == JobState.RUNNING)
				? Job.Run.of((worker != null) ? worker : "", this.token, EpochMillis.instant(this.since))
					.withProgress(WorkerJson.progress(this.progress))
					.withCancelRequested(this.cancel)
				: null;
		return Job.builder(this.id, this.queue)
			.payload(this.payload)
			.headers(JsonColumns.headers(this.headers))
			.state(seen)
			.createdAt(EpochMillis.instant(this.createdAt))
			.dueAt(EpochMillis.instant(this.dueAt))
			.trail(JsonColumns.trail(this.trail))
			.run(run)
			.build();
	}

	/**
	 * Return the job as listed; only that much was read.
	 * @param payloadSize how many bytes its payload has
	 * @param worker the worker that holds it, or {@code null} if none does
	 * @param now the time
	 */
	public Job listed(int payloadSize, @Nullable String worker, Instant now) {
		return ListedJob.listed(seen(worker, now).toBuilder().payloadPreview(this.payload, payloadSize).build());
	}

	/**
	 * Return the claim of a worker that has just taken the job.
	 */
	public Claim claim(String worker, long token, Instant now) {
		Job.Run run = Job.Run.of(worker, token, now)
			.withProgress(WorkerJson.progress(this.progress))
			.withCancelRequested(this.cancel);
		Trail kept = JsonColumns.trail(this.trail);
		return new Claim(Job.builder(this.id, this.queue)
			.payload(this.payload)
			.headers(JsonColumns.headers(this.headers))
			.state(JobState.RUNNING)
			.createdAt(EpochMillis.instant(this.createdAt))
			.dueAt(EpochMillis.instant(this.dueAt))
			.trail(kept)
			.run(run)
			.build(), token);
	}

}
