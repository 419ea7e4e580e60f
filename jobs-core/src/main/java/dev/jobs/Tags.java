package dev.jobs;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the tags of a job in a header, so that a job without tags stores nothing for
 * them.
 */
final class Tags {

	/** The name of the header that they travel in. */
	static final String HEADER = "jobs.tags";

	private static final int MOST = 10;

	private static final int LONGEST = 100;

	private static final String SEPARATOR = ",";

	private Tags() {
	}

	/**
	 * Return the tags in the headers of a job.
	 */
	static List<String> in(Map<String, String> headers) {
		String tags = headers.get(HEADER);
		return (tags != null) ? Arrays.stream(tags.split(SEPARATOR)).filter((tag) -> !tag.isEmpty()).toList()
				: List.of();
	}

	/**
	 * Require that a header holds valid tags.
	 */
	static void requireValid(Map<String, String> headers) {
		add(headers, in(headers));
	}

	/**
	 * Return the value of the header with more tags.
	 */
	static String add(Map<String, String> headers, Collection<String> more) {
		Set<String> tags = new TreeSet<>(in(headers));
		more.forEach((tag) -> tags.add(requireValid(tag)));
		if (tags.size() > MOST) {
			throw new IllegalArgumentException("A job has at most %d tags, not %d: %s".formatted(MOST, tags.size(),
					String.join(", ", tags.stream().limit(MOST + 1L).toList())));
		}
		return String.join(SEPARATOR, tags);
	}

	private static String requireValid(@Nullable String tag) {
		if (tag == null) {
			throw new IllegalArgumentException("A tag is null: leave it out, or give it a text");
		}
		if (tag.isEmpty() || tag.length() > LONGEST || !tag.equals(tag.strip()) || tag.contains(SEPARATOR)
				|| tag.chars().anyMatch(Character::isISOControl)) {
			String shown = (tag.length() > LONGEST + 20) ? tag.substring(0, LONGEST + 20) + "…" : tag;
			throw new IllegalArgumentException("The tag '" + shown + "' is not valid: a tag has 1 to " + LONGEST
					+ " characters, no comma, no control character, and no space at its ends");
		}
		return tag;
	}

}
