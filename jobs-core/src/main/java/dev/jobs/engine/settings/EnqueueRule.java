package dev.jobs.engine.settings;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.EnqueueOptions;
import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * The options of every enqueue of a job name that sets nothing else.
 *
 * @param uniqueness whether and how jobs are unique, or {@code null} if not set
 * @param maxWaiting how many jobs may wait at once, 0 for no bound, or {@code null} if
 * not set
 * @param waitForRoom how long an enqueue waits while the queue is full, or {@code null}
 * if not set
 * @param tags tags that all jobs get
 */
public record EnqueueRule(@Nullable Uniqueness uniqueness, @Nullable Integer maxWaiting, @Nullable Duration waitForRoom,
		List<String> tags) {

	/** The rule that sets nothing. */
	public static final EnqueueRule NONE = new EnqueueRule(null, null, null);

	public EnqueueRule {
		if (maxWaiting != null && maxWaiting < 0) {
			throw new IllegalArgumentException("'maxWaiting' must not be negative but was " + maxWaiting);
		}
		List<String> unsorted = tags;
		tags = List.copyOf(EnqueueOptions.of((set) -> set.tags(unsorted)).getTags());
	}

	/**
	 * Create a rule without tags.
	 * @param unique how jobs are unique, or {@code null} if not set
	 * @param maxWaiting how many jobs may wait at once, or {@code null}
	 * @param waitForRoom how long an enqueue waits, or {@code null}
	 */
	public EnqueueRule(@Nullable Unique unique, @Nullable Integer maxWaiting, @Nullable Duration waitForRoom) {
		this((unique != null) ? new Uniqueness(unique) : null, maxWaiting, waitForRoom, List.of());
	}

	/**
	 * Return how jobs are unique.
	 * @return how, or {@code null} if they are not or it is not set
	 */
	public @Nullable Unique unique() {
		return (this.uniqueness != null) ? this.uniqueness.rule() : null;
	}

	/**
	 * Add tags that all jobs get.
	 * @return the changed rule
	 */
	public EnqueueRule withTags(List<String> tags) {
		return or(new EnqueueRule(null, null, null, tags));
	}

	/**
	 * Take what this rule does not set from another, and add its tags.
	 * @return the filled rule
	 */
	public EnqueueRule or(EnqueueRule other) {
		List<String> tags = other.tags.isEmpty() ? this.tags
				: Stream.concat(this.tags.stream(), other.tags.stream()).distinct().toList();
		return new EnqueueRule((this.uniqueness != null) ? this.uniqueness : other.uniqueness,
				(this.maxWaiting != null) ? this.maxWaiting : other.maxWaiting,
				(this.waitForRoom != null) ? this.waitForRoom : other.waitForRoom, tags);
	}

}
