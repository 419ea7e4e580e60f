package dev.jobs.dashboard.view;

import java.time.Instant;

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

}
