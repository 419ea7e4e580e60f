package dev.jobs.engine.run;

import java.util.ArrayDeque;
import java.util.Deque;

import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * The newest lines that a run has written to its log, within bounds.
 */
final class LogTail {

	private static final int MOST_LINES = 50;

	private static final int MOST_CHARACTERS = 8000;

	private static final int LONGEST_LINE = 500;

	private final Deque<String> lines = new ArrayDeque<>();

	private int characters;

	private boolean news;

	synchronized void add(String line) {
		String clean = ErrorText.clean(line, LONGEST_LINE);
		this.lines.add(clean);
		this.characters += clean.length() + 1;
		this.news = true;
		while (this.lines.size() > MOST_LINES || this.characters > MOST_CHARACTERS) {
			this.characters -= this.lines.remove().length() + 1;
		}
	}

	/**
	 * Return all lines if there are new ones since the last call.
	 * @return the lines, or {@code null} if nothing new
	 */
	synchronized @Nullable String takeNews() {
		boolean changed = this.news;
		this.news = false;
		return changed ? text() : null;
	}

	synchronized String text() {
		return String.join("\n", this.lines);
	}

}
