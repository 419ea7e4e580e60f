package dev.jobs;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A lane of a queue as it was at one moment. <pre class="code">{@code
 * List<String> full = operations.queue("send-invoice")
 *     .busiestLanes(10)
 *     .stream()
 *     .filter(LaneStatus::full)
 *     .map(LaneStatus::name)
 *     .toList();
 * }</pre>
 */
public interface LaneStatus {

	/**
	 * Return its name.
	 */
	String name();

	/**
	 * Return how many of its jobs wait for a worker. Those that are not due yet are not
	 * counted, nor those whose time has just come.
	 */
	JobCount waiting();

	/**
	 * Return how many of its jobs workers hold.
	 */
	JobCount running();

	/**
	 * Return since when its next job has been due.
	 * @return the instant, or {@code null} if none waits
	 */
	@Nullable Instant oldestWaiting();

	/**
	 * Return what operators have set, with who and when.
	 */
	LaneSettings settings();

	/**
	 * Return how many of its jobs may run at once: the operator's limit or, without one,
	 * that of the workers.
	 * @return the limit; 0 for any number
	 */
	int limit();

	/**
	 * Return whether it is paused.
	 * @return {@code true} if none of its jobs is started
	 */
	default boolean paused() {
		return settings().paused() != null;
	}

	/**
	 * Return whether its jobs wait because as many of them run as may.
	 */
	default boolean full() {
		return limit() > 0 && running().number() >= limit() && waiting().number() > 0;
	}

}
