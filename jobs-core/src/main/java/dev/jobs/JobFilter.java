package dev.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Selects stored jobs.
 * <p>
 * A {@link Builder} narrows it. What is left out selects any; {@code null} is refused, so
 * that a value that happens to be missing does not select more than was meant.
 * <pre class="code">{@code
 * JobFilter timeouts = JobFilter.of((only) -> only.states(JobState.DEAD).name("send-email").text("timeout"));
 * }</pre>
 */
public final class JobFilter extends Parts {

	private static final Instant LATEST = Instant.MAX.truncatedTo(ChronoUnit.MILLIS);

	private static final JobFilter ALL = new JobFilter(new Builder());

	private final Builder values;

	private JobFilter(Builder values) {
		super("JobFilter[states=%s, name=%s, retrying=%s, text=%s, since=%s, before=%s, uniqueKey=%s, tag=%s, lane=%s, urgency=%s]");
		this.values = values;
	}

	/**
	 * Round a bound up to the times that jobs have, so that it selects the same ones.
	 */
	private static Instant inWholeMillis(Instant bound) {
		Instant rounded = bound.truncatedTo(ChronoUnit.MILLIS);
		return (rounded.isBefore(bound) && rounded.isBefore(LATEST)) ? rounded.plusMillis(1) : rounded;
	}

	private static <T> T given(String part, @Nullable T value) {
		return Objects.requireNonNull(value, () -> "'" + part
				+ "' must not be null%s; leave it out to select any".formatted(part.equals("text") ? " or empty" : ""));
	}

	/**
	 * Select all jobs.
	 * @return the filter
	 */
	public static JobFilter all() {
		return ALL;
	}

	/**
	 * Return a filter that selects some jobs.
	 * @param jobs narrows it
	 */
	public static JobFilter of(Consumer<? super Builder> jobs) {
		return ALL.with(jobs);
	}

	/**
	 * Return a copy in which some parts are set, in place of those set before.
	 * @param jobs sets them
	 */
	public JobFilter with(Consumer<? super Builder> jobs) {
		return new JobFilter(Values.changed(this.values, jobs));
	}

	/**
	 * Return the states wanted.
	 * @return the states; all if empty
	 */
	public Set<JobState> getStates() {
		return this.values.states;
	}

	/**
	 * Return the job name wanted.
	 * @return the name, or {@code null} for all
	 */
	public @Nullable String getName() {
		return this.values.name;
	}

	/**
	 * Return whether only jobs are wanted that failed before, or only jobs that did not.
	 * @return whether they failed before, or {@code null} for both
	 */
	public @Nullable Boolean getRetrying() {
		return this.values.retrying;
	}

	/**
	 * Return the text that the id, an error or the payload must contain.
	 * @return the text, or {@code null} for all
	 */
	public @Nullable String getText() {
		return this.values.text;
	}

	/**
	 * Return the instant since which jobs must have been in their state, or be due.
	 * @return the instant, or {@code null} for all
	 */
	public @Nullable Instant getSince() {
		return this.values.since;
	}

	/**
	 * Return the instant before which jobs must have entered their state, or be due.
	 * @return the instant, or {@code null} for all
	 */
	public @Nullable Instant getBefore() {
		return this.values.before;
	}

	/**
	 * Return the unique key that the job must hold.
	 * @return the key, or {@code null} for all
	 */
	public @Nullable String getUniqueKey() {
		return this.values.uniqueKey;
	}

	/**
	 * Return the tag that the job must have.
	 * @return the tag, or {@code null} for all
	 */
	public @Nullable String getTag() {
		return this.values.tag;
	}

	/**
	 * Return the lane that the job must have.
	 * @return the lane, or {@code null} for all
	 */
	public @Nullable String getLane() {
		return this.values.lane;
	}

	/**
	 * Return the urgency that the job must have.
	 * @return the urgency, or {@code null} for all
	 */
	public @Nullable Urgency getUrgency() {
		return this.values.urgency;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.values.states, this.values.name, this.values.retrying, this.values.text,
				this.values.since, this.values.before, this.values.uniqueKey, this.values.tag, this.values.lane,
				this.values.urgency);
	}

	/**
	 * Narrows a filter. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private Set<JobState> states = Set.of();

		private @Nullable String name;

		private @Nullable Boolean retrying;

		private @Nullable String text;

		private @Nullable Instant since;

		private @Nullable Instant before;

		private @Nullable String uniqueKey;

		private @Nullable String tag;

		private @Nullable String lane;

		private @Nullable Urgency urgency;

		private Builder() {
		}

		/**
		 * Select only jobs in one of some states.
		 * @param states the states; all if none is given
		 */
		public Builder states(JobState... states) {
			return states(Set.of(states));
		}

		/**
		 * Select only jobs in one of some states.
		 * @param states the states; all if empty
		 */
		public Builder states(Set<JobState> states) {
			this.states = Set.copyOf(given("states", states));
			return this;
		}

		/**
		 * Select only jobs of one name.
		 */
		public Builder name(String name) {
			this.name = given("name", name);
			return this;
		}

		/**
		 * Select only jobs that failed before, or only jobs that did not. Together with
		 * {@link #states(JobState...)} of {@link JobState#SCHEDULED} and
		 * {@link JobState#READY} jobs that failed before are those that wait for another
		 * attempt.
		 * @param retrying whether they failed before
		 */
		public Builder retrying(boolean retrying) {
			this.retrying = retrying;
			return this;
		}

		/**
		 * Select only jobs that contain a text in their id, an error or the payload,
		 * whatever its case.
		 * @param text the text, which must not be empty
		 */
		public Builder text(String text) {
			this.text = given("text", "".equals(text) ? null : text);
			return this;
		}

		/**
		 * Select only jobs that entered their state, or are due, at an instant or later.
		 */
		public Builder since(Instant since) {
			this.since = inWholeMillis(given("since", since));
			return this;
		}

		/**
		 * Select only jobs that entered their state, or are due, before an instant.
		 */
		public Builder before(Instant before) {
			this.before = inWholeMillis(given("before", before));
			return this;
		}

		/**
		 * Select only jobs that hold a unique key: at most one of each name, and one for
		 * a key across names.
		 * @param uniqueKey the key as it was given to {@link Unique#byKey(String)}; one
		 * that was made of a payload cannot be looked up
		 */
		public Builder uniqueKey(String uniqueKey) {
			this.uniqueKey = given("uniqueKey", uniqueKey);
			return this;
		}

		/**
		 * Select only jobs that have a tag.
		 */
		public Builder tag(String tag) {
			this.tag = given("tag", tag);
			return this;
		}

		/**
		 * Select only jobs of a lane.
		 */
		public Builder lane(String lane) {
			this.lane = given("lane", lane);
			return this;
		}

		/**
		 * Select only jobs of an urgency.
		 */
		public Builder urgency(Urgency urgency) {
			this.urgency = given("urgency", urgency);
			return this;
		}

	}

}
