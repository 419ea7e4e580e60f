package dev.jobs.store.contract;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

import dev.jobs.Job;
import dev.jobs.Rate;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about rules that apply to the same jobs: limits, order, weights, rates and
 * holds of lanes, the urgency of jobs, and pauses.
 */
abstract class CombinationsContract extends ContractPart {

	private static final Rate ONE_A_SECOND = Rate.of(1, Duration.ofSeconds(1));

	private String turn = "";

	CombinationsContract(StoreSource source) {
		super(source);
	}

	private String enqueueIn(String lane, Urgency urgency) {
		NewJob job = with(job("q"), Job.URGENCY_HEADER, urgency.name().toLowerCase(Locale.ROOT));
		return enqueue(lane.isEmpty() ? job : in(job, lane)).id();
	}

	private String enqueueIn(String lane) {
		return enqueueIn(lane, Urgency.NORMAL);
	}

	private List<Claim> claimIn(int count, int maxInLane, UnaryOperator<Quota> rules) {
		register("w", "q");
		Quota quota = rules.apply(Quota.of("q", count).withLanes(maxInLane, this.turn));
		ClaimReply reply = claim("w", count, quota);
		this.turn = reply.queues().get(0).lane();
		return reply.claims();
	}

	private List<Claim> claimOrdered(int count) {
		return claimIn(count, 1, (quota) -> quota);
	}

	private void retryIn(Claim claim, long millis) {
		settle(Transition.scheduled(claim, after(millis), failed(claim)).keepingLane());
	}

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void jobThatKeepsItsLaneComesBeforeMoreUrgentOnes(Urgency urgency) {
		String first = enqueueIn("a", urgency);
		retryIn(claimOrdered(1).get(0), 10);
		String urgent = enqueueIn("a", Urgency.URGENT);
		String low = enqueueIn("a", Urgency.LOW);
		assertThat(claimOrdered(5)).isEmpty();
		pass(10);
		for (int turn = 0; turn < 16; turn++) {
			int now = turn;
			List<Claim> claims = claimIn(5, 1, (quota) -> quota.withTurn(now));
			assertThat(ids(claims)).as("turn %d", turn).containsExactly(first);
			retryIn(claims.get(0), 0);
			pass(1);
		}
		settle(Transition.removed(claimOrdered(5).get(0), this.now));
		Claim next = claimOrdered(5).get(0);
		assertThat(next.job().id()).isEqualTo(urgent);
		settle(Transition.removed(next, this.now));
		assertThat(ids(claimOrdered(5))).containsExactly(low);
	}

	@Test
	void pausedLaneGivesTheJobThatKeepsItsPlaceOnceItIsResumed() {
		String first = enqueueIn("a");
		enqueueIn("a");
		retryIn(claimOrdered(1).get(0), 10);
		change(new Change.SetLane("q", "a", Rule.PAUSED, 1, null));
		pass(10);
		assertThat(claimOrdered(5)).isEmpty();
		change(new Change.SetLane("q", "a", Rule.PAUSED, null, null));
		assertThat(ids(claimOrdered(5))).containsExactly(first);
	}

	@Test
	void laneThatKeepsAPlaceIsBlockedWhateverLimitAnOperatorSetsBelowTwo() {
		enqueueIn("a");
		String second = enqueueIn("a");
		retryIn(claimOrdered(1).get(0), 1000);
		change(new Change.SetLane("q", "a", Rule.LIMIT, 1, null));
		assertThat(claimOrdered(5)).isEmpty();
		change(new Change.SetLane("q", "a", Rule.LIMIT, 2, null));
		assertThat(ids(claimOrdered(5))).containsExactly(second);
	}

	@Test
	void laneWithAWeightGivesItsMostUrgentJobs() {
		String low = enqueueIn("a", Urgency.LOW);
		List<String> urgent = List.of(enqueueIn("a", Urgency.URGENT), enqueueIn("a", Urgency.URGENT));
		String other = enqueueIn("b");
		List<Claim> claims = claimIn(3, 0, (quota) -> quota.withLaneWeights(Map.of("a", 2)));
		assertThat(ids(claims)).containsExactlyInAnyOrder(urgent.get(0), urgent.get(1), other);
		assertThat(ids(claimIn(3, 0, (quota) -> quota.withLaneWeights(Map.of("a", 2))))).containsExactly(low);
	}

	@Test
	void laneWithAWeightStartsNoMoreThanItsRate() {
		for (int i = 0; i < 4; i++) {
			enqueueIn("a");
			enqueueIn("b");
		}
		Rates rates = new Rates(null, ONE_A_SECOND, Duration.ZERO);
		assertThat(claimIn(8, 0, (quota) -> quota.withLaneWeights(Map.of("a", 3)).withRates(rates)))
			.extracting((claim) -> claim.job().lane())
			.containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void orderedLaneWithoutAPermitKeepsItsPlaceAndItsOrder() {
		String first = enqueueIn("a");
		enqueueIn("a");
		Rates rates = new Rates(null, ONE_A_SECOND, Duration.ZERO);
		retryIn(claimIn(5, 1, (quota) -> quota.withRates(rates)).get(0), 10);
		pass(10);
		assertThat(claimIn(5, 1, (quota) -> quota.withRates(rates))).isEmpty();
		pass(990);
		assertThat(ids(claimIn(5, 1, (quota) -> quota.withRates(rates)))).containsExactly(first);
	}

	@Test
	void limitOfAnOperatorAndTheRateOfALaneApplyTogether() {
		for (int i = 0; i < 5; i++) {
			enqueueIn("a");
		}
		change(new Change.SetLane("q", "a", Rule.LIMIT, 2, null));
		Rates rates = new Rates(null, Rate.of(3, Duration.ofSeconds(1)), Duration.ZERO);
		List<Claim> two = claimIn(5, 0, (quota) -> quota.withRates(rates));
		assertThat(two).hasSize(2);
		two.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).hasSize(1);
		pass(1000);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void jobsWithoutALaneHaveNoLimitOrRateOfLanes(Urgency urgency) {
		for (int i = 0; i < 4; i++) {
			enqueueIn("", urgency);
			enqueueIn("a");
		}
		Rates rates = new Rates(null, ONE_A_SECOND, Duration.ZERO);
		assertThat(claimIn(8, 1, (quota) -> quota.withRates(rates))).hasSize(5);
	}

	@Test
	void urgentJobsNeedPermitsOfTheirQueueAsOthersDo() {
		enqueueIn("", Urgency.URGENT);
		enqueueIn("", Urgency.URGENT);
		enqueueIn("");
		Rates rates = new Rates(Rate.of(2, Duration.ofSeconds(1)), null, Duration.ZERO);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).extracting((claim) -> claim.job().urgency())
			.containsExactly(Urgency.URGENT, Urgency.URGENT);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).isEmpty();
	}

	@Test
	void pausedQueueGivesNothingWhateverElseItsJobsHave() {
		enqueueIn("a", Urgency.URGENT);
		enqueueIn("", Urgency.URGENT);
		retryIn(claimOrdered(1).get(0), 0);
		change(new Change.Pause("q"));
		pass(10);
		assertThat(claimIn(5, 1, (quota) -> quota.withLaneWeights(Map.of("a", 9)))).isEmpty();
	}

}
