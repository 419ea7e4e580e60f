package dev.jobs.autoconfigure.properties;

import java.time.ZoneId;

import dev.jobs.cron.Schedule;

/**
 * Reads expressions that say when a job recurs.
 */
public final class Recurrence {

	private Recurrence() {
	}

	/**
	 * Return whether an expression says that there is no schedule.
	 * @param expression the expression
	 * @return whether it does
	 */
	public static boolean isDisabled(String expression) {
		return expression.isBlank() || Schedule.isDisabled(expression);
	}

	/**
	 * Read an expression, which must have ticks.
	 * @param cron the expression
	 * @param zone its time zone
	 * @return the schedule
	 * @throws IllegalArgumentException if the expression is not valid or never ticks
	 */
	public static Schedule schedule(String cron, ZoneId zone) {
		Schedule schedule = Schedule.parse(cron, zone);
		if (schedule.isNever()) {
			throw new IllegalArgumentException("The schedule \"" + cron + "\" never ticks, since no time matches all "
					+ "its fields. Correct it, or use '-' to switch it off");
		}
		return schedule;
	}

}
