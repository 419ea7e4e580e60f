package dev.jobs.engine.claim;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.store.ClaimReply.Left;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueHints}.
 */
class QueueHintsTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final QueueHints hints = new QueueHints(List.of("a", "b", "c"), new Random(1));

	@Test
	void turnsOfAQueueFollowEachOther() {
		for (int i = 0; i < 20; i++) {
			assertThat(this.hints.turn("a")).isEqualTo(i % 16);
			this.hints.gave("a");
		}
		assertThat(this.hints.turn("b")).isZero();
	}

	@Test
	void eachTurnComesInAQueueWithLanesWhateverTheirRounds() {
		left(new Left("a", true, null, "lane"));
		Set<Integer> turns = new HashSet<>();
		for (int i = 0; i < 500; i++) {
			turns.add(this.hints.turn("a"));
			IntStream.range(0, 16).forEach((job) -> this.hints.gave("a"));
		}
		assertThat(turns).hasSize(16);
	}

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
		left(new Left("a", true, null));
		left(new Left("b", false, null));
		left(new Left("c", false, NOW.plusSeconds(1)));
		assertThat(this.hints.hot(NOW)).containsExactly("a");
		assertThat(this.hints.nextDue()).isEqualTo(NOW.plusSeconds(1));
	}

	@Test
	void queuesOfOthersAreNoConcern() {
		this.hints.ready("other", NOW);
		assertThat(this.hints.hot(NOW)).isEmpty();
	}

	private void left(Left left) {
		this.hints.left(left, (queue) -> Map.of(), List.of());
	}

}
