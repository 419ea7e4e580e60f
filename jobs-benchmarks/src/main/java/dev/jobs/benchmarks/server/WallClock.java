package dev.jobs.benchmarks.server;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * The machine's clock, the same for all its processes.
 */
final class WallClock {

	private static final InstantSource CLOCK = InstantSource.system();

	private WallClock() {
	}

	/**
	 * Return now in nanoseconds since 1970, as finely as the machine measures it.
	 */
	static long nanos() {
		Instant now = CLOCK.instant();
		return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
	}

}
