package dev.jobs;

import java.time.LocalDate;

/**
 * The days on which a schedule ticks, such as all but holidays. A schedule that is put at
 * run time {@linkplain ScheduleRequest.Builder#calendar names} one, which is a bean or is
 * given to the engine by that name. It must return the same in every process.
 */
@FunctionalInterface
public interface JobCalendar {

	/**
	 * Return whether a schedule may tick on a day.
	 * @param day the day, in the zone of the schedule
	 */
	boolean allows(LocalDate day);

}
