package dev.jobs.store;

import java.time.Instant;
import java.util.Set;

/**
 * Gets signals from a store that something may have become possible. Called on the
 * store's threads: it must return at once.
 */
public interface StoreListener {

	/**
	 * A queue may have jobs to claim from an instant on: it got a job while it was empty,
	 * got a job that is due earlier, was resumed, or has room under its running limit
	 * again. The {@linkplain Instant#EPOCH epoch} says that signals of any kind may have
	 * been missed, since the connection for them was just opened.
	 */
	default void ready(String queue, Instant at) {
	}

	/**
	 * A queue that refused a job because it was full may have room.
	 */
	default void room(String queue) {
	}

	/**
	 * A queue was paused or given a running limit, so that not all claimed jobs may
	 * start.
	 */
	default void restricted(String queue) {
	}

	/**
	 * A schedule that was put at run time may have a tick from an instant on.
	 */
	default void ticks(Instant at) {
	}

	/**
	 * A setting for workers was changed.
	 */
	default void settingsChanged() {
	}

	/**
	 * An operator asked to cancel a job that a worker runs.
	 */
	default void cancelled(String worker) {
	}

	/**
	 * Jobs have ended whose {@linkplain Transition#end() end} is kept.
	 */
	default void ended(Set<String> jobs) {
	}

}
