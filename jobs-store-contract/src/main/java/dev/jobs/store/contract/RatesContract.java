package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.LaneView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about rates and holds: never more starts in any window than the rate of a
 * queue or of a lane allows, nearly as many as it allows, and the exact time of the next
 * permit.
 */
abstract class RatesContract extends ContractPart {

	private static final Rate TEN_A_SECOND = Rate.of(10, Duration.ofSeconds(1));

	private String turn = "";

	RatesContract(StoreSource source) {
		super(source);
	}

	private static Rates ofQueue(Rate rate) {
		return new Rates(rate, null, Duration.ZERO);
	}

	private static Rates ofLane(Rate rate) {
		return new Rates(null, rate, Duration.ZERO);
	}

	private ClaimReply claimBy(@Nullable Rates rates, int count) {
		return claimBy(rates, count, 0, 0);
	}

	private ClaimReply claimBy(@Nullable Rates rates, int count, int maxRunning, int maxInLane) {
		register("w", "q");
		ClaimReply reply = claim("w", count, quota(count, maxRunning, maxInLane).withRates(rates));
		this.turn = reply.queues().get(0).lane();
		return reply;
	}

	private Quota quota(int count, int maxRunning, int maxInLane) {
		return Quota.of("q", count).withMaxRunning(maxRunning).withLanes(maxInLane, this.turn);
	}

	private int startBy(@Nullable Rates rates, int count) {
		return claimBy(rates, count).claims().size();
	}

	private void enqueueIn(String lane, int count) {
		enqueue(IntStream.range(0, count).mapToObj((i) -> in(job("q"), lane)).toList());
	}

	private static List<String> lanes(ClaimReply reply) {
		return lanes(reply.claims());
	}

	private static @Nullable Instant nextOf(ClaimReply reply) {
		return reply.queues().get(0).nextDue();
	}

	private void holdBack(Claim claim, long millis) {
		assertThat(settle(Transition.heldBack(claim, after(millis), claim.job().trail()))).isEqualTo(Settled.APPLIED);
	}

	// --- never more

	@Test
	void noMoreJobsStartThanTheRateAllows() {
		enqueue(jobs("q", 30));
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
		pass(999);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
		pass(1);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
	}

	@Test
	void firstPermitIsImmediate() {
		enqueue("q");
		assertThat(startBy(ofQueue(Rate.of(1, Duration.ofDays(31))), 1)).isEqualTo(1);
	}

	@Test
	void permitsComeBackOneByOne() {
		enqueue(jobs("q", 40));
		for (int i = 0; i < 10; i++) {
			assertThat(startBy(ofQueue(TEN_A_SECOND), 1)).isEqualTo(1);
			pass(20);
		}
		pass(800);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 5)).isEqualTo(1);
		pass(20);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 5)).isEqualTo(1);
	}

	@Test
	void burstSpreadsTheStarts() {
		enqueue(jobs("q", 40));
		Rates rates = ofQueue(TEN_A_SECOND.burst(2));
		assertThat(startBy(rates, 40)).isEqualTo(2);
		pass(199);
		assertThat(startBy(rates, 40)).isZero();
		pass(1);
		assertThat(startBy(rates, 40)).isEqualTo(2);
	}

	/**
	 * Two workers claim at random, begin their jobs as late as they may, and the clock of
	 * the store jumps. Then a window slides over all starts.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6 })
	void noWindowHasMoreStartsThanTheRate(long seed) {
		Random random = new Random(seed);
		enqueue(jobs("q", 900));
		Rate rate = Rate.of(3 + random.nextInt(20), Duration.ofMillis(100 + random.nextInt(2000)));
		Rate spread = random.nextBoolean() ? rate : rate.burst(1 + random.nextInt(rate.getStarts()));
		register("v", "q");
		register("w", "q");
		List<Long> starts = new ArrayList<>();
		Instant latest = this.now;
		for (int i = 0; i < 250; i++) {
			pass(random.nextInt(8) > 0 ? random.nextInt(120) : random.nextInt(60_000) - 30_000);
			latest = this.now.isAfter(latest) ? this.now : latest;
			this.now = this.now.isBefore(latest.minusSeconds(40)) ? latest.minusSeconds(40) : this.now;
			int patience = random.nextInt(50);
			Quota quota = Quota.of("q", random.nextInt(30))
				.withRates(new Rates(spread, null, Duration.ofMillis(patience)));
			for (Claim claim : claim(random.nextBoolean() ? "v" : "w", 30, quota).claims()) {
				starts.add(this.now.toEpochMilli() + random.nextInt(patience + 1));
				if (random.nextInt(3) == 0) {
					settle(Transition.released(claim, this.now, claim.job().trail()));
				}
			}
		}
		assertThat(most(starts, rate.getWindow().toMillis())).isLessThanOrEqualTo(rate.getStarts());
		long part = rate.getWindow().toMillis() * spread.getBurst() / rate.getStarts();
		assertThat(most(starts, part)).isLessThanOrEqualTo(spread.getBurst());
		this.now = START.plus(Duration.ofDays(1));
	}

	private static int most(List<Long> starts, long window) {
		List<Long> sorted = starts.stream().sorted().toList();
		int most = 0;
		for (int from = 0, to = 0; to < sorted.size(); to++) {
			while (sorted.get(to) - sorted.get(from) >= window) {
				from++;
			}
			most = Math.max(most, to - from + 1);
		}
		return most;
	}

	@Test
	void olderClockOfAWorkerPermitsNothing() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 30);
		pass(-5000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
		pass(5000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
		pass(1000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
	}

	@Test
	void startsOfAnOlderClockCountAsTheLatest() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 5);
		pass(-5000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(5);
		pass(5000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
	}

	@Test
	void clockThatIsSetBackByHoursDelaysByAWindowAtMost() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 30);
		pass(-Duration.ofHours(3).toMillis());
		ClaimReply reply = claimBy(ofQueue(TEN_A_SECOND), 30);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(1000));
		pass(1000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
		this.now = START.plus(Duration.ofDays(1));
	}

	@Test
	void clockThatJumpsForwardForgetsWhatIsPast() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 30);
		pass(Duration.ofMinutes(59).toMillis());
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
	}

	@Test
	void jobsThatMayStartLateCountUntilThen() {
		enqueue(jobs("q", 60));
		startBy(new Rates(TEN_A_SECOND, null, Duration.ofMillis(50)), 30);
		pass(1000);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
		pass(50);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(10);
	}

	@Test
	void workersShareTheRate() {
		enqueue(jobs("q", 60));
		register("v", "q");
		register("w", "q");
		Quota quota = Quota.of("q", 7).withRates(ofQueue(TEN_A_SECOND));
		assertThat(claim("v", 7, quota).claims()).hasSize(7);
		assertThat(claim("w", 7, quota).claims()).hasSize(3);
		assertThat(claim("v", 7, quota).claims()).isEmpty();
	}

	@Test
	void permitOfAJobThatIsGivenBackStaysUsed() {
		enqueue(jobs("q", 60));
		claimBy(ofQueue(TEN_A_SECOND), 30).claims()
			.forEach((claim) -> settle(Transition.released(claim, this.now, claim.job().trail())));
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isZero();
	}

	@Test
	void permitOfAVanishedWorkerStaysUsedAndItsJobNeedsAnother() {
		enqueue(jobs("q", 10));
		Rates rates = ofQueue(Rate.of(10, Duration.ofHours(2)));
		register("w", "q");
		assertThat(claim("w", 10, Quota.of("q", 10).withRates(rates)).claims()).hasSize(10);
		pass(LEASE.toMillis() + 1);
		register("v", "q");
		takeOver("v", 10, "q").claims()
			.forEach((claim) -> settle(Transition.released(claim, this.now, claim.job().trail())));
		assertThat(startBy(rates, 10)).isZero();
		pass(Duration.ofHours(1).toMillis());
		assertThat(startBy(rates, 10)).isEqualTo(10);
	}

	@Test
	void retriedJobNeedsAPermit() {
		enqueue(jobs("q", 1));
		Rates rates = ofQueue(Rate.of(1, Duration.ofSeconds(1)));
		Claim claim = claimBy(rates, 1).claims().get(0);
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		assertThat(startBy(rates, 1)).isZero();
		pass(1000);
		assertThat(startBy(rates, 1)).isEqualTo(1);
	}

	@Test
	void changedRateAppliesToTheStartsBefore() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 6);
		assertThat(startBy(ofQueue(Rate.of(5, Duration.ofSeconds(1))), 30)).isZero();
		assertThat(startBy(ofQueue(Rate.of(8, Duration.ofSeconds(1))), 30)).isEqualTo(2);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(2);
	}

	@Test
	void removedRateAllowsEverything() {
		enqueue(jobs("q", 60));
		startBy(ofQueue(TEN_A_SECOND), 30);
		assertThat(startBy(null, 30)).isEqualTo(30);
	}

	@Test
	void rateOfOneQueueDoesNotConcernAnother() {
		enqueue(jobs("q", 30));
		enqueue(jobs("other", 30));
		register("w", "q", "other");
		ClaimReply reply = claim("w", 60, Quota.of("q", 30).withRates(ofQueue(TEN_A_SECOND)), Quota.of("other", 30));
		assertThat(reply.claims()).hasSize(40);
		reply = claim("w", 60, Quota.of("q", 30).withRates(ofQueue(TEN_A_SECOND)), Quota.of("other", 30));
		assertThat(reply.claims()).isEmpty();
	}

	@Test
	void shareAndRestOfAClaimHaveTheRateTogether() {
		enqueue(jobs("q", 30));
		register("w", "q");
		Quota quota = Quota.of("q", 30).withShare(4).withRates(ofQueue(TEN_A_SECOND));
		assertThat(claim("w", 30, quota).claims()).hasSize(10);
	}

	// --- nearly as many

	@Test
	void nearlyAllPermitsAreUsed() {
		Rate rate = Rate.of(40, Duration.ofSeconds(1));
		enqueue(jobs("q", 900));
		int started = 0;
		Instant end = after(20_000);
		while (this.now.isBefore(end)) {
			ClaimReply reply = claimBy(new Rates(rate, null, Duration.ofMillis(5)), 3);
			started += reply.claims().size();
			Instant next = nextOf(reply);
			boolean more = reply.queues().get(0).more();
			this.now = (!more && next != null && next.isAfter(this.now)) ? next : after(1);
		}
		assertThat(started).isBetween(784, 840);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4, 40 })
	void nextPermitIsExact(int burst) {
		Rates rates = ofQueue(Rate.of(40, Duration.ofSeconds(8)).burst(burst));
		enqueue(jobs("q", 300));
		for (int i = 0; i < 12; i++) {
			ClaimReply reply = claimBy(rates, 7);
			if (reply.queues().get(0).more()) {
				pass(3);
				continue;
			}
			Instant next = Objects.requireNonNull(nextOf(reply));
			this.now = next.minusMillis(1);
			ClaimReply early = claimBy(rates, 7);
			assertThat(early.claims()).isEmpty();
			assertThat(early.queues()).containsExactly(new Left("q", false, next));
			this.now = next;
			assertThat(startBy(rates, 1)).isEqualTo(1);
		}
	}

	@Test
	void emptyQueueHasNoNextPermit() {
		enqueue(jobs("q", 10));
		ClaimReply reply = claimBy(ofQueue(TEN_A_SECOND), 30);
		assertThat(reply.claims()).hasSize(10);
		assertThat(reply.queues()).containsExactly(new Left("q", false, null));
	}

	@Test
	void jobThatIsDueBeforeTheNextPermitWaitsForThat() {
		enqueue(jobs("q", 10));
		enqueue("q", after(400));
		assertThat(nextOf(claimBy(ofQueue(TEN_A_SECOND), 30))).isEqualTo(after(1000));
		pass(500);
		assertThat(nextOf(claimBy(ofQueue(TEN_A_SECOND), 30))).isEqualTo(after(500));
		pass(500);
		assertThat(startBy(ofQueue(TEN_A_SECOND), 30)).isEqualTo(1);
	}

	@Test
	void jobThatIsDueAfterTheNextPermitIsAnnounced() {
		enqueue(jobs("q", 10));
		enqueue("q", after(1400));
		assertThat(nextOf(claimBy(ofQueue(TEN_A_SECOND), 30))).isEqualTo(after(1400));
	}

	@Test
	void moreIsSaidOnlyIfThereIsAPermit() {
		enqueue(jobs("q", 30));
		assertThat(claimBy(ofQueue(TEN_A_SECOND), 9).queues().get(0).more()).isTrue();
		assertThat(claimBy(ofQueue(TEN_A_SECOND), 1).queues().get(0).more()).isFalse();
	}

	// --- with limits

	@Test
	void rateAndLimitApplyTogether() {
		enqueue(jobs("q", 30));
		List<Claim> claims = claimBy(ofQueue(TEN_A_SECOND), 30, 4, 0).claims();
		assertThat(claims).hasSize(4);
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		claims = claimBy(ofQueue(TEN_A_SECOND), 30, 4, 0).claims();
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimBy(ofQueue(TEN_A_SECOND), 30, 4, 0).claims()).hasSize(2);
	}

	@Test
	void jobThatWaitsForAPermitTakesNoPlace() {
		enqueue(jobs("q", 30));
		startBy(ofQueue(TEN_A_SECOND), 30);
		assertThat(claimBy(ofQueue(TEN_A_SECOND), 30, 20, 0).claims()).isEmpty();
		assertThat(queue("q").running()).isEqualTo(10);
	}

	@Test
	void limitOfALaneAndItsRateApplyTogether() {
		enqueueIn("a", 30);
		Rates rates = ofLane(Rate.of(3, Duration.ofSeconds(1)));
		List<Claim> claims = claimBy(rates, 30, 0, 2).claims();
		assertThat(claims).hasSize(2);
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		claims = claimBy(rates, 30, 0, 2).claims();
		assertThat(claims).hasSize(1);
		settle(Transition.removed(claims.get(0), this.now));
		ClaimReply reply = claimBy(rates, 30, 0, 2);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(1000));
	}

	// --- of lanes

	@Test
	void eachLaneHasItsRate() {
		List.of("a", "b", "c").forEach((lane) -> enqueueIn(lane, 5));
		Rates rates = ofLane(Rate.of(2, Duration.ofSeconds(1)));
		assertThat(lanes(claimBy(rates, 30))).containsExactlyInAnyOrder("a", "a", "b", "b", "c", "c");
		pass(500);
		enqueueIn("d", 5);
		assertThat(lanes(claimBy(rates, 30))).containsExactly("d", "d");
		pass(500);
		assertThat(lanes(claimBy(rates, 30))).containsExactlyInAnyOrder("a", "a", "b", "b", "c", "c");
		pass(500);
		assertThat(lanes(claimBy(rates, 30))).containsExactly("d", "d");
	}

	@Test
	void jobsWithoutALaneHaveNoRateOfLanes() {
		enqueueIn("a", 5);
		enqueue(jobs("q", 5));
		assertThat(claimBy(ofLane(Rate.of(1, Duration.ofSeconds(1))), 30).claims()).hasSize(6);
	}

	@Test
	void ratesOfQueueAndLanesApplyTogether() {
		IntStream.range(0, 9).forEach((i) -> enqueueIn("lane-" + i, 5));
		Rates rates = new Rates(TEN_A_SECOND, Rate.of(2, Duration.ofSeconds(3)), Duration.ZERO);
		assertThat(startBy(rates, 60)).isEqualTo(10);
		pass(1000);
		assertThat(startBy(rates, 60)).isEqualTo(8);
		pass(1000);
		ClaimReply reply = claimBy(rates, 60);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(1000));
		pass(1000);
		assertThat(startBy(rates, 60)).isEqualTo(10);
	}

	@Test
	void nextPermitOfLanesIsThatOfTheFirst() {
		Rates rates = ofLane(Rate.of(1, Duration.ofSeconds(1)));
		enqueueIn("a", 2);
		startBy(rates, 9);
		pass(300);
		enqueueIn("b", 2);
		ClaimReply reply = claimBy(rates, 9);
		assertThat(lanes(reply)).containsExactly("b");
		assertThat(reply.queues()).containsExactly(new Left("q", false, after(700), "b"));
		pass(700);
		assertThat(lanes(claimBy(rates, 9))).containsExactly("a");
	}

	@Test
	void laneThatWaitsForAPermitIsNotMissed() {
		Rates rates = ofLane(Rate.of(1, Duration.ofSeconds(1)));
		enqueueIn("a", 1);
		startBy(rates, 9);
		enqueueIn("a", 3);
		for (int i = 0; i < 3; i++) {
			ClaimReply reply = claimBy(rates, 9);
			assertThat(reply.claims()).isEmpty();
			assertThat(nextOf(reply)).isEqualTo(after(1000));
			pass(1000);
			assertThat(lanes(claimBy(rates, 9))).containsExactly("a");
		}
	}

	@Test
	void manyLanesWithoutAPermitDoNotHideOneThatHasOne() {
		Rates rates = ofLane(Rate.of(1, Duration.ofHours(1)));
		enqueue(IntStream.range(0, 600).mapToObj((i) -> in(job("q"), "lane-" + (1000 + i / 2))).toList());
		assertThat(startBy(rates, 600)).isEqualTo(300);
		enqueueIn("z", 1);
		assertThat(lanes(claimBy(rates, 5))).containsExactly("z");
	}

	@Test
	void rateOfLanesThatBecomesStricterKeepsNoLaneForEver() {
		enqueueIn("a", 5);
		startBy(ofLane(Rate.of(4, Duration.ofSeconds(1))), 2);
		ClaimReply reply = claimBy(ofLane(Rate.of(1, Duration.ofSeconds(1))), 5);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(1000));
		pass(1000);
		assertThat(startBy(ofLane(Rate.of(1, Duration.ofSeconds(1))), 5)).isEqualTo(1);
	}

	@Test
	void removedRateOfLanesAllowsEverythingAtOnce() {
		enqueueIn("a", 9);
		startBy(ofLane(Rate.of(1, Duration.ofSeconds(1))), 9);
		assertThat(startBy(null, 9)).isEqualTo(8);
	}

	@Test
	void looserRateOfLanesOpensAllLanesThatWait() {
		IntStream.range(0, 300).forEach((i) -> enqueueIn("lane-" + i, 4));
		assertThat(startBy(ofLane(Rate.of(1, Duration.ofHours(1))), 1000)).isEqualTo(300);
		List<Claim> started = new ArrayList<>();
		ClaimReply reply;
		do {
			reply = claimBy(ofLane(Rate.of(3, Duration.ofHours(1))), 1000);
			started.addAll(reply.claims());
		}
		while (reply.queues().get(0).more());
		assertThat(started).hasSize(600);
		assertThat(Set.copyOf(lanes(started))).hasSize(300);
		assertThat(nextOf(reply)).isEqualTo(after(3_600_000));
	}

	@Test
	void lanesKeepTheirOrderAndTurns() {
		List<NewJob> jobs = new ArrayList<>();
		for (String lane : List.of("a", "b", "c")) {
			IntStream.range(0, 6).forEach((i) -> jobs.add(in(job("q"), lane)));
		}
		enqueue(jobs);
		Rates rates = ofLane(Rate.of(2, Duration.ofSeconds(1)));
		List<Claim> started = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			started.addAll(claimBy(rates, 2).claims());
			pass((i % 4 == 3) ? 1000 : 0);
		}
		for (int from = 0; from < 18; from += 3) {
			assertThat(lanes(started.subList(from, from + 3))).containsExactlyInAnyOrder("a", "b", "c");
		}
		started.sort(Comparator.comparing((claim) -> String.valueOf(claim.job().lane())));
		assertThat(ids(started)).isEqualTo(idsOf(jobs));
	}

	// --- holds

	@Test
	void queueThatIsHeldBackGivesNothingUntilThen() {
		List<NewJob> jobs = jobs("q", 5);
		enqueue(jobs);
		Claim claim = claimBy(null, 1).claims().get(0);
		holdBack(claim, 2000);
		assertThat(state(claim.job().id())).isEqualTo(JobState.READY);
		ClaimReply reply = claimBy(null, 9);
		assertThat(reply.claims()).isEmpty();
		assertThat(reply.queues()).containsExactly(new Left("q", false, after(2000)));
		pass(1999);
		assertThat(startBy(null, 9)).isZero();
		pass(1);
		reply = claimBy(null, 9);
		assertThat(ids(reply.claims())).isEqualTo(idsOf(jobs));
		assertThat(reply.claims().get(0).job().attempt()).isEqualTo(1);
	}

	@Test
	void holdAppliesToAllWorkersAndToNewJobs() {
		holdBack(enqueueAndClaim("w", "q"), 2000);
		enqueue("q");
		register("v", "q");
		assertThat(claim("v", "q", 9)).isEmpty();
		pass(2000);
		assertThat(claim("v", "q", 9)).hasSize(2);
	}

	@Test
	void holdAppliesToDueJobs() {
		holdBack(enqueueAndClaim("w", "q"), 2000);
		enqueue("q", after(500));
		enqueue("q", after(2500));
		pass(1000);
		ClaimReply reply = claimBy(null, 9);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(1000));
		pass(1000);
		reply = claimBy(null, 9);
		assertThat(reply.claims()).hasSize(2);
		assertThat(nextOf(reply)).isEqualTo(after(500));
	}

	@Test
	void laterHoldStays() {
		enqueue(jobs("q", 3));
		List<Claim> claims = claimBy(null, 2).claims();
		holdBack(claims.get(0), 2000);
		holdBack(claims.get(1), 1000);
		pass(1000);
		assertThat(startBy(null, 9)).isZero();
		pass(1000);
		assertThat(startBy(null, 9)).isEqualTo(3);
	}

	@Test
	void jobsThatRunAreNotTouchedByAHold() {
		enqueue(jobs("q", 3));
		List<Claim> claims = claimBy(null, 3).claims();
		holdBack(claims.get(0), 2000);
		assertThat(settle(Transition.removed(claims.get(1), this.now))).isEqualTo(Settled.APPLIED);
		assertThat(settle(Transition.kept(claims.get(2), this.now, claims.get(2).job().trail())))
			.isEqualTo(Settled.APPLIED);
	}

	@Test
	void holdUnderAnOldTokenHoldsNothing() {
		enqueue(jobs("q", 2));
		Claim claim = claimBy(null, 1).claims().get(0);
		settle(Transition.released(claim, this.now, claim.job().trail()));
		assertThat(settle(Transition.heldBack(claim, after(2000), claim.job().trail()))).isNotEqualTo(Settled.APPLIED);
		assertThat(startBy(null, 9)).isEqualTo(2);
	}

	@Test
	void resumeEndsAHold() {
		holdBack(enqueueAndClaim("w", "q"), 2000);
		assertThat(change(new Change.Resume("q"))).isEqualTo(Changed.DONE);
		assertThat(startBy(null, 9)).isEqualTo(1);
	}

	@Test
	void holdAndRateApplyTogether() {
		enqueue(jobs("q", 30));
		List<Claim> claims = claimBy(ofQueue(TEN_A_SECOND), 10).claims();
		holdBack(claims.get(0), 400);
		assertThat(nextOf(claimBy(ofQueue(TEN_A_SECOND), 30))).isEqualTo(after(1000));
		pass(1000);
		claims = claimBy(ofQueue(TEN_A_SECOND), 30).claims();
		assertThat(claims).hasSize(10);
		holdBack(claims.get(0), 1500);
		pass(1000);
		ClaimReply reply = claimBy(ofQueue(TEN_A_SECOND), 30);
		assertThat(reply.claims()).isEmpty();
		assertThat(nextOf(reply)).isEqualTo(after(500));
	}

	@Test
	void laneThatIsHeldBackLeavesOthersAlone() {
		List.of("a", "b").forEach((lane) -> enqueueIn(lane, 3));
		Claim claim = claimBy(null, 1).claims().get(0);
		assertThat(claim.job().lane()).isEqualTo("a");
		holdBack(claim, 2000);
		ClaimReply reply = claimBy(null, 9);
		assertThat(lanes(reply)).containsExactly("b", "b", "b");
		assertThat(nextOf(reply)).isEqualTo(after(2000));
		pass(2000);
		reply = claimBy(null, 9);
		assertThat(lanes(reply)).containsExactly("a", "a", "a");
		assertThat(reply.claims().get(0).job().id()).isEqualTo(claim.job().id());
	}

	@Test
	void resumeEndsTheHoldsOfLanesToo() {
		enqueueIn("a", 3);
		holdBack(claimBy(null, 1).claims().get(0), 2000);
		assertThat(startBy(null, 9)).isZero();
		change(new Change.Resume("q"));
		assertThat(startBy(null, 9)).isEqualTo(3);
	}

	@Test
	void resumeLeavesTheRateInForce() {
		enqueue(jobs("q", 30));
		enqueueIn("a", 9);
		Rates rates = new Rates(TEN_A_SECOND, Rate.of(1, Duration.ofSeconds(1)), Duration.ZERO);
		holdBack(claimBy(rates, 30).claims().get(0), 500);
		change(new Change.Resume("q"));
		assertThat(startBy(rates, 30)).isZero();
		pass(1000);
		assertThat(startBy(rates, 30)).isEqualTo(10);
	}

	// --- views

	@Test
	void gateShowsTheHoldAndTheNextPermit() {
		enqueue(jobs("q", 30));
		assertThat(gate("")).isEqualTo(GateView.OPEN);
		List<Claim> claims = claimBy(ofQueue(TEN_A_SECOND), 10).claims();
		assertThat(gate("")).isEqualTo(new GateView(null, after(1000)));
		holdBack(claims.get(0), 1700);
		assertThat(gate("")).isEqualTo(new GateView(after(1700), after(1000)));
		assertThat(gate("a")).isEqualTo(GateView.OPEN);
		pass(1000);
		assertThat(gate("")).isEqualTo(new GateView(after(700), null));
		change(new Change.Resume("q"));
		assertThat(gate("")).isEqualTo(GateView.OPEN);
		assertThat(this.store.inspector().gate("unknown", "", this.now)).isEqualTo(GateView.OPEN);
	}

	@Test
	void gateOfALaneShowsTheHoldAndTheNextPermit() {
		enqueueIn("a", 3);
		Claim claim = claimBy(ofLane(Rate.of(1, Duration.ofSeconds(1))), 1).claims().get(0);
		holdBack(claim, 1700);
		assertThat(gate("a")).isEqualTo(new GateView(after(1700), after(1000)));
		assertThat(gate("")).isEqualTo(GateView.OPEN);
		assertThat(this.store.inspector().lane("q", "a", this.now).gate()).isEqualTo(gate("a"));
		enqueueIn("b", 1);
		assertThat(this.store.inspector().lanes("q", "", 10, this.now)).extracting(LaneView::gate)
			.containsExactly(gate("a"), GateView.OPEN);
	}

	private GateView gate(String lane) {
		return this.store.inspector().gate("q", lane, this.now);
	}

	// --- no growth

	@Test
	void purgeLeavesNoGate() {
		Rates rates = ofQueue(Rate.of(1, Duration.ofHours(1)));
		enqueue(jobs("q", 2));
		startBy(rates, 1);
		change(new Change.Purge());
		enqueue(jobs("q", 1));
		assertThat(startBy(rates, 1)).isEqualTo(1);
	}

	@Test
	void pruningChangesNoGateThatStillMatters() {
		Rates rates = new Rates(TEN_A_SECOND, Rate.of(1, Duration.ofHours(1)), Duration.ZERO);
		enqueueIn("a", 5);
		enqueueIn("b", 5);
		holdBack(claimBy(rates, 2).claims().get(0), Duration.ofHours(2).toMillis());
		pass(Duration.ofMinutes(59).toMillis());
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 1000, this.now));
		assertThat(startBy(rates, 9)).isZero();
		pass(Duration.ofMinutes(1).toMillis());
		assertThat(lanes(claimBy(rates, 9))).containsExactly("b");
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 1000, this.now));
		pass(Duration.ofHours(1).toMillis());
		assertThat(lanes(claimBy(rates, 9))).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void claimOfAWorkerThatIsNotAliveUsesNoPermit() {
		enqueue(jobs("q", 9));
		Rates rates = ofQueue(Rate.of(1, Duration.ofHours(1)));
		ClaimRequest request = new ClaimRequest("unknown", List.of(Quota.of("q", 9).withRates(rates)), 9, this.now);
		assertThat(this.store.claim(request).claims()).isEmpty();
		assertThat(startBy(rates, 9)).isEqualTo(1);
	}

}
