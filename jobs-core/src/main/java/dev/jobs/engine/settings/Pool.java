package dev.jobs.engine.settings;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A pool as it is set now. Whoever needs to know how many jobs it runs at once asks here
 * each time.
 */
public final class Pool {

	private final Set<String> queues;

	private volatile PoolOptions options;

	/**
	 * Create a pool.
	 * @param options how it is set to begin with
	 * @param queues the queues it serves
	 */
	public Pool(PoolOptions options, Set<String> queues) {
		this.options = options;
		this.queues = Collections.unmodifiableSet(new LinkedHashSet<>(queues));
	}

	public String name() {
		return this.options.name();
	}

	public Set<String> queues() {
		return this.queues;
	}

	public int concurrency() {
		return this.options.concurrency();
	}

	public void setConcurrency(int concurrency) {
		this.options = new PoolOptions(name(), concurrency, this.options.handlers());
	}

}
