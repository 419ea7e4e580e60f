package dev.jobs.store;

/**
 * The result of a prune.
 *
 * @param dead dead jobs removed
 * @param history succeeded and cancelled jobs removed
 * @param stranded waiting jobs that died because no worker handles them
 * @param more whether the limit was reached, so that there may be more to do
 */
public record Pruned(int dead, int history, int stranded, boolean more) {

}
