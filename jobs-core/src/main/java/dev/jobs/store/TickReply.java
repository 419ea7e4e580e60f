package dev.jobs.store;

import java.time.Instant;

import dev.jobs.Enqueued;
import org.jspecify.annotations.Nullable;

/**
 * The result of claiming a tick.
 *
 * @param enqueued what enqueueing the tick's job did, or {@code null} if the tick was not
 * claimed
 * @param latest the latest tick claimed for the schedule, this one included, or
 * {@code null} if the tick is {@link #UNDECIDED} or {@link #LOCKED}
 * @param repeated whether the tick had been claimed with this job before, by another
 * process or by a call whose reply got lost
 */
public record TickReply(@Nullable Enqueued enqueued, @Nullable Instant latest, boolean repeated) {

	/**
	 * The reply to a tick if it is unknown whether it was claimed, since the part of the
	 * store that keeps its schedule fails.
	 */
	public static final TickReply UNDECIDED = new TickReply(null, null, false);

	/**
	 * The reply to a tick that was not claimed, since another worker or a transaction
	 * changes its schedule just now. It is to be offered again in a moment.
	 */
	public static final TickReply LOCKED = new TickReply(null, null, true);

	/**
	 * Create a reply to a tick that was not offered before.
	 * @param enqueued what enqueueing the tick's job did, or {@code null}
	 * @param latest the latest tick claimed for the schedule
	 */
	public TickReply(@Nullable Enqueued enqueued, Instant latest) {
		this(enqueued, latest, false);
	}

}
