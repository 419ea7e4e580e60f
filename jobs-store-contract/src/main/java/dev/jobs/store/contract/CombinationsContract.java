package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView.Rule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about rules that apply to the same jobs: limits, order, weights, rates and
 * holds of lanes, the urgency of jobs, their times and unique keys, and pauses.
 */
abstract class CombinationsContract extends ContractPart {

	private static final Rate ONE_A_SECOND = Rate.of(1, Duration.ofSeconds(1));

	private String turn = "";

	CombinationsContract(StoreSource source) {
		super(source);
	}

	private String enqueueIn(String lane, Urgency urgency) {
		NewJob job = with(job("q"), Job.URGENCY_HEADER, urgency.text());
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

	private NewJob until(long millis, String header, NewJob job) {
		return with(job, header, Long.toString(after(millis).toEpochMilli()));
	}

	private List<String> expired() {
		PruneRequest request = new PruneRequest(null, 0, null, 0, null, null, 1000, this.now);
		return this.store.prune(request).expired().stream().map(Pruned.Expired::id).toList();
	}

	private static NewJob.UniqueKey key(Unique.OnDuplicate onDuplicate, @Nullable Instant until) {
		return new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_STARTED, Unique.Scope.HANDLER, until, onDuplicate);
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

	@Test
	void jobThatKeepsItsLaneTakesNoPlaceOfItsQueue() {
		enqueueIn("a");
		retryIn(claimOrdered(1).get(0), 1000);
		String other = enqueueIn("b");
		assertThat(ids(claimIn(5, 1, (quota) -> quota.withMaxRunning(1)))).containsExactly(other);
	}

	@Test
	void orderedLaneGivesOneJobWhateverItsWeight() {
		for (int i = 0; i < 3; i++) {
			enqueueIn("a");
			enqueueIn("b");
		}
		assertThat(lanes(claimIn(6, 1, (quota) -> quota.withLaneWeights(Map.of("a", 3)))))
			.containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void orderedLaneThatIsHeldBackBeginsWithTheSameJobAndLeavesOthersFree() {
		String first = enqueueIn("a");
		enqueueIn("a");
		Claim claim = claimOrdered(1).get(0);
		settle(Transition.heldBack(claim, after(1000), claim.job().trail()).keepingLane());
		String other = enqueueIn("b");
		assertThat(ids(claimOrdered(5))).containsExactly(other);
		pass(1000);
		assertThat(ids(claimOrdered(5))).containsExactly(first);
	}

	@Test
	void jobThatExpiresBeforeItBeginsHoldsItsOrderedLaneUpNoLonger() {
		enqueue(until(1000, Job.EXPIRES_HEADER, in(job("q"), "a")));
		String second = enqueueIn("a");
		pass(1000);
		assertThat(expired()).hasSize(1);
		assertThat(ids(claimOrdered(5))).containsExactly(second);
	}

	@Test
	void jobThatMissesItsDeadlineWhileItWaitsFreesItsOrderedLane() {
		String first = enqueue(until(1000, Job.DEADLINE_HEADER, in(job("q"), "a"))).id();
		String second = enqueueIn("a");
		retryIn(claimOrdered(1).get(0), 500);
		pass(1000);
		assertThat(expired()).containsExactly(first);
		assertThat(state(first)).isEqualTo(JobState.DEAD);
		assertThat(ids(claimOrdered(5))).containsExactly(second);
	}

	@Test
	void rateOfTheQueueIsSharedByItsLanesInTurn() {
		for (int i = 0; i < 4; i++) {
			enqueueIn("a");
			enqueueIn("b");
		}
		Rates rates = new Rates(Rate.of(2, Duration.ofSeconds(1)), null, Duration.ZERO);
		for (int i = 0; i < 3; i++) {
			assertThat(lanes(claimIn(8, 0, (quota) -> quota.withRates(rates)))).containsExactlyInAnyOrder("a", "b");
			pass(1000);
		}
	}

	@Test
	void permitsComeBackDuringAPause() {
		for (int i = 0; i < 4; i++) {
			enqueueIn("a");
		}
		Rates rates = new Rates(null, ONE_A_SECOND, Duration.ZERO);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).hasSize(1);
		change(new Change.Pause("q"));
		pass(1000);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).isEmpty();
		change(new Change.Resume("q"));
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).hasSize(1);
		change(new Change.SetLane("q", "a", Rule.PAUSED, 1, null));
		pass(1000);
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).isEmpty();
		change(new Change.SetLane("q", "a", Rule.PAUSED, null, null));
		assertThat(claimIn(5, 0, (quota) -> quota.withRates(rates))).hasSize(1);
	}

	@Test
	void expiredJobThatAWorkerGetsUsesAPermit() {
		enqueue(until(10, Job.EXPIRES_HEADER, job("q")));
		enqueue("q");
		pass(10);
		Rates rates = new Rates(ONE_A_SECOND, null, Duration.ZERO);
		Claim claim = claimIn(1, 0, (quota) -> quota.withRates(rates)).get(0);
		assertThat(claim.job().isExpired(this.now)).isTrue();
		settle(Transition.removed(claim, this.now));
		assertThat(claimIn(1, 0, (quota) -> quota.withRates(rates))).isEmpty();
	}

	@Test
	void debounceBeginsAgainIfItsJobWaitsForAPermitBeyondItsWindow() {
		Rates rates = new Rates(ONE_A_SECOND, null, Duration.ZERO);
		enqueue("q");
		assertThat(claimIn(1, 0, (quota) -> quota.withRates(rates))).hasSize(1);
		String first = enqueue(with(job("q", after(10)), key(Unique.OnDuplicate.DEBOUNCE, after(20)))).id();
		pass(15);
		assertThat(claimIn(1, 0, (quota) -> quota.withRates(rates))).isEmpty();
		NewJob second = with(job("q", after(5)), key(Unique.OnDuplicate.DEBOUNCE, after(20)));
		assertThat(enqueue(second).outcome()).isEqualTo(Outcome.RESCHEDULED);
		pass(5);
		NewJob third = with(job("q", after(10)), key(Unique.OnDuplicate.DEBOUNCE, after(20)));
		assertThat(enqueue(third).outcome()).isEqualTo(Outcome.NEW);
		pass(980);
		assertThat(ids(claimIn(5, 0, (quota) -> quota.withRates(rates)))).containsExactly(first);
	}

	@Test
	void placesOfTheQueueGoToItsLanesByTheirWeights() {
		for (int i = 0; i < 6; i++) {
			enqueueIn("a");
			enqueueIn("b");
		}
		for (int i = 0; i < 2; i++) {
			List<Claim> claims = claimIn(9, 0, (quota) -> quota.withMaxRunning(3).withLaneWeights(Map.of("a", 2)));
			assertThat(lanes(claims)).containsExactlyInAnyOrder("a", "a", "b");
			claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		}
	}

	@Test
	void pausedLaneLeavesItsTurnsToOthersWhateverItsWeightAndUrgency() {
		for (int i = 0; i < 3; i++) {
			enqueueIn("a", Urgency.URGENT);
			enqueueIn("b", Urgency.LOW);
		}
		change(new Change.SetLane("q", "a", Rule.PAUSED, 1, null));
		assertThat(lanes(claimIn(3, 0, (quota) -> quota.withLaneWeights(Map.of("a", 9))))).containsExactly("b", "b",
				"b");
	}

	@Test
	void jobsOfAPausedLaneExpire() {
		String id = enqueue(until(1000, Job.EXPIRES_HEADER, in(job("q"), "a"))).id();
		change(new Change.SetLane("q", "a", Rule.PAUSED, 1, null));
		pass(1000);
		assertThat(expired()).containsExactly(id);
		assertThat(exists(id)).isFalse();
	}

	@Test
	void jobThatWaitsInAPauseTakesTheLastPayload() {
		change(new Change.Pause("q"));
		change(new Change.SetLane("q", "a", Rule.PAUSED, 1, null));
		String id = enqueue(with(in(job("q"), "a"), key(Unique.OnDuplicate.REPLACE, null))).id();
		NewJob last = with(in(job("q"), "a"), key(Unique.OnDuplicate.REPLACE, null));
		assertThat(enqueue(last).outcome()).isEqualTo(Outcome.REPLACED);
		change(new Change.Resume("q"));
		change(new Change.SetLane("q", "a", Rule.PAUSED, null, null));
		assertThat(claimIn(5, 0, (quota) -> quota)).singleElement().satisfies((claim) -> {
			assertThat(claim.job().id()).isEqualTo(id);
			assertThat(claim.job().payload()).isEqualTo(last.payload());
		});
	}

}
