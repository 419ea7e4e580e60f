package dev.jobs;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The settings that operators gave a queue, each with who set it and when. Where they
 * have set nothing, the settings of the workers apply.
 */
public interface QueueSettings {

	/**
	 * Return a number that grows with each change of the pause or the limit; 0 if there
	 * was none.
	 */
	long version();

	/**
	 * Return the pause of the queue.
	 * @return the setting, or {@code null} if it is not paused
	 */
	@Nullable Setting<Boolean> paused();

	/**
	 * Return how many of its jobs may run at once. 0 means any number; only another
	 * program can have stored it.
	 * @return the setting, or {@code null} to use the limits of the workers
	 */
	@Nullable Setting<Integer> limit();

	/**
	 * Return the weight of its handler among those of a pool.
	 * @return the setting, or {@code null} to use the priority of the handler
	 */
	@Nullable Setting<Integer> weight();

	/**
	 * Return how many attempts its jobs have.
	 * @return the setting, or {@code null} to use the retry policy of the handler
	 */
	@Nullable Setting<Integer> attempts();

	/**
	 * Return how many of its jobs may start in any window.
	 * @return the setting, a text that {@link Rate#parse} reads, or {@code null} to use
	 * the rate of the handler
	 */
	@Nullable Setting<String> rate();

	/**
	 * Return how many jobs of each of its lanes may start in any window.
	 * @return the setting, a text that {@link Rate#parse} reads, or {@code null} to use
	 * the rate of lanes of the handler
	 */
	@Nullable Setting<String> rateOfLanes();

	/**
	 * Something that was set.
	 *
	 * @param <T> the type of the value
	 */
	interface Setting<T> {

		T value();

		/**
		 * Return when it was set.
		 */
		Instant at();

		/**
		 * Return who set it.
		 * @return the name, or {@code null} if it is not known
		 */
		@Nullable String by();

		/**
		 * Return the value that is overridden, as this application has it from its code
		 * and its properties.
		 * @return the value, or {@code null} if this application does not know it
		 */
		@Nullable T configured();

	}

}
