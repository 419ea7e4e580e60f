package dev.jobs.engine.settings;

import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * What a rule says about uniqueness: how jobs are unique, or that they are not, whatever
 * a weaker rule says.
 *
 * @param rule how jobs are unique, or {@code null} if they are not
 */
public record Uniqueness(@Nullable Unique rule) {

	/** Jobs are not unique. */
	public static final Uniqueness NONE = new Uniqueness(null);

}
