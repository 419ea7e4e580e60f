package dev.jobs.store.jdbc.row;

import java.util.Map;

import dev.jobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * The numbers in the column {@code state}. Jobs that wait until they are due keep their
 * state after that, until a claim makes them ready.
 */
public final class StateColumn {

	/** Waits for a thing, until its due time at the latest. */
	public static final int WAITING = -2;

	/** Ready, but in a lane, which has no name if only the urgency is not normal. */
	public static final int LANED = -1;

	public static final int SCHEDULED = 0;

	public static final int READY = 1;

	public static final int RUNNING = 2;

	public static final int DEAD = 3;

	public static final int SUCCEEDED = 4;

	public static final int CANCELLED = 5;

	/** By their names in statements, in braces. */
	public static final Map<String, Integer> NUMBERS = Map.of("waiting", WAITING, "laned", LANED, "scheduled",
			SCHEDULED, "ready", READY, "running", RUNNING, "dead", DEAD, "succeeded", SUCCEEDED, "cancelled",
			CANCELLED);

	private StateColumn() {
	}

	/**
	 * Return the state of a job that waits until it is due.
	 */
	public static int waiting(long dueAt, @Nullable String lane, long now) {
		return (dueAt > now) ? SCHEDULED : ready(lane);
	}

	public static int ready(@Nullable String lane) {
		return (lane != null) ? LANED : READY;
	}

	/**
	 * Return the value of the column {@code ahead}, by which the jobs of a lane are
	 * ordered first.
	 * @param keepsLane whether the job keeps the place of its lane
	 */
	public static int ahead(boolean keepsLane) {
		return keepsLane ? -1 : 0;
	}

	public static JobState seen(int state, long dueAt, long now) {
		return switch (state) {
			case WAITING -> (dueAt > now) ? JobState.WAITING : JobState.READY;
			case SCHEDULED -> (dueAt > now) ? JobState.SCHEDULED : JobState.READY;
			case RUNNING -> JobState.RUNNING;
			case DEAD -> JobState.DEAD;
			case SUCCEEDED -> JobState.SUCCEEDED;
			case CANCELLED -> JobState.CANCELLED;
			default -> JobState.READY;
		};
	}

	/**
	 * Return the state of a job that has ended.
	 */
	public static int ended(JobState state) {
		return switch (state) {
			case DEAD -> DEAD;
			case CANCELLED -> CANCELLED;
			default -> SUCCEEDED;
		};
	}

	public static boolean isWaiting(int state) {
		return state < RUNNING;
	}

}
