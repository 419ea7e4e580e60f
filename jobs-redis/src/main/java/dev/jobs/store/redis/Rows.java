package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.Seen;

/**
 * What the scripts show of a job.
 */
final class Rows {

	/**
	 * What a text in lower case may have come from in other ways than the scripts know:
	 * an I may have been a dotted one, and a K the sign for Kelvin.
	 */
	private static final Pattern NOT_PLAIN = Pattern.compile("[^\\x00-\\x7f]|[ik]");

	private Rows() {
	}

	/**
	 * Write what the scripts are told of a filter, for them to leave out jobs that it
	 * certainly does not select.
	 */
	static byte[] wanted(JobFilter filter) {
		String text = (filter.getText() != null) ? filter.getText().toLowerCase(Locale.ROOT) : "";
		String plain = NOT_PLAIN.splitAsStream(text).max(Comparator.comparingInt(String::length)).orElse("");
		return new FieldWriter().add((filter.getSince() != null) ? Millis.of(filter.getSince()) : "")
			.add((filter.getBefore() != null) ? Millis.of(filter.getBefore()) : "")
			.add(Boolean.TRUE.equals(filter.getRetrying()) ? 1 : 0)
			.add(plain)
			.toBytes();
	}

	static List<Seen> readAll(List<Reply> replies, Instant now) {
		List<Seen> seen = new ArrayList<>();
		for (Reply rows : replies) {
			while (rows.hasMore()) {
				seen.add(read(rows, now));
			}
		}
		return seen;
	}

	static Seen read(Reply row, Instant now) {
		String id = row.text();
		String queue = row.text();
		String part = row.text();
		String score = row.text();
		StoredJob stored = Formats.job(id, queue, row.bytes(), row.bytes());
		Instant dueAt = stored.job().dueAt();
		return switch (part) {
			case "running" -> {
				Job.Run run = run(row.bytes(), Long.parseLong(score), row.bytes(), row.flag());
				yield new Seen(stored.in(JobState.RUNNING, run), run.startedAt());
			}
			case "dead" -> new Seen(stored.in(JobState.DEAD, null), Millis.instant(score));
			case "done" -> new Seen(stored.in(stored.cancelled() ? JobState.CANCELLED : JobState.SUCCEEDED, null),
					Millis.instant(score));
			case "ready" -> new Seen(stored.in(JobState.READY, null), dueAt);
			default -> new Seen(stored.in(dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY, null), dueAt);
		};
	}

	private static Job.Run run(byte[] holder, long token, byte[] progress, boolean cancelRequested) {
		FieldReader fields = Formats.readable(() -> new FieldReader(holder, Formats.HOLDER));
		String worker = (fields != null) ? Formats.readable(fields::text) : null;
		Instant startedAt = (fields != null) ? Formats.readable(fields::instant) : null;
		return Job.Run.of((worker != null) ? worker : "", token, (startedAt != null) ? startedAt : Instant.EPOCH)
			.withProgress(Formats.progress(progress))
			.withCancelRequested(cancelRequested);
	}

}
