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
final class ChangeCall implements Changes<Arguments> {

	static final int MOST_CHANGES = 500;

	private final Arguments arguments;

	private ChangeCall(Instant now) {
		this.arguments = Arguments.at(now);
	}

	static Arguments arguments(List<Change> changes, Instant now) {
		ChangeCall call = new ChangeCall(now);
		changes.forEach((change) -> change.applyTo(call));
		return call.arguments;
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
	private Arguments write(String name, String subject, String value) {
		return this.arguments.add(name).add(subject).add(value);
	}

	@Override
	public Arguments cancel(Change.Cancel cancel) {
		return write("cancel", cancel.id(), "");
	}

	@Override
	public Arguments delete(Change.Delete delete) {
		return write("delete", delete.id(), "");
	}

	@Override
	public Arguments reschedule(Change.Reschedule reschedule) {
		return write("reschedule", reschedule.id(), FieldWriter.millis(reschedule.dueAt()));
	}

	@Override
	public Arguments retry(Change.Retry retry) {
		return write("retry", retry.id(), "");
	}

	@Override
	public Arguments replacePayload(Change.ReplacePayload replacePayload) {
		return this.arguments.add("replace-payload").add(replacePayload.id()).add(replacePayload.payload());
	}

	@Override
	public Arguments pause(Change.Pause pause) {
		return write("pause", pause.queue(), "");
	}

	@Override
	public Arguments resume(Change.Resume resume) {
		return write("resume", resume.queue(), "");
	}

	@Override
	public Arguments limit(Change.Limit limit) {
		return write("limit", limit.queue(), Integer.toString(limit.maxRunning()));
	}

	@Override
	public Arguments forget(Change.Forget forget) {
		return write("forget", forget.queue(), "");
	}

	@Override
	public Arguments pauseSchedule(Change.PauseSchedule pause) {
		return write("pause-schedule", "", pause.schedule());
	}

	@Override
	public Arguments resumeSchedule(Change.ResumeSchedule resume) {
		return write("resume-schedule", "", resume.schedule());
	}

	@Override
	public Arguments keepNote(Change.KeepNote note) {
		return write("keep-note", note.id(), note.text());
	}

	@Override
	public Arguments purge(Change.Purge purge) {
		return write("purge", "", "");
	}

}
