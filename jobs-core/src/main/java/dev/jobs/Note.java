package dev.jobs;

import java.time.Instant;

/**
 * A line about an action, such as a pause by an operator, or about the first worker of a
 * new version. <pre class="code">{@code
 * for (Note note : operations.store().notes()) {
 *     lines.add(note.at() + " " + note.text());
 * }
 * }</pre>
 */
public interface Note {

	/** How many are kept. */
	int KEPT = 1_000;

	/** The longest text of a note, in characters. */
	int LONGEST = 1_000;

	/**
	 * Create a note.
	 * @param at when it was taken
	 * @param text its text, one line
	 */
	static Note of(Instant at, String text) {
		record KeptNote(Instant at, String text) implements Note {

		}
		return new KeptNote(at, text);
	}

	/**
	 * Return when it was taken.
	 */
	Instant at();

	/**
	 * Return its text, one line.
	 */
	String text();

}
