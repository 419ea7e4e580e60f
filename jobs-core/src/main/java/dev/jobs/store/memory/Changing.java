package dev.jobs.store.memory;

import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.jobs.Note;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Change.Changes;
import dev.jobs.store.Changed;
import dev.jobs.store.support.TrailBuilder;

/**
 * Applies the changes of operators.
 */
record Changing(Contents contents, Instant now) implements Changes<Changed> {

	@Override
	public Changed ofJob(Change.OfJob change) {
		StoredJob job = this.contents.jobs.get(change.id());
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		return switch (change.effectIn(job.seenAt(this.now).state())) {
			case REMOVED -> remove(job);
			case CANCEL_REQUESTED -> requestCancel(job);
			case MOVED -> moveToWait(job, dueAt(change), job.job().trail());
			case REVIVED -> takesKeyAgain(job) ? moveToWait(job, this.now, TrailBuilder.retried(job.job().trail()))
					: Changed.REFUSED;
			case PAYLOAD_REPLACED -> replacePayload(job, (Change.ReplacePayload) change);
			case STANDING_SET -> setStanding(job, (Change.SetStanding) change);
			case SAVED_FORGOTTEN -> forget(job, ((Change.ForgetSaved) change).name());
			case NONE -> Changed.DONE;
			case REFUSED -> Changed.REFUSED;
		};
	}

	private Instant dueAt(Change.OfJob change) {
		return (change instanceof Change.Reschedule reschedule) ? reschedule.dueAt() : this.now;
	}

	private Changed remove(StoredJob job) {
		this.contents.remove(job, this.now);
		return Changed.DONE;
	}

	private Changed requestCancel(StoredJob job) {
		job.requestCancel();
		this.contents.signals.cancelled(Objects.requireNonNull(job.run()).worker());
		return Changed.DONE;
	}

	private Changed moveToWait(StoredJob job, Instant dueAt, Trail trail) {
		this.contents.moveToWait(job, dueAt, trail, this.now);
		return Changed.DONE;
	}

	private static Changed replacePayload(StoredJob job, Change.ReplacePayload change) {
		job.carry(change.payload(), job.job().headers());
		job.saved = null;
		return Changed.DONE;
	}

	private static Changed forget(StoredJob job, String name) {
		return (job.saved != null && job.saved.remove(name) != null) ? Changed.DONE : Changed.NOT_FOUND;
	}

	private Changed setStanding(StoredJob job, Change.SetStanding change) {
		this.contents.carry(job, job.job().payload(), change.changed(job.job().headers()), this.now);
		return Changed.DONE;
	}

	private boolean takesKeyAgain(StoredJob job) {
		boolean needsNone = job.key == null || !job.key.isTakenByRetry();
		return needsNone || this.contents.keys.take(job, this.now);
	}

	@Override
	public Changed pause(Change.Pause pause) {
		this.contents.queue(pause.queue()).pause(pause.by(), this.now);
		return Changed.DONE;
	}

	@Override
	public Changed resume(Change.Resume resume) {
		Queue queue = this.contents.queues.get(resume.queue());
		if (queue == null) {
			return Changed.NOT_FOUND;
		}
		queue.resume(this.now);
		return Changed.DONE;
	}

	@Override
	public Changed limit(Change.Limit limit) {
		if (limit.maxRunning() < Change.Limit.OF_WORKERS) {
			return Changed.REFUSED;
		}
		this.contents.queue(limit.queue()).limit(limit.maxRunning(), limit.by(), this.now);
		return Changed.DONE;
	}

	@Override
	public Changed setLane(Change.SetLane set) {
		Integer value = set.value();
		if (value == null) {
			Queue known = this.contents.queues.get(set.queue());
			return (known != null && known.setLane(set, this.now)) ? Changed.DONE : Changed.NOT_FOUND;
		}
		if (value < 1) {
			return Changed.REFUSED;
		}
		Queue queue = this.contents.queue(set.queue());
		boolean another = !queue.laneSettings().containsKey(set.lane());
		if (another && queue.laneSettings().size() >= Change.SetLane.MOST) {
			return Changed.REFUSED;
		}
		queue.setLane(set, this.now);
		return Changed.DONE;
	}

	@Override
	public Changed pauseSchedule(Change.PauseSchedule pause) {
		this.contents.schedules.pause(pause.schedule());
		return Changed.DONE;
	}

	@Override
	public Changed resumeSchedule(Change.ResumeSchedule resume) {
		return this.contents.schedules.resume(resume.schedule(), this.now.minus(resume.offset())) ? Changed.DONE
				: Changed.NOT_FOUND;
	}

	@Override
	public Changed putSchedule(Change.PutSchedule put) {
		Changed changed = this.contents.schedules.put(put, this.now);
		if (put.next() != null && (changed == Changed.NEW || changed == Changed.DONE)) {
			this.contents.signals.ticks(put.next());
		}
		return changed;
	}

	@Override
	public Changed dropSchedule(Change.DropSchedule drop) {
		return this.contents.schedules.drop(drop.schedule(), this.now);
	}

	@Override
	public Changed keepEnd(Change.KeepEnd keep) {
		boolean known = this.contents.ends.of(keep.thing(), this.now) != null;
		if (keep.end() == null) {
			this.contents.ends.forget(keep.thing());
			return known ? Changed.DONE : Changed.NOT_FOUND;
		}
		if (known) {
			return Changed.REFUSED;
		}
		this.contents.ends.keep(keep.thing(), keep.end());
		this.contents.signals.ended(Set.of(keep.thing()));
		return Changed.DONE;
	}

	@Override
	public Changed release(Change.Release release) {
		return this.contents.releaseFor(release.thing(), Change.Release.AT_ONCE, this.now) ? Changed.DONE
				: Changed.NOT_FOUND;
	}

	@Override
	public Changed keepNote(Change.KeepNote note) {
		Map<String, Note> notes = this.contents.notes;
		notes.putIfAbsent(note.id(), Note.of(this.now, note.text()));
		if (notes.size() > Note.KEPT) {
			notes.values().remove(Collections.min(notes.values(), Comparator.comparing(Note::at)));
		}
		return Changed.DONE;
	}

	@Override
	public Changed set(Change.Set set) {
		return this.contents.set(set, this.now) ? Changed.DONE : Changed.NOT_FOUND;
	}

	@Override
	public Changed swap(Change.Swap swap) {
		return this.contents.swap(swap, this.now);
	}

	@Override
	public Changed purge(Change.Purge purge) {
		this.contents.purge(this.now);
		return Changed.DONE;
	}

}
