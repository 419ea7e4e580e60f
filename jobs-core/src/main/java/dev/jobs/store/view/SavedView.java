package dev.jobs.store.view;

import java.time.Instant;

import dev.jobs.SavedStep;

/**
 * A value that a job has saved.
 *
 * @param name its name
 * @param value the value
 * @param savedAt when it was saved last
 */
public record SavedView(String name, byte[] value, Instant savedAt) implements SavedStep {

}
