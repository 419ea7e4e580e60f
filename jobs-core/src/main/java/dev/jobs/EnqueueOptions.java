package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * How a job is to be enqueued. Options that are not set here come from the configuration,
 * the {@link JobType payload type} or the handler, in this order.
 * <p>
 * A {@link Builder} sets them, in the lambda of an enqueue or of a {@link JobRequest}.
 * Applications do not create objects of this class; an {@link EnqueueInterceptor} reads
 * the options of a request. <pre class="code">{@code
 * jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)).unique("order-7").tags("customer:42"));
 * }</pre>
 */
public final class EnqueueOptions extends Parts {

	private static final EnqueueOptions DEFAULTS = new EnqueueOptions(new Builder());

	private final Builder values;

	private EnqueueOptions(Builder values) {
		super("EnqueueOptions[at=%s, delay=%s, unique=%s, headers=%s, maxWaiting=%s, maxWaitingInLane=%s, waitForRoom=%s, ignoreTransaction=%s]");
		this.values = values;
	}

	/**
	 * Return options that set nothing: run as soon as possible.
	 */
	public static EnqueueOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Return options, for example to compare them with those of a request. An enqueue
	 * takes the lambda itself.
	 * @param options sets them
	 */
	public static EnqueueOptions of(Consumer<? super Builder> options) {
		return DEFAULTS.with(options);
	}

	/**
	 * Return a copy with some options changed.
	 * @param options sets them
	 */
	public EnqueueOptions with(Consumer<? super Builder> options) {
		EnqueueOptions changed = new EnqueueOptions(Values.changed(this.values, options));
		return changed.equals(DEFAULTS) ? DEFAULTS : changed;
	}

	/**
	 * Return a copy that takes what is not set here from others, and adds their tags and
	 * headers.
	 */
	public EnqueueOptions orElse(EnqueueOptions others) {
		if (this == DEFAULTS || others == DEFAULTS) {
			return (this == DEFAULTS) ? others : this;
		}
		Builder own = this.values;
		return others.with((all) -> {
			List<String> tags = Tags.in(all.headers);
			boolean timed = own.at != null || own.delay != null;
			all.at = timed ? own.at : all.at;
			all.delay = timed ? own.delay : all.delay;
			all.unique = (own.unique != null) ? own.unique : all.unique;
			all.maxWaiting = (own.maxWaiting != null) ? own.maxWaiting : all.maxWaiting;
			all.maxWaitingInLane = (own.maxWaitingInLane != null) ? own.maxWaitingInLane : all.maxWaitingInLane;
			all.waitForRoom = (own.waitForRoom != null) ? own.waitForRoom : all.waitForRoom;
			all.ignoreTransaction |= own.ignoreTransaction;
			own.headers.forEach(all::header);
			all.tags(tags);
		});
	}

	/**
	 * Return the earliest instant to run at.
	 * @return the instant, or {@code null} if not set
	 */
	public @Nullable Instant getAt() {
		return this.values.at;
	}

	/**
	 * Return the delay from the enqueue.
	 * @return the delay, or {@code null} if not set
	 */
	public @Nullable Duration getDelay() {
		return this.values.delay;
	}

	/**
	 * Return the uniqueness rule.
	 * @return the rule, or {@code null} if not set
	 */
	public @Nullable Unique getUnique() {
		return isNotUnique() ? null : this.values.unique;
	}

	/**
	 * Return whether the job is not unique, whatever weaker options say.
	 */
	public boolean isNotUnique() {
		return this.values.unique == Unique.NONE;
	}

	/**
	 * Return the headers, among them {@link Job#TAGS_HEADER} if there are tags, and
	 * {@link Job#LANE_HEADER} if there is a lane.
	 */
	public Map<String, String> getHeaders() {
		return this.values.headers;
	}

	/**
	 * Return the tags.
	 * @return the tags, sorted
	 */
	public List<String> getTags() {
		return Tags.in(this.values.headers);
	}

	/**
	 * Return the lane.
	 * @return the lane, or {@code null} if not set
	 */
	public @Nullable String getLane() {
		return this.values.headers.get(Job.LANE_HEADER);
	}

	/**
	 * Return how many jobs of this name may wait at once.
	 * @return the number, 0 for no bound, or {@code null} if not set
	 */
	public @Nullable Integer getMaxWaiting() {
		return this.values.maxWaiting;
	}

	/**
	 * Return how many jobs of its lane may wait at once.
	 * @return the number, 0 for no bound, or {@code null} if not set
	 */
	public @Nullable Integer getMaxWaitingInLane() {
		return this.values.maxWaitingInLane;
	}

	/**
	 * Return how long to wait while the queue is full before giving up.
	 * @return the time, or {@code null} if not set
	 */
	public @Nullable Duration getWaitForRoom() {
		return this.values.waitForRoom;
	}

	/**
	 * Return whether to enqueue at once although a transaction is active.
	 */
	public boolean isIgnoreTransaction() {
		return this.values.ignoreTransaction;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.values.at, this.values.delay, this.values.unique, this.values.headers,
				this.values.maxWaiting, this.values.maxWaitingInLane, this.values.waitForRoom,
				this.values.ignoreTransaction);
	}

	/**
	 * Sets options. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private @Nullable Instant at;

		private @Nullable Duration delay;

		private @Nullable Unique unique;

		private Map<String, String> headers = Map.of();

		private @Nullable Integer maxWaiting;

		private @Nullable Integer maxWaitingInLane;

		private @Nullable Duration waitForRoom;

		private boolean ignoreTransaction;

		private Builder() {
		}

		/**
		 * Run after a delay.
		 * @param delay the delay, counted from the enqueue; zero or less is now
		 * @throws IllegalStateException if {@link #at(Instant)} has been set
		 */
		public Builder delay(Duration delay) {
			if (this.at != null) {
				throw new IllegalStateException(
						"The job has a delay of %s, but is to run at %s already; set either 'at' or 'delay'"
							.formatted(delay, this.at));
			}
			this.delay = Objects.requireNonNull(delay, "'delay' must not be null");
			return this;
		}

		/**
		 * Run at an instant.
		 * @param instant the instant; one in the past is now
		 * @throws IllegalStateException if {@link #delay(Duration)} has been set
		 */
		public Builder at(Instant instant) {
			if (this.delay != null) {
				throw new IllegalStateException(
						"The job is to run at %s, but has a delay of %s already; set either 'at' or 'delay'"
							.formatted(instant, this.delay));
			}
			this.at = Objects.requireNonNull(instant, "'at' must not be null");
			return this;
		}

		/**
		 * Enqueue only if no job of the same name with this key waits or runs.
		 * @see Unique#byKey(String)
		 */
		public Builder unique(String key) {
			return unique(Unique.byKey(key));
		}

		/**
		 * Enqueue only if no job of the same name holds this key, by a rule that is set.
		 * @param rule sets it, such as {@code (rule) -> rule.untilStarted()}
		 */
		public Builder unique(String key, Consumer<? super Unique.Builder> rule) {
			return unique(Unique.byKey(key, rule));
		}

		/**
		 * Enqueue only if no equal job holds the key.
		 * @param unique the rule
		 */
		public Builder unique(Unique unique) {
			this.unique = Objects.requireNonNull(unique, "'unique' must not be null");
			return this;
		}

		/**
		 * Enqueue although an equal job waits or runs, whatever the type of the payload,
		 * the handler or the configuration says.
		 */
		public Builder notUnique() {
			return unique(Unique.NONE);
		}

		/**
		 * Add a header, which is text that travels with the job.
		 */
		public Builder header(String name, String value) {
			Objects.requireNonNull(name, "A header needs a name");
			Objects.requireNonNull(value, () -> "The header '" + name + "' needs a value");
			Map<String, String> all = new TreeMap<>(this.headers);
			all.put(name, value);
			if (all.containsKey(Job.TAGS_HEADER)) {
				Tags.requireValid(all);
			}
			if (name.equals(Job.LANE_HEADER)) {
				Lanes.requireValid(value);
			}
			this.headers = Map.copyOf(all);
			return this;
		}

		/**
		 * Add tags, by which operators find the job, such as {@code customer:42}: at most
		 * 10 in all, each of up to 100 characters without a comma. Everyone who may look
		 * at jobs sees them.
		 * @throws IllegalArgumentException if a tag is not valid, or there are too many
		 */
		public Builder tags(String... tags) {
			return tags(Arrays.asList(tags));
		}

		/**
		 * Add tags, by which operators find the job.
		 * @throws IllegalArgumentException if a tag is not valid, or there are too many
		 */
		public Builder tags(Collection<String> tags) {
			return tags.isEmpty() ? this : header(Job.TAGS_HEADER, Tags.add(this.headers, tags));
		}

		/**
		 * Put the job into a lane of its queue, such as {@code tenant:42}: text of up to
		 * 100 characters. Lanes take turns, so that none delays the others, however many
		 * jobs wait in it, and a handler may limit how many jobs of each run at once.
		 * @throws IllegalArgumentException if the lane is not valid
		 * @see JobHandler#lanes()
		 */
		public Builder lane(String lane) {
			return header(Job.LANE_HEADER, lane);
		}

		/**
		 * Bound how many jobs wait, for this enqueue.
		 * @param maxWaiting how many jobs of this name may wait; 0 for no bound
		 */
		public Builder maxWaiting(int maxWaiting) {
			if (maxWaiting < 0) {
				throw new IllegalArgumentException("'maxWaiting' must not be negative but was " + maxWaiting);
			}
			this.maxWaiting = maxWaiting;
			return this;
		}

		/**
		 * Bound how many jobs of the same lane wait, for this enqueue. Those that are due
		 * later do not count.
		 * @param maxWaitingInLane how many jobs of the lane may wait; 0 for no bound
		 */
		public Builder maxWaitingInLane(int maxWaitingInLane) {
			if (maxWaitingInLane < 0) {
				throw new IllegalArgumentException(
						"'maxWaitingInLane' must not be negative but was " + maxWaitingInLane);
			}
			this.maxWaitingInLane = maxWaitingInLane;
			return this;
		}

		/**
		 * Block while the queue is full, for a time.
		 * @param timeout how long to wait before the job is rejected
		 * @throws IllegalArgumentException if the time is negative
		 */
		public Builder waitForRoom(Duration timeout) {
			if (Objects.requireNonNull(timeout, "'waitForRoom' must not be null").isNegative()) {
				throw new IllegalArgumentException("'waitForRoom' must not be negative but was " + timeout);
			}
			this.waitForRoom = timeout;
			return this;
		}

		/**
		 * Enqueue at once although a transaction is active, and also if it is rolled
		 * back.
		 */
		public Builder ignoreTransaction() {
			this.ignoreTransaction = true;
			return this;
		}

	}

}
