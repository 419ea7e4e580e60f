package dev.jobs;

import java.util.Map;

/**
 * Describes a store. <pre class="code">{@code
 * List<String> faults = operations.store()
 *     .faults()
 *     .stream()
 *     .filter(StoreStatus.Fault::stopsWork)
 *     .map(StoreStatus.Fault::text)
 *     .toList();
 * }</pre>
 */
public interface StoreStatus {

	/**
	 * Return where it keeps jobs.
	 * @return the kind, such as {@code redis}
	 */
	String kind();

	/**
	 * Return what is guaranteed once an enqueue returns.
	 * @return a few words
	 */
	String durability();

	/**
	 * Return how often this process has repaired each kind of inconsistency.
	 */
	Map<String, Long> repairs();

	/**
	 * Something in a store that an operator must correct.
	 */
	interface Fault {

		/**
		 * Return whether jobs wait for it.
		 * @return {@code true} if work stops
		 */
		boolean stopsWork();

		/**
		 * Return what it is, where, and what to do.
		 */
		String text();

	}

}
