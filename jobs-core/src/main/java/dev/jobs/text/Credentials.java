package dev.jobs.text;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Hides passwords in texts, for stores and their configuration: drivers quote URLs
 * unchanged in their errors.
 */
public final class Credentials {

	private static final Pattern PARAMETER = Pattern
		.compile("(?i)(pass(?:word|wd|phrase)?+|pwd)(\\s*+=\\s*+)[^\\s&;,\"')\\]]++");

	/** The part before a host, where a text or a part of it begins. */
	private static final Pattern BEFORE_HOST = Pattern
		.compile("(?<=^|[\\s/\"'(])([^\\s/:@\"']*+):[^\\s/@\"']++@(?=[\\w\\[.-])");

	private Credentials() {
	}

	/**
	 * Hide the passwords in URLs and in text that looks like their parameters.
	 */
	public static String hidden(String text) {
		return BEFORE_HOST.matcher(PARAMETER.matcher(text).replaceAll("$1$2***")).replaceAll("$1:***@");
	}

	/**
	 * Return whether a text has a password that would be hidden.
	 * @param text the text, or {@code null}
	 */
	public static boolean areIn(@Nullable String text) {
		return text != null && !hidden(text).equals(text);
	}

}
