package dev.jobs.audit;

import java.util.regex.Pattern;

/**
 * Makes texts from anywhere safe for the log.
 */
public final class LogText {

	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private static final Pattern BARE = Pattern.compile("[A-Za-z0-9._:/@#+-]+");

	private LogText() {
	}

	/**
	 * Return a text that cannot end or forge a line of the log.
	 * @param text the text, from anywhere
	 * @return the text in one line
	 */
	public static String plain(String text) {
		return UNPRINTABLE.matcher(text).replaceAll("?");
	}

	/**
	 * Return a text that cannot be mistaken for several, or for another part of a line.
	 * @param text the text, from anywhere
	 * @return the text, in quotes unless it is clear without them
	 */
	public static String quoted(String text) {
		return BARE.matcher(text).matches() ? text
				: '"' + plain(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
