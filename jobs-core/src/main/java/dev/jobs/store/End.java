package dev.jobs.store;

import java.time.Instant;

import dev.jobs.JobState;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * How a job ended, as it is kept for those who ask later.
 *
 * @param state how: succeeded, cancelled or dead
 * @param trail its trail, with its end
 * @param value what its handler returned, or {@code null} if it did not succeed
 * @param until until when it is kept
 */
public record End(JobState state, Trail trail, byte @Nullable [] value, Instant until) {

}
