package dev.jobs;

import java.time.Instant;

/**
 * Something that a job has saved: the value of a step, the position of a cursor, or the
 * end of a sleep.
 */
public interface SavedStep {

	/**
	 * Return the name in the handler.
	 */
	String name();

	/**
	 * Return the value as it is stored, as JSON by default.
	 * @return the bytes; empty for no value
	 */
	byte[] value();

	/**
	 * Return when it was saved last.
	 */
	Instant savedAt();

}
