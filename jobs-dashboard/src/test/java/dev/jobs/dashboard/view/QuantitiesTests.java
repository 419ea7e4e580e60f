package dev.jobs.dashboard.view;

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

}
