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

	/** No job is due later; every store can keep this instant. */
	static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private static final Duration CENTURY = Duration.ofDays(36_500);

	private final InstantSource source;

	private final boolean correctable;

	private volatile Duration offset = Duration.ZERO;

	/**
	 * Create a clock.
	 * @param source the application's time; only that of the machine is corrected, any
	 * other was chosen
	 */
	StoreClock(InstantSource source) {
		this(source, source == SYSTEM);
	}

	StoreClock(InstantSource source, boolean correctable) {
		this.source = source;
		this.correctable = correctable;
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
	 * Return the instant that comes a time after the present.
	 * @param duration the time
	 * @return the instant, {@link #LATEST} at the latest
	 */
	Instant after(Duration duration) {
		return later(now(), duration);
	}

	/**
	 * Return what {@link #nanos()} will be after a time.
	 * @param duration the time
	 * @return the number, in a century at the latest
	 */
	long nanosAfter(Duration duration) {
		return nanos() + ((duration.compareTo(CENTURY) < 0) ? duration : CENTURY).toNanos();
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
		if (serverTime == null || !this.correctable) {
			return;
		}
		long roundTrip = nanos() - sentNanos;
		Duration seen = Duration.between(this.source.instant(), serverTime.plusNanos(roundTrip / 2));
		if (seen.minus(this.offset).abs().toNanos() > roundTrip / 2) {
			this.offset = seen;
		}
	}

	/**
	 * Return the instant that comes a time after another.
	 * @param instant the other
	 * @param duration the time; less than zero is taken as zero
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	static Instant later(Instant instant, Duration duration) {
		if (duration.isNegative()) {
			return instant;
		}
		return (duration.compareTo(Duration.between(instant, LATEST)) < 0) ? roundUp(instant.plus(duration)) : LATEST;
	}

	/**
	 * Round an instant up to what stores keep, so that no job is early.
	 * @param instant the instant
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	static Instant roundUp(Instant instant) {
		if (!instant.isBefore(LATEST)) {
			return LATEST;
		}
		Instant rounded = instant.truncatedTo(ChronoUnit.MILLIS);
		return rounded.equals(instant) ? instant : rounded.plusMillis(1);
	}

}
