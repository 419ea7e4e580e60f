package dev.jobs.store;

import java.time.Instant;
import java.util.Set;

/**
 * Whose jobs a worker wants to take over.
 *
 * @param worker the worker that asks
 * @param queues the queues it serves; jobs of others stay where they are
 * @param ownTokens tokens of its own whose claims never reached it; if empty, the jobs of
 * vanished workers are wanted
 * @param limit how many jobs to take at most
 * @param now the current time
 */
public record TakeOver(String worker, Set<String> queues, Set<Long> ownTokens, int limit, Instant now) {

}
