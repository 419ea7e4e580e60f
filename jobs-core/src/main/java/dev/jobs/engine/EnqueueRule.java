package dev.jobs.engine;

import java.time.Duration;

import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every enqueue of a job name unless the enqueue says otherwise.
 *
 * @param unique the uniqueness rule, or {@code null} if nothing is said
 * @param maxLength how many jobs may wait at once, 0 for no bound, or {@code null} if
 * nothing is said
 * @param waitForRoom how long an enqueue waits while the queue is full, or {@code null}
 * if nothing is said
 */
public record EnqueueRule(@Nullable Unique unique, @Nullable Integer maxLength, @Nullable Duration waitForRoom) {

	/** The rule that says nothing. */
	public static final EnqueueRule NONE = new EnqueueRule(null, null, null);

	/** Says in place of a uniqueness rule that jobs are not unique, whatever follows. */
	public static final Unique NOT_UNIQUE = Unique.by("-");

	public EnqueueRule {
		if (maxLength != null && maxLength < 0) {
			throw new IllegalArgumentException("'maxLength' must not be negative but was " + maxLength);
		}
	}

	/**
	 * Fill what this rule does not say from another.
	 * @param other the other rule
	 * @return the filled rule
	 */
	public EnqueueRule or(EnqueueRule other) {
		return new EnqueueRule((this.unique != null) ? this.unique : other.unique,
				(this.maxLength != null) ? this.maxLength : other.maxLength,
				(this.waitForRoom != null) ? this.waitForRoom : other.waitForRoom);
	}

}
