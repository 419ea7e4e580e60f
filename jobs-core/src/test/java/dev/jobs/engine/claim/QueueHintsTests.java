package dev.jobs.engine.claim;

import java.time.Instant;
import java.util.List;

import dev.jobs.store.ClaimReply.Left;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueHints}.
 */
class QueueHintsTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final QueueHints hints = new QueueHints(List.of("a", "b", "c"));

	@Test
	void nothingIsHotUntilASignal() {
		assertThat(this.hints.hot(NOW)).isEmpty();
		assertThat(this.hints.nextDue()).isNull();
	}

	@Test
	void signalledQueueIsHotFromItsInstantOn() {
		this.hints.ready("b", NOW.plusSeconds(5));
		assertThat(this.hints.hot(NOW)).isEmpty();
		assertThat(this.hints.nextDue()).isEqualTo(NOW.plusSeconds(5));
		assertThat(this.hints.hot(NOW.plusSeconds(5))).containsExactly("b");
		assertThat(this.hints.nextDue()).isNull();
	}

	@Test
	void earlierInstantReplacesALaterOneAndNotTheOtherWayRound() {
		this.hints.ready("a", NOW.plusSeconds(5));
		this.hints.ready("a", NOW.plusSeconds(3));
		this.hints.ready("a", NOW.plusSeconds(9));
		assertThat(this.hints.nextDue()).isEqualTo(NOW.plusSeconds(3));
	}

	@Test
	void queueWithMoreStaysHot() {
		this.hints.heatAll();
		this.hints.left(new Left("a", true, null));
		this.hints.left(new Left("b", false, null));
		this.hints.left(new Left("c", false, NOW.plusSeconds(1)));
		assertThat(this.hints.hot(NOW)).containsExactly("a");
		assertThat(this.hints.nextDue()).isEqualTo(NOW.plusSeconds(1));
	}

	@Test
	void queuesOfOthersAreNoConcern() {
		this.hints.ready("other", NOW);
		assertThat(this.hints.hot(NOW)).isEmpty();
	}

}
