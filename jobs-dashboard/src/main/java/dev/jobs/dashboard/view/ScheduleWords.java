package dev.jobs.dashboard.view;

import java.time.Instant;
import java.util.stream.Stream;

import dev.jobs.cron.Schedule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Puts a schedule in words, with its next ticks.
 */
final class ScheduleWords {

	private static final int NEXT = 5;

	private ScheduleWords() {
	}

	static void put(ObjectNode node, String definition, Instant now) {
		ArrayNode next = node.putArray("next");
		Schedule schedule = Schedule.ofDefinition(definition);
		node.put("broken", schedule == null);
		if (schedule == null) {
			return;
		}
		node.put("expression", schedule.expression())
			.put("zone", schedule.zone().getId())
			.put("zoned", dependsOnZone(schedule.expression()))
			.put("words", CronWords.of(schedule.expression()));
		Instant tick = now;
		for (int i = 0; i < NEXT; i++) {
			tick = schedule.next(tick);
			if (tick == null) {
				return;
			}
			next.add(tick.toString());
		}
	}

	/**
	 * Return whether hours or days are chosen, so that it matters where. What happens
	 * every few seconds or minutes does so everywhere.
	 */
	private static boolean dependsOnZone(String expression) {
		String[] fields = expression.strip().split("\\s+");
		if (fields.length < 5) {
			return !expression.startsWith("@every") && !expression.equals("@hourly");
		}
		return Stream.of(fields).skip(fields.length - 4L).anyMatch((field) -> !field.equals("*") && !field.equals("?"));
	}

}
