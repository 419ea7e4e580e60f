package dev.jobs.engine.enqueue;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobIds}.
 */
class JobIdsTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final JobIds ids = new JobIds();

	@Test
	void idsDoNotRepeat() {
		Set<String> seen = new HashSet<>();
		for (int i = 0; i < 200_000; i++) {
			seen.add(this.ids.next("queue", NOW));
		}
		assertThat(seen).hasSize(200_000);
	}

	@Test
	void idsOfAQueueBeginAlike() {
		String prefix = this.ids.next("queue", NOW).substring(0, 2);
		assertThat(this.ids.next("queue", NOW.plusSeconds(1))).startsWith(prefix);
		assertThat(this.ids.forTick("queue", "daily", NOW)).startsWith(prefix);
	}

	@Test
	void idsOfAQueueGrowWithTime() {
		assertThat(this.ids.next("queue", NOW)).isLessThan(this.ids.next("queue", NOW.plusMillis(1)));
	}

	@Test
	void idsOfOneMillisecondGrowToo() {
		String last = this.ids.next("queue", NOW);
		for (int i = 0; i < 100_000; i++) {
			String next = this.ids.next("queue", NOW);
			assertThat(next.compareTo(last)).isPositive();
			last = next;
		}
	}

	@Test
	void twoProcessesMakeDifferentIds() {
		assertThat(this.ids.next("queue", NOW)).isNotEqualTo(new JobIds().next("queue", NOW));
	}

	@Test
	void idOfATickIsTheSameInEveryProcess() {
		assertThat(this.ids.forTick("queue", "daily", NOW)).isEqualTo(new JobIds().forTick("queue", "daily", NOW));
	}

	@Test
	void idsAreFitForAddresses() {
		assertThat(this.ids.next("some.queue", NOW)).matches("[0-9a-z]{25}");
	}

}
