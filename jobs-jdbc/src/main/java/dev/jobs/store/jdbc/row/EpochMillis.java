package dev.jobs.store.jdbc.row;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Instants as the tables keep them: in milliseconds since 1970. A more distant instant
 * becomes the farthest that can be kept.
 */
public final class EpochMillis {

	private static final long BOUND = 1L << 52;

	private EpochMillis() {
	}

	public static long of(Instant instant) {
		long seconds = Math.max(Math.min(instant.getEpochSecond(), BOUND / 1000), -BOUND / 1000);
		return seconds * 1000 + instant.getNano() / 1_000_000;
	}

	public static @Nullable Long ofOptional(@Nullable Instant instant) {
		return (instant != null) ? of(instant) : null;
	}

	public static Instant instant(long millis) {
		return Instant.ofEpochMilli(Math.max(Math.min(millis, BOUND), -BOUND));
	}

	/**
	 * Return whether a time was read that this class could have written.
	 */
	static boolean isStorable(@Nullable Instant time) {
		return time != null && instant(of(time)).getEpochSecond() == time.getEpochSecond();
	}

}
