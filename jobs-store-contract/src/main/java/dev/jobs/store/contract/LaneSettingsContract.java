package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.JobCount;
import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.Change.SetLane;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about what operators set for lanes, and about the lists of lanes.
 */
abstract class LaneSettingsContract extends ContractPart {

	LaneSettingsContract(StoreSource source) {
		super(source);
	}

	private List<String> enqueueIn(String lane, int count) {
		List<NewJob> jobs = IntStream.range(0, count).mapToObj((i) -> in(job("q"), lane)).toList();
		enqueue(jobs);
		return idsOf(jobs);
	}

	private ClaimReply claim(int count, int maxInLane) {
		register("w", "q");
		return claim("w", count, Quota.of("q", count).withLanes(maxInLane, ""));
	}

	private List<String> claimedLanes(int count, int maxInLane) {
		return lanes(claim(count, maxInLane).claims());
	}

	private Changed set(String lane, Rule rule, @Nullable Integer value) {
		return change(new SetLane("q", lane, rule, value, "ada"));
	}

	private Changed pause(String lane) {
		return set(lane, Rule.PAUSED, 1);
	}

	private Changed resume(String lane) {
		return set(lane, Rule.PAUSED, null);
	}

	private LaneView lane(String name) {
		return this.store.inspector().lane("q", name, this.now);
	}

	private static LaneView view(String name, int waiting, int running, @Nullable Instant oldest) {
		return new LaneView(name, JobCount.exactly(waiting), JobCount.exactly(running), oldest);
	}

	// --- pause

	@Test
	void pausedLaneGivesNothingAndLeavesOthersFree() {
		enqueueIn("a", 5);
		enqueueIn("b", 2);
		String plain = enqueue("q");
		assertThat(pause("a")).isEqualTo(Changed.DONE);
		ClaimReply reply = claim(20, 0);
		assertThat(lanes(reply.claims())).containsExactlyInAnyOrder("b", "b", "null");
		assertThat(ids(reply.claims())).contains(plain);
		assertThat(reply.queues()).extracting(ClaimReply.Left::more).containsExactly(false);
		assertThat(claimedLanes(20, 3)).isEmpty();
	}

	@Test
	void pausedLaneGivesNothingOfWhatComesLater() {
		pause("a");
		enqueueIn("a", 1);
		enqueue(in(job("q", after(5)), "a"));
		pass(5);
		assertThat(claimedLanes(5, 0)).isEmpty();
	}

	@Test
	void resumedLaneGivesJobsAtOnce() {
		List<String> ids = enqueueIn("a", 2);
		pause("a");
		assertThat(claimedLanes(5, 0)).isEmpty();
		assertThat(resume("a")).isEqualTo(Changed.DONE);
		ClaimReply reply = claim(1, 0);
		assertThat(ids(reply.claims())).containsExactly(ids.get(0));
		assertThat(reply.queues()).extracting(ClaimReply.Left::more).containsExactly(true);
	}

	@Test
	void runningJobsOfAPausedLaneContinue() {
		enqueueIn("a", 2);
		Claim claim = claim(1, 2).claims().get(0);
		pause("a");
		assertThat(state(claim.job().id())).isEqualTo(JobState.RUNNING);
		settle(Transition.removed(claim, this.now));
		assertThat(claimedLanes(5, 2)).isEmpty();
		resume("a");
		assertThat(claimedLanes(5, 2)).containsExactly("a");
	}

	@Test
	void retryInAPausedLaneWaits() {
		enqueueIn("a", 1);
		Claim claim = claim(1, 0).claims().get(0);
		pause("a");
		settle(Transition.scheduled(claim, after(1), failed(claim)));
		pass(2);
		assertThat(claimedLanes(5, 0)).isEmpty();
		resume("a");
		assertThat(claimedLanes(5, 0)).containsExactly("a");
	}

	@Test
	void manyPausedLanesLeaveOthersFree() {
		List<Change> pauses = IntStream.range(0, 500)
			.<Change>mapToObj((i) -> new SetLane("q", "paused-" + i, Rule.PAUSED, 1, null))
			.toList();
		IntStream.range(0, 500).forEach((i) -> enqueueIn("paused-" + i, 1));
		assertThat(this.store.change(pauses, this.now)).containsOnly(Changed.DONE);
		enqueueIn("z", 1);
		assertThat(claimedLanes(3, 1)).containsExactly("z");
	}

	@Test
	void pausedQueueAndPausedLaneAreResumedEachForItself() {
		enqueueIn("a", 1);
		pause("a");
		change(new Change.Pause("q"));
		change(new Change.Resume("q"));
		assertThat(claimedLanes(5, 0)).isEmpty();
		resume("a");
		assertThat(claimedLanes(5, 0)).containsExactly("a");
	}

	@Test
	void jobsOfAPausedLaneAreDeletedAndCancelled() {
		List<String> ids = enqueueIn("a", 3);
		pause("a");
		claim(5, 0);
		assertThat(change(new Change.Delete(ids.get(0)))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Cancel(ids.get(1)))).isEqualTo(Changed.DONE);
		resume("a");
		assertThat(ids(claim(5, 0).claims())).containsExactly(ids.get(2));
	}

	@Test
	void pauseOfALaneIsOfOneQueue() {
		pause("a");
		enqueue(in(job("other"), "a"));
		register("w", "other");
		assertThat(claim("w", 5, Quota.of("other", 5).withLanes(1, "")).claims()).hasSize(1);
	}

	// --- limit

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 5 })
	void limitOfALaneReplacesThatOfTheClaim(int maxInLane) {
		enqueueIn("a", 6);
		enqueueIn("b", 6);
		set("a", Rule.LIMIT, 2);
		List<String> lanes = new ArrayList<>(claimedLanes(20, maxInLane));
		lanes.addAll(claimedLanes(20, maxInLane));
		assertThat(lanes).filteredOn("a"::equals).hasSize(2);
		assertThat(lanes).filteredOn("b"::equals).hasSize((maxInLane > 0) ? maxInLane : 6);
	}

	@Test
	void limitOfALaneCountsTheJobsThatRunAlready() {
		enqueueIn("a", 6);
		List<Claim> claims = claim(3, 0).claims();
		set("a", Rule.LIMIT, 2);
		assertThat(claimedLanes(5, 0)).isEmpty();
		claims.subList(0, 2).forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimedLanes(5, 0)).containsExactly("a");
	}

	@Test
	void raisedLimitAppliesAtOnce() {
		enqueueIn("a", 6);
		assertThat(claimedLanes(5, 1)).hasSize(1);
		assertThat(claimedLanes(5, 1)).isEmpty();
		set("a", Rule.LIMIT, 3);
		assertThat(claimedLanes(5, 1)).hasSize(2);
		set("a", Rule.LIMIT, 4);
		assertThat(claimedLanes(5, 1)).hasSize(1);
	}

	@Test
	void removedLimitLeavesThatOfTheClaim() {
		enqueueIn("a", 6);
		set("a", Rule.LIMIT, 3);
		List<Claim> claims = claim(5, 1).claims();
		assertThat(claims).hasSize(3);
		assertThat(set("a", Rule.LIMIT, null)).isEqualTo(Changed.DONE);
		assertThat(claimedLanes(5, 1)).isEmpty();
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimedLanes(5, 1)).hasSize(1);
	}

	@Test
	void loweredLimitStartsNothingUntilFewerRun() {
		enqueueIn("a", 6);
		List<Claim> claims = claim(4, 4).claims();
		set("a", Rule.LIMIT, 2);
		for (Claim claim : claims.subList(0, 2)) {
			settle(Transition.removed(claim, this.now));
			assertThat(claimedLanes(5, 4)).isEmpty();
		}
		settle(Transition.removed(claims.get(2), this.now));
		assertThat(claimedLanes(5, 4)).containsExactly("a");
	}

	@Test
	void limitOfAPausedLaneStays() {
		enqueueIn("a", 6);
		set("a", Rule.LIMIT, 2);
		pause("a");
		assertThat(claimedLanes(5, 0)).isEmpty();
		resume("a");
		assertThat(claimedLanes(5, 0)).hasSize(2);
	}

	@Test
	void limitOfALaneHoldsUnderConcurrency() {
		enqueueIn("a", 40);
		set("a", Rule.LIMIT, 3);
		register("w", "q");
		List<String> running = Race.run(8, (i) -> claim("w", 2, Quota.of("q", 2)).claims())
			.stream()
			.flatMap((claims) -> ids(claims).stream())
			.toList();
		assertThat(running).hasSize(3);
	}

	// --- what is stored

	@Test
	void settingsOfLanesHaveWhoAndWhen() {
		pause("b");
		pass(5);
		set("a", Rule.LIMIT, 7);
		change(new SetLane("q", "b", Rule.LIMIT, 2, null));
		assertThat(this.store.inspector().laneSettings("q")).containsExactly(
				Map.entry("a", new LaneSettingsView(null, new Value<>(7, this.now, "ada"), null)),
				Map.entry("b", new LaneSettingsView(new Value<>(true, after(-5), "ada"), new Value<>(2, this.now, null),
						null)));
	}

	@Test
	void settingsOfLanesAreThoseOfTheirQueue() {
		pause("a");
		assertThat(this.store.inspector().laneSettings("other")).isEmpty();
		assertThat(queueExists("q")).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void whatIsNotSetIsNotFound(Rule rule) {
		assertThat(set("a", rule, null)).isEqualTo(Changed.NOT_FOUND);
		assertThat(queueExists("q")).isFalse();
		set("a", (rule == Rule.LIMIT) ? Rule.PAUSED : Rule.LIMIT, 1);
		assertThat(set("a", rule, null)).isEqualTo(Changed.NOT_FOUND);
		assertThat(this.store.inspector().laneSettings("q")).hasSize(1);
	}

	@Test
	void lastSettingThatIsRemovedLeavesNothing() {
		pause("a");
		set("a", Rule.LIMIT, 1);
		resume("a");
		assertThat(set("a", Rule.LIMIT, null)).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().laneSettings("q")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1 })
	void limitBelowOneIsRefused(int limit) {
		assertThat(set("a", Rule.LIMIT, limit)).isEqualTo(Changed.REFUSED);
		assertThat(this.store.inspector().laneSettings("q")).isEmpty();
	}

	@Test
	void noMoreThanAThousandLanesHaveSettings() {
		List<Change> all = IntStream.range(0, SetLane.MOST)
			.<Change>mapToObj((i) -> new SetLane("q", "lane-" + i, Rule.LIMIT, 1, null))
			.toList();
		assertThat(this.store.change(all, this.now)).containsOnly(Changed.DONE);
		assertThat(pause("another")).isEqualTo(Changed.REFUSED);
		assertThat(pause("lane-7")).isEqualTo(Changed.DONE);
		assertThat(set("lane-8", Rule.LIMIT, null)).isEqualTo(Changed.DONE);
		assertThat(pause("another")).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().laneSettings("q")).hasSize(SetLane.MOST);
	}

	@Test
	void purgeForgetsSettingsOfLanes() {
		pause("a");
		change(new Change.Purge());
		assertThat(this.store.inspector().laneSettings("q")).isEmpty();
		enqueueIn("a", 1);
		assertThat(claimedLanes(5, 0)).containsExactly("a");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "ü", "日本", "😀", "a b", "a'b", "a\"b\\", "{x}", "%", "*", "1:2", "(", "[", "+", "-", "null" })
	void settingsAreOfALaneWithAnyName(String name) {
		enqueueIn(name, 2);
		enqueueIn("other", 1);
		pause(name);
		assertThat(claimedLanes(5, 0)).containsExactly("other");
		assertThat(this.store.inspector().laneSettings("q")).containsOnlyKeys(name);
		assertThat(lane(name)).isEqualTo(view(name, 2, 0, this.now));
	}

	// --- lists

	@Test
	void lanesAreListedByNameWithTheirJobs() {
		enqueueIn("b", 3);
		pass(2);
		enqueueIn("a", 1);
		enqueueIn("c", 1);
		claim(3, 0);
		assertThat(this.store.inspector().lanes("q", "", 10, this.now)).containsExactly(view("b", 2, 1, after(-2)));
		assertThat(lane("a")).isEqualTo(view("a", 0, 1, null));
		assertThat(lane("unknown")).isEqualTo(view("unknown", 0, 0, null));
	}

	@Test
	void lanesAreListedBehindAName() {
		Stream.of("a", "ab", "b", "a.", "B").forEach((lane) -> enqueueIn(lane, 2));
		List<String> names = new ArrayList<>();
		List<LaneView> some;
		do {
			some = this.store.inspector().lanes("q", names.isEmpty() ? "" : names.get(names.size() - 1), 2, this.now);
			some.forEach((lane) -> names.add(lane.name()));
		}
		while (some.size() == 2);
		assertThat(names).containsExactly("B", "a", "a.", "ab", "b");
	}

	@Test
	void listOfLanesHasNoneWithoutReadyJobs() {
		enqueue("q");
		enqueue(in(job("q", after(10)), "later"));
		pause("paused");
		assertThat(this.store.inspector().lanes("q", "", 10, this.now)).isEmpty();
		assertThat(this.store.inspector().lanes("unknown", "", 10, this.now)).isEmpty();
	}

	@Test
	void countOfALongLaneIsExactOrALowerBound() {
		enqueueIn("a", 3);
		enqueueIn("b", 1500);
		enqueueIn("c", 2);
		List<LaneView> lanes = this.store.inspector().lanes("q", "", 10, this.now);
		assertThat(lanes).extracting(LaneView::name).containsExactly("a", "b", "c");
		assertThat(lanes.get(0)).isEqualTo(view("a", 3, 0, this.now));
		assertThat(lanes.get(2)).isEqualTo(view("c", 2, 0, this.now));
		JobCount deep = lanes.get(1).waiting();
		assertThat(deep.number()).isEqualTo(deep.exact() ? 1500 : LaneView.COUNTED_UP_TO);
		assertThat(lane("b").waiting()).isEqualTo(deep);
	}

	@Test
	void manyLanesAreListedAtOnce() {
		enqueue(IntStream.range(0, 1200).mapToObj((i) -> in(job("q"), "lane-%04d".formatted(i))).toList());
		List<LaneView> lanes = this.store.inspector().lanes("q", "", 1000, this.now);
		assertThat(lanes).hasSize(1000);
		assertThat(lanes.get(999)).isEqualTo(view("lane-0999", 1, 0, this.now));
		assertThat(this.store.inspector().lanes("q", "lane-0999", 1000, this.now)).hasSize(200);
	}

	@Test
	void runningJobsOfALaneAreCountedWithAndWithoutALimit() {
		enqueueIn("a", 4);
		enqueueIn("b", 4);
		claim(4, 0);
		set("a", Rule.LIMIT, 3);
		claim(4, 0);
		assertThat(lane("a").running()).isEqualTo(JobCount.exactly(3));
		assertThat(lane("b").running()).isEqualTo(JobCount.exactly(4));
	}

}
