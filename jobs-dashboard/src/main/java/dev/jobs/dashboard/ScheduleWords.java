package dev.jobs.dashboard;

import java.time.Duration;
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

	/**
	 * Return a span of time in its largest unit.
	 */
	static String span(Duration span) {
		long seconds = span.toSeconds();
		if (seconds < 120) {
			return plural(seconds, "second");
		}
		if (seconds < 7200) {
			return plural(seconds / 60, "minute");
		}
		return (seconds < 172_800) ? plural(seconds / 3600, "hour") : plural(seconds / 86_400, "day");
	}

	static String plural(long count, String unit) {
		return grouped(count) + " " + unit + ((count == 1) ? "" : "s");
	}

	/**
	 * Return a number with commas. A formatter would take longer than all else that is
	 * said of a queue.
	 */
	private static String grouped(long count) {
		return (count < 1000) ? Long.toString(count)
				: grouped(count / 1000) + "," + Long.toString(1000 + count % 1000).substring(1);
	}

}
