package dev.jobs.text;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Makes text of errors that can be stored, shown and logged: bounded, and without control
 * characters in its message. It survives exceptions whose own methods throw.
 */
public final class ErrorText {

	private static final int LONGEST_MESSAGE = 1000;

	private static final int LONGEST_STACK = 8000;

	private static final int MOST_LINES = 50;

	private ErrorText() {
	}

	/**
	 * Describe an exception in one line.
	 * @return its type and message
	 */
	public static String of(Throwable cause) {
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
	 * @return the text, bounded, in one line
	 */
	public static String clean(String text) {
		return clean(text, LONGEST_MESSAGE);
	}

	/**
	 * Clean a text.
	 * @param text the text
	 * @param longest how many characters it has at most
	 * @return the text, bounded, in one line
	 */
	public static String clean(String text, int longest) {
		boolean cut = text.length() > longest;
		StringBuilder clean = new StringBuilder(Math.min(text.length(), longest));
		(cut ? text.substring(0, longest - 1) : text).codePoints()
			.forEach((c) -> clean.appendCodePoint(isPlain(c) ? c : ' '));
		return (cut ? clean.append('…') : clean).toString();
	}

	/**
	 * Return whether a character can neither end a line nor change how others are read,
	 * as bidirectional controls do.
	 */
	private static boolean isPlain(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR ->
				false;
			default -> true;
		};
	}

	/**
	 * Return the stack of an exception.
	 * @return its stack, bounded, or {@code null} if it has none
	 */
	public static @Nullable String stackOf(Throwable cause) {
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
	 * Return an exception that can be logged. It is the given one unless its text could
	 * pass for lines of the log or garble them, shows a password, or cannot be read: then
	 * it is a substitute with the same stack and every line of the text indented.
	 * @param cause the exception, or {@code null}
	 * @return the exception to log, {@code null} only if there is none
	 */
	public static @Nullable Throwable loggable(@Nullable Throwable cause) {
		if (cause == null) {
			return null;
		}
		try {
			Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
			collect(cause, all);
			return (stackOf(cause) != null && all.stream().allMatch(ErrorText::isPlain)) ? cause
					: new Cleaned(cause, new IdentityHashMap<>());
		}
		catch (Throwable ex) {
			return new IllegalStateException(of(cause));
		}
	}

	private static void collect(@Nullable Throwable cause, Set<Throwable> all) {
		if (cause != null && all.add(cause)) {
			collect(cause.getCause(), all);
			for (Throwable suppressed : cause.getSuppressed()) {
				collect(suppressed, all);
			}
		}
	}

	private static boolean isPlain(Throwable cause) {
		return !Credentials.areIn(cause.getMessage())
				&& String.valueOf(cause.getMessage()).codePoints().allMatch(ErrorText::isPlain)
				&& String.valueOf(cause).codePoints().allMatch(ErrorText::isPlain);
	}

	/**
	 * Stands for an exception whose text must not be logged as it is.
	 */
	private static final class Cleaned extends RuntimeException {

		Cleaned(Throwable original, Map<Throwable, Throwable> known) {
			super(indented(original));
			known.put(original, this);
			setStackTrace(original.getStackTrace());
			Throwable cause = original.getCause();
			if (cause != null && !known.containsKey(cause)) {
				initCause(new Cleaned(cause, known));
			}
			for (Throwable suppressed : original.getSuppressed()) {
				if (!known.containsKey(suppressed)) {
					addSuppressed(new Cleaned(suppressed, known));
				}
			}
		}

		private static String indented(Throwable original) {
			String type = original.getClass().getName();
			try {
				String message = original.getMessage();
				return (message == null) ? type
						: Credentials.hidden(message)
							.lines()
							.limit(MOST_LINES)
							.map(ErrorText::clean)
							.collect(Collectors.joining(System.lineSeparator() + "\t| ", type + ": ", ""));
			}
			catch (Throwable ex) {
				return type + " (its message cannot be read)";
			}
		}

	}

}
