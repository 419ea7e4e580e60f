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
	 * Return the job that must end before another of this ordered lane starts, since it
	 * has begun and waits for its next attempt, or is dead.
	 * @return its id, or {@code null} if there is none
	 */
	@Nullable String heldBy();

	/**
	 * Return until when a handler has held the lane back.
	 * @return the instant, or {@code null} if it is not held back
	 */
	@Nullable Instant heldBackUntil();

	/**
	 * Return when its rate gives the next permit.
	 * @return the instant, or {@code null} if its jobs need to wait for none
	 */
	@Nullable Instant nextPermitAt();

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
	 * Return whether its jobs wait for the end of one that holds the lane, or of a hold.
	 */
	default boolean blocked() {
		return heldBy() != null || heldBackUntil() != null;
	}

	/**
	 * Return whether its jobs wait because as many of them run as may.
	 */
	default boolean full() {
		return limit() > 0 && running().number() >= limit() && waiting().number() > 0;
	}

}
