package dev.jobs.autoconfigure.properties;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.cron.Schedule;

/**
 * Reads the settings of recurring jobs.
 */
public final class Recurrence {

	private Recurrence() {
	}

	/**
	 * Return whether an expression switches its schedule off.
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

	/**
	 * Return a bound value with lists in place of the maps by index that binding to an
	 * open type produces.
	 * @param value the payload of a schedule
	 * @return the payload
	 */
	public static Object withLists(Object value) {
		if (!(value instanceof Map<?, ?> map)) {
			return value;
		}
		List<Object> list = new ArrayList<>();
		Map<String, Object> converted = new LinkedHashMap<>();
		map.forEach((key, element) -> {
			Object inner = withLists(element);
			if (key.equals(Integer.toString(list.size()))) {
				list.add(inner);
			}
			converted.put(String.valueOf(key), inner);
		});
		return (!list.isEmpty() && list.size() == converted.size()) ? list : converted;
	}

}
