package dev.jobs.dashboard.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.Note;
import dev.jobs.audit.Audit;
import dev.jobs.audit.LogText;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/**
 * Reads the notes of a store: who did what, which causes of death are resolved, and when
 * each version of the application started.
 */
public final class Activity {

	private static final Pattern LINE = Pattern.compile("(\\w+): ([\\w-]+) by (\"(?:[^\"\\\\]|\\\\.)*\"|\\S+): (.*)");

	/** The parts that need the right to see payloads. A long note may end within one. */
	private static final Pattern SEARCHED = Pattern
		.compile("(\"(?:text|uniqueKey)\":)\"(?:[^\"\\\\]|\\\\.)*(?:\"|\\\\?$)");

	private static final Set<String> MARKED = Set.of("pause", "resume", "limit", "weight", "attempts", "rate",
			"lanes-rate");

	private static final int MOST_MARKS = 40;

	private static final String CAUSE = "cause ";

	private static final Set<String> OF_CAUSE = Set.of("resolve", "reopen");

	private static final String VERSION = "version ";

	private final List<Entry> entries;

	/**
	 * Read notes.
	 * @param notes the notes, the latest first
	 */
	public Activity(List<Note> notes) {
		List<Entry> entries = new ArrayList<>();
		for (Note note : notes) {
			Matcher line = LINE.matcher(note.text());
			entries
				.add(line.matches() ? new Entry(note.at(), line.group(1), line.group(2), line.group(3), line.group(4))
						: new Entry(note.at(), "", "", "", note.text()));
		}
		this.entries = entries;
	}

	/**
	 * Return the target of an action on a cause of death.
	 * @param id the id of the cause
	 * @param error its name
	 * @return the target
	 */
	public static String cause(String id, String error) {
		return CAUSE + id + " " + LogText.quoted(error);
	}

	/**
	 * Put the actions, the latest first.
	 * @param array where to put it
	 * @param limit the most actions
	 * @param payloads whether searched texts and unique keys are shown
	 */
	public void put(ArrayNode array, int limit, boolean payloads) {
		this.entries.stream()
			.limit(limit)
			.forEach((entry) -> array.addObject()
				.put("at", entry.at.toString())
				.put("surface", entry.surface)
				.put("action", entry.action)
				.put("by", entry.by)
				.put("target", payloads ? entry.target : SEARCHED.matcher(entry.target).replaceAll("$1\"******\"")));
	}

	/**
	 * Put the marks of a chart: new versions, pauses and limits.
	 * @param array where to put it
	 * @param from since when
	 * @param queue the queue of the chart, or {@code null} for all
	 */
	void putMarks(ArrayNode array, Instant from, @Nullable String queue) {
		String target = (queue != null) ? "queue " + LogText.quoted(queue) : "queue ";
		this.entries.stream()
			.filter((entry) -> !entry.at.isBefore(from) && !entry.target.endsWith(Audit.FAILED))
			.filter((entry) -> entry.isVersion() || (MARKED.contains(entry.action) && (entry.target.equals(target)
					|| entry.target.startsWith((queue != null) ? target + " " : target))))
			.limit(MOST_MARKS)
			.forEach((entry) -> array.addObject()
				.put("at", entry.at.toString())
				.put("action", entry.action)
				.put("by", entry.by)
				.put("target", entry.target));
	}

	/**
	 * Return when a cause of death was resolved.
	 * @param cause its id
	 * @return the time, or {@code null} if it was not resolved, or was reopened since
	 */
	public @Nullable Instant resolvedAt(String cause) {
		return this.entries.stream()
			.filter((entry) -> OF_CAUSE.contains(entry.action) && entry.target.startsWith(CAUSE + cause + " "))
			.findFirst()
			.filter((entry) -> entry.action.equals("resolve"))
			.map(Entry::at)
			.orElse(null);
	}

	/**
	 * Return the version that had started last at a time.
	 * @param at the time
	 * @return the version, or {@code null} if that is not known
	 */
	public @Nullable String versionAt(@Nullable Instant at) {
		return this.entries.stream()
			.filter((entry) -> entry.isVersion() && at != null && !entry.at.isAfter(at))
			.findFirst()
			.map((entry) -> entry.target.substring(VERSION.length()))
			.orElse(null);
	}

	/**
	 * A note. Unless the audit wrote it, it has only a target.
	 *
	 * @param at when it was taken
	 * @param surface where it was done
	 * @param action what was done
	 * @param by who did it
	 * @param target what it was done to
	 */
	private record Entry(Instant at, String surface, String action, String by, String target) {

		boolean isVersion() {
			return this.action.equals("start") && this.target.startsWith(VERSION);
		}

	}

}
