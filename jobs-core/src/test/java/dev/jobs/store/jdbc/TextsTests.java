package dev.jobs.store.jdbc;

import java.time.Instant;

import dev.jobs.Job.Progress;
import dev.jobs.Trail;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Texts} of versions side by side.
 */
class TextsTests {

	@Test
	void textOfAVersionWithoutLogsIsRead() {
		assertThat(Texts.progress("{\"checkIn\":\"told\",\"done\":3,\"total\":7,\"at\":\"1970-01-01T00:00:00Z\"}"))
			.isEqualTo(new Progress("told", 3, 7, Instant.EPOCH));
		Trail trail = Texts
			.trail("""
					{"failures":1,"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no","stackTrace":"at"}]}""");
		assertThat(trail.lastAttempt()).isEqualTo(new Trail.Attempt(1, Instant.EPOCH, "no", "at"));
	}

	@Test
	void whatALaterVersionAddsIsPassedOver() {
		assertThat(Texts
			.trail("""
					{"failures":1,"later":[],"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no","later":{}}]}""")
			.lastAttempt()).isEqualTo(new Trail.Attempt(1, Instant.EPOCH, "no", null));
	}

}
