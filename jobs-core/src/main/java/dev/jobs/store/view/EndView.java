package dev.jobs.store.view;

import dev.jobs.JobState;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * How a job has ended, or where it is.
 *
 * @param state its state
 * @param trail its trail
 * @param value what its handler returned, or {@code null} if it has not succeeded or this
 * is not kept
 */
public record EndView(JobState state, Trail trail, byte @Nullable [] value) {

}
