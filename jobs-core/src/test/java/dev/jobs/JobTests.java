package dev.jobs;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Job}.
 */
class JobTests {

	@Test
	void jobThatIsReadTwiceIsEqual() {
		assertThat(read("payload")).isEqualTo(read("payload")).hasSameHashCodeAs(read("payload"));
	}

	@Test
	void jobWithAnotherPayloadIsNotEqual() {
		assertThat(read("payload")).isNotEqualTo(read("other"));
	}

	private static Job read(String payload) {
		return Job.builder("id", "name").payload(payload.getBytes()).headers(Map.of("a", "b")).build();
	}

}
