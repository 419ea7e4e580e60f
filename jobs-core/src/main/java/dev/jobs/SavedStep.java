package dev.jobs;

import java.time.Instant;

/**
 * Something that a job has saved: the value of a step, the position of a cursor, or the
 * end of a sleep.
 *
 * @param name the name in the handler
 * @param value the value as it is stored, as JSON by default; empty for no value
 * @param savedAt when it was saved last
 */
public record SavedStep(String name, byte[] value, Instant savedAt) {

}
