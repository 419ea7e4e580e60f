package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about lanes: they take turns, keep their order, and no more of their jobs
 * run at once than the limit of a lane allows, whatever happens to these.
 */
abstract class LanesContract extends ContractPart {

	/** The lane that gave jobs last, of each worker. */
	private final Map<String, String> turns = new ConcurrentHashMap<>();

	LanesContract(StoreSource source) {
		super(source);
	}

	private NewJob inLane(String lane) {
		return in(job("q"), lane);
	}

	private String enqueueIn(String lane) {
		return enqueue(inLane(lane)).id();
	}

	private List<String> enqueueIn(String lane, int count) {
		List<NewJob> jobs = IntStream.range(0, count).mapToObj((i) -> inLane(lane)).toList();
		enqueue(jobs);
		return idsOf(jobs);
	}

	/**
	 * Claim where the last claim of the worker ended.
	 */
	private ClaimReply claimInTurn(String worker, int count, int maxInLane) {
		register(worker, "q");
		return claimFurther(worker, Quota.of("q", count), count, maxInLane);
	}

	private ClaimReply claimFurther(String worker, Quota quota, int count, int maxInLane) {
		ClaimReply reply = claim(worker, count, quota.withLanes(maxInLane, this.turns.getOrDefault(worker, "")));
		reply.queues().forEach((left) -> this.turns.put(worker, left.lane()));
		return reply;
	}

	private List<Claim> claimLimited(int count, int maxInLane) {
		return claimInTurn("w", count, maxInLane).claims();
	}

	private List<Claim> claimUnlimited(int count) {
		return claimLimited(count, 0);
	}

	private Settled remove(Claim claim) {
		return settle(Transition.removed(claim, this.now));
	}

	private boolean hasMore(ClaimReply reply) {
		return reply.queues().get(0).more();
	}

	// --- turns

	@Test
	void lanesTakeTurns() {
		Stream.of("a", "b", "c").forEach((lane) -> enqueueIn(lane, 3));
		assertThat(lanes(claimUnlimited(3))).containsExactly("a", "b", "c");
		assertThat(lanes(claimUnlimited(3))).containsExactly("a", "b", "c");
	}

	@Test
	void turnsContinueBehindTheLaneThatGaveJobsLast() {
		Stream.of("a", "b", "c").forEach((lane) -> enqueueIn(lane, 3));
		List<String> order = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			order.addAll(lanes(claimUnlimited(1)));
		}
		assertThat(order).containsExactly("a", "b", "c", "a", "b");
		assertThat(claimInTurn("w", 1, 0).queues()).containsExactly(new Left("q", true, null, "c"));
	}

	@Test
	void turnsContinueBehindALaneThatIsGone() {
		Stream.of("a", "b", "c").forEach(this::enqueueIn);
		claimUnlimited(2);
		enqueueIn("a");
		assertThat(lanes(claimUnlimited(1))).containsExactly("c");
	}

	@Test
	void quietLaneWaitsForOneRoundWhateverTheBacklogOfAnother() {
		enqueueIn("noisy", 2000);
		claimUnlimited(10);
		String quiet = enqueueIn("quiet");
		List<Claim> claims = new ArrayList<>(claimUnlimited(1));
		claims.addAll(claimUnlimited(1));
		assertThat(ids(claims)).contains(quiet);
	}

	@Test
	void quietLaneWaitsForOneRoundBesideManyLanes() {
		IntStream.range(0, 20).forEach((i) -> enqueueIn("noisy-" + i, 20));
		String quiet = enqueueIn("quiet");
		List<Claim> claims = new ArrayList<>();
		for (int i = 0; i < 21; i++) {
			claims.addAll(claimUnlimited(1));
		}
		assertThat(ids(claims)).contains(quiet);
	}

	@Test
	void claimTakesEqualNumbersOfEachLane() {
		enqueueIn("a", 100);
		enqueueIn("b", 100);
		assertThat(lanes(claimUnlimited(10))).filteredOn("a"::equals).hasSize(5);
	}

	@Test
	void lanesThatHaveMoreGiveTheRest() {
		enqueueIn("a", 100);
		enqueueIn("b", 1);
		enqueueIn("c", 2);
		List<String> lanes = lanes(claimUnlimited(12));
		assertThat(lanes).hasSize(12);
		assertThat(lanes).filteredOn("a"::equals).hasSize(9);
	}

	@Test
	void onlyLaneGivesEverything() {
		List<String> ids = enqueueIn("a", 50);
		assertThat(ids(claimUnlimited(40))).isEqualTo(ids.subList(0, 40));
	}

	@Test
	void jobsWithoutALaneHaveTheirTurnToo() {
		enqueueIn("a", 100);
		enqueue(jobs("q", 100));
		assertThat(lanes(claimUnlimited(10))).filteredOn("null"::equals).hasSize(5);
	}

	@Test
	void jobsWithoutALaneKeepTheirOrderBesideLanes() {
		List<NewJob> plain = jobs("q", 6);
		enqueueIn("a", 6);
		enqueue(plain);
		List<Claim> claims = new ArrayList<>(claimUnlimited(4));
		claims.addAll(claimUnlimited(8));
		assertThat(claims.stream().filter((claim) -> claim.job().lane() == null).map((claim) -> claim.job().id()))
			.containsExactlyElementsOf(idsOf(plain));
	}

	@Test
	void queueWithoutLanesReturnsTheTurnThatItWasAsked() {
		enqueue("q");
		register("w", "q");
		assertThat(claim("w", 1, Quota.of("q", 1).withLanes(2, "x")).queues())
			.containsExactly(new Left("q", false, null, "x"));
	}

	@Test
	void lanesAreOfOneQueue() {
		enqueue(in(job("q"), "a"));
		enqueue(in(job("other"), "a"));
		register("w", "q", "other");
		ClaimReply reply = claim("w", 10, Quota.of("q", 5).withLanes(1, ""), Quota.of("other", 5).withLanes(1, ""));
		assertThat(reply.claims()).hasSize(2);
	}

	@Test
	void shareIsGivenInTurnToo() {
		enqueueIn("a", 10);
		enqueueIn("b", 10);
		register("w", "q");
		List<String> lanes = lanes(claimFurther("w", quota("q", 2, 6), 6, 0).claims());
		assertThat(lanes).containsExactly("a", "b", "a", "a", "b", "b");
	}

	@Test
	void workersTakeTurnsEachForItself() {
		enqueueIn("a", 10);
		enqueueIn("b", 10);
		assertThat(lanes(claimInTurn("w", 1, 0).claims())).containsExactly("a");
		assertThat(lanes(claimInTurn("v", 1, 0).claims())).containsExactly("a");
		assertThat(lanes(claimInTurn("w", 1, 0).claims())).containsExactly("b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ü", "日本", "😀", "a b", "a'b", "a\"b\\", "{x}", "%", "*", "a,b", "1:2", "(", "[", "+", "-",
			"null" })
	void laneHasAnyName(String name) {
		enqueueIn(name, 2);
		enqueueIn("b");
		List<Claim> claims = claimLimited(10, 1);
		assertThat(lanes(claims)).containsExactlyInAnyOrder(name, "b");
		assertThat(claimLimited(10, 1)).isEmpty();
		claims.forEach(this::remove);
		assertThat(lanes(claimLimited(10, 1))).containsExactly(name);
	}

	@Test
	void laneThatBeginsWithTheNameOfAnotherIsAnother() {
		Stream.of("a", "a ", "a.", "aa", "A").map(String::strip).distinct().forEach((lane) -> enqueueIn(lane, 2));
		assertThat(lanes(claimLimited(20, 1))).containsExactlyInAnyOrder("a", "a.", "aa", "A");
	}

	// --- weights

	private List<String> claimWeighted(int count, int maxInLane, Map<String, Integer> weights) {
		register("w", "q");
		return lanes(claimFurther("w", Quota.of("q", count).withLaneWeights(weights), count, maxInLane).claims());
	}

	@Test
	void laneWithAWeightGivesAsManyJobsForEachOneOfAnother() {
		Stream.of("a", "b", "c").forEach((lane) -> enqueueIn(lane, 20));
		assertThat(claimWeighted(10, 0, Map.of("b", 3))).containsExactly("a", "a", "b", "b", "b", "b", "b", "b", "c",
				"c");
		assertThat(claimWeighted(5, 0, Map.of("b", 3))).containsExactly("a", "b", "b", "b", "c");
	}

	@Test
	void weightIsCutWhereTheClaimEnds() {
		enqueueIn("a", 20);
		enqueueIn("b", 20);
		register("w", "q");
		ClaimReply reply = claimFurther("w", Quota.of("q", 2).withLaneWeights(Map.of("a", 5)), 2, 0);
		assertThat(lanes(reply.claims())).containsExactly("a", "a");
		assertThat(reply.queues()).containsExactly(new Left("q", true, null, "a"));
	}

	@Test
	void laneWithAWeightAndFewJobsLeavesTheRestToOthers() {
		enqueueIn("a", 1);
		enqueueIn("b", 20);
		assertThat(claimWeighted(8, 0, Map.of("a", 100, "unknown", 7))).hasSize(8).filteredOn("b"::equals).hasSize(7);
	}

	@Test
	void limitOfALaneAppliesWhateverItsWeight() {
		enqueueIn("a", 20);
		enqueueIn("b", 20);
		assertThat(claimWeighted(10, 2, Map.of("a", 5))).containsExactlyInAnyOrder("a", "a", "b", "b");
		assertThat(claimWeighted(10, 2, Map.of("a", 5))).isEmpty();
	}

	@Test
	void jobsWithoutALaneHaveTheirTurnBesideAWeight() {
		enqueueIn("a", 20);
		enqueue(jobs("q", 20));
		assertThat(claimWeighted(8, 0, Map.of("a", 3))).filteredOn("null"::equals).hasSize(2);
	}

	// --- order

	@Test
	void laneKeepsItsOrder() {
		List<String> first = enqueueIn("a", 3);
		pass(5);
		List<String> later = enqueueIn("a", 3);
		assertThat(ids(claimUnlimited(4))).containsExactly(first.get(0), first.get(1), first.get(2), later.get(0));
	}

	@Test
	void jobOfALaneIsClaimedOnceItIsDue() {
		String id = enqueue(in(job("q", after(10)), "a")).id();
		assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
		ClaimReply early = claimInTurn("w", 5, 1);
		assertThat(early.claims()).isEmpty();
		assertThat(early.queues()).extracting(Left::nextDue).containsExactly(after(10));
		pass(10);
		assertThat(state(id)).isEqualTo(JobState.READY);
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
	}

	@Test
	void earliestDueOfALaneComesFirst() {
		String early = enqueue(in(job("q", after(1)), "a")).id();
		pass(2);
		String late = enqueueIn("a");
		assertThat(ids(claimUnlimited(2))).containsExactly(early, late);
	}

	@Test
	void hundredsOfDueJobsOfAFullLaneDoNotKeepOthersBack() {
		enqueueIn("a");
		claimLimited(1, 1);
		enqueue(IntStream.range(0, 250).mapToObj((i) -> in(job("q", after(1)), "a")).toList());
		String other = enqueue(in(job("q", after(2)), "b")).id();
		pass(3);
		assertThat(ids(claimLimited(5, 1))).containsExactly(other);
	}

	@Test
	void hundredsOfDueJobsOfALaneLeaveAnotherItsTurn() {
		enqueue(IntStream.range(0, 250).mapToObj((i) -> in(job("q", after(1)), "a")).toList());
		String other = enqueue(in(job("q", after(2)), "b")).id();
		pass(3);
		assertThat(ids(claimUnlimited(2))).contains(other);
	}

	@Test
	void moreDueJobsOfAFullLaneDelayOthersByAFewClaims() {
		enqueueIn("a");
		claimLimited(1, 1);
		enqueue(IntStream.range(0, 1000).mapToObj((i) -> in(job("q", after(1)), "a")).toList());
		String other = enqueue(in(job("q", after(2)), "b")).id();
		pass(3);
		List<Claim> claims = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			claims.addAll(claimLimited(5, 1));
		}
		assertThat(ids(claims)).containsExactly(other);
	}

	@Test
	void rescheduledJobTakesThePlaceOfItsDueTime() {
		String first = enqueueIn("a");
		pass(1);
		String second = enqueueIn("a");
		pass(1);
		assertThat(change(new Change.Reschedule(first, this.now))).isEqualTo(Changed.DONE);
		assertThat(ids(claimUnlimited(2))).containsExactly(second, first);
	}

	@Test
	void releasedJobsTakeTheirPlacesInTheirLanesAgain() {
		List<String> ids = enqueueIn("a", 4);
		List<Claim> claims = claimUnlimited(3);
		List<Transition> released = claims.stream()
			.map((claim) -> Transition.released(claim, this.now, claim.job().trail()))
			.toList();
		assertThat(this.store.settle(released, this.now)).containsOnly(Settled.APPLIED);
		assertThat(ids(claimUnlimited(4))).isEqualTo(ids);
	}

	// --- the limit of a lane

	@Test
	void limitOfALaneHolds() {
		enqueueIn("a", 5);
		ClaimReply reply = claimInTurn("w", 5, 2);
		assertThat(reply.claims()).hasSize(2);
		assertThat(hasMore(reply)).isFalse();
		assertThat(claimLimited(5, 2)).isEmpty();
	}

	@Test
	void limitOfALaneHoldsOverAllWorkers() {
		enqueueIn("a", 5);
		assertThat(claimInTurn("v", 1, 2).claims()).hasSize(1);
		assertThat(claimInTurn("w", 5, 2).claims()).hasSize(1);
		assertThat(claimInTurn("x", 5, 2).claims()).isEmpty();
	}

	@Test
	void eachLaneHasTheLimit() {
		enqueueIn("a", 5);
		enqueueIn("b", 5);
		enqueue(jobs("q", 5));
		List<String> lanes = lanes(claimLimited(20, 2));
		assertThat(lanes).containsExactlyInAnyOrder("a", "a", "b", "b", "null", "null", "null", "null", "null");
	}

	@Test
	void jobsWithoutALaneGiveAsManyAtOnceAsAnyLane() {
		enqueueIn("a", 3);
		enqueue(jobs("q", 5));
		register("w", "q");
		assertThat(lanes(claim("w", 4, Quota.of("q", 4).withLanes(1, "a")).claims())).containsExactly("null", "null",
				"a", "null");
	}

	@Test
	void claimTakesNoMoreOfALaneThanItsLimitInSeveralSteps() {
		enqueueIn("a", 9);
		enqueueIn("b", 1);
		register("w", "q");
		assertThat(lanes(claimFurther("w", quota("q", 3, 9), 9, 3).claims())).filteredOn("a"::equals).hasSize(3);
	}

	@Test
	void fullLanesLeaveOthersFree() {
		for (int i = 0; i < 200; i++) {
			enqueueIn("full-" + i, 2);
		}
		assertThat(claimLimited(200, 1)).hasSize(200);
		String other = enqueueIn("other");
		assertThat(ids(claimLimited(1, 1))).containsExactly(other);
	}

	@Test
	void longBacklogOfAFullLaneLeavesOthersFree() {
		enqueueIn("full", 2000);
		claimLimited(1, 1);
		String other = enqueueIn("other");
		assertThat(ids(claimLimited(1, 1))).containsExactly(other);
	}

	@Test
	void fullLaneLeavesJobsWithoutALaneFree() {
		enqueueIn("full", 10);
		claimLimited(1, 1);
		String plain = enqueue("q");
		ClaimReply reply = claimInTurn("w", 5, 1);
		assertThat(ids(reply.claims())).containsExactly(plain);
		assertThat(hasMore(reply)).isFalse();
	}

	@Test
	void jobThatIsEnqueuedIntoAFullLaneWaits() {
		enqueueIn("a");
		claimLimited(1, 1);
		enqueueIn("a");
		ClaimReply reply = claimInTurn("w", 5, 1);
		assertThat(reply.claims()).isEmpty();
		assertThat(hasMore(reply)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(Transition.To.class)
	void endOfARunOpensItsLane(Transition.To to) {
		List<String> ids = enqueueIn("a", 3);
		Claim claim = claimLimited(3, 1).get(0);
		assertThat(claimLimited(3, 1)).isEmpty();
		assertThat(settle(ended(claim, to))).isEqualTo(Settled.APPLIED);
		assertThat(ids(claimLimited(3, 1)))
			.containsExactly((to == Transition.To.FRONT || to == Transition.To.HELD_BACK) ? ids.get(0) : ids.get(1));
	}

	private Transition ended(Claim claim, Transition.To to) {
		return switch (to) {
			case REMOVED -> Transition.removed(claim, this.now);
			case SUCCEEDED -> Transition.kept(claim, this.now, claim.job().trail());
			case CANCELLED -> Transition.cancelled(claim, this.now, claim.job().trail());
			case DEAD -> Transition.dead(claim, this.now, failed(claim));
			case SCHEDULED -> Transition.scheduled(claim, after(50), failed(claim));
			case WAITING -> Transition.waiting(claim, after(50),
					TrailRules.parked(claim.job().trail(), Trail.Wait.of("signal:a", this.now)));
			case FRONT -> Transition.released(claim, this.now, claim.job().trail());
			case HELD_BACK -> Transition.heldBack(claim, this.now, claim.job().trail());
		};
	}

	@Test
	void endsOfManyRunsOpenTheirLanes() {
		IntStream.range(0, 20).forEach((i) -> enqueueIn("lane-" + i, 2));
		List<Claim> claims = claimLimited(40, 1);
		assertThat(claims).hasSize(20);
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, this.now)).toList(), this.now);
		assertThat(claimLimited(40, 1)).hasSize(20);
	}

	@Test
	void retryThatIsDueAtOnceWaitsForItsLane() {
		enqueueIn("a", 2);
		Claim claim = claimLimited(2, 1).get(0);
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		assertThat(claimLimited(5, 1)).hasSize(1);
		assertThat(claimLimited(5, 1)).isEmpty();
	}

	@Test
	void retryKeepsItsLane() {
		String id = enqueueIn("a");
		Claim claim = claimLimited(1, 1).get(0);
		settle(Transition.scheduled(claim, after(5), failed(claim)));
		pass(5);
		enqueueIn("a");
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
		assertThat(find(id).lane()).isEqualTo("a");
	}

	@Test
	void repeatedSettleOpensItsLaneOnce() {
		enqueueIn("a", 4);
		List<Claim> claims = claimLimited(2, 2);
		remove(claims.get(0));
		assertThat(remove(claims.get(0))).isEqualTo(Settled.GONE);
		assertThat(claimLimited(4, 2)).hasSize(1);
	}

	@Test
	void settleOfAWorkerThatLostItsJobOpensNothing() {
		enqueueIn("a", 3);
		beat("gone", Duration.ofMillis(1), "q");
		Claim lost = claim("gone", 1, Quota.of("q", 1).withLanes(1, "")).claims().get(0);
		pass(2);
		register("w", "q");
		Claim taken = takeOver("w", 5, "q").claims().get(0);
		assertThat(remove(lost)).isEqualTo(Settled.LOST);
		assertThat(claimLimited(5, 1)).isEmpty();
		assertThat(remove(taken)).isEqualTo(Settled.APPLIED);
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void jobsOfAVanishedWorkerKeepTheirLaneFull() {
		enqueueIn("a", 5);
		beat("gone", Duration.ofMillis(1), "q");
		claim("gone", 2, Quota.of("q", 2).withLanes(2, ""));
		pass(2);
		assertThat(claimLimited(5, 2)).isEmpty();
		register("w", "q");
		List<Claim> taken = takeOver("w", 5, "q").claims();
		assertThat(lanes(taken)).containsExactly("a", "a");
		assertThat(claimLimited(5, 2)).isEmpty();
		taken.forEach(this::remove);
		assertThat(claimLimited(5, 2)).hasSize(2);
	}

	@Test
	void jobsOfALeftWorkerKeepTheirLaneFull() {
		enqueueIn("a", 5);
		claimInTurn("gone", 1, 1);
		leave("gone");
		assertThat(claimLimited(5, 1)).isEmpty();
	}

	@Test
	void jobThatIsToBeCancelledKeepsItsLaneFullUntilItEnds() {
		enqueueIn("a", 2);
		Claim claim = claimLimited(1, 1).get(0);
		change(new Change.Cancel(claim.job().id()));
		assertThat(claimLimited(5, 1)).isEmpty();
		settle(Transition.cancelled(claim, this.now, claim.job().trail()));
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void cancelledAndDeletedJobsLeaveTheirLane() {
		List<String> ids = enqueueIn("a", 4);
		change(new Change.Cancel(ids.get(0)));
		change(new Change.Delete(ids.get(2)));
		assertThat(ids(claimUnlimited(5))).containsExactly(ids.get(1), ids.get(3));
	}

	@Test
	void laneWhoseJobsAreDeletedGivesNothing() {
		enqueueIn("a", 2).forEach((id) -> change(new Change.Delete(id)));
		String other = enqueueIn("b");
		ClaimReply reply = claimInTurn("w", 1, 1);
		assertThat(ids(reply.claims())).containsExactly(other);
		assertThat(hasMore(reply)).isFalse();
	}

	@Test
	void jobsOfAFullLaneCanBeDeleted() {
		List<String> ids = enqueueIn("a", 3);
		Claim claim = claimLimited(1, 1).get(0);
		change(new Change.Delete(ids.get(1)));
		remove(claim);
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(2));
	}

	@Test
	void retriedDeadJobWaitsForItsLane() {
		String id = enqueueIn("a");
		kill(claimLimited(1, 1).get(0));
		enqueueIn("a");
		Claim running = claimLimited(1, 1).get(0);
		assertThat(change(new Change.Retry(id))).isEqualTo(Changed.DONE);
		assertThat(claimLimited(5, 1)).isEmpty();
		remove(running);
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
	}

	@Test
	void retriedScheduledJobWaitsForItsLane() {
		enqueueIn("a");
		Claim running = claimLimited(1, 1).get(0);
		String id = enqueue(in(job("q", after(1000)), "a")).id();
		change(new Change.Retry(id));
		assertThat(claimLimited(5, 1)).isEmpty();
		remove(running);
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
	}

	@Test
	void deadJobsAndPruningLeaveNoLaneStuck() {
		for (int i = 0; i < 10; i++) {
			enqueueIn("a");
			kill(claimLimited(1, 1).get(0));
			pass(1);
		}
		this.store.prune(new PruneRequest(this.now, 0, null, 0, null, null, 1000, this.now));
		enqueueIn("a");
		assertThat(claimLimited(1, 1)).hasSize(1);
	}

	@Test
	void limitOfTheQueueAppliesBesideThatOfItsLanes() {
		IntStream.range(0, 5).forEach((i) -> enqueueIn("lane-" + i, 3));
		register("w", "q");
		Quota quota = Quota.of("q", 20).withMaxRunning(7);
		assertThat(claimFurther("w", quota, 20, 2).claims()).hasSize(7);
		assertThat(claimFurther("w", quota, 20, 2).claims()).isEmpty();
	}

	@Test
	void pausedQueueGivesNothingOfItsLanes() {
		enqueueIn("a", 2);
		change(new Change.Pause("q"));
		ClaimReply paused = claimInTurn("w", 5, 1);
		assertThat(paused.claims()).isEmpty();
		assertThat(hasMore(paused)).isFalse();
		change(new Change.Resume("q"));
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void limitOfALaneThatWasLoweredGivesNothingUntilItsJobsAreFewer() {
		enqueueIn("a", 6);
		List<Claim> claims = claimLimited(3, 3);
		assertThat(claimLimited(5, 2)).isEmpty();
		remove(claims.get(0));
		assertThat(claimLimited(5, 2)).isEmpty();
		remove(claims.get(1));
		assertThat(claimLimited(5, 2)).hasSize(1);
	}

	@Test
	void limitOfALaneThatWasRaisedAppliesOnceAJobOfItEnds() {
		enqueueIn("a", 6);
		Claim claim = claimLimited(5, 1).get(0);
		int before = claimLimited(5, 3).size();
		assertThat(before).isLessThanOrEqualTo(2);
		remove(claim);
		assertThat(claimLimited(5, 3)).hasSize(3 - before);
	}

	@Test
	void limitOfALaneThatWasRemovedAppliesOnceAJobOfItEnds() {
		enqueueIn("a", 6);
		Claim claim = claimLimited(5, 1).get(0);
		int before = claimLimited(10, 0).size();
		remove(claim);
		assertThat(claimLimited(10, 0)).hasSize(5 - before);
	}

	@Test
	void limitThatComesWhileJobsRunLetsOnlyAsManyStart() {
		enqueueIn("a", 6);
		List<Claim> before = claimUnlimited(2);
		assertThat(claimLimited(5, 2)).isEmpty();
		remove(before.get(0));
		assertThat(claimLimited(5, 2)).hasSize(1);
	}

	@Test
	void jobsThatAWorkerWithoutALimitStartsCountForOneWithALimit() {
		enqueueIn("a", 6);
		claimLimited(1, 2);
		List<Claim> claims = claimUnlimited(2);
		assertThat(claims).hasSize(2);
		assertThat(claimLimited(5, 2)).isEmpty();
		remove(claims.get(0));
		assertThat(claimLimited(5, 2)).isEmpty();
		remove(claims.get(1));
		assertThat(claimLimited(5, 2)).hasSize(1);
	}

	@Test
	void limitThatComesAgainCountsWhatBeganWithoutOne() {
		enqueueIn("a", 9);
		remove(claimLimited(1, 2).get(0));
		claimUnlimited(1);
		remove(claimLimited(5, 2).get(0));
		claimUnlimited(2);
		assertThat(claimLimited(5, 3)).isEmpty();
		assertThat(claimLimited(5, 4).size()).isLessThanOrEqualTo(1);
	}

	// --- beside other rules

	@Test
	void uniqueKeyAndLaneGoTogether() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_STARTED, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.KEEP);
		String id = enqueue(with(inLane("a"), key)).id();
		assertThat(enqueue(with(inLane("a"), key)).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
		assertThat(enqueue(with(inLane("a"), key)).outcome()).isEqualTo(Outcome.NEW);
		assertThat(claimLimited(5, 1)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(value = Unique.OnDuplicate.class, mode = EnumSource.Mode.EXCLUDE, names = "KEEP")
	void jobThatIsReplacedGoesToTheLaneOfItsNewPayload(Unique.OnDuplicate rule) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null, rule);
		enqueueIn("a");
		Claim first = claimLimited(1, 1).get(0);
		String id = enqueue(with(inLane("a"), key)).id();
		assertThat(claimLimited(5, 1)).isEmpty();
		assertThat(enqueue(with(inLane("b"), key)).id()).isEqualTo(id);
		assertThat(find(id).lane()).isEqualTo("b");
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
		enqueueIn("a");
		remove(first);
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void jobsInLanesCountAsWaiting() {
		enqueueIn("a", 2);
		enqueueIn("b");
		assertThat(enqueue(with(inLane("c"), 3)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(enqueue(with(job("q"), 4)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void jobsInLanesAreCountedAndListedAsReady() {
		List<String> ids = new ArrayList<>(enqueueIn("a", 2));
		ids.addAll(enqueueIn("b", 1));
		ids.add(enqueue("q"));
		assertThat(queue("q").ready()).isEqualTo(4);
		assertThat(queue("q").oldestReady()).isEqualTo(this.now);
		assertThat(AllJobs.of(this.store.inspector(), JobFilter.of((only) -> only.states(JobState.READY)), this.now))
			.extracting(Job::id)
			.containsExactlyInAnyOrderElementsOf(ids);
		assertThat(state(ids.get(0))).isEqualTo(JobState.READY);
	}

	@Test
	void jobsOfALaneAreListedAndCountedInAllStates() {
		enqueueIn("b", 2);
		Set<String> ids = new HashSet<>(enqueueIn("a", 2));
		ids.add(enqueue(in(job("q", after(50)), "a")).id());
		ids.add(enqueue(in(job("other"), "a")).id());
		enqueue("q");
		kill(claimLimited(1, 1).get(0));
		claimLimited(1, 1);
		JobFilter lane = JobFilter.of((only) -> only.lane("a"));
		assertThat(AllJobs.of(this.store.inspector(), lane, this.now)).extracting(Job::id)
			.containsExactlyInAnyOrderElementsOf(ids);
		assertThat(this.store.inspector().count(lane, 100, this.now)).isEqualTo(JobCount.exactly(4));
		JobFilter waiting = JobFilter.of((only) -> only.name("q").lane("a").states(JobState.READY, JobState.SCHEDULED));
		assertThat(this.store.inspector().count(waiting, 100, this.now)).isEqualTo(JobCount.exactly(2));
	}

	@Test
	void jobsOfLanesThatNobodyHandlesDieAsOthersDo() {
		List<String> ids = enqueueIn("a", 2);
		pass(100);
		assertThat(this.store.prune(new PruneRequest(null, 0, null, 0, this.now, null, 1000, this.now)).stranded())
			.isEqualTo(2);
		assertThat(state(ids.get(0))).isEqualTo(JobState.DEAD);
		enqueueIn("a");
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void purgeForgetsLanes() {
		enqueueIn("a", 3);
		claimLimited(1, 1);
		change(new Change.Purge());
		enqueueIn("a", 2);
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void jobOfATickGoesIntoItsLane() {
		Instant tick = this.now;
		NewJob job = inLane("a");
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("nightly", "0 0 * * *", "q"), tick, job)), this.now);
		enqueueIn("a");
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void replacedPayloadLeavesALaneAsItIs() {
		List<String> ids = enqueueIn("a", 2);
		change(new Change.ReplacePayload(ids.get(0), new byte[] { 1, 2, 3 }));
		assertThat(ids(claimUnlimited(2))).isEqualTo(ids);
	}

	@Test
	void largeJobsGoIntoLanesToo() {
		enqueue(with(inLane("a"), bytes(40_000)));
		enqueue(with(inLane("a"), bytes(40_000)));
		Claim claim = claimLimited(5, 1).get(0);
		remove(claim);
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	// --- places that are kept

	private Claim first(String lane) {
		Claim claim = claimLimited(1, 1).get(0);
		assertThat(claim.job().lane()).isEqualTo(lane);
		return claim;
	}

	private void retryLater(Claim claim, long millis) {
		assertThat(settle(Transition.scheduled(claim, after(millis), failed(claim)).keepingLane()))
			.isEqualTo(Settled.APPLIED);
	}

	private void die(Claim claim) {
		assertThat(settle(Transition.dead(claim, this.now, failed(claim)).keepingLane())).isEqualTo(Settled.APPLIED);
	}

	@Test
	void retryThatKeepsItsLaneComesBeforeTheOthers() {
		List<String> ids = enqueueIn("a", 3);
		retryLater(first("a"), 10);
		ClaimReply reply = claimInTurn("w", 5, 1);
		assertThat(reply.claims()).isEmpty();
		assertThat(hasMore(reply)).isFalse();
		assertThat(reply.queues()).extracting(Left::nextDue).containsExactly(after(10));
		pass(10);
		for (String id : ids) {
			List<Claim> claims = claimLimited(5, 1);
			assertThat(ids(claims)).containsExactly(id);
			remove(claims.get(0));
		}
	}

	@Test
	void lanesWhosePlaceIsKeptLeaveOthersFree() {
		for (int i = 0; i < 200; i++) {
			enqueueIn("kept-" + i, 2);
		}
		claimLimited(200, 1).forEach((claim) -> {
			if (String.valueOf(claim.job().lane()).endsWith("7")) {
				die(claim);
			}
			else {
				retryLater(claim, 1000);
			}
		});
		String other = enqueueIn("other");
		ClaimReply reply = claimInTurn("w", 5, 1);
		assertThat(ids(reply.claims())).containsExactly(other);
		assertThat(hasMore(reply)).isFalse();
	}

	@Test
	void jobThatKeepsItsLaneIsTheFirstOfSeveralThatAreClaimedTogether() {
		List<String> ids = enqueueIn("a", 3);
		String other = enqueueIn("b");
		retryLater(first("a"), 10);
		pass(10);
		assertThat(ids(claim("w", 6, Quota.of("q", 6).withLanes(0, "")).claims())).containsExactly(ids.get(0),
				ids.get(1), ids.get(2), other);
	}

	@Test
	void jobsThatKeepTheSameLaneComeInTheOrderOfTheirDueTimes() {
		List<String> ids = enqueueIn("a", 3);
		List<Claim> claims = claimLimited(2, 2);
		retryLater(claims.get(0), 20);
		retryLater(claims.get(1), 10);
		pass(20);
		assertThat(ids(claimLimited(3, 3))).containsExactly(ids.get(1), ids.get(0), ids.get(2));
	}

	@Test
	void retryAtOnceThatKeepsItsLaneComesFirst() {
		List<String> ids = enqueueIn("a", 2);
		Claim claim = first("a");
		pass(5);
		settle(Transition.scheduled(claim, this.now, failed(claim)).keepingLane());
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(0));
	}

	@Test
	void jobThatIsGivenBackKeepsItsLane() {
		List<String> ids = enqueueIn("a", 2);
		retryLater(first("a"), 10);
		pass(10);
		Claim claim = first("a");
		settle(Transition.released(claim, this.now, claim.job().trail()).keepingLane());
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(0));
	}

	@Test
	void jobThatIsTakenOverKeepsItsLane() {
		List<String> ids = enqueueIn("a", 2);
		beat("gone", Duration.ofMillis(1), "q");
		Claim lost = claim("gone", 1, Quota.of("q", 1).withLanes(1, "")).claims().get(0);
		pass(2);
		register("w", "q");
		retryLater(takeOver("w", 5, "q").claims().get(0), 10);
		assertThat(settle(Transition.removed(lost, this.now))).isEqualTo(Settled.GONE);
		assertThat(claimLimited(5, 1)).isEmpty();
		pass(10);
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(0));
	}

	@Test
	void deadJobHoldsItsLaneUntilItIsRetried() {
		List<String> ids = enqueueIn("a", 2);
		die(first("a"));
		pass(1000);
		assertThat(claimLimited(5, 1)).isEmpty();
		assertThat(change(new Change.Retry(ids.get(0)))).isEqualTo(Changed.DONE);
		List<Claim> claims = claimLimited(5, 1);
		assertThat(ids(claims)).containsExactly(ids.get(0));
		remove(claims.get(0));
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(1));
	}

	@Test
	void laneShowsTheJobThatHoldsIt() {
		List<String> ids = enqueueIn("a", 2);
		enqueueIn("b", 1);
		assertThat(heldBy("a")).isNull();
		Claim claim = first("a");
		assertThat(heldBy("a")).isNull();
		retryLater(claim, 10);
		assertThat(heldBy("a")).isEqualTo(ids.get(0));
		assertThat(heldBy("b")).isNull();
		assertThat(this.store.inspector().lane("other", "a", this.now).heldBy()).isNull();
		assertThat(this.store.inspector().lanes("q", "", 10, this.now)).extracting(LaneView::heldBy)
			.containsExactly(ids.get(0), null);
		pass(10);
		claimLimited(2, 1).stream().filter((each) -> ids.get(0).equals(each.job().id())).forEach(this::die);
		assertThat(heldBy("a")).isEqualTo(ids.get(0));
		change(new Change.Delete(ids.get(0)));
		assertThat(heldBy("a")).isNull();
	}

	private @Nullable String heldBy(String lane) {
		return this.store.inspector().lane("q", lane, this.now).heldBy();
	}

	@Test
	void deadJobHoldsItsLaneUntilItIsDeleted() {
		List<String> ids = enqueueIn("a", 2);
		die(first("a"));
		assertThat(claimLimited(5, 1)).isEmpty();
		assertThat(change(new Change.Delete(ids.get(0)))).isEqualTo(Changed.DONE);
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(1));
	}

	@Test
	void deadJobHoldsItsLaneUntilItIsPruned() {
		List<String> ids = enqueueIn("a", 2);
		die(first("a"));
		pass(1);
		this.store.prune(new PruneRequest(this.now, 0, null, 0, null, null, 1000, this.now));
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(1));
	}

	@Test
	void jobThatDiesAfterItsLaneWasKeptMayLeaveIt() {
		List<String> ids = enqueueIn("a", 2);
		retryLater(first("a"), 1);
		pass(1);
		kill(first("a"));
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void jobThatIsTakenAwayWhileItWaitsFreesItsLane(boolean due) {
		List<String> ids = enqueueIn("a", 3);
		retryLater(first("a"), 10);
		pass(due ? 10 : 0);
		assertThat(change(due ? new Change.Cancel(ids.get(0)) : new Change.Delete(ids.get(0)))).isEqualTo(Changed.DONE);
		remove(first("a"));
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(2));
	}

	@Test
	void jobThatKeepsItsLaneDoesSoWhenItIsRescheduled() {
		List<String> ids = enqueueIn("a", 2);
		retryLater(first("a"), 10);
		change(new Change.Reschedule(ids.get(0), after(20)));
		pass(10);
		assertThat(claimLimited(5, 1)).isEmpty();
		change(new Change.Retry(ids.get(0)));
		Claim claim = first("a");
		settle(Transition.released(claim, this.now, claim.job().trail()).keepingLane());
		change(new Change.Reschedule(ids.get(0), after(5)));
		assertThat(claimLimited(5, 1)).isEmpty();
		pass(5);
		assertThat(ids(claimLimited(5, 1))).containsExactly(ids.get(0));
	}

	@ParameterizedTest
	@EnumSource(value = Unique.OnDuplicate.class, mode = EnumSource.Mode.EXCLUDE, names = "KEEP")
	void jobThatMovesToAnotherLaneKeepsNone(Unique.OnDuplicate rule) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null, rule);
		String id = enqueue(with(inLane("a"), key)).id();
		String next = enqueueIn("a");
		String other = enqueueIn("b");
		retryLater(first("a"), 10);
		assertThat(enqueue(with(in(job("q", after(50)), "b"), key)).id()).isEqualTo(id);
		assertThat(ids(claimLimited(5, 1))).containsExactlyInAnyOrder(next, other);
	}

	@Test
	void waitingJobMovesToAnotherLaneOrOutOfAll() {
		String first = enqueueIn("a");
		pass(1);
		String later = enqueueIn("b");
		String scheduled = enqueue(in(job("q", after(5)), "a")).id();
		for (String id : List.of(first, scheduled)) {
			assertThat(change(Change.SetStanding.lane(id, "b"))).isEqualTo(Changed.DONE);
			assertThat(find(id).lane()).isEqualTo("b");
		}
		assertThat(ids(claimLimited(5, 1))).containsExactly(first);
		assertThat(change(Change.SetStanding.lane(later, null))).isEqualTo(Changed.DONE);
		assertThat(find(later).lane()).isNull();
		pass(5);
		assertThat(ids(claimLimited(5, 1))).containsExactly(later);
		assertThat(change(Change.SetStanding.lane(first, "a"))).isEqualTo(Changed.REFUSED);
		assertThat(change(Change.SetStanding.lane("unknown", "a"))).isEqualTo(Changed.NOT_FOUND);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void jobThatIsMovedToAnotherLaneGivesUpThePlaceItKeeps(boolean due) {
		String id = enqueueIn("a");
		String next = enqueueIn("a");
		retryLater(first("a"), 10);
		pass(due ? 10 : 0);
		assertThat(change(Change.SetStanding.lane(id, "b"))).isEqualTo(Changed.DONE);
		assertThat(ids(claimLimited(5, 1)))
			.containsExactlyInAnyOrderElementsOf(due ? List.of(next, id) : List.of(next));
		pass(10);
		assertThat(ids(claimLimited(5, 1))).isEqualTo(due ? List.of() : List.of(id));
	}

	@Test
	void jobThatIsReplacedInItsLaneKeepsIt() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.REPLACE);
		String id = enqueue(with(inLane("a"), key)).id();
		enqueueIn("a");
		retryLater(first("a"), 10);
		enqueue(with(inLane("a"), key));
		assertThat(claimLimited(5, 1)).isEmpty();
		pass(10);
		assertThat(ids(claimLimited(5, 1))).containsExactly(id);
	}

	@Test
	void jobThatNobodyHandlesFreesItsLaneAsItDies() {
		enqueueIn("a");
		retryLater(first("a"), 10);
		pass(1);
		leave("w");
		this.store.prune(new PruneRequest(null, 0, null, 0, after(60), null, 1000, this.now));
		String next = enqueueIn("a");
		assertThat(ids(claimLimited(5, 1))).containsExactly(next);
	}

	@Test
	void claimWithoutALimitPassesPlacesThatAreKept() {
		List<String> ids = enqueueIn("a", 3);
		retryLater(first("a"), 10);
		int before = claimUnlimited(1).size();
		pass(10);
		assertThat(ids(claimUnlimited(5))).contains(ids.get(0)).hasSize(3 - before);
	}

	@Test
	void purgeForgetsPlacesThatAreKept() {
		enqueueIn("a");
		die(first("a"));
		change(new Change.Purge());
		enqueueIn("a", 2);
		assertThat(claimLimited(5, 1)).hasSize(1);
	}

	@Test
	void orderOfALaneHoldsThroughRetriesUnderConcurrency() {
		int jobs = 60;
		Map<String, List<String>> ran = new ConcurrentHashMap<>();
		Map<String, List<String>> enqueued = new HashMap<>();
		Stream.of("a", "b", "c").forEach((lane) -> {
			ran.put(lane, Collections.synchronizedList(new ArrayList<>()));
			enqueued.put(lane, enqueueIn(lane, jobs));
		});
		Set<String> failed = ConcurrentHashMap.newKeySet();
		AtomicInteger ended = new AtomicInteger();
		Race.run(5, (number) -> {
			String worker = "w" + number;
			register(worker, "q");
			while (ended.get() < 3 * jobs) {
				claimFurther(worker, Quota.of("q", 4), 4, 1).claims().forEach((claim) -> {
					String id = claim.job().id();
					if (id.hashCode() % 3 == 0 && failed.add(id)) {
						settle(Transition.scheduled(claim, this.now, failed(claim)).keepingLane());
					}
					else if (id.hashCode() % 3 == 1 && failed.add(id)) {
						settle(Transition.released(claim, this.now, claim.job().trail()).keepingLane());
					}
					else {
						ran.computeIfAbsent(String.valueOf(claim.job().lane()), (lane) -> new ArrayList<>()).add(id);
						remove(claim);
						ended.incrementAndGet();
					}
				});
			}
			return true;
		});
		assertThat(ran).isEqualTo(enqueued);
	}

	// --- the bound of a lane

	private NewJob bounded(String lane, int maxInLane) {
		return inLane(lane).withMaxInLane(maxInLane);
	}

	@Test
	void laneRefusesAJobIfAsManyWaitAsMay() {
		enqueueIn("a", 2);
		assertThat(enqueue(bounded("a", 3)).outcome()).isEqualTo(Outcome.NEW);
		assertThat(enqueue(bounded("a", 3)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(enqueue(bounded("b", 3)).outcome()).isEqualTo(Outcome.NEW);
		assertThat(enqueue(inLane("a")).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void boundOfALaneCountsNoRunningJobsAndNoneThatAreDueLater() {
		enqueueIn("a", 1);
		claimUnlimited(1);
		enqueue(in(job("q", after(10)), "a"));
		enqueue(jobs("q", 5));
		assertThat(enqueue(bounded("a", 1)).outcome()).isEqualTo(Outcome.NEW);
		assertThat(enqueue(bounded("a", 1)).outcome()).isEqualTo(Outcome.FULL);
	}

	@Test
	void boundOfALaneMeansNothingToAJobWithoutALane() {
		enqueue(jobs("q", 5));
		assertThat(enqueue(job("q").withMaxInLane(1)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void boundsOfQueueAndLaneApplyTogether() {
		enqueueIn("a", 2);
		assertThat(enqueue(bounded("b", 5).withMaxWaiting(2)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(enqueue(bounded("a", 2).withMaxWaiting(5)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(enqueue(bounded("a", 3).withMaxWaiting(3)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void jobsOfOneEnqueueCountForTheBoundOfTheirLane() {
		List<NewJob> jobs = IntStream.range(0, 4).mapToObj((i) -> bounded("a", 2)).toList();
		assertThat(enqueue(jobs)).extracting(Enqueued::outcome)
			.containsExactly(Outcome.NEW, Outcome.NEW, Outcome.FULL, Outcome.FULL);
	}

	@Test
	void boundOfALaneHoldsUnderConcurrency() {
		List<NewJob> jobs = IntStream.range(0, 8).mapToObj((i) -> bounded("a", 3)).toList();
		List<Outcome> outcomes = Race.run(8,
				(i) -> this.store.enqueue(List.of(jobs.get(i)), this.now).get(0).outcome());
		assertThat(outcomes).filteredOn(Outcome.NEW::equals).hasSize(3);
	}

	// --- at the same time

	@Test
	void limitOfALaneHoldsUnderConcurrency() {
		int jobs = 240;
		int limit = 2;
		IntStream.range(0, jobs).forEach((i) -> enqueueIn("lane-" + i % 3));
		Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger ended = new AtomicInteger();
		Race.run(6, (number) -> {
			String worker = "w" + number;
			register(worker, "q");
			List<Claim> held = List.of();
			while (ended.get() < jobs) {
				List<Claim> claims = claimFurther(worker, Quota.of("q", 4), 4, limit).claims();
				lanes(claims).forEach((lane) -> most.accumulateAndGet(
						running.computeIfAbsent(lane, (key) -> new AtomicInteger()).incrementAndGet(), Math::max));
				lanes(held)
					.forEach((lane) -> running.computeIfAbsent(lane, (key) -> new AtomicInteger()).decrementAndGet());
				held.forEach((claim) -> assertThat(remove(claim)).isEqualTo(Settled.APPLIED));
				ended.addAndGet(held.size());
				held = claims;
			}
			return true;
		});
		assertThat(most.get()).isBetween(1, limit);
		assertThat(ended.get()).isEqualTo(jobs);
	}

	@Test
	void enqueuesThatRaceWithEndsLeaveNoLaneClosed() {
		int jobs = 150;
		Set<String> seen = ConcurrentHashMap.newKeySet();
		AtomicInteger enqueued = new AtomicInteger();
		Race.run(4, (number) -> {
			if (number < 2) {
				for (int i = 0; i < jobs; i++) {
					enqueueIn("lane-" + i % 2);
					enqueued.incrementAndGet();
				}
				return true;
			}
			String worker = "w" + number;
			register(worker, "q");
			while (seen.size() < enqueued.get() || enqueued.get() < 2 * jobs) {
				List<Claim> claims = claimFurther(worker, Quota.of("q", 2), 2, 1).claims();
				claims.forEach((claim) -> {
					assertThat(remove(claim)).isEqualTo(Settled.APPLIED);
					seen.add(claim.job().id());
				});
			}
			return true;
		});
		assertThat(seen).hasSize(2 * jobs);
	}

}
