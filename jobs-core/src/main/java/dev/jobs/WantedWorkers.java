package dev.jobs;

import java.util.Map;

/**
 * How many workers a pool needs so that no job waits longer than a target, as far as more
 * workers help: jobs that a pause, a limit or a rate keeps from running want none.
 * <pre class="code">{@code
 * int workers = operations.wantedWorkers((pool) -> Duration.ofSeconds(30))
 *     .stream()
 *     .mapToInt(WantedWorkers::workers)
 *     .max()
 *     .orElse(1);
 * }</pre>
 */
public interface WantedWorkers {

	/**
	 * Return the name of the pool.
	 */
	String pool();

	/**
	 * Return how many workers are wanted.
	 */
	int workers();

	/**
	 * Return how many jobs these should run at once, all together.
	 */
	int slots();

	/**
	 * Return how many of the slots each queue of the pool needs.
	 */
	Map<String, Integer> queues();

}
