package dev.jobs.engine;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.jspecify.annotations.Nullable;

/**
 * Makes text of errors that is fit to be stored and shown: bounded, and in its message
 * without control characters. It survives exceptions that cannot tell what they are.
 */
final class ErrorText {

	private static final int LONGEST_MESSAGE = 1000;

	private static final int LONGEST_STACK = 8000;

	private ErrorText() {
	}

	/**
	 * Describe an exception in one line.
	 * @param cause the exception
	 * @return its type and message
	 */
	static String of(Throwable cause) {
		String type = cause.getClass().getName();
		try {
			String message = cause.getMessage();
			return clean((message != null) ? type + ": " + message : type);
		}
		catch (Throwable ex) {
			return type + " (its message cannot be read)";
		}
	}

	/**
	 * Clean a text.
	 * @param text the text
	 * @return the text, bounded, in one line
	 */
	static String clean(String text) {
		return clean(text, LONGEST_MESSAGE);
	}

	/**
	 * Clean a text.
	 * @param text the text
	 * @param longest how many characters are left of it
	 * @return the text, bounded, in one line
	 */
	static String clean(String text, int longest) {
		StringBuilder clean = new StringBuilder(Math.min(text.length(), longest));
		text.codePoints().limit(longest).forEach((c) -> clean.appendCodePoint(isPlain(c) ? c : ' '));
		return (text.length() > longest) ? clean.append('…').toString() : clean.toString();
	}

	private static boolean isPlain(int codePoint) {
		return !Character.isISOControl(codePoint) && Character.getType(codePoint) != Character.SURROGATE;
	}

	/**
	 * Return the stack of an exception.
	 * @param cause the exception
	 * @return its stack, bounded, or {@code null} if there is none to be had
	 */
	static @Nullable String stackOf(Throwable cause) {
		try {
			StringWriter stack = new StringWriter();
			cause.printStackTrace(new PrintWriter(stack));
			String text = stack.toString();
			return (text.length() > LONGEST_STACK) ? text.substring(0, LONGEST_STACK) + "…" : text;
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * Return an exception that can be logged: the given one or, if that cannot tell what
	 * it is and would make the logging fail, another that stands for it.
	 * @param cause the exception, or {@code null}
	 * @return the exception to log, {@code null} only if there is none
	 */
	static @Nullable Throwable loggable(@Nullable Throwable cause) {
		return (cause == null || stackOf(cause) != null) ? cause : new IllegalStateException(of(cause));
	}

}
