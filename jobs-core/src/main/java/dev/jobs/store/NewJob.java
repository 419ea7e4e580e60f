package dev.jobs.store;

import java.time.Instant;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * A job to be stored.
 *
 * @param id its id, made by the application
 * @param name its logical name, the name of its queue
 * @param payload its payload
 * @param headers text that travels with it
 * @param createdAt when it was enqueued
 * @param dueAt when it may run
 * @param uniqueKey its unique key, or {@code null} if none
 * @param maxWaiting how many jobs may wait in its queue for it to be taken; 0 for no
 * bound
 * @param maxInLane how many jobs may wait in its lane for it to be taken, not counting
 * those that are due later; 0 for no bound
 */
public record NewJob(String id, String name, byte[] payload, Map<String, String> headers, Instant createdAt,
		Instant dueAt, @Nullable UniqueKey uniqueKey, int maxWaiting, int maxInLane) {

	/**
	 * Return a job that may run as soon as it is stored. Add further parts with the
	 * methods below; a caller need not know all of them.
	 * @param id its id
	 * @param name its logical name
	 * @param payload its payload
	 * @param createdAt when it was enqueued
	 * @return the job
	 */
	public static NewJob of(String id, String name, byte[] payload, Instant createdAt) {
		return new NewJob(id, name, payload, Map.of(), createdAt, createdAt, null, 0, 0);
	}

	/**
	 * Return its lane, which travels as a header.
	 * @return the lane, or {@code null} if it has none
	 */
	public @Nullable String lane() {
		return this.headers.get(Job.LANE_HEADER);
	}

	/**
	 * Return what it keeps others out by, which travels as a header.
	 * @return the throttle, or {@code null} if it has none
	 */
	public @Nullable Throttle throttle() {
		String header = this.headers.isEmpty() ? null : this.headers.get(Job.THROTTLE_HEADER);
		int end = (header != null) ? header.indexOf(';') : -1;
		if (header == null || !header.substring(0, Math.max(end, 0)).matches("\\d{1,15}")) {
			return null;
		}
		return new Throttle(header.substring(end + 1), Instant.ofEpochMilli(Long.parseLong(header.substring(0, end))));
	}

	/**
	 * Return when {@link JobStore#prune} has to look whether it has expired.
	 * @return the instant, or {@code null} if it never expires
	 */
	public @Nullable Instant firstExpiry() {
		return Job.firstExpiry(this.headers);
	}

	/**
	 * Return this job with another id.
	 */
	public NewJob withId(String id) {
		return new NewJob(id, this.name, this.payload, this.headers, this.createdAt, this.dueAt, this.uniqueKey,
				this.maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job with another payload.
	 * @param payload the payload
	 * @return the changed job
	 */
	public NewJob withPayload(byte[] payload) {
		return new NewJob(this.id, this.name, payload, this.headers, this.createdAt, this.dueAt, this.uniqueKey,
				this.maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job with other headers.
	 * @param headers the headers
	 * @return the changed job
	 */
	public NewJob withHeaders(Map<String, String> headers) {
		return new NewJob(this.id, this.name, this.payload, headers, this.createdAt, this.dueAt, this.uniqueKey,
				this.maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job due at another time.
	 * @param dueAt when it may run
	 * @return the changed job
	 */
	public NewJob withDueAt(Instant dueAt) {
		return new NewJob(this.id, this.name, this.payload, this.headers, this.createdAt, dueAt, this.uniqueKey,
				this.maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job with a unique key, or without one.
	 * @param uniqueKey the key or {@code null}
	 * @return the changed job
	 */
	public NewJob withUniqueKey(@Nullable UniqueKey uniqueKey) {
		return new NewJob(this.id, this.name, this.payload, this.headers, this.createdAt, this.dueAt, uniqueKey,
				this.maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job with a bound for its queue.
	 * @param maxWaiting how many jobs may wait there, or 0
	 * @return the changed job
	 */
	public NewJob withMaxWaiting(int maxWaiting) {
		return new NewJob(this.id, this.name, this.payload, this.headers, this.createdAt, this.dueAt, this.uniqueKey,
				maxWaiting, this.maxInLane);
	}

	/**
	 * Return this job with a bound for its lane.
	 * @param maxInLane how many jobs may wait there, or 0
	 * @return the changed job
	 */
	public NewJob withMaxInLane(int maxInLane) {
		return new NewJob(this.id, this.name, this.payload, this.headers, this.createdAt, this.dueAt, this.uniqueKey,
				this.maxWaiting, maxInLane);
	}

	/**
	 * Return whether a bound may refuse it.
	 */
	public boolean isBounded() {
		return this.maxWaiting > 0 || (this.maxInLane > 0 && lane() != null);
	}

	/**
	 * A key that keeps other jobs of the queue with the same key out for a time, whatever
	 * becomes of this one.
	 *
	 * @param key the key
	 * @param until when the time is over
	 */
	public record Throttle(String key, Instant until) {

	}

	/**
	 * A unique key.
	 *
	 * @param digest a digest of the key and its scope; equal only for equal keys
	 * @param mode how long the owner holds it
	 * @param scope among which jobs it is unique
	 * @param until from when on it no longer counts, or {@code null} for no bound
	 * @param onDuplicate what to do if another job holds it
	 */
	public record UniqueKey(String digest, Unique.Mode mode, Unique.Scope scope, @Nullable Instant until,
			Unique.OnDuplicate onDuplicate) {

		/**
		 * Return whether a job that held a key of a mode still holds it once the job is
		 * in a state. A job takes a key that it gave up again, if no other job holds it,
		 * when it is released to the front of its queue or, unless the mode is
		 * {@code UNTIL_STARTED}, when it is retried after its death.
		 */
		public static boolean isHeldIn(Unique.Mode mode, JobState state) {
			return switch (mode) {
				case UNTIL_STARTED -> state.isWaiting();
				case UNTIL_DONE -> state.isWaiting() || state == JobState.RUNNING;
				case UNTIL_REMOVED -> state.isWaiting() || state == JobState.RUNNING || state == JobState.DEAD;
			};
		}

		/**
		 * Return whether a job that held this key still holds it once the job is in a
		 * state.
		 */
		public boolean isHeldIn(JobState state) {
			return isHeldIn(this.mode, state);
		}

		/**
		 * Return when the owner of this key is due after another enqueue with the key.
		 * @param wanted when that enqueue wants it to be due
		 * @param until from when on the owner's key does not count, or {@code null} for
		 * no bound
		 */
		public Instant dueAt(Instant wanted, @Nullable Instant until) {
			return (this.onDuplicate == Unique.OnDuplicate.DEBOUNCE && until != null && until.isBefore(wanted)) ? until
					: wanted;
		}

		/**
		 * Return whether this key still counts, no matter which job holds it.
		 * @param now the time
		 */
		public boolean counts(Instant now) {
			return this.until == null || this.until.isAfter(now);
		}

		/**
		 * Return whether a dead job must get this key back to be retried.
		 * @return {@code false} if the job does without
		 */
		public boolean isTakenByRetry() {
			return isTakenByRetry(this.mode);
		}

		/**
		 * Return whether a dead job with a key of this mode must get it back to be
		 * retried.
		 * @return {@code false} if the job does without
		 */
		public static boolean isTakenByRetry(Unique.Mode mode) {
			return mode != Unique.Mode.UNTIL_STARTED;
		}

	}

}
