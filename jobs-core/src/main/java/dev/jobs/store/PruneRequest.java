package dev.jobs.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of a prune.
 *
 * @param deadBefore dead jobs that died strictly before this go; {@code null} for none
 * @param deadKept how many dead jobs of each queue stay, the newest; 0 for no bound
 * @param historyBefore succeeded and cancelled jobs that ended strictly before this go;
 * {@code null} for none
 * @param historyKept how many succeeded and cancelled jobs of each queue stay, the
 * newest; 0 for no bound
 * @param strandedBefore waiting jobs that became due strictly before this, in queues that
 * no live worker serves, die as jobs without a handler; {@code null} for none. A store
 * may look at the ready ones in their order and stop at the first that is not old enough
 * @param schedulesBefore schedules that were last registered and fired strictly before
 * this are forgotten; {@code null} for none
 * @param limit how many jobs to touch at most
 * @param now the current time
 */
public record PruneRequest(@Nullable Instant deadBefore, int deadKept, @Nullable Instant historyBefore, int historyKept,
		@Nullable Instant strandedBefore, @Nullable Instant schedulesBefore, int limit, Instant now) {

}
