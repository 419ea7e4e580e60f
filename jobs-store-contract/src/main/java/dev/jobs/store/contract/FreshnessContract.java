package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.Unique;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Transition;
import dev.jobs.store.support.UniqueKeyDigest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about jobs that may expire: a prune ends those that wait, wherever they
 * wait, and no others.
 */
abstract class FreshnessContract extends ContractPart {

	private static final int MANY = 1000;

	FreshnessContract(StoreSource source) {
		super(source);
	}

	private NewJob expiring(long millis) {
		return with(job("q"), Job.EXPIRES_HEADER, after(millis));
	}

	private static NewJob with(NewJob job, String header, Instant at) {
		return with(job, header, Long.toString(at.toEpochMilli()));
	}

	private static NewJob dying(NewJob job) {
		return with(job, Job.ON_EXPIRY_HEADER, OnExpiry.DEAD.name());
	}

	private Pruned prune(int limit) {
		return this.store.prune(new PruneRequest(null, 0, null, 0, null, null, limit, this.now));
	}

	private List<String> expired() {
		return prune(MANY).expired().stream().map(Pruned.Expired::id).toList();
	}

	private void retryLater(Claim claim, long millis) {
		settle(Transition.scheduled(claim, after(millis), failed(claim)));
	}

	@Test
	void jobThatExpiredInAPausedQueueIsRemoved() {
		String id = enqueue(expiring(1000)).id();
		String other = enqueue("q");
		change(new Change.Pause("q", null));
		pass(999);
		assertThat(prune(MANY).expired()).isEmpty();
		pass(1);
		assertThat(prune(MANY).expired()).containsExactly(new Pruned.Expired(id, "q", false));
		assertThat(exists(id)).isFalse();
		assertThat(exists(other)).isTrue();
		assertThat(queue("q").waiting()).isEqualTo(1);
		assertThat(prune(MANY).expired()).isEmpty();
	}

	@Test
	void jobThatIsToDieWhenItExpiresIsDead() {
		String id = enqueue(dying(expiring(1000))).id();
		pass(1000);
		assertThat(prune(MANY).expired()).containsExactly(new Pruned.Expired(id, "q", true));
		assertThat(state(id)).isEqualTo(JobState.DEAD);
		assertThat(Objects.requireNonNull(find(id).trail().end()).reason()).isEqualTo(DeadReason.EXPIRED);
		assertThat(prune(MANY).expired()).isEmpty();
	}

	@Test
	void retryByAnOperatorDoesNotExpireAgain() {
		String id = enqueue(dying(expiring(1000))).id();
		pass(1000);
		assertThat(expired()).containsExactly(id);
		pass(1);
		assertThat(change(new Change.Retry(id))).isEqualTo(Changed.DONE);
		pass(100_000);
		assertThat(expired()).isEmpty();
		assertThat(claimOne("w", "q").job().isExpired(this.now)).isFalse();
	}

	@Test
	void jobThatAnOperatorMakesDueLaterDoesNotExpire() {
		String id = enqueue(expiring(1000)).id();
		change(new Change.Reschedule(id, after(2000)));
		pass(3000);
		assertThat(expired()).isEmpty();
		assertThat(claimOne("w", "q").job().isExpired(this.now)).isFalse();
	}

	@Test
	void jobThatHasBegunDoesNotExpire() {
		enqueue(expiring(1000));
		retryLater(claimOne("w", "q"), 100);
		pass(1000);
		assertThat(expired()).isEmpty();
		assertThat(claimOne("w", "q").job().isExpired(this.now)).isFalse();
	}

	@Test
	void jobThatHasBegunIsDeadAfterItsDeadline() {
		NewJob job = with(expiring(1000), Job.DEADLINE_HEADER, after(5000));
		enqueue(job);
		retryLater(claimOne("w", "q"), 100);
		pass(1000);
		assertThat(expired()).isEmpty();
		pass(3999);
		assertThat(expired()).isEmpty();
		pass(1);
		assertThat(prune(MANY).expired()).containsExactly(new Pruned.Expired(job.id(), "q", true));
		assertThat(state(job.id())).isEqualTo(JobState.DEAD);
	}

	@Test
	void jobThatMissesItsDeadlineIsRemoved() {
		String id = enqueue(with(job("q", after(10)), Job.DEADLINE_HEADER, after(1000))).id();
		pass(1000);
		assertThat(expired()).containsExactly(id);
		assertThat(exists(id)).isFalse();
	}

	@Test
	void runningJobStaysAndMayExpireOnceItIsBack() {
		String id = enqueue(expiring(1000)).id();
		Claim claim = claimOne("w", "q");
		change(new Change.Pause("q", null));
		pass(1000);
		assertThat(expired()).isEmpty();
		settle(Transition.released(claim, this.now, claim.job().trail()));
		pass(Pruned.UNTIL_NEXT_LOOK.toMillis());
		assertThat(expired()).containsExactly(id);
	}

	@Test
	void runningJobsDelayNoOthers() {
		enqueue(IntStream.range(0, 5).mapToObj((i) -> expiring(10)).toList());
		register("w", "q");
		claim("w", "q", 5);
		String id = enqueue(expiring(20)).id();
		pass(20);
		List<String> expired = Stream.generate(() -> prune(2).expired())
			.limit(4)
			.flatMap(List::stream)
			.map(Pruned.Expired::id)
			.toList();
		assertThat(expired).containsExactly(id);
	}

	@Test
	void expiredJobsGoInBoundedChunksTheEarliestFirst() {
		List<NewJob> jobs = IntStream.range(0, 5).mapToObj((i) -> expiring(10 + i)).toList();
		enqueue(jobs.subList(2, 5));
		enqueue(jobs.subList(0, 2));
		pass(100);
		assertThat(prune(3)).isEqualTo(new Pruned(0, 0, 0, true, ended(jobs.subList(0, 3))));
		assertThat(prune(3)).isEqualTo(new Pruned(0, 0, 0, false, ended(jobs.subList(3, 5))));
	}

	private static List<Pruned.Expired> ended(List<NewJob> jobs) {
		return jobs.stream().map((job) -> new Pruned.Expired(job.id(), "q", false)).toList();
	}

	@Test
	void jobExpiresWhereverItWaits() {
		NewJob laned = with(expiring(1000), Job.LANE_HEADER, "a");
		NewJob scheduled = expiring(1000).withDueAt(after(999));
		NewJob tagged = with(with(expiring(1000), Job.TAGS_HEADER, "one,two"), "other", "header");
		NewJob all = dying(with(with(tagged.withId("all"), Job.LANE_HEADER, "a"), Job.DEADLINE_HEADER, after(1001)));
		enqueue(List.of(laned, scheduled, tagged, all));
		Claim claim = with("w", laned.id());
		settle(Transition.released(claim, this.now, claim.job().trail()));
		pass(1000);
		assertThat(expired()).containsExactlyInAnyOrder(laned.id(), scheduled.id(), tagged.id(), "all");
		assertThat(state("all")).isEqualTo(JobState.DEAD);
		assertThat(queue("q").waiting()).isZero();
		register("w", "q");
		assertThat(claim("w", "q", 10)).isEmpty();
	}

	private Claim with(String worker, String id) {
		register(worker, "q");
		List<Claim> claims = claim(worker, "q", 10);
		claims.stream()
			.filter((claim) -> !claim.job().id().equals(id))
			.forEach((claim) -> settle(Transition.released(claim, this.now, claim.job().trail())));
		return claims.stream().filter((claim) -> claim.job().id().equals(id)).findFirst().orElseThrow();
	}

	@Test
	void endedJobIsLeftAlone() {
		String gone = enqueue(expiring(1000)).id();
		settle(Transition.removed(claimOne("w", "q"), this.now));
		String dead = enqueue(expiring(1000)).id();
		kill(claimOne("w", "q"));
		String kept = enqueue(expiring(1000)).id();
		Claim claim = claimOne("w", "q");
		settle(Transition.kept(claim, this.now, claim.job().trail()));
		pass(1000);
		assertThat(expired()).isEmpty();
		assertThat(Stream.of(gone, dead, kept).filter(this::exists)).containsExactly(dead, kept);
	}

	@Test
	void headersOfANewPayloadCount() {
		NewJob.UniqueKey key = new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.HANDLER, "q", "k"),
				Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null, Unique.OnDuplicate.REPLACE);
		String id = enqueue(with(expiring(1000), key)).id();
		assertThat(enqueue(with(expiring(2000), key)).outcome()).isEqualTo(Outcome.REPLACED);
		pass(1000);
		assertThat(expired()).isEmpty();
		pass(1000);
		assertThat(expired()).containsExactly(id);
		assertThat(enqueue(with(job("q"), key)).isNew()).isTrue();
		assertThat(enqueue(with(expiring(5), key)).outcome()).isEqualTo(Outcome.REPLACED);
		assertThat(enqueue(with(job("q"), key)).outcome()).isEqualTo(Outcome.REPLACED);
		pass(1000);
		assertThat(expired()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void expiredJobFreesItsKeyAsADeadOrRemovedOneDoes(Unique.Mode mode) {
		NewJob.UniqueKey key = new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.HANDLER, "q", "k"), mode,
				Unique.Scope.HANDLER, null, Unique.OnDuplicate.KEEP);
		enqueue(with(expiring(1000), key));
		pass(1000);
		assertThat(expired()).hasSize(1);
		enqueue(with(dying(expiring(1000)), key));
		pass(1000);
		assertThat(expired()).hasSize(1);
		assertThat(enqueue(with(job("q"), key)).isNew()).isEqualTo(mode != Unique.Mode.UNTIL_REMOVED);
	}

	@Test
	void jobThatDoesNotFitBecauseOthersWaitFitsWhenTheseHaveExpired() {
		enqueue(with(expiring(1000), 1));
		assertThat(enqueue(with(job("q"), 1)).isFull()).isTrue();
		pass(1000);
		assertThat(expired()).hasSize(1);
		assertThat(enqueue(with(job("q"), 1)).isNew()).isTrue();
	}

	private static NewJob.UniqueKey debounced(@Nullable Instant until) {
		return new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.HANDLER, "q", "k"), Unique.Mode.UNTIL_STARTED,
				Unique.Scope.HANDLER, until, Unique.OnDuplicate.DEBOUNCE);
	}

	private Enqueued debounce(long wait, long most) {
		return enqueue(with(job("q", after(wait)), debounced(after(most))));
	}

	@Test
	void debouncedJobMovesOnNoFurtherThanTheWindowOfTheFirst() {
		Instant first = this.now;
		String id = debounce(100, 250).id();
		for (int i = 1; i <= 4; i++) {
			pass(60);
			Instant dueAt = first.plusMillis(Math.min(i * 60 + 100, 250));
			NewJob next = with(job("q", after(100)), debounced(after(250)));
			assertThat(enqueue(next)).isEqualTo(Enqueued.of(id, Outcome.RESCHEDULED, dueAt));
			assertThat(find(id).dueAt()).isEqualTo(dueAt);
			assertThat(find(id).payload()).isEqualTo(next.payload());
		}
		pass(9);
		register("w", "q");
		assertThat(claim("w", "q", 2)).isEmpty();
		pass(1);
		assertThat(ids(claim("w", "q", 2))).containsExactly(id);
	}

	@Test
	void debounceBeginsAgainOnceTheJobHasStarted() {
		String first = debounce(100, 250).id();
		pass(100);
		Claim claim = claimOne("w", "q");
		NewJob next = with(job("q", after(100)), debounced(after(250)));
		assertThat(enqueue(next)).isEqualTo(Enqueued.of(next.id(), Outcome.NEW, after(100)));
		assertThat(find(first).payload()).isEqualTo(claim.job().payload());
		settle(Transition.removed(claim, this.now));
		assertThat(debounce(200, 300).id()).isEqualTo(next.id());
	}

	@Test
	void debounceBeginsAgainAfterItsWindow() {
		String first = debounce(100, 100).id();
		pass(100);
		assertThat(debounce(100, 100).isNew()).isTrue();
		assertThat(state(first)).isEqualTo(JobState.READY);
	}

	@Test
	void debounceWithoutAWindowIsPutOffForEver() {
		String id = enqueue(with(job("q", after(100)), debounced(null))).id();
		pass(99);
		assertThat(enqueue(with(job("q", after(1000)), debounced(null))).dueAt()).isEqualTo(after(1000));
		assertThat(find(id).dueAt()).isEqualTo(after(1000));
	}

	@Test
	void readyJobIsPutOffByADebounce() {
		String id = debounce(100, 250).id();
		pass(150);
		assertThat(debounce(60, 250)).isEqualTo(Enqueued.of(id, Outcome.RESCHEDULED, after(60)));
		register("w", "q");
		assertThat(claim("w", "q", 2)).isEmpty();
	}

	private NewJob throttled(String key, long window) {
		return with(job("q"), Job.THROTTLE_HEADER, after(window).toEpochMilli() + ";" + key);
	}

	@Test
	void throttleKeepsOthersOutForItsTimeAlsoOnceTheJobHasEnded() {
		Instant until = after(1000);
		NewJob first = throttled("k", 1000);
		assertThat(enqueue(first)).isEqualTo(Enqueued.of(first.id(), Outcome.NEW, this.now));
		Enqueued duplicate = Enqueued.of(first.id(), Outcome.DUPLICATE, until);
		pass(1);
		assertThat(enqueue(throttled("k", 1000))).isEqualTo(duplicate);
		settle(Transition.removed(claimOne("w", "q"), this.now));
		assertThat(enqueue(throttled("k", 1000))).isEqualTo(duplicate);
		assertThat(enqueue(throttled("other", 1000)).isNew()).isTrue();
		assertThat(enqueue(throttled("k", 1000).withId("elsewhere")).isDuplicate()).isTrue();
		pass(998);
		prune(MANY);
		assertThat(enqueue(throttled("k", 1000))).isEqualTo(duplicate);
		pass(1);
		NewJob next = throttled("k", 1000);
		assertThat(enqueue(next).isNew()).isTrue();
		assertThat(enqueue(throttled("k", 1000)).id()).isEqualTo(next.id());
		pass(1000);
		prune(MANY);
		assertThat(enqueue(throttled("k", 1000)).isNew()).isTrue();
	}

	@Test
	void throttledJobThatIsRepeatedIsNew() {
		NewJob job = throttled("k", 1000);
		enqueue(job);
		assertThat(enqueue(job).isNew()).isTrue();
		assertThat(queue("q").waiting()).isEqualTo(1);
	}

	@Test
	void throttleHoldsWithinABatchAndUnderConcurrency() {
		assertThat(enqueue(List.of(throttled("a", 1000), throttled("a", 1000)))).extracting(Enqueued::outcome)
			.containsExactly(Outcome.NEW, Outcome.DUPLICATE);
		List<NewJob> jobs = IntStream.range(0, 20).mapToObj((i) -> throttled("k", 1000)).toList();
		List<Enqueued> reply = Race.run(20, (i) -> enqueue(jobs.get(i)));
		assertThat(reply.stream().filter(Enqueued::isNew)).hasSize(1);
		assertThat(reply.stream().map(Enqueued::id).distinct()).hasSize(1);
	}

	@Test
	void jobThatIsRefusedBeginsNoThrottle() {
		enqueue("q");
		assertThat(enqueue(with(throttled("k", 1000), 1)).isFull()).isTrue();
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.REPLACE);
		NewJob owner = with(throttled("a", 1000), key);
		assertThat(enqueue(owner).isNew()).isTrue();
		assertThat(enqueue(with(throttled("k", 1000), key)).outcome()).isEqualTo(Outcome.REPLACED);
		assertThat(enqueue(throttled("k", 1000)).isNew()).isTrue();
		assertThat(enqueue(with(throttled("a", 1000), key))).extracting(Enqueued::outcome, Enqueued::id)
			.containsExactly(Outcome.DUPLICATE, owner.id());
	}

	@Test
	void throttleEndsAtTheQueueAndWithAPurge() {
		enqueue(throttled("k", 1000));
		NewJob elsewhere = job("other").withHeaders(throttled("k", 1000).headers());
		assertThat(enqueue(elsewhere).isNew()).isTrue();
		change(new Change.Purge());
		assertThat(enqueue(throttled("k", 1000)).isNew()).isTrue();
	}

	@Test
	void claimGivesTheTimesToTheWorker() {
		enqueue(with(dying(expiring(1000)), Job.DEADLINE_HEADER, after(2000)));
		Job job = claimOne("w", "q").job();
		assertThat(job.expiresAt()).isEqualTo(after(1000));
		assertThat(job.deadline()).isEqualTo(after(2000));
		assertThat(job.onExpiry()).isEqualTo(OnExpiry.DEAD);
		assertThat(job.isExpired(after(999))).isFalse();
		assertThat(job.isExpired(this.now.plus(Duration.ofSeconds(1)))).isTrue();
	}

	@Test
	void timesThatAreNoTimesAreIgnored() {
		enqueue(with(with(job("q"), Job.EXPIRES_HEADER, "soon"), Job.DEADLINE_HEADER, "+5"));
		pass(1_000_000);
		assertThat(expired()).isEmpty();
		assertThat(claimOne("w", "q").job().isExpired(this.now)).isFalse();
	}

}
