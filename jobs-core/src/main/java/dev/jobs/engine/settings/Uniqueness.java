package dev.jobs.engine.settings;

import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * The uniqueness in a rule: how jobs are unique, or an explicit "not unique" that
 * overrides weaker rules.
 *
 * @param rule how jobs are unique, or {@code null} if they are not
 */
public record Uniqueness(@Nullable Unique rule) {

	/** Jobs are not unique. */
	public static final Uniqueness NONE = new Uniqueness(null);

}
