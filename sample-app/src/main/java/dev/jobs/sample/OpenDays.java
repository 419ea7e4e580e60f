package dev.jobs.sample;

import java.time.LocalDate;
import java.time.Month;
import java.time.MonthDay;
import java.util.Set;

import dev.jobs.JobCalendar;
import org.springframework.stereotype.Component;

/**
 * The days on which the shop is open. Schedules name it as their calendar.
 */
@Component
class OpenDays implements JobCalendar {

	private static final Set<MonthDay> CLOSED = Set.of(MonthDay.of(Month.JANUARY, 1), MonthDay.of(Month.DECEMBER, 25));

	@Override
	public boolean allows(LocalDate day) {
		return !CLOSED.contains(MonthDay.from(day));
	}

}
