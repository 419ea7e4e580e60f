package dev.jobs.store.memory;

import java.time.Instant;

import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import org.jspecify.annotations.Nullable;

/**
 * What a person may change.
 */
final class Changing {

	private final Contents contents;

	private final Instant now;

	Changing(Contents contents, Instant now) {
		this.contents = contents;
		this.now = now;
	}

	Changed apply(Change change) {
		if (change instanceof Change.Cancel cancel) {
			return cancel(job(cancel.id()));
		}
		if (change instanceof Change.Delete delete) {
			return delete(job(delete.id()));
		}
		if (change instanceof Change.Reschedule reschedule) {
			return reschedule(job(reschedule.id()), reschedule.dueAt());
		}
		if (change instanceof Change.Retry retry) {
			return retry(job(retry.id()));
		}
		return applyToQueue(change);
	}

	private Changed applyToQueue(Change change) {
		if (change instanceof Change.Pause pause) {
			this.contents.queue(pause.queue()).pause();
			return Changed.DONE;
		}
		if (change instanceof Change.Resume resume) {
			return resume(this.contents.queues.get(resume.queue()));
		}
		if (change instanceof Change.Limit limit) {
			return limit(limit.queue(), limit.maxRunning());
		}
		if (change instanceof Change.Forget forget) {
			return forget(this.contents.queues.get(forget.queue()));
		}
		return applyToSchedule(change);
	}

	private Changed applyToSchedule(Change change) {
		if (change instanceof Change.PauseSchedule pause) {
			this.contents.schedules.pause(pause.schedule());
			return Changed.DONE;
		}
		if (change instanceof Change.ResumeSchedule resume) {
			return this.contents.schedules.resume(resume.schedule(), this.now) ? Changed.DONE : Changed.NOT_FOUND;
		}
		this.contents.purge(this.now);
		return Changed.DONE;
	}

	private Changed cancel(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (job.state().isWaiting()) {
			this.contents.remove(job, this.now);
			return Changed.DONE;
		}
		if (job.delivery == null) {
			return Changed.REFUSED;
		}
		job.requestCancel();
		this.contents.signals.cancelled(job.delivery.worker());
		return Changed.DONE;
	}

	private Changed delete(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (job.state() == JobState.RUNNING) {
			return Changed.REFUSED;
		}
		this.contents.remove(job, this.now);
		return Changed.DONE;
	}

	private Changed reschedule(@Nullable StoredJob job, Instant dueAt) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		if (!job.state().isWaiting()) {
			return Changed.REFUSED;
		}
		this.contents.moveToWait(job, dueAt, job.job().trail(), this.now);
		return Changed.DONE;
	}

	private Changed retry(@Nullable StoredJob job) {
		if (job == null) {
			return Changed.NOT_FOUND;
		}
		Trail trail = job.job().trail();
		return switch (job.seenAt(this.now).state()) {
			case READY -> Changed.DONE;
			case SCHEDULED -> moveToReady(job, trail);
			case DEAD -> takesKeyAgain(job) ? moveToReady(job, trail.retried()) : Changed.REFUSED;
			case RUNNING, SUCCEEDED, CANCELLED -> Changed.REFUSED;
		};
	}

	private boolean takesKeyAgain(StoredJob job) {
		boolean gaveItUp = job.key != null && job.key.mode() == Unique.Mode.UNTIL_STARTED;
		return gaveItUp || this.contents.keys.take(job, this.now);
	}

	private Changed moveToReady(StoredJob job, Trail trail) {
		this.contents.moveToWait(job, this.now, trail, this.now);
		return Changed.DONE;
	}

	private Changed resume(@Nullable Queue queue) {
		if (queue == null) {
			return Changed.NOT_FOUND;
		}
		queue.resume(this.now);
		return Changed.DONE;
	}

	private Changed limit(String name, int maxRunning) {
		if (maxRunning < Queue.LIMIT_OF_WORKERS) {
			return Changed.REFUSED;
		}
		this.contents.queue(name).limit(maxRunning, this.now);
		return Changed.DONE;
	}

	private Changed forget(@Nullable Queue queue) {
		if (queue == null) {
			return Changed.NOT_FOUND;
		}
		if (!queue.isEmpty()) {
			return Changed.REFUSED;
		}
		this.contents.queues.remove(queue.name());
		return Changed.DONE;
	}

	private @Nullable StoredJob job(String id) {
		return this.contents.jobs.get(id);
	}

}
