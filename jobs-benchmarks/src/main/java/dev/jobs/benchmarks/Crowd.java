package dev.jobs.benchmarks;

/**
 * What makes a store's work harder while jobs are drained.
 *
 * @param scheduled how many jobs of the same queues wait for a time that is far away
 * @param snapshot whether another session reads all the while what was there before, so
 * that nothing removed can be forgotten
 */
record Crowd(int scheduled, boolean snapshot) {

	static final Crowd NONE = new Crowd(0, false);

}
