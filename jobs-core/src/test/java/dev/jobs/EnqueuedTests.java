package dev.jobs;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Enqueued}.
 */
class EnqueuedTests {

	@Test
	void textNamesTheIdTheOutcomeAndTheDueTime() {
		assertThat(Enqueued.of("a1", Enqueued.Outcome.NEW, Instant.EPOCH))
			.hasToString("Enqueued[id=a1, outcome=NEW, dueAt=1970-01-01T00:00:00Z]");
	}

}
