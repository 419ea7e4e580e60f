package dev.jobs.store;

import org.jspecify.annotations.Nullable;

/**
 * A schedule to be stored.
 *
 * @param name its name
 * @param definition its expression and zone as text, to notice changes
 * @param queue the queue its jobs go to
 * @param version a digest of all of it if it was put at run time; {@code null} if the
 * application declares it
 */
public record NewSchedule(String name, String definition, String queue, @Nullable String version) {

	/**
	 * Create a schedule that the application declares.
	 */
	public NewSchedule(String name, String definition, String queue) {
		this(name, definition, queue, null);
	}

}
