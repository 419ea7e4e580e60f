package dev.jobs.store;

import java.time.Instant;

import dev.jobs.Enqueued;
import org.jspecify.annotations.Nullable;

/**
 * What claiming a tick did.
 *
 * @param enqueued what enqueueing the tick's job did, or {@code null} if the tick was not
 * claimed
 * @param latest the latest tick claimed for the schedule, this one included
 */
public record TickReply(@Nullable Enqueued enqueued, Instant latest) {

}
