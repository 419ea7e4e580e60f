package dev.jobs.engine.enqueue;

import dev.jobs.JobLane;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link PayloadLanes}.
 */
class PayloadLanesTests {

	private final PayloadLanes lanes = new PayloadLanes();

	@Test
	void laneIsAComponentOrAMethodOfARecord() {
		assertThat(this.lanes.of(new OfComponent("ada"))).isEqualTo("ada");
		assertThat(this.lanes.of(new OfMethod("ada"))).isEqualTo("customer ada");
		assertThat(this.lanes.of(new OfAccessor("ada"))).isEqualTo("customer ada");
	}

	@Test
	void twoLanesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lanes.of(new OfBoth("ada")))
			.withMessageContaining("must be on one component");
	}

	private record OfComponent(@JobLane String customer) {

	}

	private record OfMethod(String customer) {

		@JobLane
		String lane() {
			return "customer " + this.customer;
		}

	}

	private record OfAccessor(String customer) {

		@Override
		@JobLane
		public String customer() {
			return "customer " + this.customer;
		}

	}

	private record OfBoth(@JobLane String customer) {

		@JobLane
		String lane() {
			return "customer " + this.customer;
		}

	}

}
