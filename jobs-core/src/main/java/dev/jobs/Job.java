package dev.jobs;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

/**
 * A stored job as it was seen at one moment. The headers and the payload never change
 * after the enqueue, unless they are replaced while the job waits.
 * <pre class="code">{@code
 * Optional<OrderMail> mail = jobs.find(id).map((job) -> job.payloadAs(OrderMail.class));
 * }</pre>
 * <p>
 * A job from a page of a list has no payload, however short: only its
 * {@linkplain #payloadSize() size} and its {@linkplain #payloadPreview() beginning} were
 * read, and its trail has the stack and the log of the last failure only. Look the job up
 * by its id to read all of it.
 */
public final class Job {

	/** The name of the header that tags travel in. */
	public static final String TAGS_HEADER = Tags.HEADER;

	/** The name of the header that the lane travels in. */
	public static final String LANE_HEADER = Lanes.HEADER;

	/** The name of the header that the urgency travels in. */
	public static final String URGENCY_HEADER = Urgency.HEADER;

	/** The longest preview of a payload on a page of a list, in bytes. */
	public static final int LONGEST_PREVIEW = 512;

	private final Builder values;

	private Job(Builder values) {
		this.values = values;
	}

	/**
	 * Begin to build a job, as stores do.
	 * @param id the unique id
	 * @param name the logical name, which is also the name of its queue
	 * @return the builder of a ready job that has no payload and was never delivered
	 */
	public static Builder builder(String id, String name) {
		return new Builder(id, name);
	}

	/**
	 * Begin to build a copy of this job with changes.
	 */
	public Builder toBuilder() {
		return (Builder) this.values.copy();
	}

	/**
	 * Return the unique id.
	 */
	public String id() {
		return this.values.id;
	}

	/**
	 * Return the logical name, which is also the name of its queue.
	 */
	public String name() {
		return this.values.name;
	}

	/**
	 * Return the payload as it was enqueued; do not change the array.
	 * @return the bytes; do not change the array
	 * @throws IllegalStateException if the job is from a page of a list, which reads no
	 * payloads; look it up by its id
	 */
	public byte[] payload() {
		if (this.values.listed) {
			throw new IllegalStateException("The payload of job " + this.values.id
					+ " was not read, since the job is from a list; look the job up by its id");
		}
		return this.values.payload;
	}

	/**
	 * Return whether the job is from a page of a list, so that it has a preview instead
	 * of its payload.
	 * @return {@code true} if its payload was not read
	 */
	public boolean isListed() {
		return this.values.listed;
	}

	/**
	 * Return how many bytes the payload has.
	 * @return the number, which is exact also in a list
	 */
	public int payloadSize() {
		return this.values.payloadSize;
	}

	/**
	 * Return the beginning of the payload, as a list shows it: its first
	 * {@value #LONGEST_PREVIEW} bytes, which may end within a character.
	 * @return the bytes, which are the whole payload if their number is the
	 * {@linkplain #payloadSize() size}
	 */
	public byte[] payloadPreview() {
		return Arrays.copyOf(this.values.payload, Math.min(this.values.payload.length, LONGEST_PREVIEW));
	}

	/**
	 * Return the text that travels with the job.
	 */
	public Map<String, String> headers() {
		return this.values.headers;
	}

	/**
	 * Return its state.
	 */
	public JobState state() {
		return this.values.state;
	}

	/**
	 * Return when it was enqueued; never overwritten.
	 */
	public Instant createdAt() {
		return this.values.createdAt;
	}

	/**
	 * Return when it may run next, or might have run.
	 */
	public Instant dueAt() {
		return this.values.dueAt;
	}

	/**
	 * Return what has happened to it.
	 */
	public Trail trail() {
		return this.values.trail;
	}

	/**
	 * Return the delivery in progress.
	 * @return the delivery, or {@code null} if it is not running
	 */
	public @Nullable Run run() {
		return this.values.run;
	}

	/**
	 * Read the payload as its type. This works for jobs that {@link JobClient},
	 * {@link dev.jobs.operations.JobOperations} and {@link JobContext} return.
	 * @return the payload, or {@code null} if none
	 * @throws RuntimeException if the payload cannot be read as that type
	 * @throws IllegalStateException if the job is from elsewhere, such as an event or a
	 * page of a list; look it up by its id
	 */
	public <T> @Nullable T payloadAs(Class<T> type) {
		if (this.values.decoder == null) {
			throw new IllegalStateException("The payload of job " + this.values.id
					+ " cannot be read here: the job is from no engine, but from a test, "
					+ "an event or a list. Take the payload that the handler gets, or look the job up by its id");
		}
		return type.cast(this.values.decoder.apply(payload(), type));
	}

	/**
	 * Return the tags it was enqueued with, sorted.
	 */
	public List<String> tags() {
		return Tags.in(this.values.headers);
	}

	/**
	 * Return the lane it was enqueued into.
	 * @return the lane, or {@code null} if it has none
	 */
	public @Nullable String lane() {
		return this.values.headers.get(LANE_HEADER);
	}

	/**
	 * Return how soon it starts among the jobs of its name.
	 */
	public Urgency urgency() {
		return Urgency.in(this.values.headers);
	}

	/**
	 * Return the number of the attempt that runs now or will run next. For an ended job,
	 * it is the number of its last attempt, or 0 if it never ran.
	 */
	public int attempt() {
		boolean noneIsAhead = this.values.state == JobState.DEAD || this.values.state == JobState.CANCELLED;
		return (noneIsAhead && !this.values.trail.isFinished()) ? this.values.trail.attempt() - 1
				: this.values.trail.attempt();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Job job && Arrays.deepEquals(parts(), job.parts());
	}

	@Override
	public int hashCode() {
		return Arrays.deepHashCode(parts());
	}

	private @Nullable Object[] parts() {
		return new @Nullable Object[] { this.values.id, this.values.name, this.values.payload, this.values.payloadSize,
				this.values.listed, this.values.headers, this.values.state, this.values.createdAt, this.values.dueAt,
				this.values.trail, this.values.run };
	}

	@Override
	public String toString() {
		return "Job[" + plain(this.values.name) + " " + plain(this.values.id) + ", " + this.values.state + ", attempt "
				+ attempt() + "]";
	}

	/** Remove line ends, which another program may have stored. */
	private static String plain(String text) {
		return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", " ");
	}

	/**
	 * Builds a job.
	 */
	public static final class Builder extends Values {

		private static final byte[] NO_PAYLOAD = {};

		private final String id;

		private final String name;

		private byte[] payload = NO_PAYLOAD;

		private int payloadSize;

		private boolean listed;

		private Map<String, String> headers = Map.of();

		private JobState state = JobState.READY;

		private Instant createdAt = Instant.EPOCH;

		private Instant dueAt = Instant.EPOCH;

		private Trail trail = Trail.EMPTY;

		private @Nullable Run run;

		private @Nullable BiFunction<byte[], Class<?>, @Nullable Object> decoder;

		private Builder(String id, String name) {
			this.id = id;
			this.name = name;
		}

		/**
		 * Set the payload.
		 * @param payload the payload as it was enqueued, which is not copied
		 */
		public Builder payload(byte[] payload) {
			this.payload = payload;
			this.payloadSize = payload.length;
			this.listed = false;
			return this;
		}

		/**
		 * Set how the payload is read.
		 * @param decoder returns the payload of some bytes as a type
		 */
		public Builder decodedBy(BiFunction<byte[], Class<?>, @Nullable Object> decoder) {
			this.decoder = decoder;
			return this;
		}

		/**
		 * Set the size and the beginning of a payload that was not read.
		 * @param begin the first bytes of the payload; at most
		 * {@value Job#LONGEST_PREVIEW} are copied
		 * @param size how many bytes the payload has
		 */
		public Builder payloadPreview(byte[] begin, int size) {
			this.payload = Arrays.copyOf(begin, Math.min(begin.length, LONGEST_PREVIEW));
			this.payloadSize = size;
			this.listed = true;
			return this;
		}

		/**
		 * Set the text that travels with the job.
		 * @param headers the headers, which are not copied
		 */
		public Builder headers(Map<String, String> headers) {
			this.headers = headers;
			return this;
		}

		/**
		 * Set the state.
		 */
		public Builder state(JobState state) {
			this.state = state;
			return this;
		}

		/**
		 * Set when the job was enqueued.
		 * @param createdAt the instant
		 */
		public Builder createdAt(Instant createdAt) {
			this.createdAt = createdAt;
			return this;
		}

		/**
		 * Set when the job may run next, or might have run.
		 * @param dueAt the instant
		 */
		public Builder dueAt(Instant dueAt) {
			this.dueAt = dueAt;
			return this;
		}

		/**
		 * Set what has happened to the job.
		 */
		public Builder trail(Trail trail) {
			this.trail = trail;
			return this;
		}

		/**
		 * Set the delivery in progress.
		 * @param run the delivery, or {@code null} if the job is not running
		 */
		public Builder run(@Nullable Run run) {
			this.run = run;
			return this;
		}

		/**
		 * Build the job.
		 */
		public Job build() {
			return new Job((Builder) copy());
		}

	}

	/**
	 * A delivery in progress.
	 */
	public interface Run {

		/**
		 * Create a delivery that has just begun.
		 * @param worker the worker that holds it
		 * @param token its fencing token
		 * @param startedAt when it was claimed
		 */
		static Run of(String worker, long token, Instant startedAt) {
			return new Delivery(worker, token, startedAt, null, false);
		}

		/**
		 * Return the worker that holds it.
		 */
		String worker();

		/**
		 * Return the fencing token of the delivery.
		 */
		long token();

		/**
		 * Return when it was claimed.
		 */
		Instant startedAt();

		/**
		 * Return what the handler last reported.
		 * @return the progress, or {@code null} if it reported none
		 */
		@Nullable Progress progress();

		/**
		 * Return whether an operator asked for it to end.
		 * @return whether it is to end
		 */
		boolean cancelRequested();

		/**
		 * Return this delivery with what the handler reported.
		 * @param progress the progress, or {@code null} for none
		 */
		Run withProgress(@Nullable Progress progress);

		/**
		 * Return this delivery with a request to end it, or without.
		 * @param cancelRequested whether an operator asked for it to end
		 */
		Run withCancelRequested(boolean cancelRequested);

	}

	private record Delivery(String worker, long token, Instant startedAt, @Nullable Progress progress,
			boolean cancelRequested) implements Run {

		@Override
		public Run withProgress(@Nullable Progress progress) {
			return new Delivery(this.worker, this.token, this.startedAt, progress, this.cancelRequested);
		}

		@Override
		public Run withCancelRequested(boolean cancelRequested) {
			return new Delivery(this.worker, this.token, this.startedAt, this.progress, cancelRequested);
		}

	}

	/**
	 * The last report of a handler about its work.
	 */
	public interface Progress {

		/**
		 * Create a progress without a log.
		 * @param checkIn free text, or {@code null}
		 * @param done units done, 0 if unknown
		 * @param total units in all, 0 if unknown
		 * @param at when it was reported
		 */
		static Progress of(@Nullable String checkIn, long done, long total, Instant at) {
			return new Report(checkIn, done, total, at, null);
		}

		/**
		 * Return the text that the handler checked in with.
		 * @return the text, or {@code null} if none was given
		 */
		@Nullable String checkIn();

		/**
		 * Return how many units are done.
		 * @return the number, 0 if unknown
		 */
		long done();

		/**
		 * Return how many units there are in all.
		 * @return the number, 0 if unknown
		 */
		long total();

		/**
		 * Return when it was reported.
		 */
		Instant at();

		/**
		 * Return the newest lines that the handler wrote to its log, bounded and without
		 * control characters.
		 * @return the lines, or {@code null} if none
		 */
		@Nullable String log();

		/**
		 * Return this progress with a log.
		 * @param log the lines, or {@code null} for none
		 */
		Progress withLog(@Nullable String log);

	}

	private record Report(@Nullable String checkIn, long done, long total, Instant at,
			@Nullable String log) implements Progress {

		@Override
		public Progress withLog(@Nullable String log) {
			return new Report(this.checkIn, this.done, this.total, this.at, log);
		}

	}

}
