package dev.jobs.cron;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RecurringJob}.
 */
class RecurringJobTests {

	private static final Schedule DAILY = Schedule.parse("@daily");

	@Test
	void payloadMayBeMissing() {
		RecurringJob job = new RecurringJob("nightly", DAILY, "report", null, Misfire.runOnce());
		assertThat(job.payload()).isNull();
		assertThat(job.schedule()).isEqualTo(DAILY);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t" })
	void blankNamesAreRefused(String blank) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RecurringJob(blank, DAILY, "report", null, Misfire.skip()))
			.withMessageContaining("'name'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RecurringJob("nightly", DAILY, blank, null, Misfire.skip()))
			.withMessageContaining("'jobName' of recurring job 'nightly'");
	}

}
