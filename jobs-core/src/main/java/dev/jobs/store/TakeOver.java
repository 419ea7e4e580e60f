package dev.jobs.store;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A worker's request to take jobs over.
 *
 * @param worker the worker that asks
 * @param queues the queues it serves; jobs of others stay where they are
 * @param strays tokens of its own, each with the ids of the jobs that it holds under it.
 * These stay; all others under these tokens are wanted. If empty, the jobs of vanished
 * workers are wanted
 * @param limit how many jobs to take at most
 * @param now the current time
 * @param serverTime whether {@code now} is the time of the store's server, as the worker
 * knows it
 */
public record TakeOver(String worker, Set<String> queues, Map<Long, Set<String>> strays, int limit, Instant now,
		boolean serverTime) {

	/**
	 * Create a request with a time that is not a server's.
	 * @param worker the worker that asks
	 * @param queues the queues it serves
	 * @param strays tokens of its own
	 * @param limit how many jobs to take at most
	 * @param now the current time
	 */
	public TakeOver(String worker, Set<String> queues, Map<Long, Set<String>> strays, int limit, Instant now) {
		this(worker, queues, strays, limit, now, false);
	}

	/**
	 * Return the ids of the jobs that stay.
	 */
	public Set<String> staying() {
		return this.strays.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
	}

}
