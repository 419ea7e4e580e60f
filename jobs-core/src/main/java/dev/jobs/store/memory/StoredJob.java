package dev.jobs.store.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * A job and where it is. What people and workers see of it is an immutable {@link Job}
 * that is replaced with each move, so it may be handed out without a copy.
 */
final class StoredJob {

	static final Comparator<StoredJob> BY_TIME = Comparator.comparing(StoredJob::since).thenComparing(StoredJob::id);

	final Queue queue;

	final NewJob.@Nullable Key key;

	/** Holds the job while it runs. */
	@Nullable Delivery delivery;

	/** Belong to the {@link JobList} the job is in. */
	@Nullable StoredJob previous;

	@Nullable StoredJob next;

	long place;

	private Job job;

	private Instant since;

	StoredJob(Queue queue, NewJob added, Instant now) {
		this.queue = queue;
		this.key = added.unique();
		this.since = added.dueAt();
		this.job = new Job(added.id(), queue.name(), added.payload(), Map.copyOf(added.headers()),
				waiting(added.dueAt(), now), added.createdAt(), added.dueAt(), Trail.EMPTY, null);
	}

	private StoredJob(Queue queue, Instant since) {
		this.queue = queue;
		this.key = null;
		this.since = since;
		this.job = new Job("", queue.name(), new byte[0], Map.of(), JobState.SCHEDULED, since, since, Trail.EMPTY,
				null);
	}

	/**
	 * Return what sorts behind all jobs of an instant and before all later ones.
	 */
	static StoredJob markerAfter(Queue queue, Instant instant) {
		return new StoredJob(queue, instant.plusNanos(1));
	}

	String id() {
		return this.job.id();
	}

	Job job() {
		return this.job;
	}

	JobState state() {
		return this.job.state();
	}

	/**
	 * Return when the job entered its state or, if it waits, when it is due.
	 */
	Instant since() {
		return this.since;
	}

	boolean isDue(Instant now) {
		return !this.job.dueAt().isAfter(now);
	}

	/**
	 * Return what is seen of the job at an instant: one whose time has come counts as
	 * ready, though no claim has looked at it yet.
	 */
	Job seenAt(Instant now) {
		boolean promote = state() == JobState.SCHEDULED && isDue(now);
		return promote ? with(JobState.READY, this.job.dueAt(), this.job.trail(), null) : this.job;
	}

	void waitUntil(Instant dueAt, Trail trail, Instant now) {
		this.job = with(waiting(dueAt, now), dueAt, trail, null);
		this.since = dueAt;
	}

	void waitInFront(Trail trail) {
		this.job = with(JobState.READY, this.job.dueAt(), trail, null);
		this.since = this.job.dueAt();
	}

	void run(Job.Run run) {
		this.job = with(JobState.RUNNING, this.job.dueAt(), this.job.trail(), run);
		this.since = run.startedAt();
	}

	void tell(Job.Progress progress) {
		Job.Run run = this.job.run();
		if (run != null) {
			run(new Job.Run(run.worker(), run.token(), run.startedAt(), progress, run.cancelRequested()));
		}
	}

	Job.@Nullable Progress progress() {
		Job.Run run = this.job.run();
		return (run != null) ? run.progress() : null;
	}

	void requestCancel() {
		Job.Run run = this.job.run();
		if (run != null) {
			run(new Job.Run(run.worker(), run.token(), run.startedAt(), run.progress(), true));
		}
	}

	boolean isCancelRequested() {
		Job.Run run = this.job.run();
		return run != null && run.cancelRequested();
	}

	void end(JobState state, Instant at, Trail trail) {
		this.job = with(state, this.job.dueAt(), trail, null);
		this.since = at;
	}

	void carry(byte[] payload, Map<String, String> headers) {
		this.job = new Job(this.job.id(), this.job.name(), payload, Map.copyOf(headers), this.job.state(),
				this.job.createdAt(), this.job.dueAt(), this.job.trail(), this.job.run());
	}

	private Job with(JobState state, Instant dueAt, Trail trail, Job.@Nullable Run run) {
		return new Job(this.job.id(), this.job.name(), this.job.payload(), this.job.headers(), state,
				this.job.createdAt(), dueAt, trail, run);
	}

	private static JobState waiting(Instant dueAt, Instant now) {
		return dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY;
	}

}
