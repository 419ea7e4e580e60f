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
 */
public record SettingsView(long version, @Nullable Value<Boolean> paused,
		@Nullable Value<Integer> limit) implements QueueSettings {

	/** The settings of a queue for which nothing was ever set. */
	public static final SettingsView NONE = new SettingsView(0, null, null);

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
	 */
	public record Value<T>(T value, Instant at, @Nullable String by) implements Setting<T> {

	}

}
