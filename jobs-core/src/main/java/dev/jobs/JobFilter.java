package dev.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Selects stored jobs.
 * <p>
 * A filter is narrowed by a chain that begins with {@link #all()}. Each call returns a
 * copy that keeps what was set before; {@code null} removes what was set.
 * <pre class="code">{@code
 * JobFilter timeouts = JobFilter.all().states(JobState.DEAD).name("send-email").text("timeout");
 * }</pre>
 */
public final class JobFilter {

	private static final Instant LATEST = Instant.MAX.truncatedTo(ChronoUnit.MILLIS);

	private static final JobFilter ALL = new JobFilter(Set.of(), null, null, null, null, null, null, null);

	private final Set<JobState> states;

	private final @Nullable String name;

	private final @Nullable Boolean retrying;

	private final @Nullable String text;

	private final @Nullable Instant since;

	private final @Nullable Instant before;

	private final @Nullable String key;

	private final @Nullable String tag;

	private JobFilter(Set<JobState> states, @Nullable String name, @Nullable Boolean retrying, @Nullable String text,
			@Nullable Instant since, @Nullable Instant before, @Nullable String key, @Nullable String tag) {
		this.states = states;
		this.name = name;
		this.retrying = retrying;
		this.text = text;
		this.since = since;
		this.before = before;
		this.key = key;
		this.tag = tag;
	}

	/**
	 * Round a bound up to the times that jobs have, so that it selects the same ones.
	 */
	private static @Nullable Instant inWholeMillis(@Nullable Instant bound) {
		Instant rounded = (bound != null) ? bound.truncatedTo(ChronoUnit.MILLIS) : null;
		return (rounded != null && rounded.isBefore(bound) && rounded.isBefore(LATEST)) ? rounded.plusMillis(1)
				: rounded;
	}

	/**
	 * Select all jobs.
	 * @return the filter
	 */
	public static JobFilter all() {
		return ALL;
	}

	/**
	 * Select only jobs in one of some states.
	 * @param states the states; all if none is given
	 * @return the changed filter
	 */
	public JobFilter states(JobState... states) {
		return states(Set.of(states));
	}

	/**
	 * Select only jobs in one of some states.
	 * @param states the states; all if empty
	 * @return the changed filter
	 */
	public JobFilter states(Set<JobState> states) {
		return new JobFilter(Set.copyOf(states), this.name, this.retrying, this.text, this.since, this.before, this.key,
				this.tag);
	}

	/**
	 * Select only jobs of one name.
	 * @param name the name, or {@code null} for all
	 * @return the changed filter
	 */
	public JobFilter name(@Nullable String name) {
		return new JobFilter(this.states, name, this.retrying, this.text, this.since, this.before, this.key, this.tag);
	}

	/**
	 * Select only jobs that failed before, or only jobs that did not. Together with
	 * {@link #states(JobState...)} of {@link JobState#SCHEDULED} and
	 * {@link JobState#READY} the former are those that wait for another attempt.
	 * @param retrying whether they failed before, or {@code null} for both
	 * @return the changed filter
	 */
	public JobFilter retrying(@Nullable Boolean retrying) {
		return new JobFilter(this.states, this.name, retrying, this.text, this.since, this.before, this.key, this.tag);
	}

	/**
	 * Select only jobs that contain a text in their id, an error or the payload, whatever
	 * its case.
	 * @param text the text, or {@code null} for all
	 * @return the changed filter
	 */
	public JobFilter text(@Nullable String text) {
		return new JobFilter(this.states, this.name, this.retrying, text, this.since, this.before, this.key, this.tag);
	}

	/**
	 * Select only jobs that entered their state, or are due, at an instant or later.
	 * @param since the instant, or {@code null} for all
	 * @return the changed filter
	 */
	public JobFilter since(@Nullable Instant since) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, inWholeMillis(since), this.before,
				this.key, this.tag);
	}

	/**
	 * Select only jobs that entered their state, or are due, before an instant.
	 * @param before the instant, or {@code null} for all
	 * @return the changed filter
	 */
	public JobFilter before(@Nullable Instant before) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, this.since, inWholeMillis(before),
				this.key, this.tag);
	}

	/**
	 * Select only jobs that hold a unique key: at most one of each name, and one for a
	 * key across names.
	 * @param key the key as it was given to {@link Unique#byKey(String)}, or {@code null}
	 * for all
	 * @return the changed filter
	 */
	public JobFilter key(@Nullable String key) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, this.since, this.before, key, this.tag);
	}

	/**
	 * Select only jobs that have a tag.
	 * @param tag the tag, or {@code null} for all
	 * @return the changed filter
	 */
	public JobFilter tag(@Nullable String tag) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, this.since, this.before, this.key, tag);
	}

	/**
	 * Return the states wanted.
	 * @return the states; all if empty
	 */
	public Set<JobState> getStates() {
		return this.states;
	}

	/**
	 * Return the job name wanted.
	 * @return the name, or {@code null} for all
	 */
	public @Nullable String getName() {
		return this.name;
	}

	/**
	 * Return whether only jobs are wanted that failed before, or only jobs that did not.
	 * @return whether they failed before, or {@code null} for both
	 */
	public @Nullable Boolean getRetrying() {
		return this.retrying;
	}

	/**
	 * Return the text that the id, an error or the payload must contain.
	 * @return the text, or {@code null} for all
	 */
	public @Nullable String getText() {
		return this.text;
	}

	/**
	 * Return since when jobs must have been in their state, or be due.
	 * @return the instant, or {@code null} for all
	 */
	public @Nullable Instant getSince() {
		return this.since;
	}

	/**
	 * Return before when jobs must have entered their state, or be due.
	 * @return the instant, or {@code null} for all
	 */
	public @Nullable Instant getBefore() {
		return this.before;
	}

	/**
	 * Return the unique key that the job must hold.
	 * @return the key, or {@code null} for all
	 */
	public @Nullable String getKey() {
		return this.key;
	}

	/**
	 * Return the tag that the job must have.
	 * @return the tag, or {@code null} for all
	 */
	public @Nullable String getTag() {
		return this.tag;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof JobFilter filter && values().equals(filter.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	@Override
	public String toString() {
		return "JobFilter[states=%s, name=%s, retrying=%s, text=%s, since=%s, before=%s, key=%s, tag=%s]"
			.formatted(values().toArray());
	}

	private List<@Nullable Object> values() {
		return Arrays.asList(this.states, this.name, this.retrying, this.text, this.since, this.before, this.key,
				this.tag);
	}

}
