package dev.jobs.store.redis.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.store.Change;
import dev.jobs.store.Change.Changes;
import dev.jobs.store.Changed;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.redis.format.FieldWriter;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes for the script that applies them, and reads its reply.
 */
final class ChangeCall implements Changes<Arguments> {

	static final int MOST_CHANGES = 500;

	/** The script's names for changes of a job. */
	private static final Map<Class<?>, String> OF_JOBS = Map.of(Change.Cancel.class, "cancel", Change.Delete.class,
			"delete", Change.Reschedule.class, "reschedule", Change.Retry.class, "retry", Change.ReplacePayload.class,
			"replace-payload", Change.SetStanding.class, "set-standing", Change.ForgetSaved.class, "forget-saved");

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

	private Arguments write(String name, String subject, String value) {
		return write(name, subject, value, null);
	}

	/**
	 * Write a change: its name, the queue, a value, and its author.
	 */
	private Arguments write(String name, String subject, String value, @Nullable String by) {
		return this.arguments.add(name).add(subject).add(value).add((by != null) ? by : "");
	}

	@Override
	public Arguments ofJob(Change.OfJob change) {
		this.arguments.add(Objects.requireNonNull(OF_JOBS.get(change.getClass()))).add(change.id());
		if (change instanceof Change.ReplacePayload replacePayload) {
			return this.arguments.add(replacePayload.payload()).add("");
		}
		if (change instanceof Change.ForgetSaved forget) {
			return this.arguments.add(forget.name()).add("");
		}
		if (change instanceof Change.SetStanding standing) {
			return this.arguments.add(Objects.requireNonNullElse(standing.value(), "")).add(standing.header());
		}
		return this.arguments.add((change instanceof Change.Reschedule reschedule) ? reschedule.dueAt() : null).add("");
	}

	@Override
	public Arguments pause(Change.Pause pause) {
		return write("pause", pause.queue(), "", pause.by());
	}

	@Override
	public Arguments resume(Change.Resume resume) {
		return write("resume", resume.queue(), "");
	}

	@Override
	public Arguments limit(Change.Limit limit) {
		return write("limit", limit.queue(), Integer.toString(limit.maxRunning()), limit.by());
	}

	@Override
	public Arguments setLane(Change.SetLane set) {
		FieldWriter what = new FieldWriter().add(set.rule().name())
			.add(set.lane())
			.add((set.value() != null) ? Integer.toString(set.value()) : "");
		return this.arguments.add("set-lane")
			.add(set.queue())
			.add(what.toBytes())
			.add((set.by() != null) ? set.by() : "");
	}

	@Override
	public Arguments pauseSchedule(Change.PauseSchedule pause) {
		return write("pause-schedule", "", pause.schedule());
	}

	@Override
	public Arguments resumeSchedule(Change.ResumeSchedule resume) {
		return write("resume-schedule", "", resume.schedule(), Long.toString(resume.offset().toMillis()));
	}

	@Override
	public Arguments putSchedule(Change.PutSchedule put) {
		NewSchedule schedule = put.schedule();
		FieldWriter all = new FieldWriter().add(schedule.definition()).add(String.valueOf(schedule.version()));
		all.add((put.next() != null) ? FieldWriter.millis(put.next()) : "")
			.add(Long.toString(put.offset().toMillis()))
			.add(put.spec());
		return this.arguments.add("put-schedule").add(schedule.queue()).add(schedule.name()).add(all.toBytes());
	}

	@Override
	public Arguments dropSchedule(Change.DropSchedule drop) {
		return write("drop-schedule", "", drop.schedule());
	}

	@Override
	public Arguments keepEnd(Change.KeepEnd keep) {
		byte[] end = (keep.end() != null) ? Formats.kept(keep.end()) : new byte[0];
		return this.arguments.add("keep-end").add(keep.thing()).add(end).add("");
	}

	@Override
	public Arguments release(Change.Release release) {
		return write("release", release.thing(), "");
	}

	@Override
	public Arguments keepNote(Change.KeepNote note) {
		return write("keep-note", note.id(), note.text());
	}

	@Override
	public Arguments set(Change.Set set) {
		return write("set", set.kind() + ":" + set.name(), (set.value() != null) ? "+" + set.value() : "-", set.by());
	}

	@Override
	public Arguments swap(Change.Swap swap) {
		return write("swap", swap.kind() + ":" + swap.name(), swap.expected(),
				(swap.announced() ? "+" : "-") + swap.value());
	}

	@Override
	public Arguments purge(Change.Purge purge) {
		return write("purge", "", "");
	}

}
