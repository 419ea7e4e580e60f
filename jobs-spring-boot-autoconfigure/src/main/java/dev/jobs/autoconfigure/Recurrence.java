package dev.jobs.autoconfigure;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * Reads recurring jobs from the configuration.
 */
final class Recurrence {

	private Recurrence() {
	}

	/**
	 * Return whether an expression says that there is no schedule.
	 */
	static boolean isDisabled(String expression) {
		return expression.isBlank() || Schedule.isDisabled(expression);
	}

	/**
	 * Read an expression, which must have ticks.
	 */
	static Schedule schedule(String cron, ZoneId zone) {
		Schedule schedule = Schedule.parse(cron, zone);
		if (schedule.isNever()) {
			throw new IllegalArgumentException("The schedule \"" + cron + "\" never ticks, since no time matches all "
					+ "its fields. Correct it, or use '-' to switch it off");
		}
		return schedule;
	}

	/**
	 * Read a schedule, or {@code null} if it is switched off.
	 */
	static @Nullable RecurringJob of(String name, JobsProperties.Schedule schedule) {
		String cron = schedule.cron();
		if (cron == null || isDisabled(cron)) {
			return null;
		}
		Map<String, Object> payload = schedule.payload();
		return new RecurringJob(name, schedule(cron, schedule.zone()), jobName(name, schedule),
				(payload != null) ? withLists(payload) : null, Misfire.parse(schedule.misfire()));
	}

	static String jobName(String name, JobsProperties.Schedule schedule) {
		return (schedule.handler() != null) ? schedule.handler() : name;
	}

	/**
	 * Return a bound value with lists for the maps by index that binding to an open type
	 * leaves in their place.
	 */
	private static Object withLists(Object value) {
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
