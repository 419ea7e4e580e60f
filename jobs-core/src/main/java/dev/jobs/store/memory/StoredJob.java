package dev.jobs.store.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.NewJob;
import dev.jobs.store.support.Standing;
import dev.jobs.store.view.SavedView;
import org.jspecify.annotations.Nullable;

/**
 * A job and where it is. Operators and workers see an immutable {@link Job}, which is
 * replaced with each move, so it may be handed out without a copy.
 */
final class StoredJob {

	static final Comparator<StoredJob> BY_TIME = Comparator.comparing(StoredJob::since).thenComparing(StoredJob::id);

	static final Comparator<StoredJob> BY_EXPIRY = Comparator
		.comparing((StoredJob job) -> Objects.requireNonNull(job.lookAt))
		.thenComparing(StoredJob::id);

	final NewJob.@Nullable UniqueKey key;

	/** When to look whether it has expired. */
	@Nullable Instant lookAt;

	/** What it has saved, by name; {@code null} if nothing. */
	@Nullable Map<String, SavedView> saved;

	/** Belong to the {@link JobList} that has the job. */
	@Nullable StoredJob previous;

	@Nullable StoredJob next;

	long place;

	/** Whether it has begun and keeps the place of its lane until it ends. */
	boolean keepsLane;

	private Job job;

	private Instant since;

	StoredJob(NewJob added, Instant now) {
		this.key = added.uniqueKey();
		this.since = added.dueAt();
		this.job = Job.builder(added.id(), added.name())
			.payload(added.payload())
			.headers(Map.copyOf(added.headers()))
			.state(waiting(added.dueAt(), now))
			.createdAt(added.createdAt())
			.dueAt(added.dueAt())
			.build();
	}

	private StoredJob(Instant since) {
		this.key = null;
		this.since = since;
		this.job = Job.builder("", "").state(JobState.SCHEDULED).createdAt(since).dueAt(since).build();
	}

	/**
	 * Return a marker that sorts after all jobs of an instant and before all later jobs.
	 */
	static StoredJob markerAfter(Instant instant) {
		return new StoredJob(instant.plusNanos(1));
	}

	String id() {
		return this.job.id();
	}

	Job job() {
		return this.job;
	}

	/**
	 * Return the name of the queue that the job is in.
	 */
	String queue() {
		return this.job.name();
	}

	/**
	 * Return where the job stands once it is ready.
	 */
	Standing standing() {
		return Standing.of(this.job.headers());
	}

	/**
	 * Return the lane that the job stands in.
	 * @return the lane, or {@code null} for the line of its queue
	 */
	@Nullable String lane() {
		return standing().lane();
	}

	JobState state() {
		return this.job.state();
	}

	/**
	 * Return the delivery that holds the job.
	 * @return the delivery, or {@code null} unless the job is running
	 */
	Job.@Nullable Run run() {
		return this.job.run();
	}

	boolean isHeldUnder(long token) {
		Job.Run run = run();
		return run != null && run.token() == token;
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
	 * Return the job as seen at an instant: a job whose time has come counts as ready,
	 * even if no claim has looked at it yet.
	 */
	Job seenAt(Instant now) {
		boolean promote = (state() == JobState.SCHEDULED || state() == JobState.WAITING) && isDue(now);
		return promote ? with(JobState.READY, this.job.dueAt(), this.job.trail(), null) : this.job;
	}

	void waitUntil(Instant dueAt, Trail trail, Instant now) {
		this.job = with(waiting(dueAt, now), dueAt, trail, null);
		this.since = dueAt;
	}

	/**
	 * Return the thing that the job waits for, or {@code null} if it does not.
	 */
	@Nullable String waitsFor() {
		Trail.Wait wait = this.job.trail().waitsFor();
		return (state() == JobState.WAITING && wait != null) ? wait.thing() : null;
	}

	/**
	 * Wait for what the trail says.
	 */
	void park(Instant until, Trail trail) {
		this.job = with(JobState.WAITING, until, trail, null);
		this.since = until;
	}

	/**
	 * Wait no longer for a thing.
	 */
	void waitInFront(Instant dueAt) {
		this.job = with(JobState.READY, dueAt, this.job.trail(), null);
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

	void report(Job.Progress progress) {
		Job.Run run = run();
		if (run != null) {
			run(run.withProgress(progress));
		}
	}

	Job.@Nullable Progress progress() {
		Job.Run run = run();
		return (run != null) ? run.progress() : null;
	}

	void requestCancel() {
		Job.Run run = run();
		if (run != null) {
			run(run.withCancelRequested(true));
		}
	}

	boolean isCancelRequested() {
		Job.Run run = run();
		return run != null && run.cancelRequested();
	}

	void end(JobState state, Instant at, Trail trail) {
		this.job = with(state, this.job.dueAt(), trail, null);
		this.since = at;
	}

	void carry(byte[] payload, Map<String, String> headers) {
		this.job = this.job.toBuilder().payload(payload).headers(Map.copyOf(headers)).build();
	}

	private Job with(JobState state, Instant dueAt, Trail trail, Job.@Nullable Run run) {
		return this.job.toBuilder().state(state).dueAt(dueAt).trail(trail).run(run).build();
	}

	private static JobState waiting(Instant dueAt, Instant now) {
		return dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY;
	}

}
