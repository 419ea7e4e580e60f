package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How a job is to be enqueued. What is not set here comes from the configuration, the
 * {@link JobType payload type} or the handler, in this order.
 * <p>
 * Options are set by a chain that begins with {@link #defaults()}. They are immutable:
 * each call returns a copy that keeps what was set before, so a lambda with a block must
 * return the last one. <pre class="code">{@code
 * EnqueueOptions options = EnqueueOptions.defaults()
 *     .delay(Duration.ofMinutes(10))
 *     .unique("order-7")
 *     .tags("customer:42");
 * }</pre>
 */
public final class EnqueueOptions {

	private static final EnqueueOptions DEFAULTS = new EnqueueOptions(null, null, null, Map.of(), null, null, false);

	private final @Nullable Instant at;

	private final @Nullable Duration delay;

	private final @Nullable Unique unique;

	private final Map<String, String> headers;

	private final @Nullable Integer maxWaiting;

	private final @Nullable Duration waitForRoom;

	private final boolean ignoreTransaction;

	private EnqueueOptions(@Nullable Instant at, @Nullable Duration delay, @Nullable Unique unique,
			Map<String, String> headers, @Nullable Integer maxWaiting, @Nullable Duration waitForRoom,
			boolean ignoreTransaction) {
		this.at = at;
		this.delay = delay;
		this.unique = unique;
		this.headers = headers;
		this.maxWaiting = maxWaiting;
		this.waitForRoom = waitForRoom;
		this.ignoreTransaction = ignoreTransaction;
	}

	/**
	 * Return options that set nothing: run as soon as possible.
	 * @return the options
	 */
	public static EnqueueOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Run after a delay.
	 * @param delay the delay, counted from the enqueue; zero or less is now
	 * @return the changed options
	 * @throws IllegalStateException if {@link #at(Instant)} has been set
	 */
	public EnqueueOptions delay(Duration delay) {
		if (this.at != null) {
			throw new IllegalStateException(
					"The job has a delay of %s, but is to run at %s already; set either 'at' or 'delay'"
						.formatted(delay, this.at));
		}
		return new EnqueueOptions(this.at, Objects.requireNonNull(delay, "'delay' must not be null"), this.unique,
				this.headers, this.maxWaiting, this.waitForRoom, this.ignoreTransaction);
	}

	/**
	 * Run at an instant.
	 * @param instant the instant; one in the past is now
	 * @return the changed options
	 * @throws IllegalStateException if {@link #delay(Duration)} has been set
	 */
	public EnqueueOptions at(Instant instant) {
		if (this.delay != null) {
			throw new IllegalStateException(
					"The job is to run at %s, but has a delay of %s already; set either 'at' or 'delay'"
						.formatted(instant, this.delay));
		}
		return new EnqueueOptions(Objects.requireNonNull(instant, "'at' must not be null"), this.delay, this.unique,
				this.headers, this.maxWaiting, this.waitForRoom, this.ignoreTransaction);
	}

	/**
	 * Enqueue only if no job of the same name with this key waits or runs.
	 * @param key the key
	 * @return the changed options
	 * @see Unique#byKey(String)
	 */
	public EnqueueOptions unique(String key) {
		return unique(Unique.byKey(key));
	}

	/**
	 * Enqueue only if no equal job holds the key.
	 * @param unique the rule
	 * @return the changed options
	 */
	public EnqueueOptions unique(Unique unique) {
		return new EnqueueOptions(this.at, this.delay, Objects.requireNonNull(unique, "'unique' must not be null"),
				this.headers, this.maxWaiting, this.waitForRoom, this.ignoreTransaction);
	}

	/**
	 * Add a header, which is text that travels with the job.
	 * @param name its name
	 * @param value its value
	 * @return the changed options
	 */
	public EnqueueOptions header(String name, String value) {
		Objects.requireNonNull(name, "A header needs a name");
		Objects.requireNonNull(value, () -> "The header '" + name + "' needs a value");
		Map<String, String> all = new TreeMap<>(this.headers);
		all.put(name, value);
		if (all.containsKey(Job.TAGS_HEADER)) {
			Tags.requireValid(all);
		}
		return new EnqueueOptions(this.at, this.delay, this.unique, Map.copyOf(all), this.maxWaiting, this.waitForRoom,
				this.ignoreTransaction);
	}

	/**
	 * Add tags, by which operators find the job, such as {@code customer:42}: at most 10
	 * in all, each of up to 100 characters without a comma. Whoever may look at jobs sees
	 * them.
	 * @param tags the tags
	 * @return the changed options
	 * @throws IllegalArgumentException if a tag is not fit, or there are too many
	 */
	public EnqueueOptions tags(String... tags) {
		return tags(Arrays.asList(tags));
	}

	/**
	 * Add tags, by which operators find the job.
	 * @param tags the tags
	 * @return the changed options
	 * @throws IllegalArgumentException if a tag is not fit, or there are too many
	 */
	public EnqueueOptions tags(Collection<String> tags) {
		return tags.isEmpty() ? this : header(Job.TAGS_HEADER, Tags.add(this.headers, tags));
	}

	/**
	 * Bound how many jobs wait, for this enqueue.
	 * @param maxWaiting how many jobs of this name may wait; 0 for no bound
	 * @return the changed options
	 */
	public EnqueueOptions maxWaiting(int maxWaiting) {
		if (maxWaiting < 0) {
			throw new IllegalArgumentException("'maxWaiting' must not be negative but was " + maxWaiting);
		}
		return new EnqueueOptions(this.at, this.delay, this.unique, this.headers, maxWaiting, this.waitForRoom,
				this.ignoreTransaction);
	}

	/**
	 * Block while the queue is full, for a time.
	 * @param timeout how long to wait before the job is rejected
	 * @return the changed options
	 * @throws IllegalArgumentException if the time is negative
	 */
	public EnqueueOptions waitForRoom(Duration timeout) {
		if (Objects.requireNonNull(timeout, "'waitForRoom' must not be null").isNegative()) {
			throw new IllegalArgumentException("'waitForRoom' must not be negative but was " + timeout);
		}
		return new EnqueueOptions(this.at, this.delay, this.unique, this.headers, this.maxWaiting, timeout,
				this.ignoreTransaction);
	}

	/**
	 * Enqueue at once although a transaction is active, and also if it is rolled back.
	 * @return the changed options
	 */
	public EnqueueOptions ignoreTransaction() {
		return new EnqueueOptions(this.at, this.delay, this.unique, this.headers, this.maxWaiting, this.waitForRoom,
				true);
	}

	/**
	 * Return the earliest instant to run at.
	 * @return the instant, or {@code null} if not set
	 */
	public @Nullable Instant getAt() {
		return this.at;
	}

	/**
	 * Return the delay from the enqueue.
	 * @return the delay, or {@code null} if not set
	 */
	public @Nullable Duration getDelay() {
		return this.delay;
	}

	/**
	 * Return the uniqueness rule.
	 * @return the rule, or {@code null} if not set
	 */
	public @Nullable Unique getUnique() {
		return this.unique;
	}

	/**
	 * Return the headers, among them {@link Job#TAGS_HEADER} if there are tags.
	 * @return the headers
	 */
	public Map<String, String> getHeaders() {
		return this.headers;
	}

	/**
	 * Return the tags.
	 * @return the tags, sorted
	 */
	public List<String> getTags() {
		return Tags.in(this.headers);
	}

	/**
	 * Return how many jobs of this name may wait at once.
	 * @return the number, 0 for no bound, or {@code null} if not set
	 */
	public @Nullable Integer getMaxWaiting() {
		return this.maxWaiting;
	}

	/**
	 * Return how long to wait while the queue is full before giving up.
	 * @return the time, or {@code null} if not set
	 */
	public @Nullable Duration getWaitForRoom() {
		return this.waitForRoom;
	}

	/**
	 * Return whether to enqueue at once although a transaction is active.
	 * @return {@code true} to enqueue at once
	 */
	public boolean isIgnoreTransaction() {
		return this.ignoreTransaction;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof EnqueueOptions options && values().equals(options.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	@Override
	public String toString() {
		return "EnqueueOptions[at=%s, delay=%s, unique=%s, headers=%s, maxWaiting=%s, waitForRoom=%s, ignoreTransaction=%s]"
			.formatted(values().toArray());
	}

	private List<@Nullable Object> values() {
		return Arrays.asList(this.at, this.delay, this.unique, this.headers, this.maxWaiting, this.waitForRoom,
				this.ignoreTransaction);
	}

}
