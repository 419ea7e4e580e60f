package dev.jobs;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A stored job as it was seen at one moment. The headers and the payload never change
 * after the enqueue, save for a replacement while the job waits. <pre class="code">{@code
 * Optional<OrderMail> mail = jobs.find(id).map((job) -> job.payloadAs(OrderMail.class));
 * }</pre>
 */
public final class Job {

	/** The name of the header that tags travel in. */
	public static final String TAGS_HEADER = "jobs.tags";

	private final String id;

	private final String name;

	private final byte[] payload;

	private final Map<String, String> headers;

	private final JobState state;

	private final Instant createdAt;

	private final Instant dueAt;

	private final Trail trail;

	private final @Nullable Run run;

	private final @Nullable Decoder decoder;

	/**
	 * Create a job, as stores do.
	 * @param id the unique id
	 * @param name the logical name, which is also the name of its queue
	 * @param payload the payload as it was enqueued
	 * @param headers text that travels with the job
	 * @param state where it stands
	 * @param createdAt when it was enqueued
	 * @param dueAt when it may run next, or might have run
	 * @param trail what has happened to it
	 * @param run the delivery in progress, or {@code null} if it is not running
	 */
	public Job(String id, String name, byte[] payload, Map<String, String> headers, JobState state, Instant createdAt,
			Instant dueAt, Trail trail, @Nullable Run run) {
		this(id, name, payload, headers, state, createdAt, dueAt, trail, run, null);
	}

	private Job(String id, String name, byte[] payload, Map<String, String> headers, JobState state, Instant createdAt,
			Instant dueAt, Trail trail, @Nullable Run run, @Nullable Decoder decoder) {
		this.id = id;
		this.name = name;
		this.payload = payload;
		this.headers = headers;
		this.state = state;
		this.createdAt = createdAt;
		this.dueAt = dueAt;
		this.trail = trail;
		this.run = run;
		this.decoder = decoder;
	}

	/**
	 * Return this job with a way to read its payload.
	 * @param decoder reads payloads
	 * @return the job
	 */
	public Job decodedBy(Decoder decoder) {
		return new Job(this.id, this.name, this.payload, this.headers, this.state, this.createdAt, this.dueAt,
				this.trail, this.run, decoder);
	}

	/**
	 * Return the unique id.
	 * @return the id
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Return the logical name, which is also the name of its queue.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the payload as it was enqueued; do not change the array.
	 * @return the bytes; do not change the array
	 */
	public byte[] payload() {
		return this.payload;
	}

	/**
	 * Return the text that travels with the job.
	 * @return the headers
	 */
	public Map<String, String> headers() {
		return this.headers;
	}

	/**
	 * Return where it stands.
	 * @return the state
	 */
	public JobState state() {
		return this.state;
	}

	/**
	 * Return when it was enqueued; never overwritten.
	 * @return the instant
	 */
	public Instant createdAt() {
		return this.createdAt;
	}

	/**
	 * Return when it may run next, or might have run.
	 * @return the instant
	 */
	public Instant dueAt() {
		return this.dueAt;
	}

	/**
	 * Return what has happened to it.
	 * @return the trail
	 */
	public Trail trail() {
		return this.trail;
	}

	/**
	 * Return the delivery in progress.
	 * @return the delivery, or {@code null} if it is not running
	 */
	public @Nullable Run run() {
		return this.run;
	}

	/**
	 * Read the payload as its type. This works for jobs that {@link JobClient},
	 * {@link JobOperations} and {@link JobContext} return.
	 * @param <T> the type
	 * @param type the type
	 * @return the payload, or {@code null} if the job has none
	 * @throws RuntimeException if the payload cannot be read as that type
	 * @throws IllegalStateException if the job is from elsewhere, such as an event; look
	 * it up by its id
	 */
	public <T> @Nullable T payloadAs(Class<T> type) {
		if (this.decoder == null) {
			throw new IllegalStateException(
					"The payload of job " + this.id + " cannot be read here; look the job up by its id");
		}
		return type.cast(this.decoder.decode(this.payload, type));
	}

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
	public boolean equals(@Nullable Object other) {
		return other instanceof Job job && values().equals(job.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	private List<@Nullable Object> values() {
		return Arrays.asList(this.id, this.name, this.payload, this.headers, this.state, this.createdAt, this.dueAt,
				this.trail, this.run);
	}

	@Override
	public String toString() {
		return "Job[" + this.name + " " + this.id + ", " + this.state + ", attempt " + attempt() + "]";
	}

	/**
	 * Reads the payloads of jobs.
	 */
	@FunctionalInterface
	public interface Decoder {

		/**
		 * Read a payload.
		 * @param payload its bytes
		 * @param type its type
		 * @return the payload, or {@code null} if there is none
		 */
		@Nullable Object decode(byte[] payload, Class<?> type);

	}

	/**
	 * A delivery in progress.
	 *
	 * @param worker the worker that holds it
	 * @param token the fencing token of the delivery
	 * @param startedAt when it was claimed
	 * @param progress what the handler last told, or {@code null} if nothing
	 * @param cancelRequested whether an operator asked for it to end
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
