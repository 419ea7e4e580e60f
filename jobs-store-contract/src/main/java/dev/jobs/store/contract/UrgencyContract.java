package dev.jobs.store.contract;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.support.TrailBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about urgency: the more urgent job of a queue or of a lane starts first,
 * jobs of one level keep their order, and each level has its turns.
 */
abstract class UrgencyContract extends ContractPart {

	/** A number of jobs after which no level but the most urgent has a turn soon. */
	private static final int NO_TURN = 0;

	/** How many jobs the queue has given to the worker. */
	private int given;

	private String lane = "";

	UrgencyContract(StoreSource source) {
		super(source);
	}

	private static NewJob with(NewJob job, Urgency urgency) {
		return with(job, Job.URGENCY_HEADER, urgency.text());
	}

	private NewJob job(Urgency urgency) {
		return (urgency != Urgency.NORMAL) ? with(job("q"), urgency) : job("q");
	}

	private String enqueue(Urgency urgency) {
		return enqueue(job(urgency)).id();
	}

	private List<String> enqueue(Urgency urgency, int count) {
		return enqueueAll(IntStream.range(0, count).mapToObj((i) -> job(urgency)).toList());
	}

	private String enqueueIn(String lane, Urgency urgency) {
		return enqueue(with(job(urgency), Job.LANE_HEADER, lane)).id();
	}

	private List<String> enqueueAll(List<NewJob> jobs) {
		enqueue(jobs);
		return idsOf(jobs);
	}

	/**
	 * Claim jobs in a call in which no less urgent one has a turn.
	 */
	private List<Claim> claim(int count) {
		register("w", "q");
		return claim("w", count, Quota.of("q", count).withTurn(NO_TURN)).claims();
	}

	/**
	 * Claim jobs as the next of a worker.
	 */
	private List<Claim> claimFurther(int count, int maxInLane) {
		register("w", "q");
		ClaimReply reply = claim("w", count,
				Quota.of("q", count).withLanes(maxInLane, this.lane).withTurn(this.given % 16));
		this.lane = reply.queues().get(0).lane();
		this.given += reply.claims().size();
		return reply.claims();
	}

	private static List<Urgency> urgencies(List<Claim> claims) {
		return claims.stream().map((claim) -> claim.job().urgency()).toList();
	}

	// --- order

	@Test
	void mostUrgentStartsFirst() {
		String low = enqueue(Urgency.LOW);
		String normal = enqueue(Urgency.NORMAL);
		String high = enqueue(Urgency.HIGH);
		String urgent = enqueue(Urgency.URGENT);
		assertThat(ids(claim(4))).containsExactly(urgent, high, normal, low);
	}

	@Test
	void mostUrgentStartsFirstOneByOne() {
		String low = enqueue(Urgency.LOW);
		String normal = enqueue(Urgency.NORMAL);
		String high = enqueue(Urgency.HIGH);
		String urgent = enqueue(Urgency.URGENT);
		List<String> order = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			order.addAll(ids(claim(1)));
		}
		assertThat(order).containsExactly(urgent, high, normal, low);
	}

	@Test
	void urgentJobStartsBeforeAnyBacklog() {
		enqueue(jobs("q", 2000));
		String urgent = enqueue(Urgency.URGENT);
		assertThat(ids(claim(1))).containsExactly(urgent);
	}

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void jobsOfOneLevelKeepTheirOrder(Urgency urgency) {
		List<String> ids = new ArrayList<>(enqueue(urgency, 3));
		pass(1);
		ids.addAll(enqueue(urgency, 3));
		List<String> order = new ArrayList<>(ids(claim(2)));
		order.addAll(ids(claim(10)));
		assertThat(order).isEqualTo(ids);
	}

	@Test
	void jobsOfAllLevelsComeInTheOrderOfTheModel() {
		List<Urgency> levels = IntStream.range(0, 40).mapToObj((i) -> Urgency.values()[(i * 7 + i / 3) % 4]).toList();
		Map<Urgency, List<String>> model = new HashMap<>();
		levels.forEach((level) -> {
			pass(1);
			model.computeIfAbsent(level, (key) -> new ArrayList<>()).add(enqueue(level));
		});
		List<String> expected = Arrays.stream(Urgency.values())
			.flatMap((level) -> model.getOrDefault(level, List.of()).stream())
			.toList();
		List<String> order = new ArrayList<>();
		while (order.size() < 40) {
			order.addAll(ids(claim(4)));
		}
		assertThat(order).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "URGENT", "0", "critical", "normal" })
	void urgencyThatIsNotKnownIsNormal(String text) {
		NewJob strange = with(job("q"), Job.URGENCY_HEADER, text);
		NewJob plain = job("q");
		NewJob low = with(job("q"), Urgency.LOW);
		enqueueAll(List.of(low, strange, plain));
		assertThat(ids(claim(3))).containsExactly(strange.id(), plain.id(), low.id());
	}

	@Test
	void urgencyIsAmongOtherHeaders() {
		NewJob urgent = with(job("q"), Urgency.URGENT);
		for (String header : List.of("a", "jobs.tags", "jobs.tick", "z")) {
			urgent = with(urgent, header, "x");
		}
		enqueueAll(List.of(job("q"), urgent));
		List<Claim> claims = claim(1);
		assertThat(ids(claims)).containsExactly(urgent.id());
		assertThat(claims.get(0).job().headers()).isEqualTo(urgent.headers());
		assertThat(claims.get(0).job().lane()).isNull();
	}

	@Test
	void urgencyIsOfOneQueue() {
		String other = enqueue("other");
		enqueue(Urgency.URGENT, 3);
		register("w", "q", "other");
		assertThat(ids(claim("w", 2, Quota.of("q", 1), Quota.of("other", 1)).claims())).contains(other);
	}

	// --- turns

	@Test
	void eachLevelGetsOneOfSixteenStarts() {
		Arrays.stream(Urgency.values()).forEach((level) -> enqueue(level, 20));
		List<Urgency> levels = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			levels.addAll(urgencies(claimFurther(1, 0)));
		}
		assertThat(levels.subList(0, 5)).containsOnly(Urgency.URGENT);
		assertThat(levels).filteredOn(Urgency.URGENT::equals).hasSize(13);
		assertThat(levels).filteredOn((level) -> level != Urgency.URGENT)
			.containsExactly(Urgency.HIGH, Urgency.NORMAL, Urgency.LOW);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 7, 16, 20 })
	void eachLevelGetsItsStartsWhateverTheSizeOfAClaim(int size) {
		Arrays.stream(Urgency.values()).forEach((level) -> enqueue(level, 100));
		List<Urgency> levels = new ArrayList<>();
		while (levels.size() < 64) {
			levels.addAll(urgencies(claimFurther(Math.min(size, 64 - levels.size()), 0)));
		}
		assertThat(levels).filteredOn(Urgency.HIGH::equals).hasSize(4);
		assertThat(levels).filteredOn(Urgency.NORMAL::equals).hasSize(4);
		assertThat(levels).filteredOn(Urgency.LOW::equals).hasSize(4);
	}

	@Test
	void turnOfALevelWithoutJobsGoesToTheMostUrgent() {
		enqueue(Urgency.URGENT, 40);
		enqueue(Urgency.LOW, 1);
		assertThat(urgencies(claimFurther(32, 0))).filteredOn(Urgency.URGENT::equals).hasSize(31);
	}

	@Test
	void lessUrgentJobsFillAClaim() {
		enqueue(Urgency.URGENT, 2);
		enqueue(Urgency.NORMAL, 2);
		enqueue(Urgency.LOW, 30);
		List<Urgency> levels = urgencies(claim(10));
		assertThat(levels).startsWith(Urgency.URGENT, Urgency.URGENT, Urgency.NORMAL, Urgency.NORMAL);
		assertThat(levels).filteredOn(Urgency.LOW::equals).hasSize(6);
	}

	@Test
	void turnsCountInEachLaneOfAClaim() {
		Arrays.stream(Urgency.values())
			.forEach((level) -> IntStream.range(0, 20)
				.forEach((i) -> List.of("a", "b").forEach((lane) -> enqueueIn(lane, level))));
		List<Claim> claims = claimFurther(32, 0);
		assertThat(claims).hasSize(32);
		List.of("a", "b").forEach((lane) -> {
			List<Urgency> levels = urgencies(
					claims.stream().filter((claim) -> lane.equals(claim.job().lane())).toList());
			assertThat(levels).hasSize(16).isSorted().contains(Urgency.values());
		});
	}

	// --- lanes

	@Test
	void urgencyDecidesWithinALane() {
		String normal = enqueueIn("a", Urgency.NORMAL);
		String urgent = enqueueIn("a", Urgency.URGENT);
		String low = enqueueIn("a", Urgency.LOW);
		assertThat(ids(claim(1))).containsExactly(urgent);
		assertThat(ids(claim(2))).containsExactly(normal, low);
	}

	@Test
	void urgencyDoesNotOutweighOtherLanes() {
		IntStream.range(0, 10).forEach((i) -> enqueueIn("a", Urgency.URGENT));
		String other = enqueueIn("b", Urgency.LOW);
		String without = enqueue("q");
		assertThat(ids(claim(3))).contains(other, without);
	}

	@Test
	void urgentJobsWithoutALaneAreOneLaneWithTheOthers() {
		IntStream.range(0, 20).forEach((i) -> enqueueIn("a", Urgency.NORMAL));
		enqueue(Urgency.URGENT, 3);
		enqueue(jobs("q", 20));
		List<Claim> claims = claim(10);
		assertThat(claims).filteredOn((claim) -> "a".equals(claim.job().lane())).hasSize(5);
		assertThat(urgencies(claims)).filteredOn(Urgency.URGENT::equals).hasSize(3);
	}

	@Test
	void limitOfALaneCountsAllLevels() {
		Arrays.stream(Urgency.values()).forEach((level) -> enqueueIn("a", level));
		List<Claim> claims = claimFurther(4, 2);
		assertThat(urgencies(claims)).containsExactly(Urgency.URGENT, Urgency.HIGH);
		assertThat(claimFurther(4, 2)).isEmpty();
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(urgencies(claimFurther(4, 2))).containsExactly(Urgency.NORMAL, Urgency.LOW);
	}

	// --- what is left

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void queueSaysWhetherItHasMore(Urgency urgency) {
		enqueue(urgency, 2);
		register("w", "q");
		assertThat(claim("w", 1, Quota.of("q", 1)).queues().get(0).more()).isTrue();
		assertThat(claim("w", 1, Quota.of("q", 1)).queues().get(0).more()).isFalse();
		assertThat(claim("w", 1, Quota.of("q", 1)).claims()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void runningLimitHoldsForAllLevels(Urgency urgency) {
		enqueue(urgency, 3);
		register("w", "q");
		Quota quota = Quota.of("q", 3).withMaxRunning(2);
		ClaimReply reply = claim("w", 3, quota);
		assertThat(reply.claims()).hasSize(2);
		assertThat(reply.queues().get(0).more()).isFalse();
		settle(Transition.removed(reply.claims().get(0), this.now));
		assertThat(claim("w", 3, quota).claims()).hasSize(1);
	}

	@Test
	void jobsOfAllLevelsCountAsWaiting() {
		Arrays.stream(Urgency.values()).forEach((level) -> enqueue(level));
		assertThat(enqueue(job("q").withMaxWaiting(4)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(queue("q").ready()).isEqualTo(4);
	}

	@Test
	void filterSelectsByUrgency() {
		Map<Urgency, String> ids = new HashMap<>();
		Arrays.stream(Urgency.values()).forEach((level) -> ids.put(level, enqueue(level)));
		ids.forEach((level,
				id) -> assertThat(this.store.inspector()
					.page(JobFilter.of((only) -> only.name("q").urgency(level)), PageRequest.oldestFirst(10), this.now)
					.jobs()).extracting(Job::id).containsExactly(id));
	}

	// --- whatever happens to a job

	/**
	 * Return a claimed urgent job, before which another one stands.
	 */
	private Claim claimed() {
		enqueue(Urgency.URGENT);
		Claim claim = claim(1).get(0);
		enqueue(Urgency.NORMAL);
		return claim;
	}

	private void assertNext(Claim claim) {
		assertThat(ids(claim(1))).containsExactly(claim.job().id());
	}

	@Test
	void retryKeepsItsUrgency() {
		Claim claim = claimed();
		settle(Transition.of(claim.job().id(), "q", claim.token(), Transition.To.SCHEDULED, after(5), failed(claim)));
		pass(5);
		assertNext(claim);
	}

	@Test
	void snoozedJobKeepsItsUrgency() {
		Claim claim = claimed();
		settle(Transition.of(claim.job().id(), "q", claim.token(), Transition.To.SCHEDULED, this.now,
				claim.job().trail()));
		assertNext(claim);
	}

	@Test
	void jobThatIsGivenBackKeepsItsUrgencyAndItsPlace() {
		List<String> ids = enqueue(Urgency.HIGH, 3);
		enqueue(Urgency.NORMAL);
		List<Claim> claims = claim(2);
		claims.forEach((claim) -> assertThat(settle(Transition.released(claim, this.now, claim.job().trail())))
			.isEqualTo(Settled.APPLIED));
		assertThat(ids(claim(3))).isEqualTo(ids);
	}

	@Test
	void jobOfAVanishedWorkerKeepsItsUrgency() {
		Claim claim = claimed();
		pass(LEASE.toMillis() + 1);
		register("v", "q");
		Claim taken = takeOver("v", 1, "q").claims().get(0);
		assertThat(taken.job().urgency()).isEqualTo(Urgency.URGENT);
		settle(Transition.released(taken, this.now, taken.job().trail()));
		assertThat(ids(claim("v", 1, Quota.of("q", 1)).claims())).containsExactly(claim.job().id());
	}

	@Test
	void deadJobThatIsRetriedKeepsItsUrgency() {
		Claim claim = claimed();
		settle(Transition.of(claim.job().id(), "q", claim.token(), Transition.To.DEAD, this.now,
				TrailBuilder.ended(failed(claim), Trail.End.of(DeadReason.EXHAUSTED, "error", this.now))));
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
		assertNext(claim);
	}

	@Test
	void scheduledJobIsAsUrgentOnceItIsDue() {
		enqueue(jobs("q", 3));
		String urgent = enqueue(with(job("q", after(5)), Urgency.URGENT)).id();
		String low = enqueue(with(job("q", after(5)), Urgency.LOW)).id();
		pass(5);
		List<String> order = ids(claim(5));
		assertThat(order).hasSize(5).startsWith(urgent).endsWith(low);
	}

	@Test
	void jobOfATickIsAsUrgent() {
		enqueue(Urgency.NORMAL);
		NewJob job = job(Urgency.HIGH);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("s", "definition", "q"), this.now.minusMillis(1), null)),
				this.now);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("s", "definition", "q"), this.now, job)), this.now);
		assertThat(ids(claim(1))).containsExactly(job.id());
	}

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void replacedJobHasTheUrgencyOfTheNewest(Urgency urgency) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_STARTED, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.REPLACE);
		String owner = enqueue(job(Urgency.HIGH).withUniqueKey(key)).id();
		String high = enqueue(Urgency.HIGH);
		String normal = enqueue(Urgency.NORMAL);
		assertThat(enqueue(job(urgency).withUniqueKey(key)).outcome()).isEqualTo(Outcome.REPLACED);
		assertThat(find(owner).urgency()).isEqualTo(urgency);
		assertThat(ids(claim(3))).isEqualTo(switch (urgency) {
			case URGENT, HIGH -> List.of(owner, high, normal);
			case NORMAL, LOW -> List.of(high, normal, owner);
		});
	}

	@Test
	void jobsOfAnyUrgencyCanBeCancelledAndDeleted() {
		List<String> ids = new ArrayList<>(enqueue(Urgency.URGENT, 2));
		ids.addAll(enqueue(Urgency.LOW, 2));
		String last = enqueue(Urgency.NORMAL);
		for (int i = 0; i < ids.size(); i++) {
			String id = ids.get(i);
			assertThat(change((i % 2 == 0) ? new Change.Cancel(id) : new Change.Delete(id))).isEqualTo(Changed.DONE);
		}
		assertThat(ids(claim(5))).containsExactly(last);
	}

	@Test
	void rescheduledJobKeepsItsUrgency() {
		String urgent = enqueue(Urgency.URGENT);
		enqueue(Urgency.HIGH);
		pass(1);
		assertThat(change(new Change.Reschedule(urgent, this.now))).isEqualTo(Changed.DONE);
		assertThat(ids(claim(1))).containsExactly(urgent);
	}

	// --- another urgency

	@ParameterizedTest
	@EnumSource(Urgency.class)
	void readyJobGetsAnotherUrgency(Urgency urgency) {
		Arrays.stream(Urgency.values()).forEach((before) -> {
			String id = enqueue(with(with(job(before), "a", "b"), Job.TAGS_HEADER, "t")).id();
			assertThat(change(Change.SetStanding.urgency(id, urgency))).isEqualTo(Changed.DONE);
			Job job = find(id);
			assertThat(job.urgency()).isEqualTo(urgency);
			assertThat(job.state()).isEqualTo(JobState.READY);
			assertThat(job.tags()).containsExactly("t");
			assertThat(job.headers()).containsEntry("a", "b");
		});
		String low = enqueue(Urgency.LOW);
		List<Claim> claims = claim(5);
		assertThat(urgencies(claims)).containsExactly(urgency, urgency, urgency, urgency, Urgency.LOW);
		assertThat(claims.get(4).job().id()).isEqualTo(low);
	}

	@Test
	void scheduledJobGetsAnotherUrgency() {
		String id = enqueue(job("q", after(5))).id();
		assertThat(change(Change.SetStanding.urgency(id, Urgency.URGENT))).isEqualTo(Changed.DONE);
		assertThat(find(id).urgency()).isEqualTo(Urgency.URGENT);
		pass(5);
		enqueue(jobs("q", 2));
		assertThat(ids(claim(1))).containsExactly(id);
	}

	@Test
	void jobOfALaneGetsAnotherUrgency() {
		String first = enqueueIn("a", Urgency.NORMAL);
		String second = enqueueIn("a", Urgency.NORMAL);
		assertThat(change(Change.SetStanding.urgency(second, Urgency.HIGH))).isEqualTo(Changed.DONE);
		assertThat(find(second).lane()).isEqualTo("a");
		assertThat(ids(claim(2))).containsExactly(second, first);
	}

	@Test
	void jobThatRunsOrHasEndedKeepsItsUrgency() {
		Claim claim = claimed();
		String id = claim.job().id();
		assertThat(change(Change.SetStanding.urgency(id, Urgency.LOW))).isEqualTo(Changed.REFUSED);
		assertThat(change(Change.SetStanding.urgency("unknown", Urgency.LOW))).isEqualTo(Changed.NOT_FOUND);
		assertThat(find(id).urgency()).isEqualTo(Urgency.URGENT);
	}

	@Test
	void urgencySetBehindOtherHeadersIsKeptByAMoveToALane() {
		String id = enqueue(with(with(with(job("q"), "a", "1"), "b", "2"), "c", "3")).id();
		assertThat(change(Change.SetStanding.urgency(id, Urgency.URGENT))).isEqualTo(Changed.DONE);
		assertThat(change(Change.SetStanding.lane(id, "x"))).isEqualTo(Changed.DONE);
		String other = enqueueIn("x", Urgency.HIGH);
		assertThat(find(id).headers()).containsEntry("a", "1").containsEntry("b", "2").containsEntry("c", "3");
		assertThat(ids(claim(2))).containsExactly(id, other);
	}

	@Test
	void jobThatGetsTheUrgencyItHasKeepsItsPlace() {
		String first = enqueue(Urgency.NORMAL);
		String second = enqueue(Urgency.NORMAL);
		assertThat(change(Change.SetStanding.urgency(first, Urgency.NORMAL))).isEqualTo(Changed.DONE);
		assertThat(ids(claim(2))).containsExactly(first, second);
	}

}
