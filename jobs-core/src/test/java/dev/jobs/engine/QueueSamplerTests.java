package dev.jobs.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueSampler}.
 */
class QueueSamplerTests {

	private final QueueSampler sampler = new QueueSampler(new SplittableRandom(42));

	@Test
	void loneQueueGetsEverySlot() {
		assertThat(this.sampler.share(List.of(7), 20)).containsExactly(20);
	}

	@Test
	void everySlotIsGivenOut() {
		assertThat(IntStream.of(this.sampler.share(List.of(3, 1, 100), 1000)).sum()).isEqualTo(1000);
	}

	/** G38. */
	@Test
	void queuesGetTheirShareByWeight() {
		int[] shares = this.sampler.share(List.of(900, 100), 100_000);
		assertThat(shares[0]).isBetween(89_500, 90_500);
	}

	/** G38. */
	@Test
	void lightQueueGetsSomethingAndHeavyOneNearlyAll() {
		int[] shares = this.sampler.share(List.of(10_000, 1), 1_000_000);
		assertThat(shares[1]).isBetween(50, 160);
	}

	@Test
	void equalQueuesGetEqualShares() {
		int[] shares = this.sampler.share(Collections.nCopies(500, 1), 500_000);
		assertThat(shares).hasSize(500);
		assertThat(IntStream.of(shares)).allSatisfy((share) -> assertThat(share).isBetween(800, 1200));
	}

	@Test
	void variedTimeStaysNearTheTime() {
		for (int i = 0; i < 1000; i++) {
			assertThat(this.sampler.vary(Duration.ofSeconds(10))).isBetween(Duration.ofSeconds(8),
					Duration.ofSeconds(12));
		}
	}

}
