package dev.jobs.autoconfigure.dashboard;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * Reads which jobs are meant, from parameters or from the fields of an act, which have
 * the same names.
 */
final class Query {

	static final int PAGE = 50;

	private static final int LARGEST_PAGE = 200;

	private final Function<String, @Nullable String> values;

	Query(Function<String, @Nullable String> values) {
		this.values = values;
	}

	/**
	 * Return the filter. {@code state=retrying} selects jobs that failed before and whose
	 * next attempt is not due yet, as queues count them.
	 */
	JobFilter filter() {
		Set<JobState> states = EnumSet.noneOf(JobState.class);
		Boolean retrying = null;
		for (String state : text("state", "").split(",")) {
			if (state.equalsIgnoreCase("retrying")) {
				states.add(JobState.SCHEDULED);
				retrying = true;
			}
			else if (!state.isBlank()) {
				states.add(state(state));
			}
		}
		return new JobFilter(states, this.values.apply("queue"), retrying, this.values.apply("text"), instant("since"),
				instant("before"));
	}

	private static JobState state(String name) {
		try {
			return JobState.valueOf(name.strip().toUpperCase(Locale.ROOT));
		}
		catch (IllegalArgumentException ex) {
			throw RefusedException.badRequest("'state' must be scheduled, ready, running, succeeded, dead, cancelled "
					+ "or retrying, or several of these with commas between them.");
		}
	}

	/** Return the number of the page, from 1. */
	int page() {
		return Math.max(number("page", 1), 1);
	}

	int size() {
		return Math.min(Math.max(number("size", PAGE), 1), LARGEST_PAGE);
	}

	boolean newestFirst() {
		return switch (text("order", "oldest")) {
			case "oldest" -> false;
			case "newest" -> true;
			default -> throw RefusedException.badRequest("'order' must be oldest or newest.");
		};
	}

	int searched() {
		return Math.max(number("searched", 0), 0);
	}

	private @Nullable Instant instant(String name) {
		String value = this.values.apply(name);
		try {
			return (value != null) ? Instant.parse(value) : null;
		}
		catch (DateTimeException ex) {
			throw RefusedException.badRequest("'" + name + "' must be a time such as 2026-01-31T12:00:00Z.");
		}
	}

	private String text(String name, String otherwise) {
		String value = this.values.apply(name);
		return (value != null) ? value : otherwise;
	}

	private int number(String name, int otherwise) {
		String value = this.values.apply(name);
		try {
			return (value != null) ? Integer.parseInt(value.strip()) : otherwise;
		}
		catch (NumberFormatException ex) {
			throw RefusedException.badRequest("'" + name + "' must be a whole number.");
		}
	}

}
