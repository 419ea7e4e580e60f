package dev.jobs.store.redis;

import java.time.Instant;

/**
 * Instants as Redis keeps them: in milliseconds, so far from now at most that a score
 * holds them exactly.
 */
final class Millis {

	private static final long BOUND = 1L << 52;

	private Millis() {
	}

	static String of(Instant instant) {
		long seconds = Math.max(Math.min(instant.getEpochSecond(), BOUND / 1000), -BOUND / 1000);
		return Long.toString(seconds * 1000 + instant.getNano() / 1_000_000);
	}

	/**
	 * Read a score, which somebody else may have set to anything.
	 */
	static Instant instant(String millis) {
		double number = Double.parseDouble(millis.replace("inf", "Infinity"));
		return Instant.ofEpochMilli((long) Math.max(Math.min(number, BOUND), -BOUND));
	}

}
