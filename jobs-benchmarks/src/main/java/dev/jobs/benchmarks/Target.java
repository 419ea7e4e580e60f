package dev.jobs.benchmarks;

import java.util.Set;

import dev.jobs.store.memory.InMemoryJobStore;

/**
 * A kind of store to measure: the engine on it, and its floor.
 *
 * @param jobs the engine on such a store
 * @param floor the least that could do the same
 */
record Target(Subject jobs, Subject floor) {

	private static final Set<String> PLANNED = Set.of("redis", "postgres");

	/**
	 * Make the target that the options name.
	 * @param options the options
	 * @return the target
	 * @throws UsageException if there is none
	 */
	static Target of(Options options) {
		if (options.store().equals("memory")) {
			if (options.url() != null) {
				throw new UsageException("--url says nothing to the store 'memory'");
			}
			return new Target(new EngineSubject(InMemoryJobStore::new), new ExecutorSubject());
		}
		if (PLANNED.contains(options.store())) {
			throw new UsageException("The store '" + options.store() + "' is not available yet");
		}
		throw new UsageException("There is no store '" + options.store() + "'; there are memory, redis and postgres");
	}

}
