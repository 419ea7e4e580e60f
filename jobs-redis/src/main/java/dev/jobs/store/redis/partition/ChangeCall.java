package dev.jobs.store.redis.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.store.Change;
import dev.jobs.store.Change.Changes;
import dev.jobs.store.Changed;
import dev.jobs.store.redis.format.FieldWriter;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Reply;

/**
 * Writes changes for the script that applies them, and reads what it replies.
 */
final class ChangeCall implements Changes<String[]> {

	static final int MOST_CHANGES = 500;

	static Arguments arguments(List<Change> changes, Instant now) {
		ChangeCall call = new ChangeCall();
		Arguments arguments = Arguments.at(now);
		for (Change change : changes) {
			for (String text : change.applyTo(call)) {
				arguments.add(text);
			}
		}
		return arguments;
	}

	static List<Changed> read(Reply reply) {
		List<Changed> changed = new ArrayList<>();
		while (reply.hasMore()) {
			changed.add(Changed.valueOf(reply.text()));
		}
		return changed;
	}

	/**
	 * Write a change: its name, the job or queue, and a value.
	 */
	private static String[] written(String name, String subject, String value) {
		return new String[] { name, subject, value };
	}

	@Override
	public String[] cancel(Change.Cancel cancel) {
		return written("cancel", cancel.id(), "");
	}

	@Override
	public String[] delete(Change.Delete delete) {
		return written("delete", delete.id(), "");
	}

	@Override
	public String[] reschedule(Change.Reschedule reschedule) {
		return written("reschedule", reschedule.id(), FieldWriter.millis(reschedule.dueAt()));
	}

	@Override
	public String[] retry(Change.Retry retry) {
		return written("retry", retry.id(), "");
	}

	@Override
	public String[] pause(Change.Pause pause) {
		return written("pause", pause.queue(), "");
	}

	@Override
	public String[] resume(Change.Resume resume) {
		return written("resume", resume.queue(), "");
	}

	@Override
	public String[] limit(Change.Limit limit) {
		return written("limit", limit.queue(), Integer.toString(limit.maxRunning()));
	}

	@Override
	public String[] forget(Change.Forget forget) {
		return written("forget", forget.queue(), "");
	}

	@Override
	public String[] pauseSchedule(Change.PauseSchedule pause) {
		return written("pause-schedule", "", pause.schedule());
	}

	@Override
	public String[] resumeSchedule(Change.ResumeSchedule resume) {
		return written("resume-schedule", "", resume.schedule());
	}

	@Override
	public String[] keepNote(Change.KeepNote note) {
		return written("keep-note", note.id(), note.text());
	}

	@Override
	public String[] purge(Change.Purge purge) {
		return written("purge", "", "");
	}

}
