package dev.jobs;

import dev.jobs.QueueSettings.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The settings that operators gave a lane, each with who set it and when. Where they have
 * set nothing, the options of the handler apply.
 */
public interface LaneSettings {

	/**
	 * Return the pause of the lane.
	 * @return the setting, or {@code null} if it is not paused
	 */
	@Nullable Setting<Boolean> paused();

	/**
	 * Return how many of its jobs may run at once.
	 * @return the setting, or {@code null} to use the limits of the workers
	 */
	@Nullable Setting<Integer> limit();

	/**
	 * Return its weight among the lanes of its queue.
	 * @return the setting, or {@code null} to use the weight of the handler
	 */
	@Nullable Setting<Integer> weight();

}
