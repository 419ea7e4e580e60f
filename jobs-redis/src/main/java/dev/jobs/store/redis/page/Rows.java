package dev.jobs.store.redis.page;

import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Pattern;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.redis.format.FieldReader;
import dev.jobs.store.redis.format.FieldWriter;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.format.Formats.StoredJob;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.view.WorkerJson;

/**
 * Reads the rows of jobs that scripts return, and writes the filter that they apply.
 */
final class Rows {

	/**
	 * Lower-case characters that may come from capitals unknown to the scripts: an i from
	 * a dotted capital I, and a k from the Kelvin sign.
	 */
	private static final Pattern NOT_PLAIN = Pattern.compile("[^\\x00-\\x7f]|[ik]");

	private Rows() {
	}

	/**
	 * Write the part of a filter that scripts can apply, so that they leave out jobs that
	 * it certainly does not select.
	 */
	static byte[] filter(JobFilter filter) {
		String text = (filter.getText() != null) ? filter.getText().toLowerCase(Locale.ROOT) : "";
		String plain = NOT_PLAIN.splitAsStream(text).max(Comparator.comparingInt(String::length)).orElse("");
		return new FieldWriter().add((filter.getSince() != null) ? FieldWriter.millis(filter.getSince()) : "")
			.add((filter.getBefore() != null) ? FieldWriter.millis(filter.getBefore()) : "")
			.add(Boolean.TRUE.equals(filter.getRetrying()) ? 1 : 0)
			.add(plain)
			.toBytes();
	}

	/**
	 * Read a row. A job that was not sent whole counts as listed.
	 */
	static ListedJob read(Reply row, Instant now) {
		String id = row.text();
		String queue = row.text();
		String part = row.text();
		String score = row.text();
		byte[] record = row.bytes();
		int leftOut = Math.toIntExact(row.number());
		StoredJob stored = Formats.job(id, queue, record, row.bytes()).without(leftOut);
		Instant dueAt = stored.job().dueAt();
		return switch (part) {
			case "running" -> {
				Job.Run run = run(row.bytes(), Long.parseLong(score), row.text(), row.flag());
				yield new ListedJob(stored.in(JobState.RUNNING, run), run.startedAt());
			}
			case "dead" -> new ListedJob(stored.in(JobState.DEAD, null), FieldReader.instant(score));
			case "done" -> new ListedJob(stored.in(stored.cancelled() ? JobState.CANCELLED : JobState.SUCCEEDED, null),
					FieldReader.instant(score));
			case "ready", "laned" -> new ListedJob(stored.in(JobState.READY, null), dueAt);
			case "waiting" ->
				new ListedJob(stored.in(dueAt.isAfter(now) ? JobState.WAITING : JobState.READY, null), dueAt);
			default -> new ListedJob(stored.in(dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY, null), dueAt);
		};
	}

	private static Job.Run run(byte[] holder, long token, String progress, boolean cancelRequested) {
		FieldReader fields = Formats.readable(() -> new FieldReader(holder, Formats.HOLDER));
		String worker = (fields != null) ? Formats.readable(fields::text) : null;
		Instant startedAt = (fields != null) ? Formats.readable(fields::instant) : null;
		return Job.Run.of((worker != null) ? worker : "", token, (startedAt != null) ? startedAt : Instant.EPOCH)
			.withProgress(WorkerJson.progress(progress))
			.withCancelRequested(cancelRequested);
	}

}
