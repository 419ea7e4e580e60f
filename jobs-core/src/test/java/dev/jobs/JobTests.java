package dev.jobs;

import java.util.Map;

import dev.jobs.store.support.ListedJob;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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

	@Test
	void listedJobHasTheSizeAndTheBeginningOfItsPayloadAndNoPayloadHoweverShort() {
		for (String payload : new String[] { "", "short", "x".repeat(Job.LONGEST_PREVIEW + 1) }) {
			Job listed = ListedJob.listed(read(payload));
			assertThat(listed.isListed()).isTrue();
			assertThat(listed.payloadSize()).isEqualTo(payload.length());
			assertThat(new String(listed.payloadPreview()))
				.isEqualTo(payload.substring(0, Math.min(payload.length(), Job.LONGEST_PREVIEW)));
			assertThatIllegalStateException().isThrownBy(listed::payload).withMessageContaining("look the job up");
			assertThatIllegalStateException()
				.isThrownBy(() -> listed.toBuilder().decodedBy((bytes, type) -> bytes).build().payloadAs(byte[].class));
			assertThat(listed).isNotEqualTo(read(payload)).isEqualTo(listed.toBuilder().build());
		}
		assertThat(read("x").isListed()).isFalse();
		assertThat(read("x").payloadSize()).isOne();
	}

	private static Job read(String payload) {
		return Job.builder("id", "name").payload(payload.getBytes()).headers(Map.of("a", "b")).build();
	}

}
