package dev.jobs.serialization;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The parts of payloads that errors show: short words where the payload has names, such
 * as property names and enum constants, and otherwise only the form of a value.
 */
final class Shown {

	private static final int MOST_NAMES = 10;

	private static final int LONGEST_FORM = 30;

	private static final Pattern WORD = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_.$-]{0,39}");

	private Shown() {
	}

	static boolean isWord(String name) {
		return WORD.matcher(name).matches();
	}

	/**
	 * Return a name from the payload.
	 */
	static String name(String name) {
		return isWord(name) ? "'" + name + "'" : "a text of " + name.length() + " characters";
	}

	/**
	 * Return the form of a text, such as 'aaa 99.99' for three letters and a number.
	 */
	static String form(String text) {
		String cut = (text.length() > LONGEST_FORM) ? text.substring(0, LONGEST_FORM) + "..." : text;
		return "like '" + cut.replaceAll("\\p{Lu}", "A").replaceAll("[\\p{L}&&[^A]]", "a").replaceAll("\\p{N}", "9")
				+ "'";
	}

	static String list(List<String> names) {
		return names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
				+ ((names.size() > MOST_NAMES) ? ", ..." : "");
	}

}
