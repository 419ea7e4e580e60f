package dev.jobs.cron;

import java.time.LocalDateTime;
import java.time.LocalTime;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The local times of fields that name the weekday nearest to a day of the month, such as
 * {@code 1W}. Spring finds that weekday only if the search begins before the day itself,
 * and a search may begin between the two; so each month is searched from its beginning.
 *
 * @param days the fields of the day, at midnight
 * @param times the fields of the time, on every day
 */
record WeekdayTicks(CronExpression days, CronExpression times) implements LocalTicks {

	private static final int MOST_MONTHS = 12 * 400;

	@Override
	public @Nullable LocalDateTime next(LocalDateTime after) {
		LocalDateTime month = after.with(LocalTime.MIN).withDayOfMonth(1);
		for (int i = 0; i < MOST_MONTHS; i++) {
			LocalDateTime day = this.days.next(month.minusNanos(1));
			if (day == null) {
				return null;
			}
			month = day.withDayOfMonth(1);
			LocalDateTime end = month.plusMonths(1);
			while (day != null && day.isBefore(end)) {
				LocalDateTime begin = day.minusNanos(1);
				LocalDateTime next = this.times.next(begin.isAfter(after) ? begin : after);
				if (next != null && next.toLocalDate().equals(day.toLocalDate())) {
					return next;
				}
				day = this.days.next(day);
			}
			month = end;
		}
		return null;
	}

}
