package dev.jobs.cron;

import java.time.Instant;

/**
 * Ticks at the multiples of a period since the epoch, so that every process computes the
 * same ones.
 *
 * @param period the period in milliseconds
 */
record EveryTicks(long period) implements Ticks {

	@Override
	public Instant next(Instant after) {
		long passed = Math.floorDiv(after.toEpochMilli(), this.period);
		return Instant.ofEpochMilli((passed + 1) * this.period);
	}

}
