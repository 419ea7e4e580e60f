package dev.jobs.engine.claim;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueSampler}.
 */
class QueueSamplerTests {

	private final QueueSampler sampler = new QueueSampler(new SplittableRandom(42));

	/**
	 * Share single rounds of slots out many times.
	 */
	private long[] sums(int[] weights, int slots, int rounds) {
		return sums(weights, slots, rounds, 64);
	}

	private long[] sums(int[] weights, int slots, int rounds, int most) {
		long[] sums = new long[weights.length];
		for (int round = 0; round < rounds; round++) {
			int[] shares = this.sampler.share(weights, slots, most);
			for (int i = 0; i < shares.length; i++) {
				sums[i] += shares[i];
			}
		}
		return sums;
	}

	@Test
	void loneQueueGetsEverySlot() {
		assertThat(this.sampler.share(new int[] { 7 }, 20, 64)).containsExactly(20);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 63, 64, 65, 1000, 1023 })
	void everySlotIsGivenOut(int slots) {
		for (int round = 0; round < 1000; round++) {
			assertThat(IntStream.of(this.sampler.share(new int[] { 3, 1, 100, 7 }, slots, 64)).sum()).isEqualTo(slots);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 7, 20, 600 })
	void queuesGetTheirShareByWeight(int slots) {
		long[] sums = sums(new int[] { 900, 100 }, slots, 20_000);
		assertThat((double) sums[0] / (20_000L * slots)).isBetween(0.89, 0.91);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 20, 600 })
	void lightQueueGetsSomethingAndHeavyOneNearlyAll(int slots) {
		long[] sums = sums(new int[] { 1, 10_000 }, slots, 200_000);
		assertThat((double) sums[0] / (200_000L * slots)).isBetween(0.00004, 0.00018);
	}

	@Test
	void equalQueuesGetEqualShares() {
		int[] weights = new int[500];
		Arrays.fill(weights, 1);
		long[] sums = sums(weights, 100, 5000);
		assertThat(LongStream.of(sums)).allSatisfy((sum) -> assertThat(sum).isBetween(800L, 1200L));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 16, 64 })
	void roundAsksABoundedNumberOfQueues(int most) {
		int[] weights = new int[500];
		Arrays.fill(weights, 1);
		assertThat(IntStream.of(this.sampler.share(weights, 1000, most)).filter((share) -> share > 0).count())
			.isEqualTo(most);
	}

	@ParameterizedTest
	@ValueSource(ints = { 16, 64 })
	void manyQueuesGetTheirShareByWeightOverManyRounds(int most) {
		int[] weights = IntStream.range(0, 500).map((i) -> (i % 100 == 7) ? 100 : 1).toArray();
		long[] sums = sums(weights, 1000, 20_000, most);
		double one = 20_000 * 1000.0 / IntStream.of(weights).sum();
		for (int i = 0; i < weights.length; i++) {
			assertThat(sums[i]).isBetween((long) (0.7 * weights[i] * one), (long) (1.3 * weights[i] * one));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 16, 64 })
	void ofManyQueuesARoundAsksNeighbours(int most) {
		int[] weights = new int[500];
		Arrays.fill(weights, 3);
		for (int round = 0; round < 1000; round++) {
			int[] shares = this.sampler.share(weights, 1000, most);
			long begins = IntStream.range(0, 500).filter((i) -> shares[i] > 0 && shares[(i + 499) % 500] == 0).count();
			assertThat(begins).isOne();
		}
	}

	@Test
	void fewQueuesGetTheirShareWithEachRound() {
		for (int round = 0; round < 1000; round++) {
			assertThat(this.sampler.share(new int[] { 900, 100 }, 640, 16)[0]).isBetween(570, 580);
		}
	}

}
