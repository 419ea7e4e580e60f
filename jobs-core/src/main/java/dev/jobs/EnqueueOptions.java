package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How a job is to be enqueued. What is not set here comes from the configuration, the
 * {@link JobType payload type} or the handler, in this order.
 *
 * @param at the earliest instant to run at, or {@code null} if not given
 * @param in the delay from the enqueue, or {@code null} if not given; zero or less is now
 * @param unique the uniqueness rule, or {@code null} if not given
 * @param headers text to travel with the job
 * @param maxLength how many jobs of this name may wait at once, 0 for no bound, or
 * {@code null} if not given
 * @param waitForRoom how long to wait while the queue is full before giving up, or
 * {@code null} if not given
 * @param ignoreTransaction whether to enqueue at once although a transaction is active,
 * and also if it is rolled back
 */
public record EnqueueOptions(@Nullable Instant at, @Nullable Duration in, @Nullable Unique unique,
		Map<String, String> headers, @Nullable Integer maxLength, @Nullable Duration waitForRoom,
		boolean ignoreTransaction) {

	private static final EnqueueOptions DEFAULTS = new EnqueueOptions(null, null, null, Map.of(), null, null, false);

	public EnqueueOptions {
		if (at != null && in != null) {
			throw new IllegalArgumentException("Give either 'at' or 'in', not both");
		}
		if (maxLength != null && maxLength < 0) {
			throw new IllegalArgumentException("'maxLength' must not be negative but was " + maxLength);
		}
		headers = Map.copyOf(headers);
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
	 * @param delay the delay; zero or less is now
	 * @return the options
	 */
	public static EnqueueOptions in(Duration delay) {
		return new EnqueueOptions(null, delay, null, Map.of(), null, null, false);
	}

	/**
	 * Run at an instant.
	 * @param instant the instant; one in the past is now
	 * @return the options
	 */
	public static EnqueueOptions at(Instant instant) {
		return new EnqueueOptions(instant, null, null, Map.of(), null, null, false);
	}

	/**
	 * Enqueue only if no equal job holds the key.
	 * @param unique the rule
	 * @return the options
	 */
	public static EnqueueOptions unique(Unique unique) {
		return DEFAULTS.withUnique(unique);
	}

	/**
	 * Enqueue at once although a transaction is active, and also if it is rolled back.
	 * @return the options
	 */
	public static EnqueueOptions ignoringTransaction() {
		return DEFAULTS.withIgnoreTransaction(true);
	}

	/**
	 * Add a uniqueness rule.
	 * @param unique the rule
	 * @return the changed options
	 */
	public EnqueueOptions withUnique(Unique unique) {
		return new EnqueueOptions(this.at, this.in, unique, this.headers, this.maxLength, this.waitForRoom,
				this.ignoreTransaction);
	}

	/**
	 * Add a header.
	 * @param name its name
	 * @param value its value
	 * @return the changed options
	 */
	public EnqueueOptions withHeader(String name, String value) {
		Objects.requireNonNull(name, "A header needs a name");
		Objects.requireNonNull(value, () -> "The header '" + name + "' needs a value");
		Map<String, String> all = new TreeMap<>(this.headers);
		all.put(name, value);
		if (all.containsKey(Job.TAGS_HEADER)) {
			Tags.requireValid(all);
		}
		return new EnqueueOptions(this.at, this.in, this.unique, all, this.maxLength, this.waitForRoom,
				this.ignoreTransaction);
	}

	/**
	 * Add tags, by which people find the job, such as {@code customer:42}: at most 10 in
	 * all, each of up to 100 characters without a comma. Whoever may look at jobs sees
	 * them.
	 * @param tags the tags
	 * @return the changed options
	 * @throws IllegalArgumentException if a tag is not fit, or there are too many
	 */
	public EnqueueOptions withTags(String... tags) {
		return withTags(List.of(tags));
	}

	/**
	 * Add tags, by which people find the job.
	 * @param tags the tags
	 * @return the changed options
	 * @throws IllegalArgumentException if a tag is not fit, or there are too many
	 */
	public EnqueueOptions withTags(Collection<String> tags) {
		return tags.isEmpty() ? this : withHeader(Job.TAGS_HEADER, Tags.add(this.headers, tags));
	}

	/**
	 * Return the tags.
	 * @return the tags, sorted
	 */
	public List<String> tags() {
		return Tags.in(this.headers);
	}

	/**
	 * Bound the queue's length for this enqueue.
	 * @param maxLength how many jobs may wait; 0 for no bound
	 * @return the changed options
	 */
	public EnqueueOptions withMaxLength(int maxLength) {
		return new EnqueueOptions(this.at, this.in, this.unique, this.headers, maxLength, this.waitForRoom,
				this.ignoreTransaction);
	}

	/**
	 * Block while the queue is full, for a time.
	 * @param timeout how long to wait before the job is rejected
	 * @return the changed options
	 */
	public EnqueueOptions withWaitForRoom(Duration timeout) {
		return new EnqueueOptions(this.at, this.in, this.unique, this.headers, this.maxLength, timeout,
				this.ignoreTransaction);
	}

	/**
	 * Enqueue at once although a transaction is active, or after its commit.
	 * @param ignoreTransaction whether to enqueue at once, and also if the transaction is
	 * rolled back
	 * @return the changed options
	 */
	public EnqueueOptions withIgnoreTransaction(boolean ignoreTransaction) {
		return new EnqueueOptions(this.at, this.in, this.unique, this.headers, this.maxLength, this.waitForRoom,
				ignoreTransaction);
	}

}
