package dev.jobs.dashboard.view;

import dev.jobs.JobCount;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Quantities}.
 */
class QuantitiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "0|0 jobs", "1|1 job", "999|999 jobs", "1000|1,000 jobs", "20045|20,045 jobs",
			"1000007|1,000,007 jobs" })
	void digitsOfNumbersAreGrouped(long count, String words) {
		assertThat(Quantities.plural(count, "job")).isEqualTo(words);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "7|at least 7 jobs", "1052|at least 1,000 jobs",
			"300201|at least 300,000 jobs", "1290000|at least 1,200,000 jobs" })
	void lowerBoundHasNoMoreThanTwoDigits(long count, String words) {
		assertThat(Quantities.of(JobCount.atLeast(count), "job")).isEqualTo(words);
		assertThat(Quantities.of(JobCount.exactly(count), "job")).isEqualTo(Quantities.plural(count, "job"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "1001|about 1,000 jobs", "696201|about 700,000 jobs", "1290000|about 1,300,000 jobs" })
	void estimateIsRoundedToTwoDigits(long estimate, String words) {
		assertThat(Quantities.of(JobCount.atLeast(1000, estimate), "job")).isEqualTo(words);
	}

}
