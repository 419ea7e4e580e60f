package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * The only clock of the engine. It gives the application's time, corrected by the store's
 * time where the store has one, so that workers with wrong clocks agree; in whole
 * milliseconds, so that all stores see the same instants.
 */
final class StoreClock {

	/** The time of this machine. */
	static final InstantSource SYSTEM = InstantSource.system();

	private final InstantSource source;

	private volatile Duration offset = Duration.ZERO;

	StoreClock(InstantSource source) {
		this.source = source;
	}

	/**
	 * Return the present.
	 * @return the present, in whole milliseconds
	 */
	Instant now() {
		return exactly().truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * Return how long it is until an instant.
	 * @param instant the instant
	 * @return the time, which is not cut; negative if it has passed
	 */
	Duration until(Instant instant) {
		return Duration.between(exactly(), instant);
	}

	private Instant exactly() {
		Instant instant = this.source.instant();
		Duration offset = this.offset;
		return offset.isZero() ? instant : instant.plus(offset);
	}

	/**
	 * Return a number that grows by one each nanosecond, whatever happens to the clock.
	 * @return the number
	 */
	long nanos() {
		return System.nanoTime();
	}

	/**
	 * Learn from the store's time in a reply.
	 * @param serverTime the store's time, or {@code null} if it has none
	 * @param sentNanos when the call was sent, by {@link #nanos()}
	 */
	void learn(@Nullable Instant serverTime, long sentNanos) {
		if (serverTime == null) {
			return;
		}
		long roundTrip = nanos() - sentNanos;
		Duration seen = Duration.between(this.source.instant(), serverTime.plusNanos(roundTrip / 2));
		if (seen.minus(this.offset).abs().toNanos() > roundTrip / 2) {
			this.offset = seen;
		}
	}

	/**
	 * Round an instant up to what stores keep, so that no job is early.
	 * @param instant the instant
	 * @return the instant in whole milliseconds
	 */
	static Instant roundUp(Instant instant) {
		Instant rounded = instant.truncatedTo(ChronoUnit.MILLIS);
		return rounded.equals(instant) ? instant : rounded.plusMillis(1);
	}

}
