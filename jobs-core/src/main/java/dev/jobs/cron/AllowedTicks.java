package dev.jobs.cron;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

import dev.jobs.JobCalendar;
import org.jspecify.annotations.Nullable;

/**
 * The ticks on days that a calendar allows.
 *
 * @param ticks all ticks
 * @param zone where the days begin
 * @param calendar the calendar
 */
record AllowedTicks(Ticks ticks, ZoneId zone, JobCalendar calendar) implements Ticks {

	/** How many days with ticks are tried, one after the other. */
	private static final int MOST_DAYS = 3660;

	@Override
	public @Nullable Instant next(Instant after) {
		Instant tick = this.ticks.next(after);
		for (int days = 0; tick != null && days < MOST_DAYS; days++) {
			LocalDate day = LocalDate.ofInstant(tick, this.zone);
			if (this.calendar.allows(day)) {
				return tick;
			}
			tick = this.ticks.next(day.plusDays(1).atStartOfDay(this.zone).toInstant().minusMillis(1));
		}
		return null;
	}

}
