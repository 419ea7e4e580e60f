package dev.jobs.store.view;

import java.time.Instant;

import dev.jobs.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what operators have set for a queue.
 *
 * @param version grows with each change; 0 if none
 * @param paused that the queue is paused, or {@code null} if it is not
 * @param limit its running limit, 0 for none, or {@code null} to use the limits of the
 * workers
 * @param weight its weight, or {@code null} to use the priority of the handler
 * @param attempts how many attempts its jobs have, or {@code null} to use the retry
 * policy of the handler
 * @param rate how many may start in a window, or {@code null} to use the rate of the
 * handler
 * @param rateOfLanes how many of each lane may start in a window, or {@code null} to use
 * the rate of the handler
 */
public record SettingsView(long version, @Nullable Value<Boolean> paused, @Nullable Value<Integer> limit,
		@Nullable Value<Integer> weight, @Nullable Value<Integer> attempts, @Nullable Value<String> rate,
		@Nullable Value<String> rateOfLanes) implements QueueSettings {

	/** The settings of a queue for which nothing was ever set. */
	public static final SettingsView NONE = new SettingsView(0, null, null);

	/**
	 * Create settings from the parts that a store itself applies.
	 * @param version grows with each change
	 * @param paused that the queue is paused, or {@code null} if it is not
	 * @param limit its running limit, or {@code null} to use the limits of the workers
	 */
	public SettingsView(long version, @Nullable Value<Boolean> paused, @Nullable Value<Integer> limit) {
		this(version, paused, limit, null, null, null, null);
	}

	/**
	 * Create settings from stored values.
	 * @param version grows with each change
	 * @param pausedAt when the queue was paused, or {@code null} if it is not
	 * @param pausedBy who paused it; empty if that is not known
	 * @param limit its running limit; negative to use the limits of the workers
	 * @param limitedAt when it was limited
	 * @param limitedBy who limited it; empty if that is not known
	 */
	public static SettingsView of(long version, @Nullable Instant pausedAt, String pausedBy, int limit,
			Instant limitedAt, String limitedBy) {
		return new SettingsView(version, (pausedAt != null) ? value(true, pausedAt, pausedBy) : null,
				(limit >= 0) ? value(limit, limitedAt, limitedBy) : null);
	}

	private static <T> Value<T> value(T value, Instant at, String by) {
		return new Value<>(value, at, by.isEmpty() ? null : by);
	}

	/**
	 * Something that was set.
	 *
	 * @param <T> the type of the value
	 * @param value the value
	 * @param at when it was set
	 * @param by who set it, or {@code null} if that is not known
	 * @param configured the value that is overridden, or {@code null} if it is not known
	 */
	public record Value<T>(T value, Instant at, @Nullable String by, @Nullable T configured) implements Setting<T> {

		/**
		 * Create a value that overrides an unknown one.
		 * @param value the value
		 * @param at when it was set
		 * @param by who set it, or {@code null} if that is not known
		 */
		public Value(T value, Instant at, @Nullable String by) {
			this(value, at, by, null);
		}

		/**
		 * Return a value with the one that it overrides.
		 * @param <T> the type of the value
		 * @param set the value, or {@code null} if none was set
		 * @param configured the value that is overridden, or {@code null} if it is not
		 * known
		 * @return the value, or {@code null} if none was set
		 */
		public static <T> @Nullable Value<T> over(@Nullable Value<T> set, @Nullable T configured) {
			return (set != null) ? new Value<>(set.value(), set.at(), set.by(), configured) : null;
		}

	}

}
