package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The schedules put at run time that are due to be looked at.
 *
 * @param due those whose time has come, the earliest first and by name among equals, each
 * with its spec, which is empty if the store has lost it
 * @param more whether there are more whose time has come
 * @param next when the next one after these is due, or {@code null} for never
 */
public record DueSchedules(List<ScheduleView> due, boolean more, @Nullable Instant next) {

	/** How many characters the specs of one answer have, unless one alone has more. */
	public static final int MOST_CHARACTERS = 1_000_000;

	/**
	 * A place in the order of schedules.
	 *
	 * @param at when a schedule is to be looked at
	 * @param name its name
	 */
	public record Place(Instant at, String name) implements Comparable<Place> {

		/**
		 * Return the place of a schedule that is due.
		 */
		public static Place of(ScheduleView due) {
			Instant at = (due.put() != null) ? due.put().next() : null;
			return new Place((at != null) ? at : Instant.MAX, due.name());
		}

		@Override
		public int compareTo(Place other) {
			int order = this.at.compareTo(other.at);
			return (order != 0) ? order : this.name.compareTo(other.name);
		}

	}

}
