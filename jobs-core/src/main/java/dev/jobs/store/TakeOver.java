package dev.jobs.store;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whose jobs a worker wants to take over.
 *
 * @param worker the worker that asks
 * @param queues the queues it serves; jobs of others stay where they are
 * @param strays tokens of its own, each with the ids of the jobs that it holds under it.
 * These stay; all others under these tokens are wanted. If empty, the jobs of vanished
 * workers are
 * @param limit how many jobs to take at most
 * @param now the current time
 */
public record TakeOver(String worker, Set<String> queues, Map<Long, Set<String>> strays, int limit, Instant now) {

	/**
	 * Return the ids of the jobs that stay.
	 * @return the ids
	 */
	public Set<String> staying() {
		return this.strays.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
	}

}
