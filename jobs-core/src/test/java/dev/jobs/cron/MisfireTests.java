package dev.jobs.cron;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Misfire}.
 */
class MisfireTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final Schedule EVERY_MINUTE = Schedule.parse("0 * * * * *");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# rule     | last fired | now | ticks
			skip       | 0          | 59  | ''
			skip       | 0          | 60  | 60
			skip       | 0          | 65  | 60
			skip       | 0          | 66  | ''
			skip       | 0          | 300 | 300
			skip       | 0          | 330 | ''
			run-once   | 0          | 60  | 60
			run-once   | 0          | 66  | 60
			run-once   | 0          | 330 | 300
			run-once   | 0          | 302 | 300
			run-once   | 300        | 330 | ''
			run-once   | 300        | 300 | ''
			run-once   | 300        | 200 | ''
			run-all:3  | 0          | 330 | 180 240 300
			run-all:3  | 0          | 302 | 120 180 240 300
			run-all:10 | 0          | 130 | 60 120
			run-all:1  | 0          | 330 | 300
			""")
	void lateTicksFollowTheRuleAndTimelyOnesAlwaysFire(String rule, int lastFired, int now, String ticks) {
		List<Instant> fired = Misfire.parse(rule)
			.toFire(EVERY_MINUTE, START.plusSeconds(lastFired), START.plusSeconds(now), GRACE);
		assertThat(fired).map((tick) -> Long.toString(Duration.between(START, tick).toSeconds()))
			.isEqualTo(ticks.isEmpty() ? List.of() : List.of(ticks.split(" ")));
	}

	@Test
	void fiveMinutesOfDowntimeOfAnEverySecondScheduleAreMadeUpByOneRun() {
		Schedule everySecond = Schedule.parse("*/1 * * * * *");
		Instant now = START.plusSeconds(300).plusMillis(500);
		assertThat(Misfire.runOnce().toFire(everySecond, START, now, Duration.ZERO))
			.containsExactly(START.plusSeconds(300));
		assertThat(Misfire.runOnce().toFire(everySecond, START, now, Duration.ofSeconds(2)))
			.containsExactly(START.plusSeconds(299), START.plusSeconds(300));
		assertThat(Misfire.runAll(10).toFire(everySecond, START, now, Duration.ZERO)).hasSize(10).isSorted();
	}

	@Test
	void graceLongerThanTheDowntimeMakesEveryTickTimely() {
		assertThat(Misfire.skip().toFire(EVERY_MINUTE, START, START.plusSeconds(180), Duration.ofDays(400_000_000)))
			.hasSize(3);
	}

	@Test
	void neverMoreThanAThousandTimelyTicks() {
		assertThat(
				Misfire.skip().toFire(Schedule.parse("@every 1s"), START, START.plusSeconds(5000), Duration.ofDays(1)))
			.hasSize(1000)
			.endsWith(START.plusSeconds(5000));
	}

	@Test
	void neverHavingFiredIsMadeUpForLikeAnyDowntime() {
		assertThat(Misfire.runOnce().toFire(EVERY_MINUTE, Instant.EPOCH, START.plusSeconds(30), GRACE))
			.containsExactly(START);
	}

	@Test
	void negativeGraceIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Misfire.skip().toFire(EVERY_MINUTE, START, START, Duration.ofSeconds(-1)))
			.withMessageContaining("'grace'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "skip", "run-once", "run-all:1", "run-all:10", "run-all:1000" })
	void textAndRuleAreTheSame(String text) {
		assertThat(Misfire.parse(text)).hasToString(text).isEqualTo(Misfire.parse(" " + text.toUpperCase() + " "));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "run", "run-all", "run-all:", "run-all:0", "run-all:-1", "run-all:1001",
			"run-all:99999999999", "run-all: 5", "run-once:1", "skip:1" })
	void otherTextIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Misfire.parse(text))
			.withMessageContaining("\"" + text + "\"")
			.withMessageContaining("skip, run-once and run-all:<number>");
	}

	@Test
	void numberOutsideTheLimitsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Misfire.runAll(0)).withMessageContaining("'atMost'");
		assertThatIllegalArgumentException().isThrownBy(() -> Misfire.runAll(1001)).withMessageContaining("1001");
		assertThatIllegalArgumentException().isThrownBy(() -> new Misfire(Misfire.Rule.SKIP, 1));
	}

}
