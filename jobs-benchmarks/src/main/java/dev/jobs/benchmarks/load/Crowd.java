package dev.jobs.benchmarks.load;

/**
 * What makes a store's work harder.
 *
 * @param scheduled how many jobs of the same queues wait for a time that is far away
 * @param passed how many jobs of the same queues have run before
 * @param snapshot whether another session reads all the while what was there before, so
 * that nothing removed can be forgotten
 * @param writer whether another session has written elsewhere and does not commit, so
 * that nothing removed can be forgotten either
 */
public record Crowd(int scheduled, int passed, boolean snapshot, boolean writer) {

	public static final Crowd NONE = new Crowd(0, 0, false, false);

}
