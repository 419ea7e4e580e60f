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
	 * Return the headers, among them {@link Job#TAGS_HEADER} if there are tags,
	 * {@link Job#LANE_HEADER} if there is a lane, and {@link Job#URGENCY_HEADER} if an
	 * urgency is set.
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
	 * Return the headers of a job. Its times may count from its enqueue or from when it
	 * is due.
	 * @throws IllegalArgumentException if the job would be due after its deadline
	 */
	public Map<String, String> headersOfJob(Instant now, Instant dueAt) {
		return Freshness.fixed(this.values.headers, now, dueAt);
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
		 * Run once for many enqueues that follow each other: the job waits until none
		 * with the same key came for a time, and carries what the last one brought. An
		 * enqueue while it runs begins the wait again.
		 * @param key what the jobs of this name have in common
		 * @param wait how long no other may come
		 * @param most how long after the first enqueue it runs in any case
		 * @throws IllegalArgumentException if a time is not positive, or the second is
		 * shorter
		 * @throws IllegalStateException if {@link #at(Instant)} has been set
		 */
		public Builder debounce(String key, Duration wait, Duration most) {
			if (wait.isNegative() || wait.isZero() || most.compareTo(wait) < 0) {
				throw new IllegalArgumentException(
						"'debounce' needs a positive 'wait' and a 'most' that is not shorter, but they were %s and %s"
							.formatted(wait, most));
			}
			return delay(wait).unique(key,
					(rule) -> rule.untilStarted().window(most).onDuplicate(Unique.OnDuplicate.DEBOUNCE));
		}

		/**
		 * Enqueue at most one job with a key in a time: others are
		 * {@linkplain Enqueued.Outcome#DUPLICATE duplicates}, also once it has ended.
		 * @param key what the jobs of this name have in common: text of up to 100
		 * characters
		 * @param window how long after an enqueue no other is accepted
		 * @throws IllegalArgumentException if the key is not valid or the time is not
		 * positive
		 */
		public Builder throttle(String key, Duration window) {
			return header(Freshness.THROTTLE, Freshness.throttle(key, window));
		}

		/**
		 * Let at most one job with a key wait beside the one that runs: a job that waits
		 * gets what the last enqueue brought. The key is also the
		 * {@linkplain #lane(String) lane}, so the handler must let
		 * {@linkplain JobHandler#lanes() one job of each lane} run at once.
		 * @param key what the jobs of this name have in common: text of up to 100
		 * characters
		 * @throws IllegalArgumentException if the key is not valid as a lane
		 */
		public Builder keepLast(String key) {
			return lane(key).unique(key, (rule) -> rule.untilStarted().onDuplicate(Unique.OnDuplicate.REPLACE));
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
			if (name.equals(Job.URGENCY_HEADER)) {
				Urgency.requireValid(value);
			}
			Freshness.requireValid(name, value);
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
		 * Start the job before less urgent ones of its name, or after more urgent ones.
		 * Among the jobs of a lane, urgency decides first. It does not outweigh other
		 * names or other lanes: these get their share whatever the urgency of their jobs.
		 * @see JobHandler#urgency()
		 */
		public Builder urgency(Urgency urgency) {
			return header(Job.URGENCY_HEADER, urgency.text());
		}

		/**
		 * Discard the job unless it is started in time: its first run must begin within a
		 * time from when it is due. It does not expire after that, whatever becomes of
		 * the run.
		 * @param time the time; zero for no bound, whatever the handler sets
		 * @throws IllegalArgumentException if the time is negative
		 * @see #onExpiry(OnExpiry)
		 */
		public Builder expiresIn(Duration time) {
			return header(Freshness.EXPIRES, Freshness.fromDue("expiresIn", time));
		}

		/**
		 * Set the end of the job if it is not started before it expires or its deadline
		 * passes.
		 */
		public Builder onExpiry(OnExpiry end) {
			return header(Freshness.ON_EXPIRY, end.name());
		}

		/**
		 * Set when the job must have ended. It is not started after that, each of its
		 * runs is stopped then, and a retry that would be due later makes it dead.
		 * @see JobContext#remaining()
		 */
		public Builder deadline(Instant instant) {
			Objects.requireNonNull(instant, "'deadline' must not be null");
			return header(Freshness.DEADLINE, Freshness.at(instant));
		}

		/**
		 * Set by a time from when the job is due when it must have ended.
		 * @param time the time; zero for no bound, whatever the handler sets
		 * @throws IllegalArgumentException if the time is negative
		 * @see #deadline(Instant)
		 */
		public Builder deadlineIn(Duration time) {
			return header(Freshness.DEADLINE, Freshness.fromDue("deadlineIn", time));
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
