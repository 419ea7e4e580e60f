package dev.jobs.engine.claim;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply.Left;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LaneTurn}.
 */
class LaneTurnTests {

	private static final Map<String, Integer> WEIGHTS = Map.of("b", 3);

	private static LaneTurn after(LaneTurn turn, Map<String, Integer> weights, String... lanes) {
		String last = (lanes.length > 0) ? lanes[lanes.length - 1] : turn.after();
		return turn.next(new Left("q", true, null, last), weights, Stream.of(lanes).map(LaneTurnTests::claim).toList());
	}

	private static Claim claim(String lane) {
		return new Claim(Job.builder("id", "q").headers(Map.of(Job.LANE_HEADER, lane)).build(), 1);
	}

	@Test
	void laneWithAWeightContinuesUntilItHasGivenAsMany() {
		LaneTurn turn = after(LaneTurn.FIRST, WEIGHTS, "a");
		for (int i = 0; i < 2; i++) {
			turn = after(turn, WEIGHTS, "b");
			assertThat(turn.after()).isEqualTo("a");
		}
		assertThat(after(turn, WEIGHTS, "b").after()).isEqualTo("b");
	}

	@Test
	void laneThatGaveAllOfItsWeightInOneClaimIsDone() {
		assertThat(after(LaneTurn.FIRST, WEIGHTS, "a", "b", "b", "b").after()).isEqualTo("b");
		assertThat(after(LaneTurn.FIRST, WEIGHTS, "a", "b", "b").after()).isEqualTo("a");
	}

	@Test
	void laneThatComesBeforeStartsAnotherCount() {
		LaneTurn turn = after(after(after(LaneTurn.FIRST, WEIGHTS, "a"), WEIGHTS, "b"), WEIGHTS, "aa");
		assertThat(turn.after()).isEqualTo("aa");
		assertThat(after(turn, WEIGHTS, "b").given()).isEqualTo(1);
	}

	@Test
	void claimWithoutJobsChangesNothing() {
		LaneTurn turn = after(after(LaneTurn.FIRST, WEIGHTS, "a"), WEIGHTS, "b");
		assertThat(after(turn, WEIGHTS)).isEqualTo(turn);
	}

	@Test
	void jobsOfOtherQueuesDoNotCount() {
		LaneTurn turn = after(LaneTurn.FIRST, WEIGHTS, "a");
		assertThat(turn.next(new Left("other", true, null, "x"), WEIGHTS, List.of(claim("b")))).isEqualTo(turn);
	}

	@Test
	void withoutWeightsTheNextClaimBeginsBehindTheLastLane() {
		assertThat(after(LaneTurn.FIRST, Map.of(), "a", "b")).isEqualTo(new LaneTurn("b", "", 0));
	}

}
