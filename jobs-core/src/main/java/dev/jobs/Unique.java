package dev.jobs;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A rule that keeps equal jobs from piling up: while one job holds the key, enqueueing
 * another with the same key does what {@link OnDuplicate} says.
 * <p>
 * The key names its owner and counts only while the owner qualifies, so a lost or deleted
 * job never suppresses anything, whatever removed it.
 *
 * @param key the key, or {@code null} to take the whole payload, whatever the order of
 * its fields
 * @param mode how long the owner holds the key
 * @param scope among which jobs the key is unique
 * @param window how long after its enqueue the owner holds the key at most, or
 * {@code null} for no bound
 * @param onDuplicate what a second enqueue does
 */
public record Unique(@Nullable String key, Mode mode, Scope scope, @Nullable Duration window, OnDuplicate onDuplicate) {

	public Unique {
		if (key != null && key.isEmpty()) {
			throw new IllegalArgumentException("'key' must not be empty; leave it out to use the whole payload");
		}
		if (window != null && (window.isNegative() || window.isZero())) {
			throw new IllegalArgumentException("'window' must be positive but was " + window);
		}
	}

	/**
	 * Make jobs with the same name and equal payload unique until one is started.
	 * @return the rule
	 */
	public static Unique byPayload() {
		return new Unique(null, Mode.UNTIL_STARTED, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	/**
	 * Make jobs with the same name and key unique until one is started.
	 * @param key the key
	 * @return the rule
	 */
	public static Unique by(String key) {
		return new Unique(key, Mode.UNTIL_STARTED, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	/**
	 * Hold the key until the owner has succeeded, died or been removed.
	 * @return the changed rule
	 */
	public Unique untilDone() {
		return mode(Mode.UNTIL_DONE);
	}

	/**
	 * Hold the key until the owner has succeeded or been removed, also while it is dead.
	 * @return the changed rule
	 */
	public Unique untilRemoved() {
		return mode(Mode.UNTIL_REMOVED);
	}

	/**
	 * Set how long the owner holds the key.
	 * @param mode the mode
	 * @return the changed rule
	 */
	public Unique mode(Mode mode) {
		return new Unique(this.key, mode, this.scope, this.window, this.onDuplicate);
	}

	/**
	 * Make the key unique among all jobs of the namespace, whatever their name.
	 * @return the changed rule
	 */
	public Unique acrossHandlers() {
		return new Unique(this.key, this.mode, Scope.NAMESPACE, this.window, this.onDuplicate);
	}

	/**
	 * Let the key count only for a time after the owner's enqueue.
	 * @param window the time
	 * @return the changed rule
	 */
	public Unique within(Duration window) {
		return new Unique(this.key, this.mode, this.scope, window, this.onDuplicate);
	}

	/**
	 * Set what a second enqueue does.
	 * @param onDuplicate what to do
	 * @return the changed rule
	 */
	public Unique onDuplicate(OnDuplicate onDuplicate) {
		return new Unique(this.key, this.mode, this.scope, this.window, onDuplicate);
	}

	/**
	 * How long the owner of a key holds it.
	 */
	public enum Mode {

		/** Until a worker starts the owner; a retry does not take the key again. */
		UNTIL_STARTED,

		/** Until the owner has succeeded, died, been cancelled or deleted. */
		UNTIL_DONE,

		/** As {@link #UNTIL_DONE}, but a dead owner holds the key until it is removed. */
		UNTIL_REMOVED

	}

	/**
	 * Among which jobs a key is unique.
	 */
	public enum Scope {

		/** Among the jobs of one name. */
		HANDLER,

		/** Among all jobs of the namespace. */
		NAMESPACE

	}

	/**
	 * What enqueueing a duplicate does. The owner is changed only while it waits.
	 */
	public enum OnDuplicate {

		/** Nothing; the owner stays as it is. */
		KEEP,

		/** The owner gets the new payload and keeps its id and due time. */
		REPLACE,

		/** The owner gets the new payload and the new due time and keeps its id. */
		REPLACE_AND_RESCHEDULE

	}

}
