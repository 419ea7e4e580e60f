package dev.jobs.store.jdbc;

import dev.jobs.JobState;

/**
 * The numbers in the column {@code state}. Scheduled jobs that are due stay scheduled
 * until a claim makes them ready.
 */
final class StateColumn {

	static final int SCHEDULED = 0;

	static final int READY = 1;

	static final int RUNNING = 2;

	static final int DEAD = 3;

	static final int SUCCEEDED = 4;

	static final int CANCELLED = 5;

	private StateColumn() {
	}

	static JobState seen(int state, long dueAt, long now) {
		return switch (state) {
			case SCHEDULED -> (dueAt > now) ? JobState.SCHEDULED : JobState.READY;
			case RUNNING -> JobState.RUNNING;
			case DEAD -> JobState.DEAD;
			case SUCCEEDED -> JobState.SUCCEEDED;
			case CANCELLED -> JobState.CANCELLED;
			default -> JobState.READY;
		};
	}

	static boolean isWaiting(int state) {
		return state == SCHEDULED || state == READY;
	}

}
