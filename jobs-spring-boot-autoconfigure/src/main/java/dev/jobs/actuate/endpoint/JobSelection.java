package dev.jobs.actuate.endpoint;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.engine.HandlerDefinition;
import dev.jobs.store.JobInspector.Range;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a request's parameters which jobs are meant.
 */
final class JobSelection {

	static final int LARGEST_PAGE = 1000;

	private static final int USUAL_PAGE = 20;

	private JobSelection() {
	}

	static JobFilter filter(@Nullable String state, @Nullable String name, @Nullable String text,
			@Nullable String retrying) {
		if (text != null && text.indexOf('\0') >= 0) {
			throw Refusal.badRequest("'text' must not contain the character 0");
		}
		return new JobFilter(states(state), name(given(name)), flag("retrying", retrying), given(text));
	}

	/**
	 * Return the states of a list such as {@code dead,scheduled}; none for all.
	 */
	private static Set<JobState> states(@Nullable String list) {
		Set<JobState> states = EnumSet.noneOf(JobState.class);
		if (list != null && !list.isBlank()) {
			for (String name : list.split(",")) {
				try {
					states.add(JobState.valueOf(name.strip().toUpperCase(Locale.ROOT)));
				}
				catch (IllegalArgumentException ex) {
					throw Refusal.badRequest("'state' must be one or more of scheduled, ready, running, succeeded, "
							+ "dead and cancelled, separated by commas");
				}
			}
		}
		return states;
	}

	private static @Nullable String name(@Nullable String name) {
		try {
			return (name != null) ? HandlerDefinition.requireValidName(name) : null;
		}
		catch (IllegalArgumentException ex) {
			throw Refusal.badRequest(String.valueOf(ex.getMessage()));
		}
	}

	static Range range(int page, int size, @Nullable String newestFirst) {
		Range range = Range.page(page, size);
		return new Range(range.offset(), size, Boolean.TRUE.equals(flag("newestFirst", newestFirst)));
	}

	/**
	 * Return the number of a page; the first one for anything less.
	 */
	static int page(@Nullable String page) {
		return Math.max(number("page", page, 1), 1);
	}

	/**
	 * Read a running limit.
	 * @param limit the limit
	 * @return the limit, or -1 for none
	 */
	static int limit(@Nullable String limit) {
		try {
			int number = (limit != null) ? Integer.parseInt(limit) : Integer.MIN_VALUE;
			if (number >= -1) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// the same answer
		}
		throw Refusal.badRequest("'limit' must be a whole number from 0, or -1 to go by the workers again");
	}

	static int size(@Nullable String size) {
		int number = number("size", size, USUAL_PAGE);
		if (number < 1 || number > LARGEST_PAGE) {
			throw Refusal.badRequest("'size' must be from 1 to " + LARGEST_PAGE);
		}
		return number;
	}

	private static int number(String parameter, @Nullable String text, int usual) {
		try {
			return (text != null && !text.isBlank()) ? Integer.parseInt(text.strip()) : usual;
		}
		catch (NumberFormatException ex) {
			throw Refusal.badRequest("'" + parameter + "' must be a whole number");
		}
	}

	private static @Nullable Boolean flag(String parameter, @Nullable String text) {
		return switch ((text != null) ? text.strip().toLowerCase(Locale.ROOT) : "") {
			case "" -> null;
			case "true" -> true;
			case "false" -> false;
			default -> throw Refusal.badRequest("'" + parameter + "' must be true or false");
		};
	}

	private static @Nullable String given(@Nullable String text) {
		return (text != null && !text.isBlank()) ? text : null;
	}

}
