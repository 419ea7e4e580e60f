package dev.jobs.store.redis;

import java.time.Instant;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.store.Claim;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Formats} of versions side by side.
 */
class FormatsTests {

	private static final Instant NOW = Instant.ofEpochMilli(5);

	@Test
	void progressOfAVersionWithoutLogsIsRead() {
		byte[] written = new FieldWriter().add(NOW).add(3).add(7).addOptional("told").toBytes();
		assertThat(Formats.progress(written)).isEqualTo(new Progress("told", 3, 7, NOW));
	}

	@Test
	void versionWithoutLogsReadsProgress() {
		FieldReader reader = new FieldReader(Formats.progress(new Progress("told", 3, 7, NOW, "log")));
		assertThat(reader.instant()).isEqualTo(NOW);
		assertThat(reader.number()).isEqualTo(3);
		assertThat(reader.number()).isEqualTo(7);
		assertThat(reader.optional()).isEqualTo("told");
	}

	@Test
	void versionWithoutLogsReadsFourFieldsOfEachAttempt() {
		Trail trail = Trail.EMPTY.failed(new Attempt(1, NOW, "a", "stack\u001e of a", "log of a"))
			.failed(new Attempt(2, NOW, "b", null, "log of b"))
			.failed(new Attempt(3, NOW, "c", null));
		Job job = new Job("id", "q", new byte[0], Map.of(), JobState.RUNNING, NOW, NOW, Trail.EMPTY, null);
		FieldReader reader = new FieldReader(Formats.trail(Transition.scheduled(new Claim(job, 1), NOW, trail)));
		for (int i = 0; i < 4; i++) {
			reader.skip();
		}
		for (String stack : new String[] { "stack  of a\u001elog of a", "\u001elog of b", null }) {
			assertThat(reader.integer()).isPositive();
			assertThat(reader.instant()).isEqualTo(NOW);
			assertThat(reader.text()).hasSize(1);
			assertThat(reader.optional()).isEqualTo(stack);
		}
		assertThat(reader.hasMore()).isFalse();
	}

}
