package dev.jobs.cron;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Schedule}: what it accepts, and its ticks in zones at rest.
 */
class ScheduleTests {

	/** A Thursday. */
	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	@ParameterizedTest
	@ValueSource(strings = { "*/20 * * * * *", "@every 5s", "CRON_TZ=Asia/Tokyo 0 9 * * MON-FRI", " @daily" })
	void scheduleIsReadBackFromItsDefinition(String expression) {
		Schedule schedule = Schedule.parse(expression, ZoneId.of("Europe/Berlin"));
		Schedule readBack = Schedule.ofDefinition(schedule.definition());
		assertThat(readBack).isEqualTo(schedule);
		assertThat(readBack.next(START)).isEqualTo(schedule.next(START));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 0 0 L-28 * *", "0 0 0 L-29 * *", "0 0 0 L-30 * *", "0 0 L-31 * *", "0 0 0 l-028 * *",
			"0 0 0 1,L-28 * *", "0 0 0 L-28W * *", "0 0 0 L-100 * *" })
	void dayThatNotEveryMonthHasWhenCountedFromItsEndIsRefused(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> Schedule.parse(expression))
			.withMessageContaining("L-27 at the earliest");
		assertThat(Schedule.ofDefinition("UTC " + expression)).isNull();
	}

	@Test
	void earliestDayCountedFromTheEndOfTheMonthTicksInEveryMonth() {
		Schedule schedule = Schedule.parse("0 0 0 L-27 * *");
		assertThat(schedule.between(START, Instant.parse("2026-04-30T00:00:00Z"), 10)).containsExactly(
				Instant.parse("2026-01-04T00:00:00Z"), Instant.parse("2026-02-01T00:00:00Z"),
				Instant.parse("2026-03-04T00:00:00Z"), Instant.parse("2026-04-03T00:00:00Z"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 0 30 2 *", "0 0 0 30 2 *", "0 0 0 31 4,6,9,11 *", "0 0 0 * * MON#6",
			"TZ=Europe/Berlin * * * 31 6 *" })
	void expressionThatNoTimeMatchesIsNever(String expression) {
		Schedule schedule = Schedule.parse(expression);
		assertThat(schedule.isNever()).isTrue();
		assertThat(schedule.next(START)).isNull();
		assertThat(schedule.between(Instant.EPOCH, START, 10)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 0 29 2 *", "0 0 0 29 2 MON", "@every 36525d", "0 0 0 31 * MON#5" })
	void expressionThatMatchesSeldomIsNotNever(String expression) {
		assertThat(Schedule.parse(expression).isNever()).isFalse();
	}

	@Test
	void weekdayNextToADayIsFoundFromBetweenTheTwo() {
		Schedule schedule = Schedule.parse("0 30 9 1W * *");
		Instant monday = Instant.parse("2010-05-03T09:30:00Z");
		for (String from : List.of("2010-04-02T00:00:00Z", "2010-05-01T12:00:00Z", "2010-05-02T23:59:59Z",
				"2010-05-03T09:29:59Z")) {
			assertThat(schedule.next(Instant.parse(from))).as(from).isEqualTo(monday);
		}
		assertThat(schedule.next(monday)).isEqualTo(Instant.parse("2010-06-01T09:30:00Z"));
	}

	/**
	 * Random expressions of all kinds of fields, in zones with all kinds of changes.
	 */
	@Test
	void nextTickOfAnyExpressionIsLater() {
		long seed = 20_260_101;
		Random random = new Random(seed);
		String[] zones = { "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo",
				"Africa/Casablanca", "Asia/Kathmandu", "Pacific/Apia" };
		int understood = 0;
		for (int i = 0; i < 4000; i++) {
			String expression = RandomCron.expression(random);
			ZoneId zone = ZoneId.of(zones[random.nextInt(zones.length)]);
			Schedule schedule = Schedule.ofDefinition(zone + " " + expression);
			if (schedule == null) {
				continue;
			}
			understood++;
			Instant after = Instant.ofEpochSecond(random.nextLong(2_500_000_000L));
			String where = "%s in %s with seed %d".formatted(expression, zone, seed);
			List<Instant> ticks = new ArrayList<>();
			Instant tick = schedule.next(after);
			assertThat(tick == null).as(where).isEqualTo(schedule.isNever());
			while (tick != null && ticks.size() < 10) {
				assertThat(tick).as("the tick after %s of %s", after, where).isAfter(after);
				assertThat(tick.toEpochMilli() % 1000).as(where).isZero();
				assertThat(schedule.next(tick.minusMillis(1))).as(where).isEqualTo(tick);
				ticks.add(tick);
				after = tick;
				tick = schedule.next(tick);
			}
			if (!ticks.isEmpty()) {
				Instant first = ticks.get(0).minusMillis(1);
				assertThat(schedule.between(first, after, 10)).as(where).isEqualTo(ticks);
				assertThat(schedule.between(first, after, 1)).as(where).containsExactly(after);
			}
		}
		assertThat(understood).isGreaterThan(3000);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "@daily", "UTC", "UTC ", "Mars/Base @daily", "UTC @fortnightly", " @daily" })
	void definitionThatIsNotUnderstoodIsNoSchedule(String definition) {
		assertThat(Schedule.ofDefinition(definition)).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			*/20 * * * * *            | 2026-01-01T00:00:20Z | 2026-01-01T00:00:40Z
			0 30 4 * * *              | 2026-01-01T04:30:00Z | 2026-01-02T04:30:00Z
			30 4 * * *                | 2026-01-01T04:30:00Z | 2026-01-02T04:30:00Z
			*/15 * * * *              | 2026-01-01T00:15:00Z | 2026-01-01T00:30:00Z
			0 9 * * MON-FRI           | 2026-01-01T09:00:00Z | 2026-01-02T09:00:00Z
			0 0 9 * * SUN             | 2026-01-04T09:00:00Z | 2026-01-11T09:00:00Z
			0 0 9 * * 0               | 2026-01-04T09:00:00Z | 2026-01-11T09:00:00Z
			0 0 9 * * 7               | 2026-01-04T09:00:00Z | 2026-01-11T09:00:00Z
			0 0 0 13 * FRI            | 2026-02-13T00:00:00Z | 2026-03-13T00:00:00Z
			0 0 0 29 2 *              | 2028-02-29T00:00:00Z | 2032-02-29T00:00:00Z
			0 0 0 L * ?               | 2026-01-31T00:00:00Z | 2026-02-28T00:00:00Z
			0 0 0 ? * MON#1           | 2026-01-05T00:00:00Z | 2026-02-02T00:00:00Z
			@yearly                   | 2027-01-01T00:00:00Z | 2028-01-01T00:00:00Z
			@annually                 | 2027-01-01T00:00:00Z | 2028-01-01T00:00:00Z
			@monthly                  | 2026-02-01T00:00:00Z | 2026-03-01T00:00:00Z
			@weekly                   | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z
			@daily                    | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z
			@midnight                 | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z
			@hourly                   | 2026-01-01T01:00:00Z | 2026-01-01T02:00:00Z
			@Hourly                   | 2026-01-01T01:00:00Z | 2026-01-01T02:00:00Z
			@every 10s                | 2026-01-01T00:00:10Z | 2026-01-01T00:00:20Z
			@every 1h30m              | 2026-01-01T01:30:00Z | 2026-01-01T03:00:00Z
			@every 1.5h               | 2026-01-01T01:30:00Z | 2026-01-01T03:00:00Z
			@every 500ms              | 2026-01-01T00:00:00.500Z | 2026-01-01T00:00:01Z
			@every 1d                 | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z
			@every PT10S              | 2026-01-01T00:00:10Z | 2026-01-01T00:00:20Z
			@every PT0.25S            | 2026-01-01T00:00:00.250Z | 2026-01-01T00:00:00.500Z
			TZ=Asia/Tokyo 0 7 * * *   | 2026-01-01T22:00:00Z | 2026-01-02T22:00:00Z
			CRON_TZ=Asia/Tokyo @daily | 2026-01-01T15:00:00Z | 2026-01-02T15:00:00Z
			TZ=Asia/Tokyo @every 1h   | 2026-01-01T01:00:00Z | 2026-01-01T02:00:00Z
			""")
	void ticksFollowTheExpression(String expression, Instant first, Instant second) {
		Schedule schedule = Schedule.parse(expression);
		assertThat(schedule.next(START)).isEqualTo(first);
		assertThat(schedule.next(first)).isEqualTo(second);
		assertThat(schedule.next(second.minusNanos(1))).isEqualTo(second);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0  30\t4 * * *", "  0 30 4 * * *  ", "TZ=UTC   0 30 4 * * *" })
	void spaceIsNoMatter(String expression) {
		assertThat(Schedule.parse(expression).next(START)).isEqualTo(Instant.parse("2026-01-01T04:30:00Z"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			""                       | it has 0 fields
			"  "                     | it has 0 fields
			*                        | it has 1 field.
			* * * *                  | it has 4 fields
			* * * * * * *            | it has 7 fields
			-                        | a lone hyphen switches a job off
			61 * * * * *             | a field is wrong
			0 0 25 * * *             | valid values 0 - 23
			0 0 0 32 * *             | a field is wrong
			x * * * *                | a field is wrong
			*/0 * * * *              | a field is wrong
			10-5 * * * *             | a field is wrong
			0 0 0 * * MONDAY         | a field is wrong
			@often                   | '@often' is not a known name
			@reboot                  | '@reboot' is not a known name
			@hourly 5                | '@hourly 5' is not a known name
			@every                   | '' is not a duration
			@every soon              | 'soon' is not a duration
			@every 10                | '10' is not a duration
			@every 10s5              | '10s5' is not a duration
			@every -10s              | '-10s' is not a duration
			@every PTX               | 'PTX' is not a duration
			@every 0s                | from 1 millisecond to 100 years
			@every PT-1S             | from 1 millisecond to 100 years
			@every 40000d            | from 1 millisecond to 100 years
			@every PT0.0001S         | whole number of milliseconds
			@every 0.5ms             | whole number of milliseconds
			@every 999999999999999d  | milliseconds
			TZ=Mars/Olympus * * * * * | 'Mars/Olympus' is not a known time zone
			TZ= * * * * *            | '' is not a known time zone
			TZ=UTC                   | it has 0 fields
			""")
	void badExpressionIsRefusedWithTheReason(String expression, String reason) {
		assertThatIllegalArgumentException().isThrownBy(() -> Schedule.parse(expression))
			.withMessageContaining("\"" + expression + "\"")
			.withMessageContaining(reason)
			.withMessageContaining("Accepted are 6 cron fields");
	}

	@Test
	void longExpressionIsRefusedAndNotShownInFull() {
		String expression = "0 0 0 1" + ",1".repeat(10_000) + " * *";
		assertThatIllegalArgumentException().isThrownBy(() -> Schedule.parse(expression))
			.withMessageContaining("longer than 256 characters")
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(800));
	}

	@Test
	void anyTextIsEitherUnderstoodOrRefusedWithAnIllegalArgument() {
		Random random = new Random(42);
		String alphabet = "0123456789*/,-?LW#@ \tMONJAN\u0000TZ=everyPTSDhms.";
		for (int i = 0; i < 20_000; i++) {
			StringBuilder text = new StringBuilder((i % 2 == 0) ? "" : "0 0 ");
			random.ints(random.nextInt(16), 0, alphabet.length()).forEach((at) -> text.append(alphabet.charAt(at)));
			try {
				Schedule.parse(text.append((i % 2 == 0) ? "" : " * *").toString()).next(START);
			}
			catch (IllegalArgumentException ex) {
				assertThat(ex).hasMessageContaining("Invalid schedule").hasMessageNotContaining("\u0000");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 0 0 30 2 *", "0 0 0 31 4,6,9,11 *", "0 0 * 30 2 *" })
	void scheduleThatNeverComesHasNoTick(String expression) {
		Schedule schedule = Schedule.parse(expression, ZoneId.of("Europe/Berlin"));
		assertThat(schedule.next(START)).isNull();
		assertThat(schedule.between(Instant.EPOCH, START, 10)).isEmpty();
	}

	@Test
	void nextIsNullAtTheEndOfTimeAndBeginsAfterTheEpoch() {
		Schedule schedule = Schedule.parse("@hourly");
		assertThat(schedule.next(Instant.MAX)).isNull();
		assertThat(schedule.next(Instant.MIN)).isEqualTo(Instant.parse("1970-01-01T01:00:00Z"));
		assertThat(schedule.between(Instant.MIN, Instant.MAX, 1)).hasSize(1);
	}

	@Test
	void everyIsAnchoredToTheEpochWhoeverAsks() {
		Schedule schedule = Schedule.parse("@every 11s");
		Set<Instant> ticks = new LinkedHashSet<>();
		for (long millis = 0; millis < 33_000; millis += 10) {
			ticks.add(schedule.next(START.plusMillis(millis)));
		}
		assertThat(ticks).hasSize(4).allSatisfy((tick) -> assertThat(tick.getEpochSecond() % 11).isZero());
	}

	@Test
	void zoneIsUtcUnlessGivenAndThePrefixWins() {
		ZoneId tokyo = ZoneId.of("Asia/Tokyo");
		assertThat(Schedule.parse("@daily").zone()).isEqualTo(ZoneOffset.UTC);
		assertThat(Schedule.parse("@daily", tokyo).zone()).isEqualTo(tokyo);
		assertThat(Schedule.parse("TZ=Asia/Tokyo @daily", ZoneOffset.UTC).zone()).isEqualTo(tokyo);
		assertThat(Schedule.parse("TZ=Asia/Tokyo @daily").expression()).isEqualTo("TZ=Asia/Tokyo @daily");
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTC", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati" })
	void zoneOfTheJvmIsNoMatter(String jvmZone) {
		TimeZone before = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone(jvmZone));
			assertThat(Schedule.parse("0 7 * * *", ZoneId.of("Asia/Tokyo")).next(START))
				.isEqualTo(Instant.parse("2026-01-01T22:00:00Z"));
			assertThat(Schedule.parse("0 7 * * *").next(START)).isEqualTo(Instant.parse("2026-01-01T07:00:00Z"));
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void hyphenAloneIsDisabled() {
		assertThat(Schedule.isDisabled("-")).isTrue();
		assertThat(Schedule.isDisabled(" - ")).isTrue();
		assertThat(Schedule.isDisabled("@daily")).isFalse();
		assertThat(Schedule.isDisabled("")).isFalse();
	}

	@Test
	void schedulesAreEqualByExpressionAndZone() {
		assertThat(Schedule.parse("@daily")).isEqualTo(Schedule.parse("@daily"))
			.hasSameHashCodeAs(Schedule.parse("@daily"))
			.isNotEqualTo(Schedule.parse("@hourly"))
			.isNotEqualTo(Schedule.parse("@daily", ZoneId.of("Asia/Tokyo")))
			.hasToString("@daily (Z)");
	}

	@ParameterizedTest
	@ValueSource(strings = { "* * * * * *", "*/7 * * * * *", "0 */10 * * * *", "@hourly", "@daily", "0 0 3 * * MON",
			"@every 7s", "@every 90m", "* * * 1 2 *", "0 0 0 29 2 *", "0 30 2 * * *" })
	void betweenReturnsTheNewestOfWhatNextWalks(String expression) {
		Schedule schedule = Schedule.parse(expression, ZoneId.of("Europe/Berlin"));
		Instant from = Instant.parse("2026-03-29T00:31:07.5Z");
		for (Duration length : List.of(Duration.ofSeconds(20), Duration.ofHours(1), Duration.ofDays(2))) {
			List<Instant> walked = new ArrayList<>();
			Instant to = from.plus(length);
			for (Instant tick = schedule.next(from); tick != null && !tick.isAfter(to); tick = schedule.next(tick)) {
				walked.add(tick);
			}
			for (int newest : new int[] { 0, 1, 3, 50 }) {
				List<Instant> expected = walked.subList(Math.max(0, walked.size() - newest), walked.size());
				assertThat(schedule.between(from, to, newest)).isEqualTo(expected);
			}
		}
	}

	@Test
	void betweenLeavesOutItsStartAndTakesInItsEnd() {
		Schedule schedule = Schedule.parse("@every 1s");
		assertThat(schedule.between(START, START.plusSeconds(2), 10)).containsExactly(START.plusSeconds(1),
				START.plusSeconds(2));
		assertThat(schedule.between(START, START, 10)).isEmpty();
		assertThat(schedule.between(START.plusSeconds(1), START, 10)).isEmpty();
		assertThat(schedule.between(START, START.plusSeconds(2).minusNanos(1), 10))
			.containsExactly(START.plusSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "* * * * * *", "@every 1ms", "* * * * 1 *", "0 0 0 1 1 *", "0 0 0 29 2 *" })
	void yearsOfDowntimeCostAFewStepsForEachTickReturned(String expression) {
		int[] steps = { 0 };
		Ticks ticks = new ScheduleParser(expression).parse(ZoneOffset.UTC).ticks()::next;
		Schedule schedule = new Schedule(expression, ZoneOffset.UTC, (after) -> {
			steps[0]++;
			return ticks.next(after);
		});
		List<Instant> newest = schedule.between(START.minus(Duration.ofDays(5 * 365)), START, 10);
		assertThat(newest).hasSizeBetween(1, 10).isSorted();
		assertThat(steps[0]).isLessThan(11 * 2 * 40);
	}

}
