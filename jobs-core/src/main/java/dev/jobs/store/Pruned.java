package dev.jobs.store;

import java.time.Duration;
import java.util.List;

/**
 * The result of a prune.
 *
 * @param dead dead jobs removed
 * @param history succeeded and cancelled jobs removed
 * @param stranded waiting jobs that died because no worker handles them
 * @param more whether the limit was reached, so that there may be more to do
 * @param expired jobs that expired before they were started
 */
public record Pruned(int dead, int history, int stranded, boolean more, List<Expired> expired) {

	/** Why a job is dead that expired while it waited. */
	public static final String EXPIRED = "It was not started in time";

	/** When a prune looks again at a running job that may expire if it comes back. */
	public static final Duration UNTIL_NEXT_LOOK = Duration.ofMinutes(1);

	/**
	 * Say what was removed if no job had expired.
	 */
	public Pruned(int dead, int history, int stranded, boolean more) {
		this(dead, history, stranded, more, List.of());
	}

	/**
	 * A job that expired.
	 *
	 * @param id its id
	 * @param queue its queue
	 * @param kept whether it is kept among the dead jobs
	 */
	public record Expired(String id, String queue, boolean kept) {

	}

}
