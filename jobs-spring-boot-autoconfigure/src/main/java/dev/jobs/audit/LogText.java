package dev.jobs.audit;

import java.util.regex.Pattern;

/**
 * Texts from anywhere, made fit for the log.
 */
public final class LogText {

	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

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

}
