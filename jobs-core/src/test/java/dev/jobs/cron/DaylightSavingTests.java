package dev.jobs.cron;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Schedule} on the days when clocks change.
 */
class DaylightSavingTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Europe/Berlin       | 2026-03-28 | 0 30 2 * * *    | 02:30+01:00
			Europe/Berlin       | 2026-03-29 | 0 30 2 * * *    | 03:00+02:00
			Europe/Berlin       | 2026-03-30 | 0 30 2 * * *    | 02:30+02:00
			Europe/Berlin       | 2026-03-29 | 0 0 2 * * *     | 03:00+02:00
			Europe/Berlin       | 2026-03-29 | 0 0 3 * * *     | 03:00+02:00
			Europe/Berlin       | 2026-03-29 | 0 59 1 * * *    | 01:59+01:00
			Europe/Berlin       | 2026-03-29 | 0 0/20 2 * * *  | 03:00+02:00
			Europe/Berlin       | 2026-03-29 | 0 30 2,3 * * *  | 03:00+02:00 03:30+02:00
			Europe/Berlin       | 2026-03-29 | 0 0 */2 * * *   | 00:00+01:00 03:00+02:00 04:00+02:00 06:00+02:00 \
			08:00+02:00 10:00+02:00 12:00+02:00 14:00+02:00 16:00+02:00 18:00+02:00 20:00+02:00 22:00+02:00
			Europe/Berlin       | 2026-10-25 | 0 30 2 * * *    | 02:30+02:00
			Europe/Berlin       | 2026-10-25 | 0 0 2 * * *     | 02:00+02:00
			Europe/Berlin       | 2026-10-25 | 0 0 3 * * *     | 03:00+01:00
			Europe/Berlin       | 2026-10-25 | 0 0/20 2 * * *  | 02:00+02:00 02:20+02:00 02:40+02:00
			Europe/Berlin       | 2026-10-25 | 0 0 1-3 * * *   | 01:00+02:00 02:00+02:00 03:00+01:00
			Europe/Berlin       | 2026-10-26 | 0 30 2 * * *    | 02:30+01:00
			America/New_York    | 2026-03-08 | 0 15 2 * * *    | 03:00-04:00
			America/New_York    | 2026-11-01 | 0 15 1 * * *    | 01:15-04:00
			America/New_York    | 2026-11-01 | 0 0 0,1,2 * * * | 00:00-04:00 01:00-04:00 02:00-05:00
			Asia/Tokyo          | 2026-03-29 | 0 30 2 * * *    | 02:30+09:00
			Asia/Tokyo          | 2026-10-25 | 0 30 2 * * *    | 02:30+09:00
			Australia/Lord_Howe | 2026-10-04 | 0 15 2 * * *    | 02:30+11:00
			Australia/Lord_Howe | 2026-10-04 | 0 30 2 * * *    | 02:30+11:00
			Australia/Lord_Howe | 2026-10-04 | 0 45 2 * * *    | 02:45+11:00
			Australia/Lord_Howe | 2026-04-05 | 0 45 1 * * *    | 01:45+11:00
			Australia/Lord_Howe | 2026-04-05 | 0 15 1 * * *    | 01:15+11:00
			Australia/Lord_Howe | 2026-04-05 | 0 0 2 * * *     | 02:00+10:30
			""")
	void scheduleWithFixedHoursFiresEachTimeOnce(ZoneId zone, LocalDate day, String expression, String times) {
		List<Instant> expected = Arrays.stream(times.split("\\s+"))
			.map((time) -> ZonedDateTime.parse(day + "T" + time).toInstant())
			.toList();
		assertThat(ticksOf(Schedule.parse(expression, zone), day)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Europe/Berlin       | 2026-03-29 | 23
			Europe/Berlin       | 2026-10-25 | 25
			America/New_York    | 2026-03-08 | 23
			America/New_York    | 2026-11-01 | 25
			Asia/Tokyo          | 2026-03-29 | 24
			Australia/Lord_Howe | 2026-10-04 | 23.5
			Australia/Lord_Howe | 2026-04-05 | 24.5
			""")
	void scheduleForAllHoursGoesByElapsedTime(ZoneId zone, LocalDate day, double hours) {
		for (String expression : List.of("0 */10 * * * *", "*/10 * * * *", "0 0/10 0-23 * * *", "0 */10 */1 * * *")) {
			List<Instant> ticks = ticksOf(Schedule.parse(expression, zone), day);
			assertThat(ticks).hasSize((int) (hours * 6));
			for (int i = 1; i < ticks.size(); i++) {
				assertThat(ticks.get(i)).isEqualTo(ticks.get(i - 1).plusSeconds(600));
			}
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Europe/Berlin       | 2026-03-29 | 23
			Europe/Berlin       | 2026-10-25 | 25
			Asia/Tokyo          | 2026-10-25 | 24
			Australia/Lord_Howe | 2026-10-04 | 23
			Australia/Lord_Howe | 2026-04-05 | 24
			""")
	void hourlyFiresAtEveryFullLocalHour(ZoneId zone, LocalDate day, int count) {
		assertThat(ticksOf(Schedule.parse("@hourly", zone), day)).hasSize(count)
			.allSatisfy((tick) -> assertThat(tick.atZone(zone).getMinute()).isZero());
	}

	@ParameterizedTest
	@ValueSource(strings = { "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe" })
	void dailyTimeComesOnceOnEveryDayOfTheYear(ZoneId zone) {
		for (String time : List.of("0 0 0", "0 30 0", "0 0 1", "0 45 1", "0 0 2", "0 15 2", "0 30 2", "59 59 2",
				"0 0 3")) {
			Schedule schedule = Schedule.parse(time + " * * *", zone);
			for (int day = 1; day <= 365; day++) {
				assertThat(ticksOf(schedule, LocalDate.ofYearDay(2026, day))).as("%s on day %s", time, day).hasSize(1);
			}
		}
	}

	/**
	 * All changes of all zones from 2000 to 2035, by the rule as {@code java.time} sees
	 * it.
	 */
	@Test
	void dailyTimeOfEveryZoneComesOnceWhateverChanges() {
		Instant end = Instant.parse("2036-01-01T00:00:00Z");
		Map<ZoneRules, ZoneId> zones = new HashMap<>();
		ZoneId.getAvailableZoneIds().stream().map(ZoneId::of).forEach((zone) -> zones.put(zone.getRules(), zone));
		zones.forEach((rules, zone) -> {
			for (String time : List.of("00:00", "02:30")) {
				LocalTime at = LocalTime.parse(time);
				Schedule schedule = Schedule.parse("0 %d %d * * *".formatted(at.getMinute(), at.getHour()), zone);
				ZoneOffsetTransition change = rules.nextTransition(Instant.parse("2000-01-01T00:00:00Z"));
				while (change != null && change.getInstant().isBefore(end)) {
					LocalDate day = change.getDateTimeBefore().toLocalDate().minusDays(1);
					NavigableSet<Instant> expected = Stream.iterate(day, (next) -> next.plusDays(1))
						.limit(3)
						.map((date) -> first(rules, date.atTime(at)))
						.collect(Collectors.toCollection(TreeSet::new));
					assertThat(schedule.between(expected.first().minusMillis(1), expected.last(), 10))
						.as("%s in %s around %s", time, zone, change)
						.containsExactlyElementsOf(expected);
					change = rules.nextTransition(change.getInstant());
				}
			}
		});
	}

	private static Instant first(ZoneRules rules, LocalDateTime time) {
		List<ZoneOffset> offsets = rules.getValidOffsets(time);
		return offsets.isEmpty() ? rules.getTransition(time).getInstant() : time.toInstant(offsets.get(0));
	}

	@Test
	void rareScheduleForAllHoursIsFoundBeyondManyChanges() {
		Schedule schedule = Schedule.parse("0 0 * 29 2 *", ZoneId.of("America/New_York"));
		assertThat(schedule.next(Instant.parse("2096-03-01T12:00:00Z"))).isEqualTo("2104-02-29T05:00:00Z");
	}

	@Test
	void askingInsideTheRepeatedHourNeverReturnsAPastTick() {
		ZoneId berlin = ZoneId.of("Europe/Berlin");
		Instant start = Instant.parse("2026-10-24T23:50:00Z");
		for (String expression : List.of("* * * * * *", "* * 2 * * *", "0 30 2 * * *", "0 */7 1-4 * * *")) {
			Schedule schedule = Schedule.parse(expression, berlin);
			for (int second = 0; second < 3 * 3600; second += 13) {
				Instant asked = start.plusSeconds(second);
				assertThat(schedule.next(asked)).isAfter(asked);
				assertThat(schedule.next(asked)).isAfterOrEqualTo(schedule.next(asked.minusSeconds(1)));
			}
		}
	}

	private static List<Instant> ticksOf(Schedule schedule, LocalDate day) {
		Instant end = day.plusDays(1).atStartOfDay(schedule.zone()).toInstant();
		List<Instant> ticks = new ArrayList<>();
		Instant tick = schedule.next(day.atStartOfDay(schedule.zone()).toInstant().minusNanos(1));
		while (tick != null && tick.isBefore(end)) {
			ticks.add(tick);
			tick = schedule.next(tick);
		}
		return ticks;
	}

}
