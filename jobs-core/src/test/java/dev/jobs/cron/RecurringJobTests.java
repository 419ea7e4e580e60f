package dev.jobs.cron;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RecurringJob}.
 */
class RecurringJobTests {

	private static final Schedule DAILY = Schedule.parse("@daily");

	@Test
	void payloadMayBeMissing() {
		RecurringJob job = RecurringJob.of("nightly", DAILY, "report");
		assertThat(job.payload()).isNull();
		assertThat(job.schedule()).isEqualTo(DAILY);
	}

	@Test
	void copyKeepsWhatWasSetBefore() {
		RecurringJob job = RecurringJob.of("nightly", DAILY, "report").withMisfire(Misfire.skip()).withPayload("all");
		assertThat(job.payload()).isEqualTo("all");
		assertThat(job.misfire()).isEqualTo(Misfire.skip());
	}

	@Test
	void scheduleThatNeverTicksIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RecurringJob.of("nightly", Schedule.parse("0 0 0 30 2 *"), "report"))
			.withMessageContaining("'schedule' of recurring job 'nightly' never ticks");
	}

}
