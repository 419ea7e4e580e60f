package dev.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A stored job as it was seen at one moment. The header and the payload never change
 * after the enqueue, save for a replacement while the job waits.
 *
 * @param id the unique id
 * @param name the logical name, which is also the name of its queue
 * @param payload the payload as it was enqueued; do not change the array
 * @param headers text that travels with the job
 * @param state where it stands
 * @param createdAt when it was enqueued; never overwritten
 * @param dueAt when it may run next, or might have run
 * @param trail what has happened to it
 * @param run the delivery in progress, or {@code null} if it is not running
 */
public record Job(String id, String name, byte[] payload, Map<String, String> headers, JobState state,
		Instant createdAt, Instant dueAt, Trail trail, @Nullable Run run) {

	/** The name of the header that tags travel in. */
	public static final String TAGS_HEADER = "jobs.tags";

	/**
	 * Return the tags it was enqueued with, sorted.
	 * @return the tags
	 */
	public List<String> tags() {
		return Tags.in(this.headers);
	}

	/**
	 * Return the number of the attempt that runs now or will run next.
	 * @return the number, from 1
	 */
	public int attempt() {
		return this.trail.attempt();
	}

	@Override
	public String toString() {
		return "Job[" + this.name + " " + this.id + ", " + this.state + ", attempt " + attempt() + "]";
	}

	/**
	 * A delivery in progress.
	 *
	 * @param worker the worker that holds it
	 * @param token the fencing token of the delivery
	 * @param startedAt when it was claimed
	 * @param progress what the handler last told, or {@code null} if nothing
	 * @param cancelRequested whether a person asked for it to end
	 */
	public record Run(String worker, long token, Instant startedAt, @Nullable Progress progress,
			boolean cancelRequested) {

	}

	/**
	 * What a handler last told about its work.
	 *
	 * @param checkIn free text, or {@code null} if none was given
	 * @param done units done, 0 if unknown
	 * @param total units in all, 0 if unknown
	 * @param at when it was told
	 * @param log the newest lines it wrote to its log, bounded and without control
	 * characters, or {@code null} if there are none
	 */
	public record Progress(@Nullable String checkIn, long done, long total, Instant at, @Nullable String log) {

		/**
		 * Create a progress with nothing logged.
		 * @param checkIn free text, or {@code null}
		 * @param done units done
		 * @param total units in all
		 * @param at when it was told
		 */
		public Progress(@Nullable String checkIn, long done, long total, Instant at) {
			this(checkIn, done, total, at, null);
		}

	}

}
