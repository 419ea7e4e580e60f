package dev.jobs.engine.settings;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A pool with its current settings. Callers look up here each time how many jobs it runs
 * at once.
 */
public final class Pool {

	private final Set<String> queues;

	private volatile PoolOptions options;

	private volatile @Nullable Integer set;

	private volatile boolean paused;

	/**
	 * Create a pool.
	 * @param options its settings at the start
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

	/**
	 * Return how many jobs it runs at once.
	 * @return the number; 0 if it starts no jobs
	 */
	public int concurrency() {
		Integer set = this.set;
		return this.paused ? 0 : (set != null) ? set : own();
	}

	/**
	 * Return how many jobs it runs at once without the settings of operators.
	 */
	public int own() {
		return this.options.concurrency();
	}

	/**
	 * Apply the operators' settings.
	 * @param set how many jobs it runs at once, or {@code null} to use its own number
	 * @param paused whether it starts no jobs
	 * @return whether this changes the number
	 */
	public boolean override(@Nullable Integer set, boolean paused) {
		int before = concurrency();
		this.set = set;
		this.paused = paused;
		return concurrency() != before;
	}

	public void setConcurrency(int concurrency) {
		this.options = new PoolOptions(name(), concurrency, this.options.handlers());
	}

}
