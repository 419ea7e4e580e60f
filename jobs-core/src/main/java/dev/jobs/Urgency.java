package dev.jobs;

import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

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

	/**
	 * Return the value of the header for this urgency.
	 */
	public String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the urgency that headers have. Another program may have written anything,
	 * which counts as nothing.
	 */
	static Urgency in(Map<String, String> headers) {
		String text = headers.get(HEADER);
		Urgency urgency = (text != null) ? find(text) : null;
		return (urgency != null) ? urgency : NORMAL;
	}

	static void requireValid(String text) {
		if (find(text) == null) {
			throw new IllegalArgumentException(
					"'" + text + "' is not an urgency; it must be urgent, high, normal or low");
		}
	}

	private static @Nullable Urgency find(String text) {
		for (Urgency urgency : values()) {
			if (urgency.text().equals(text)) {
				return urgency;
			}
		}
		return null;
	}

}
