package dev.jobs.docs.schedules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import dev.jobs.cron.Misfire;
import dev.jobs.cron.Schedule;
import dev.jobs.operations.JobOperations;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/schedules.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "shop.inbox=-", "jobs.schedules.export-orders.cron=0 0 6 * * MON-FRI",
				"jobs.schedules.export-orders.payload.shop=paris" })
@JobsTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SchedulesTests {

	private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

	@Autowired
	private Reports reports;

	@Autowired
	private Subscriptions subscriptions;

	@Autowired
	private JobOperations operations;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void forgetWhatOtherTestsDid() {
		this.reports.log.clear();
		this.subscriptions.log.clear();
	}

	/** The first one, as it goes by days of the week. */
	@Test
	@Order(1)
	void schedulesOfAnnotationsAndPropertiesTick() {
		this.jobs.advance(Duration.ofDays(1));
		assertThat(this.reports.log).containsExactly("report of 2029-12-31", "orders of paris", "orders of london");
	}

	@Test
	void scheduleOfACustomerTicksUntilItIsDropped() {
		this.subscriptions.choose("42", "0 0 7 * * *", "Europe/Paris");
		this.jobs.advance(Duration.ofDays(1));
		this.subscriptions.choose("42", "0 0 7 * * *", "Europe/Paris");
		this.jobs.advance(Duration.ofDays(1));
		this.subscriptions.cancel("42");
		this.jobs.advance(Duration.ofDays(1));
		assertThat(this.subscriptions.log).containsExactly("report of 42", "report of 42");
	}

	@Test
	void beanIsACalendarByItsName() {
		// 2030-01-06 is a Sunday.
		this.operations.schedule("report:43")
			.put((schedule) -> schedule.cron("@daily").calendar("workingDays").job("send-report", "43"));
		for (int day = 0; day < 7; day++) {
			this.jobs.advance(Duration.ofDays(1));
		}
		assertThat(this.subscriptions.log.stream().filter("report of 43"::equals)).hasSize(6);
	}

	@Test
	void everyExpressionOfTheTableIsOne() throws IOException {
		List<String> expressions = Files.readAllLines(Path.of("../docs/schedules.md"))
			.stream()
			.filter((line) -> line.matches("\\| `[0-9@*].*"))
			.map((line) -> line.split("`")[1])
			.toList();
		assertThat(expressions).hasSizeGreaterThan(8)
			.allSatisfy((expression) -> assertThat(Schedule.parse(expression).isNever()).isFalse());
	}

	@Test
	void fixedHourFiresOnceOnTheDaysTheClocksChange() {
		Schedule nightly = Schedule.parse("0 30 2 * * *", PARIS);
		assertThat(nightly.between(Instant.parse("2026-03-28T12:00:00Z"), Instant.parse("2026-03-29T12:00:00Z"), 9))
			.containsExactly(Instant.parse("2026-03-29T01:00:00Z"));
		assertThat(nightly.between(Instant.parse("2026-10-24T12:00:00Z"), Instant.parse("2026-10-25T12:00:00Z"), 9))
			.containsExactly(Instant.parse("2026-10-25T00:30:00Z"));
	}

	@Test
	void everyHourGoesByElapsedTime() {
		Schedule often = Schedule.parse("0 */30 * * * *", PARIS);
		assertThat(often.between(Instant.parse("2026-10-24T23:59:00Z"), Instant.parse("2026-10-25T02:00:00Z"), 9))
			.hasSize(5);
	}

	@Test
	void misfireRulesFireWhatTheTableShows() {
		Schedule hourly = Schedule.parse("@hourly");
		Instant handled = Instant.parse("2026-01-01T00:00:00Z");
		Instant now = Instant.parse("2026-01-01T05:20:00Z");
		assertThat(Misfire.skip().toFire(hourly, handled, now, Duration.ZERO)).isEmpty();
		assertThat(Misfire.runOnce().toFire(hourly, handled, now, Duration.ZERO))
			.containsExactly(Instant.parse("2026-01-01T05:00:00Z"));
		assertThat(Misfire.runAll(3).toFire(hourly, handled, now, Duration.ZERO)).containsExactly(
				Instant.parse("2026-01-01T03:00:00Z"), Instant.parse("2026-01-01T04:00:00Z"),
				Instant.parse("2026-01-01T05:00:00Z"));
	}

}
