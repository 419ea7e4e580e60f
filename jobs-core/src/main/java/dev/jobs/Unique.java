package dev.jobs;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

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
 * A {@link Builder} sets the rule. <pre class="code">{@code
 * Unique unique = Unique.byKey("order-7",
 *     (rule) -> rule.window(Duration.ofHours(1)).onDuplicate(Unique.OnDuplicate.REPLACE));
 * }</pre>
 */
public final class Unique extends Parts {

	/** The rule of a job that is not unique; no other rule equals it. */
	static final Unique NONE = new Unique("", new Builder());

	private final @Nullable String key;

	private final Builder values;

	private Unique(@Nullable String key, Builder values) {
		super("Unique[key=%s, mode=%s, scope=%s, window=%s, onDuplicate=%s]");
		this.key = key;
		this.values = values;
	}

	/**
	 * Make jobs with the same name and equal payload unique, whatever the order of its
	 * fields.
	 */
	public static Unique byPayload() {
		return new Unique(null, new Builder());
	}

	/**
	 * Make jobs with the same name and equal payload unique, by a rule that is set.
	 */
	public static Unique byPayload(Consumer<? super Builder> rule) {
		return byPayload().with(rule);
	}

	/**
	 * Make jobs with the same name and key unique.
	 */
	public static Unique byKey(String key) {
		if (key.isEmpty()) {
			throw new IllegalArgumentException("'key' must not be empty; use byPayload() for the whole payload");
		}
		return new Unique(key, new Builder());
	}

	/**
	 * Make jobs with the same name and key unique, by a rule that is set.
	 */
	public static Unique byKey(String key, Consumer<? super Builder> rule) {
		return byKey(key).with(rule);
	}

	/**
	 * Return a copy with changes.
	 */
	public Unique with(Consumer<? super Builder> rule) {
		return new Unique(this.key, Values.changed(this.values, rule));
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
		return this.values.mode;
	}

	/**
	 * Return among which jobs the key is unique.
	 */
	public Scope getScope() {
		return this.values.scope;
	}

	/**
	 * Return for how long after its enqueue the owner may hold the key.
	 * @return the time, or {@code null} for no bound
	 */
	public @Nullable Duration getWindow() {
		return this.values.window;
	}

	/**
	 * Return what a second enqueue does.
	 */
	public OnDuplicate getOnDuplicate() {
		return this.values.onDuplicate;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.key, this.values.mode, this.values.scope, this.values.window,
				this.values.onDuplicate);
	}

	/**
	 * Sets a rule. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private Mode mode = Mode.UNTIL_DONE;

		private Scope scope = Scope.HANDLER;

		private @Nullable Duration window;

		private OnDuplicate onDuplicate = OnDuplicate.KEEP;

		private Builder() {
		}

		/**
		 * Hold the key until a worker starts the owner, so that an equal job may wait
		 * while it runs.
		 */
		public Builder untilStarted() {
			return mode(Mode.UNTIL_STARTED);
		}

		/**
		 * Hold the key until the owner has succeeded, died or been removed.
		 */
		public Builder untilDone() {
			return mode(Mode.UNTIL_DONE);
		}

		/**
		 * Hold the key until the owner has succeeded or been removed, also while it is
		 * dead.
		 */
		public Builder untilRemoved() {
			return mode(Mode.UNTIL_REMOVED);
		}

		/**
		 * Set how long the owner holds the key.
		 */
		public Builder mode(Mode mode) {
			this.mode = Objects.requireNonNull(mode, "'mode' must not be null");
			return this;
		}

		/**
		 * Make the key unique among all jobs of the namespace, whatever their name.
		 */
		public Builder acrossHandlers() {
			return scope(Scope.NAMESPACE);
		}

		/**
		 * Set among which jobs the key is unique.
		 */
		public Builder scope(Scope scope) {
			this.scope = Objects.requireNonNull(scope, "'scope' must not be null");
			return this;
		}

		/**
		 * Limit the key to a time after the owner's enqueue.
		 * @param window the time, or {@code null} for no bound
		 */
		public Builder window(@Nullable Duration window) {
			if (window != null && (window.isNegative() || window.isZero())) {
				throw new IllegalArgumentException("'window' must be positive but was " + window);
			}
			this.window = window;
			return this;
		}

		/**
		 * Set what a second enqueue does.
		 */
		public Builder onDuplicate(OnDuplicate onDuplicate) {
			this.onDuplicate = Objects.requireNonNull(onDuplicate, "'onDuplicate' must not be null");
			return this;
		}

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
		REPLACE_AND_RESCHEDULE,

		/**
		 * As {@link #REPLACE_AND_RESCHEDULE}, but the owner is not put off beyond the end
		 * of its {@linkplain Builder#window window}.
		 */
		DEBOUNCE

	}

}
