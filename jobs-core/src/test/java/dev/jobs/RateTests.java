package dev.jobs;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Rate}.
 */
class RateTests {

	@ParameterizedTest
	@CsvSource({ "100/1m, 100/1m", "10/s, 10/1s", "' 5 / 250ms ', 5/250ms", "100/60s burst 10, 100/1m burst 10",
			"7/1d burst 7, 7/1d", "1/90s, 1/90s", "3/48h, 3/2d" })
	void textIsReadAndWritten(String text, String canonical) {
		assertThat(Rate.parse(text).toText()).isEqualTo(canonical);
		assertThat(Rate.parse(canonical)).isEqualTo(Rate.parse(text));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "100", "100/", "/1m", "0/1m", "-1/1m", "1000001/1m", "1.5/1m", "1/0s", "1/32d", "1/1w",
			"5/1m burst 0", "5/1m burst 6", "5/1m burst", "many" })
	void textThatIsNoRateIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Rate.parse(text)).withMessageMatching("(?s).*rate.*");
	}

	@Test
	void burstIsAWholeWindowUnlessItIsSet() {
		Rate rate = Rate.of(100, Duration.ofMinutes(1));
		assertThat(rate.getBurst()).isEqualTo(100);
		assertThat(rate.burst(10)).isEqualTo(Rate.parse("100/1m burst 10"));
		assertThat(Rate.of(1, Duration.ofNanos(1_000_001)).getWindow()).isEqualTo(Duration.ofMillis(2));
	}

}
