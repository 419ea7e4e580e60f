package dev.jobs;

import dev.jobs.QueueSettings.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The pools of one name of all live workers, as they were at one moment.
 * <pre class="code">{@code
 * boolean paused = operations.pools().stream().anyMatch((pool) -> pool.settings().paused() != null);
 * }</pre>
 */
public interface PoolStatus {

	/**
	 * Return its name.
	 */
	String name();

	/**
	 * Return how many live workers have it.
	 */
	int workers();

	/**
	 * Return how many jobs these run at once, by their last reports and in total.
	 */
	int concurrency();

	/**
	 * Return how many jobs these ran at their last reports.
	 */
	int busy();

	/**
	 * Return what operators have set, with who and when.
	 */
	Settings settings();

	/**
	 * The settings that operators gave a pool.
	 */
	interface Settings {

		/**
		 * Return the pause of the pool.
		 * @return the setting, or {@code null} if it is not paused
		 */
		@Nullable Setting<Boolean> paused();

		/**
		 * Return how many jobs it runs at once on each worker.
		 * @return the setting, or {@code null} to use the numbers of the workers
		 */
		@Nullable Setting<Integer> concurrency();

	}

}
