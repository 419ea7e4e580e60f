package dev.jobs.engine.settings;

import java.util.Set;

/**
 * A pool of worker threads.
 *
 * @param name its name
 * @param concurrency how many jobs it runs at once, from 1 to 100000
 * @param handlers the names of the handlers it serves; the default pool serves those that
 * no other pool names
 */
public record PoolOptions(String name, int concurrency, Set<String> handlers) {

	/** The name of the pool that serves every handler that no other pool names. */
	public static final String DEFAULT_NAME = "default";

	public PoolOptions {
		if (concurrency < 1 || concurrency > 100_000) {
			throw new IllegalArgumentException(
					"'concurrency' of pool '%s' must be from 1 to 100000 but was %d".formatted(name, concurrency));
		}
		handlers = Set.copyOf(handlers);
		if (!name.equals(DEFAULT_NAME) && handlers.isEmpty()) {
			throw new IllegalArgumentException("Pool '" + name + "' names no handlers and would never run a job");
		}
	}

	/**
	 * Return the default pool.
	 * @param concurrency how many jobs it runs at once
	 */
	public static PoolOptions ofDefault(int concurrency) {
		return new PoolOptions(DEFAULT_NAME, concurrency, Set.of());
	}

}
