package dev.jobs.store.contract;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.QueueView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about jobs that wait for a thing, and about things that end.
 */
abstract class ParkContract extends ContractPart {

	private static final String THING = "signal:paid/order 7";

	ParkContract(StoreSource source) {
		super(source);
	}

	private Trail waiting(Claim claim, String thing) {
		return TrailRules.parked(claim.job().trail(), Trail.Wait.of(thing, this.now));
	}

	private Settled park(Claim claim, String thing, Instant until) {
		return settle(Transition.waiting(claim, until, waiting(claim, thing)));
	}

	private Claim parked(String thing, Instant until) {
		Claim claim = enqueueAndClaim("w", "q");
		assertThat(park(claim, thing, until)).isEqualTo(Settled.APPLIED);
		return claim;
	}

	private Changed keep(String thing, String value, Instant until) {
		return change(new Change.KeepEnd(thing, new End(JobState.SUCCEEDED, Trail.EMPTY, value.getBytes(), until)));
	}

	private Changed release(String thing) {
		return change(new Change.Release(thing));
	}

	private QueueView queue() {
		return this.store.inspector().queue("q", this.now).orElseThrow();
	}

	@Test
	void jobThatWaitsForAThingIsNotGivenBeforeItIsReleased() {
		Claim claim = parked(THING, after(1000));
		assertThat(claim("w", "q", 1)).isEmpty();
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.WAITING);
		assertThat(job.dueAt()).isEqualTo(after(1000));
		assertThat(job.trail().waitsFor()).isEqualTo(Trail.Wait.of(THING, this.now));
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(queue()).isEqualTo(QueueView.of("q", true).withParked(1));
		assertThat(release(THING)).isEqualTo(Changed.DONE);
		assertThat(find(claim.job().id()).state()).isEqualTo(JobState.READY);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
		assertThat(claim("w", "q", 1)).singleElement()
			.satisfies((next) -> assertThat(next.job().id()).isEqualTo(claim.job().id()))
			.satisfies((next) -> assertThat(next.token()).isGreaterThan(claim.token()));
	}

	@Test
	void releasedJobIsInFront() {
		Claim claim = parked(THING, after(1000));
		enqueue("q");
		release(THING);
		assertThat(claim("w", "q", 1)).extracting((next) -> next.job().id()).containsExactly(claim.job().id());
	}

	@Test
	void jobWaitsUntilItsTimeAtTheLatest() {
		Claim claim = parked(THING, after(10));
		pass(9);
		assertThat(claim("w", "q", 1)).isEmpty();
		pass(1);
		assertThat(find(claim.job().id()).state()).isEqualTo(JobState.READY);
		assertThat(queue()).isEqualTo(QueueView.of("q", true).withJobs(1, 0, 0, 0, 0, 0).withOldestReady(this.now));
		assertThat(claim("w", "q", 1)).hasSize(1);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
	}

	@Test
	void claimSaysWhenTheNextWaitIsOver() {
		parked(THING, after(10));
		assertThat(claim("w", 1, Quota.of("q", 1)).queues()).singleElement()
			.satisfies((left) -> assertThat(left.more()).isFalse())
			.satisfies((left) -> assertThat(left.nextDue()).isEqualTo(after(10)));
	}

	@Test
	void thingsAreReleasedOneByOne() {
		List<String> things = List.of(THING, THING + " ", "Signal:paid/order 7", "signal:paid/order",
				"Zürich \u20ac/%'");
		List<Claim> claims = things.stream().map((thing) -> parked(thing, after(1000))).toList();
		IntStream.range(0, things.size()).forEach((i) -> {
			assertThat(release(things.get(i))).isEqualTo(Changed.DONE);
			assertThat(claim("w", "q", 10)).extracting((next) -> next.job().id())
				.containsExactly(claims.get(i).job().id());
		});
	}

	@Test
	void allWhoWaitForAThingAreReleasedInAllQueues() {
		enqueue(jobs("q", 30));
		enqueue(jobs("r", 30));
		register("w", "q", "r");
		claim("w", "q", 30).forEach((claim) -> park(claim, THING, after(1000)));
		claim("w", "r", 30).forEach((claim) -> park(claim, THING, after(1000)));
		assertThat(release(THING)).isEqualTo(Changed.DONE);
		assertThat(claim("w", "q", 50)).hasSize(30);
		assertThat(claim("w", "r", 50)).hasSize(30);
	}

	@Test
	void thingIsKeptAndThoseWhoWaitForItAreReleasedInOneCall() {
		Claim claim = parked(THING, after(1000));
		List<Change> both = List.of(
				new Change.KeepEnd(THING, new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[1], after(2000))),
				new Change.Release(THING));
		assertThat(this.store.change(both, this.now)).containsExactly(Changed.DONE, Changed.DONE);
		assertThat(find(claim.job().id()).state()).isEqualTo(JobState.READY);
		assertThat(this.store.inspector().ends(List.of(THING), this.now)).containsOnlyKeys(THING);
		assertThat(this.store.change(both, this.now)).containsExactly(Changed.REFUSED, Changed.NOT_FOUND);
	}

	@Test
	void thousandsAreReleasedInSteps() {
		int many = Change.Release.AT_ONCE + 200;
		enqueue(jobs("q", many));
		register("w", "q");
		List<Claim> claims = claim("w", "q", many);
		this.store.settle(
				claims.stream().map((claim) -> Transition.waiting(claim, after(1000), waiting(claim, THING))).toList(),
				this.now);
		assertThat(release(THING)).isEqualTo(Changed.DONE);
		assertThat(queue().ready()).isEqualTo(Change.Release.AT_ONCE);
		assertThat(release(THING)).isEqualTo(Changed.DONE);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
		assertThat(queue().ready()).isEqualTo(many);
		assertThat(queue().parked()).isZero();
	}

	@Test
	void jobThatIsParkedAgainWaitsForTheNewThingOnly() {
		Claim claim = parked("signal:a", after(10));
		pass(10);
		Claim next = claim("w", "q", 1).get(0);
		assertThat(next.job().id()).isEqualTo(claim.job().id());
		park(next, "signal:b", after(1000));
		assertThat(release("signal:a")).isEqualTo(Changed.NOT_FOUND);
		assertThat(find(claim.job().id()).state()).isEqualTo(JobState.WAITING);
		assertThat(release("signal:b")).isEqualTo(Changed.DONE);
	}

	@Test
	void staleRunParksNothing() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		Claim next = claim("w", "q", 1).get(0);
		assertThat(park(claim, THING, after(1000))).isEqualTo(Settled.LOST);
		assertThat(find(next.job().id()).state()).isEqualTo(JobState.RUNNING);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
	}

	@Test
	void jobThatWaitsCanBeCancelledDeletedAndRetried() {
		Claim cancelled = parked(THING, after(1000));
		assertThat(change(new Change.Cancel(cancelled.job().id()))).isEqualTo(Changed.DONE);
		Claim deleted = parked(THING, after(1000));
		assertThat(change(new Change.Delete(deleted.job().id()))).isEqualTo(Changed.DONE);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
		Claim woken = parked(THING, after(1000));
		assertThat(change(new Change.Reschedule(woken.job().id(), after(5)))).isEqualTo(Changed.REFUSED);
		assertThat(change(new Change.Retry(woken.job().id()))).isEqualTo(Changed.DONE);
		assertThat(find(woken.job().id()).state()).isEqualTo(JobState.READY);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
		assertThat(claim("w", "q", 5)).hasSize(1);
	}

	@Test
	void jobThatWaitsKeepsItsUniqueKeyAndIsNotCountedAsWaiting() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.KEEP);
		register("w", "q");
		String id = enqueue(with(job("q"), key)).id();
		park(claim("w", "q", 1).get(0), THING, after(1000));
		Enqueued duplicate = enqueue(with(job("q"), key));
		assertThat(duplicate.outcome()).isEqualTo(Enqueued.Outcome.DUPLICATE);
		assertThat(duplicate.id()).isEqualTo(id);
		assertThat(enqueue(job("q").withMaxWaiting(1)).outcome()).isEqualTo(Enqueued.Outcome.NEW);
	}

	@Test
	void jobOfAnOrderedLaneKeepsItsPlaceWhileItWaits() {
		register("w", "q");
		List<NewJob> jobs = IntStream.range(0, 2)
			.mapToObj((i) -> job("q").withHeaders(Map.of(Job.LANE_HEADER, "a")))
			.toList();
		jobs.forEach(this::enqueue);
		Quota quota = Quota.of("q", 5).withLanes(1, "");
		Claim first = claim("w", 5, quota).claims().get(0);
		settle(Transition.waiting(first, after(1000), waiting(first, THING)).keepingLane());
		assertThat(claim("w", 5, quota).claims()).isEmpty();
		release(THING);
		assertThat(claim("w", 5, quota).claims()).extracting((next) -> next.job().id())
			.containsExactly(first.job().id());
	}

	@Test
	void jobOfALaneFreesItsPlaceWhileItWaits() {
		register("w", "q");
		enqueue(job("q").withHeaders(Map.of(Job.LANE_HEADER, "a")));
		enqueue(job("q").withHeaders(Map.of(Job.LANE_HEADER, "a")));
		Quota quota = Quota.of("q", 5).withLanes(1, "");
		Claim first = claim("w", 5, quota).claims().get(0);
		settle(Transition.waiting(first, after(1000), waiting(first, THING)));
		Claim second = claim("w", 5, quota).claims().get(0);
		assertThat(second.job().id()).isNotEqualTo(first.job().id());
		release(THING);
		settle(Transition.removed(second, this.now));
		assertThat(claim("w", 5, quota).claims()).extracting((next) -> next.job().id())
			.containsExactly(first.job().id());
	}

	@Test
	void jobsThatWaitAreListedByTheirState() {
		List<String> ids = IntStream.range(0, 5).mapToObj((i) -> parked(THING, after(1000 + i)).job().id()).toList();
		enqueue("q", after(1002));
		JobFilter waiting = JobFilter.of((only) -> only.states(JobState.WAITING));
		List<Job> page = this.store.inspector().page(waiting, PageRequest.oldestFirst(10), this.now).jobs();
		assertThat(page).extracting(Job::id).containsExactlyElementsOf(ids);
		assertThat(page).allSatisfy((job) -> {
			assertThat(job.state()).isEqualTo(JobState.WAITING);
			assertThat(job.trail().waitsFor()).isNotNull().extracting(Trail.Wait::thing).isEqualTo(THING);
		});
		assertThat(this.store.inspector().count(waiting, 100, this.now).number()).isEqualTo(5);
		JobFilter scheduled = JobFilter.of((only) -> only.states(JobState.SCHEDULED));
		assertThat(this.store.inspector().page(scheduled, PageRequest.oldestFirst(10), this.now).jobs()).hasSize(1);
		assertThat(this.store.inspector().page(JobFilter.all(), PageRequest.oldestFirst(10), this.now).jobs())
			.hasSize(6);
	}

	@Test
	void jobThatWaitedInVainIsBuriedIfNobodyHandlesIt() {
		Claim claim = parked(THING, after(10));
		leave("w");
		pass(11);
		assertThat(this.store.prune(new PruneRequest(null, 0, null, 0, this.now, null, 100, this.now)).stranded())
			.isEqualTo(1);
		assertThat(find(claim.job().id()).state()).isEqualTo(JobState.DEAD);
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
	}

	@Test
	void firstEndOfAThingIsKept() {
		assertThat(keep(THING, "first", after(10))).isEqualTo(Changed.DONE);
		assertThat(keep(THING, "second", after(100))).isEqualTo(Changed.REFUSED);
		EndView end = Objects.requireNonNull(this.store.inspector().ends(List.of(THING), this.now).get(THING));
		assertThat(end.state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(end.value()).isEqualTo("first".getBytes());
		pass(10);
		assertThat(keep(THING, "third", after(10))).isEqualTo(Changed.DONE);
		pass(10);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, this.now));
		this.now = START;
		assertThat(this.store.inspector().ends(List.of(THING), this.now)).isEmpty();
	}

	@Test
	void endIsForgottenAndTheNextOneIsKept() {
		assertThat(change(new Change.KeepEnd(THING, null))).isEqualTo(Changed.NOT_FOUND);
		keep(THING, "first", after(10));
		keep("signal:other", "other", after(10));
		assertThat(change(new Change.KeepEnd(THING, null))).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().ends(List.of(THING, "signal:other"), this.now))
			.containsOnlyKeys("signal:other");
		assertThat(change(new Change.KeepEnd(THING, null))).isEqualTo(Changed.NOT_FOUND);
		assertThat(keep(THING, "second", after(10))).isEqualTo(Changed.DONE);
		pass(10);
		assertThat(change(new Change.KeepEnd(THING, null))).isEqualTo(Changed.NOT_FOUND);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 100, Change.KeepEnd.LONGEST_THING })
	void thingIsATextOfAnyCharacters(int length) {
		String thing = "\u20ac%:'".repeat(125).substring(0, length);
		assertThat(keep(thing, "x", after(10))).isEqualTo(Changed.DONE);
		parked(thing, after(1000));
		assertThat(this.store.inspector().ends(List.of(thing), this.now)).containsOnlyKeys(thing);
		assertThat(release(thing)).isEqualTo(Changed.DONE);
	}

	@Test
	void purgeForgetsWhatIsWaitedFor() {
		parked(THING, after(1000));
		change(new Change.Purge());
		assertThat(release(THING)).isEqualTo(Changed.NOT_FOUND);
		enqueue("q");
		register("w", "q");
		assertThat(claim("w", "q", 5)).hasSize(1);
	}

}
