package dev.jobs;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How soon a job starts among those of its name, the most urgent first. Jobs of one level
 * start in the order in which they are due. The lower levels get some of the starts, so
 * that none waits for ever.
 *
 * @see EnqueueOptions.Builder#urgency(Urgency)
 */
public enum Urgency {

	/** Before all others. */
	URGENT,

	/** Before jobs for which nothing is set. */
	HIGH,

	/** For which nothing is set. */
	NORMAL,

	/** When nothing else waits, and now and then before that. */
	LOW;

	/** The name of the header that it travels in. */
	static final String HEADER = "jobs.urgency";

	private static final Map<String, Urgency> BY_TEXT = Stream.of(values())
		.collect(Collectors.toMap(Urgency::text, Function.identity()));

	private final String text = name().toLowerCase(Locale.ROOT);

	/**
	 * Return the value of the header for this urgency.
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Return the urgency that headers have. Another program may have written anything,
	 * which counts as nothing.
	 */
	public static Urgency in(Map<String, String> headers) {
		return BY_TEXT.getOrDefault(headers.getOrDefault(HEADER, ""), NORMAL);
	}

	static void requireValid(String text) {
		if (!BY_TEXT.containsKey(text)) {
			throw new IllegalArgumentException(
					"'" + text + "' is not an urgency; it must be urgent, high, normal or low");
		}
	}

}
