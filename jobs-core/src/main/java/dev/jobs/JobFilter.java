package dev.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Selects stored jobs.
 *
 * @param states the states wanted; all if empty
 * @param name the job name wanted, or {@code null} for all
 * @param retrying {@code true} for only those that failed before, {@code false} for only
 * those that did not, {@code null} for both
 * @param text text that the id, an error or the payload must contain, ignoring case, or
 * {@code null} for all
 * @param since only those that entered their state, or are due, at this instant or later;
 * {@code null} for all
 * @param before only those that entered their state, or are due, before this instant;
 * {@code null} for all
 * @param key the unique key that the job must hold, as it was given to
 * {@link Unique#by(String)}, or {@code null} for all
 * @param tag a tag that the job must have, or {@code null} for all
 */
public record JobFilter(Set<JobState> states, @Nullable String name, @Nullable Boolean retrying, @Nullable String text,
		@Nullable Instant since, @Nullable Instant before, @Nullable String key, @Nullable String tag) {

	private static final Instant LATEST = Instant.MAX.truncatedTo(ChronoUnit.MILLIS);

	public JobFilter {
		states = Set.copyOf(states);
		since = inWholeMillis(since);
		before = inWholeMillis(before);
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
	 * Create a filter without bounds of time, key and tag.
	 * @param states the states wanted; all if empty
	 * @param name the job name wanted, or {@code null} for all
	 * @param retrying whether they failed before, or {@code null} for both
	 * @param text text that they must contain, or {@code null} for all
	 */
	public JobFilter(Set<JobState> states, @Nullable String name, @Nullable Boolean retrying, @Nullable String text) {
		this(states, name, retrying, text, null, null, null, null);
	}

	/**
	 * Select the jobs in one of the given states.
	 * @param states the states; all if none is given
	 * @return the filter
	 */
	public static JobFilter in(JobState... states) {
		Set<JobState> set = EnumSet.noneOf(JobState.class);
		set.addAll(Set.of(states));
		return new JobFilter(set, null, null, null);
	}

	/**
	 * Select the jobs that failed before and wait for another attempt.
	 * @return the filter
	 */
	public static JobFilter retries() {
		return new JobFilter(Set.of(JobState.SCHEDULED, JobState.READY), null, true, null);
	}

	/**
	 * Narrow this filter to one job name.
	 * @param name the name
	 * @return the narrower filter
	 */
	public JobFilter named(String name) {
		return new JobFilter(this.states, name, this.retrying, this.text, this.since, this.before, this.key, this.tag);
	}

	/**
	 * Narrow this filter to jobs that contain a text.
	 * @param text the text
	 * @return the narrower filter
	 */
	public JobFilter containing(String text) {
		return new JobFilter(this.states, this.name, this.retrying, text, this.since, this.before, this.key, this.tag);
	}

	/**
	 * Narrow this filter to jobs that entered their state, or are due, in a time.
	 * @param since from when on, or {@code null} from the first
	 * @param before up to but not including when, or {@code null} to the last
	 * @return the narrower filter
	 */
	public JobFilter between(@Nullable Instant since, @Nullable Instant before) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, since, before, this.key, this.tag);
	}

	/**
	 * Narrow this filter to the jobs that hold a unique key: at most one of each name,
	 * and one for a key across names.
	 * @param key the key
	 * @return the narrower filter
	 */
	public JobFilter holding(String key) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, this.since, this.before, key, this.tag);
	}

	/**
	 * Narrow this filter to the jobs that have a tag.
	 * @param tag the tag
	 * @return the narrower filter
	 */
	public JobFilter tagged(String tag) {
		return new JobFilter(this.states, this.name, this.retrying, this.text, this.since, this.before, this.key, tag);
	}

	/**
	 * Select jobs in other states, which otherwise are as this filter wants them.
	 * @param states the states wanted; all if empty
	 * @return the changed filter
	 */
	public JobFilter inStates(Set<JobState> states) {
		return new JobFilter(states, this.name, this.retrying, this.text, this.since, this.before, this.key, this.tag);
	}

}
