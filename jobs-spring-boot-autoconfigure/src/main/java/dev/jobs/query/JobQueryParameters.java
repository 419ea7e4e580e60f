package dev.jobs.query;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Urgency;
import org.jspecify.annotations.Nullable;

/**
 * Query parameters that select jobs and a page of them. A blank parameter counts as
 * missing; an unreadable one is refused.
 */
public final class JobQueryParameters {

	private final Function<String, @Nullable String> values;

	/**
	 * Create a query.
	 * @param values returns a parameter by its name, or {@code null} if it is missing
	 */
	public JobQueryParameters(Function<String, @Nullable String> values) {
		this.values = values;
	}

	/**
	 * Return the filter: {@code state}, {@code name} or {@code queue}, {@code retrying},
	 * {@code text}, {@code since}, {@code before}, {@code uniqueKey}, {@code tag},
	 * {@code lane} and {@code urgency}. As in the counts of queues, {@code retrying}
	 * stands for jobs that are not due yet and failed before, and {@code scheduled} for
	 * the others that are not due; with other states, name both of them or neither.
	 * {@code parked} stands for {@link JobState#WAITING}.
	 * @return the filter
	 */
	public JobFilter filter() {
		Set<JobState> states = EnumSet.noneOf(JobState.class);
		Set<Boolean> notDue = new HashSet<>();
		for (String state : text("state", "").split(",")) {
			if (state.strip().equalsIgnoreCase("retrying")) {
				states.add(JobState.SCHEDULED);
				notDue.add(true);
			}
			else if (state.strip().equalsIgnoreCase("parked")) {
				states.add(JobState.WAITING);
			}
			else if (!state.isBlank()) {
				JobState known = state(state);
				states.add(known);
				if (known == JobState.SCHEDULED) {
					notDue.add(false);
				}
			}
		}
		Boolean asked = flag("retrying");
		boolean implied = asked == null && notDue.size() == 1;
		if (implied && states.size() > 1) {
			throw RefusedException.badRequest("Beside other states, name 'scheduled' and 'retrying' both.");
		}
		Boolean retrying = implied ? notDue.iterator().next() : asked;
		String name = text("name");
		return JobFilter.of((only) -> {
			only.states(states);
			ifGiven((name != null) ? name : text("queue"), only::name);
			ifGiven(retrying, only::retrying);
			ifGiven(text("text"), only::text);
			ifGiven(instant("since"), only::since);
			ifGiven(instant("before"), only::before);
			ifGiven(text("uniqueKey"), only::uniqueKey);
			ifGiven(text("tag"), only::tag);
			ifGiven(text("lane"), only::lane);
			ifGiven(urgency(), only::urgency);
		});
	}

	private static <T> void ifGiven(@Nullable T value, Consumer<T> part) {
		if (value != null) {
			part.accept(value);
		}
	}

	/**
	 * Return the wanted page: its order, {@code newestFirst}, and its cursor, {@code
	 * after}.
	 * @param limit how many jobs it holds at most
	 * @return the request
	 */
	public PageRequest page(int limit) {
		boolean newest = Boolean.TRUE.equals(flag("newestFirst"));
		return (newest ? PageRequest.newestFirst(limit) : PageRequest.oldestFirst(limit)).after(text("after"));
	}

	/**
	 * Return how many jobs are wanted, {@code limit}.
	 * @param usual the default
	 * @return the number, which is not checked
	 */
	public int limit(int usual) {
		return number("limit", usual);
	}

	private JobState state(String name) {
		return Stream.of(JobState.values())
			.filter((state) -> state != JobState.WAITING && state.name().equalsIgnoreCase(name.strip()))
			.findFirst()
			.orElseThrow(() -> RefusedException
				.badRequest("'state' must be scheduled, retrying, parked, ready, running, succeeded, "
						+ "dead or cancelled, or several of these with commas between them."));
	}

	private @Nullable Urgency urgency() {
		String value = text("urgency");
		return (value == null) ? null
				: Stream.of(Urgency.values())
					.filter((urgency) -> urgency.name().equalsIgnoreCase(value.strip()))
					.findFirst()
					.orElseThrow(() -> RefusedException.badRequest("'urgency' must be urgent, high, normal or low."));
	}

	/**
	 * Return a time.
	 * @param name the parameter
	 * @return the time, or {@code null} if it is missing
	 */
	public @Nullable Instant instant(String name) {
		String value = text(name);
		try {
			return (value != null) ? Instant.parse(value.strip()) : null;
		}
		catch (DateTimeException ex) {
			throw RefusedException.badRequest("'" + name + "' must be a time such as 2026-01-31T12:00:00Z.");
		}
	}

	private @Nullable Boolean flag(String name) {
		return switch (text(name, "").strip().toLowerCase(Locale.ROOT)) {
			case "" -> null;
			case "true" -> true;
			case "false" -> false;
			default -> throw RefusedException.badRequest("'" + name + "' must be true or false.");
		};
	}

	private int number(String name, int fallback) {
		String value = text(name);
		try {
			return (value != null) ? Integer.parseInt(value.strip()) : fallback;
		}
		catch (NumberFormatException ex) {
			throw RefusedException.badRequest("'" + name + "' must be a whole number.");
		}
	}

	private String text(String name, String fallback) {
		String value = text(name);
		return (value != null) ? value : fallback;
	}

	private @Nullable String text(String name) {
		String value = this.values.apply(name);
		if (value != null && value.indexOf('\0') >= 0) {
			throw RefusedException.badRequest("'" + name + "' must not contain the character 0.");
		}
		return (value != null && !value.isBlank()) ? value : null;
	}

}
