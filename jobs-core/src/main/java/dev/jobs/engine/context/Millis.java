package dev.jobs.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Instants as stores keep them: in whole milliseconds, and not after {@link #LATEST}.
 */
public final class Millis {

	/** No job is due later; every store can keep this instant. */
	static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private Millis() {
	}

	/**
	 * Return the instant that comes a time after another.
	 * @param instant the other
	 * @param duration the time; less than zero is taken as zero
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	public static Instant later(Instant instant, Duration duration) {
		if (duration.isNegative()) {
			return instant;
		}
		return (duration.compareTo(Duration.between(instant, LATEST)) < 0) ? roundUp(instant.plus(duration)) : LATEST;
	}

	/**
	 * Round an instant up to what stores keep, so that no job is early.
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	public static Instant roundUp(Instant instant) {
		if (!instant.isBefore(LATEST)) {
			return LATEST;
		}
		Instant rounded = instant.truncatedTo(ChronoUnit.MILLIS);
		return rounded.equals(instant) ? instant : rounded.plusMillis(1);
	}

}
