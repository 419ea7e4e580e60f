package dev.jobs;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A rule that keeps equal jobs from piling up: while one job holds the key,
 * {@link OnDuplicate} decides what an enqueue with the same key does.
 * <p>
 * The key names its owner and counts only while the owner qualifies, so a lost or deleted
 * job never suppresses anything, whatever removed it. By default the key is held
 * {@linkplain Mode#UNTIL_DONE until the owner is done}, so two jobs with the same key
 * never run at once.
 * <p>
 * A rule is set by a chain that begins with {@link #byKey(String)} or
 * {@link #byPayload()}. Each call returns a copy that keeps what was set before.
 * <pre class="code">{@code
 * Unique unique = Unique.byKey("order-7").window(Duration.ofHours(1)).onDuplicate(Unique.OnDuplicate.REPLACE);
 * }</pre>
 */
public final class Unique extends Parts {

	private final @Nullable String key;

	private final Mode mode;

	private final Scope scope;

	private final @Nullable Duration window;

	private final OnDuplicate onDuplicate;

	private Unique(@Nullable String key, Mode mode, Scope scope, @Nullable Duration window, OnDuplicate onDuplicate) {
		super("Unique[key=%s, mode=%s, scope=%s, window=%s, onDuplicate=%s]");
		this.key = key;
		this.mode = mode;
		this.scope = scope;
		this.window = window;
		this.onDuplicate = onDuplicate;
	}

	/**
	 * Make jobs with the same name and equal payload unique, whatever the order of its
	 * fields.
	 */
	public static Unique byPayload() {
		return new Unique(null, Mode.UNTIL_DONE, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	/**
	 * Make jobs with the same name and key unique.
	 */
	public static Unique byKey(String key) {
		if (key.isEmpty()) {
			throw new IllegalArgumentException("'key' must not be empty; use byPayload() for the whole payload");
		}
		return new Unique(key, Mode.UNTIL_DONE, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	/**
	 * Hold the key until a worker starts the owner, so that an equal job may wait while
	 * it runs.
	 * @return the changed rule
	 */
	public Unique untilStarted() {
		return mode(Mode.UNTIL_STARTED);
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
	 * @return the changed rule
	 */
	public Unique mode(Mode mode) {
		return new Unique(this.key, Objects.requireNonNull(mode, "'mode' must not be null"), this.scope, this.window,
				this.onDuplicate);
	}

	/**
	 * Make the key unique among all jobs of the namespace, whatever their name.
	 * @return the changed rule
	 */
	public Unique acrossHandlers() {
		return scope(Scope.NAMESPACE);
	}

	/**
	 * Set among which jobs the key is unique.
	 * @return the changed rule
	 */
	public Unique scope(Scope scope) {
		return new Unique(this.key, this.mode, Objects.requireNonNull(scope, "'scope' must not be null"), this.window,
				this.onDuplicate);
	}

	/**
	 * Limit the key to a time after the owner's enqueue.
	 * @param window the time, or {@code null} for no bound
	 * @return the changed rule
	 */
	public Unique window(@Nullable Duration window) {
		if (window != null && (window.isNegative() || window.isZero())) {
			throw new IllegalArgumentException("'window' must be positive but was " + window);
		}
		return new Unique(this.key, this.mode, this.scope, window, this.onDuplicate);
	}

	/**
	 * Set what a second enqueue does.
	 * @return the changed rule
	 */
	public Unique onDuplicate(OnDuplicate onDuplicate) {
		return new Unique(this.key, this.mode, this.scope, this.window,
				Objects.requireNonNull(onDuplicate, "'onDuplicate' must not be null"));
	}

	/**
	 * Return the key.
	 * @return the key, or {@code null} if it is the whole payload
	 */
	public @Nullable String getKey() {
		return this.key;
	}

	/**
	 * Return how long the owner holds the key.
	 */
	public Mode getMode() {
		return this.mode;
	}

	/**
	 * Return among which jobs the key is unique.
	 */
	public Scope getScope() {
		return this.scope;
	}

	/**
	 * Return for how long after its enqueue the owner may hold the key.
	 * @return the time, or {@code null} for no bound
	 */
	public @Nullable Duration getWindow() {
		return this.window;
	}

	/**
	 * Return what a second enqueue does.
	 */
	public OnDuplicate getOnDuplicate() {
		return this.onDuplicate;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.key, this.mode, this.scope, this.window, this.onDuplicate);
	}

	/**
	 * How long the owner of a key holds it. More may be added, so a {@code switch} needs
	 * a {@code default}.
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
	 * Among which jobs a key is unique. More may be added, so a {@code switch} needs a
	 * {@code default}.
	 */
	public enum Scope {

		/** Among the jobs of one name. */
		HANDLER,

		/** Among all jobs of the namespace. */
		NAMESPACE

	}

	/**
	 * The effect of enqueueing a duplicate. The owner is changed only while it waits.
	 * More may be added, so a {@code switch} needs a {@code default}.
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
