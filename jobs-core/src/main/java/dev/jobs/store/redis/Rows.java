package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.store.Seen;

/**
 * What the scripts show of a job.
 */
final class Rows {

	private Rows() {
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
		byte[] holder = row.bytes();
		byte[] progress = row.bytes();
		boolean cancelRequested = row.flag();
		Instant dueAt = stored.job().dueAt();
		return switch (part) {
			case "running" -> {
				Job.Run run = run(holder, Long.parseLong(score), progress, cancelRequested);
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
		FieldReader fields = new FieldReader(holder);
		String worker = Formats.readable(fields::text);
		Instant startedAt = Formats.readable(fields::instant);
		return new Job.Run((worker != null) ? worker : "", token, (startedAt != null) ? startedAt : Instant.EPOCH,
				Formats.progress(progress), cancelRequested);
	}

}
