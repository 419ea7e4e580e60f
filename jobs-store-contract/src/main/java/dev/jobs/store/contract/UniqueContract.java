package dev.jobs.store.contract;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Unique.Mode;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.Unique.Scope;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about unique keys, whichever verb keeps them.
 */
abstract class UniqueContract extends ContractPart {

	UniqueContract(StoreSource source) {
		super(source);
	}

	private static NewJob.UniqueKey key(Mode mode) {
		return new NewJob.UniqueKey("digest", mode, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	private static NewJob.UniqueKey key(OnDuplicate rule) {
		return new NewJob.UniqueKey("digest", Mode.UNTIL_STARTED, Scope.HANDLER, null, rule);
	}

	private static NewJob.UniqueKey key(Scope scope) {
		return new NewJob.UniqueKey("digest", Mode.UNTIL_STARTED, scope, null, OnDuplicate.KEEP);
	}

	private static NewJob.UniqueKey keyUntil(Mode mode, Instant until) {
		return new NewJob.UniqueKey("digest", mode, Scope.HANDLER, until, OnDuplicate.KEEP);
	}

	private Enqueued enqueue(NewJob.UniqueKey key) {
		return enqueue(with(job("q"), key));
	}

	private Claim enqueueAndClaim(Mode mode) {
		enqueue(key(mode));
		return claimOne("w", "q");
	}

	private void assertTaken(Mode mode) {
		assertThat(enqueue(key(mode)).outcome()).isEqualTo(Outcome.DUPLICATE);
	}

	private void assertFree(Mode mode) {
		assertThat(enqueue(key(mode)).outcome()).isEqualTo(Outcome.NEW);
	}

	@ParameterizedTest
	@EnumSource
	void waitingOwnerKeepsOthersOut(Mode mode) {
		Enqueued owner = enqueue(key(mode));
		pass(1);
		assertThat(enqueue(key(mode))).isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, owner.dueAt()));
		assertThat(queue("q").ready()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void scheduledOwnerKeepsOthersOutHoweverLongItWaits(Mode mode) {
		Instant dueAt = this.now.plusSeconds(3 * 24 * 3600);
		Enqueued owner = enqueue(with(job("q", dueAt), key(mode)));
		this.now = dueAt.minusMillis(1);
		assertThat(enqueue(key(mode))).isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, dueAt));
		assertThat(find(owner.id()).dueAt()).isEqualTo(dueAt);
	}

	@Test
	void otherDigestIsAccepted() {
		enqueue(key(Mode.UNTIL_DONE));
		NewJob.UniqueKey other = new NewJob.UniqueKey("other", Mode.UNTIL_DONE, Scope.HANDLER, null, OnDuplicate.KEEP);
		assertThat(enqueue(other).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void duplicateWithinABatchIsFound() {
		List<Enqueued> reply = enqueue(
				List.of(with(job("q"), key(Mode.UNTIL_DONE)), with(job("q"), key(Mode.UNTIL_DONE))));
		assertThat(reply).extracting(Enqueued::outcome).containsExactly(Outcome.NEW, Outcome.DUPLICATE);
	}

	@Test
	void keyIsLookedAtBeforeTheLength() {
		enqueue(key(Mode.UNTIL_DONE));
		assertThat(enqueue(with(with(job("q"), key(Mode.UNTIL_DONE)), 1)).outcome()).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void refusedJobDoesNotTakeTheKey() {
		enqueue("q");
		assertThat(enqueue(with(with(job("q"), key(Mode.UNTIL_DONE)), 1)).outcome()).isEqualTo(Outcome.FULL);
		assertFree(Mode.UNTIL_DONE);
	}

	@Test
	void handlerScopeEndsAtTheQueue() {
		enqueue(key(Scope.HANDLER));
		assertThat(enqueue(with(job("other"), key(Scope.HANDLER))).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void namespaceScopeSpansQueues() {
		Enqueued owner = enqueue(key(Scope.NAMESPACE));
		Enqueued refused = enqueue(with(job("other"), key(Scope.NAMESPACE)));
		assertThat(refused).isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, owner.dueAt()));
		assertThat(queueExists("other")).isFalse();
	}

	@Test
	void scopesDoNotMeet() {
		enqueue(key(Scope.NAMESPACE));
		assertThat(enqueue(key(Scope.HANDLER)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void ownerOfAnotherQueueIsNeverChanged() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Mode.UNTIL_DONE, Scope.NAMESPACE, null,
				OnDuplicate.REPLACE_AND_RESCHEDULE);
		NewJob owner = with(job("q"), key);
		enqueue(owner);
		assertThat(enqueue(with(job("other", after(9)), key)).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(find(owner.id()).payload()).isEqualTo(owner.payload());
		assertThat(find(owner.id()).dueAt()).isEqualTo(owner.dueAt());
	}

	@Test
	void replaceGivesTheOwnerThePayloadAndHeadersOnly() {
		NewJob owner = with(job("q", after(100)), key(OnDuplicate.REPLACE));
		NewJob other = with(job("q", after(200)), key(OnDuplicate.REPLACE));
		enqueue(owner);
		assertThat(enqueue(other)).isEqualTo(Enqueued.of(owner.id(), Outcome.REPLACED, after(100)));
		assertThat(find(owner.id()).payload()).isEqualTo(other.payload());
		assertThat(find(owner.id()).headers()).isEqualTo(other.headers());
		assertThat(find(owner.id()).createdAt()).isEqualTo(owner.createdAt());
		assertThat(exists(other.id())).isFalse();
	}

	@Test
	void replaceKeepsTheOwnersPlace() {
		Enqueued owner = enqueue(key(OnDuplicate.REPLACE));
		String behind = enqueue("q");
		enqueue(key(OnDuplicate.REPLACE));
		register("w", "q");
		assertThat(ids(claim("w", "q", 9))).containsExactly(owner.id(), behind);
	}

	@Test
	void rescheduleMovesTheOwnersDueTime() {
		NewJob owner = with(job("q", after(100)), key(OnDuplicate.REPLACE_AND_RESCHEDULE));
		NewJob other = with(job("q", after(200)), key(OnDuplicate.REPLACE_AND_RESCHEDULE));
		enqueue(owner);
		assertThat(enqueue(other)).isEqualTo(Enqueued.of(owner.id(), Outcome.RESCHEDULED, after(200)));
		assertThat(find(owner.id()).dueAt()).isEqualTo(after(200));
		assertThat(find(owner.id()).payload()).isEqualTo(other.payload());
	}

	@Test
	void rescheduleMakesAReadyOwnerWait() {
		Enqueued owner = enqueue(key(OnDuplicate.REPLACE_AND_RESCHEDULE));
		enqueue(with(job("q", after(5)), key(OnDuplicate.REPLACE_AND_RESCHEDULE)));
		assertThat(state(owner.id())).isEqualTo(JobState.SCHEDULED);
		register("w", "q");
		assertThat(claim("w", "q", 1)).isEmpty();
		pass(5);
		assertThat(ids(claim("w", "q", 1))).containsExactly(owner.id());
	}

	@Test
	void rescheduleMakesAScheduledOwnerReady() {
		NewJob owner = with(job("q", after(100)), key(OnDuplicate.REPLACE_AND_RESCHEDULE));
		enqueue(owner);
		enqueue(key(OnDuplicate.REPLACE_AND_RESCHEDULE));
		assertThat(claimOne("w", "q").job().id()).isEqualTo(owner.id());
	}

	@ParameterizedTest
	@EnumSource(value = OnDuplicate.class, mode = EnumSource.Mode.EXCLUDE, names = "KEEP")
	void ownerThatWaitsForARetryRunsOnceWithTheLatestPayload(OnDuplicate rule) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Mode.UNTIL_DONE, Scope.HANDLER, null, rule);
		NewJob owner = with(job("q"), key);
		NewJob other = with(job("q", after(5)), key);
		enqueue(owner);
		Claim claim = claimOne("w", "q");
		settle(Transition.scheduled(claim, after(5), failed(claim)));
		assertThat(enqueue(other).id()).isEqualTo(owner.id());
		pass(5);
		List<Claim> claims = claim("w", "q", 9);
		assertThat(ids(claims)).containsExactly(owner.id());
		assertThat(claims.get(0).job().payload()).isEqualTo(other.payload());
	}

	@ParameterizedTest
	@EnumSource
	void runningOwnerIsNeverChanged(OnDuplicate rule) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Mode.UNTIL_DONE, Scope.HANDLER, null, rule);
		NewJob owner = with(job("q"), key);
		enqueue(owner);
		claimOne("w", "q");
		assertThat(enqueue(with(job("q", after(9)), key)))
			.isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, owner.dueAt()));
		assertThat(find(owner.id()).payload()).isEqualTo(owner.payload());
	}

	@Test
	void replacementsAddUpToOneRunOfTheLatest() {
		NewJob first = with(job("q"), key(OnDuplicate.REPLACE));
		NewJob second = with(job("q"), key(OnDuplicate.REPLACE));
		enqueue(List.of(first, second));
		Claim claim = claimOne("w", "q");
		assertThat(claim.job().payload()).isEqualTo(second.payload());
		assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(dev.jobs.store.Settled.APPLIED);
		assertThat(queue("q").running()).isZero();
		assertThat(claim("w", "q", 1)).isEmpty();
	}

	@Test
	void untilStartedIsFreedByTheClaim() {
		enqueueAndClaim(Mode.UNTIL_STARTED);
		assertFree(Mode.UNTIL_STARTED);
	}

	@ParameterizedTest
	@EnumSource(names = { "UNTIL_DONE", "UNTIL_REMOVED" })
	void otherModesHoldWhileTheOwnerRuns(Mode mode) {
		enqueueAndClaim(mode);
		assertTaken(mode);
	}

	@Test
	void untilStartedIsNotTakenAgainByARetry() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_STARTED);
		settle(Transition.scheduled(claim, after(10), failed(claim)));
		assertFree(Mode.UNTIL_STARTED);
	}

	@ParameterizedTest
	@EnumSource(names = { "UNTIL_DONE", "UNTIL_REMOVED" })
	void otherModesHoldWhileTheOwnerWaitsForARetry(Mode mode) {
		Claim claim = enqueueAndClaim(mode);
		settle(Transition.scheduled(claim, after(10), failed(claim)));
		assertTaken(mode);
	}

	@ParameterizedTest
	@EnumSource
	void releaseToTheFrontHoldsTheKey(Mode mode) {
		Claim claim = enqueueAndClaim(mode);
		settle(Transition.released(claim, this.now, claim.job().trail()));
		assertTaken(mode);
	}

	@Test
	void releaseToTheFrontLeavesATakenKeyToItsOwner() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_STARTED);
		Enqueued owner = enqueue(key(Mode.UNTIL_STARTED));
		settle(Transition.released(claim, this.now, claim.job().trail()));
		assertThat(enqueue(key(Mode.UNTIL_STARTED)).id()).isEqualTo(owner.id());
		change(new Change.Delete(claim.job().id()));
		assertTaken(Mode.UNTIL_STARTED);
	}

	@ParameterizedTest
	@EnumSource
	void removalFreesTheKey(Mode mode) {
		settle(Transition.removed(enqueueAndClaim(mode), this.now));
		assertFree(mode);
	}

	@ParameterizedTest
	@EnumSource
	void successFreesTheKey(Mode mode) {
		settle(Transition.kept(enqueueAndClaim(mode), this.now, Trail.EMPTY));
		assertFree(mode);
	}

	@ParameterizedTest
	@EnumSource
	void cancellationFreesTheKey(Mode mode) {
		settle(Transition.cancelled(enqueueAndClaim(mode), this.now, Trail.EMPTY));
		assertFree(mode);
	}

	@ParameterizedTest
	@EnumSource(names = { "UNTIL_STARTED", "UNTIL_DONE" })
	void deathFreesTheKey(Mode mode) {
		kill(enqueueAndClaim(mode));
		assertFree(mode);
	}

	@Test
	void deathHoldsTheKeyUntilTheOwnerIsRemoved() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_REMOVED);
		kill(claim);
		assertTaken(Mode.UNTIL_REMOVED);
		change(new Change.Delete(claim.job().id()));
		assertFree(Mode.UNTIL_REMOVED);
	}

	@ParameterizedTest
	@EnumSource
	void deadOwnerIsNeverChanged(OnDuplicate rule) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Mode.UNTIL_REMOVED, Scope.HANDLER, null, rule);
		enqueue(key);
		Claim claim = claimOne("w", "q");
		kill(claim);
		assertThat(enqueue(key).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(state(claim.job().id())).isEqualTo(JobState.DEAD);
	}

	@ParameterizedTest
	@EnumSource
	void deletingAWaitingOwnerFreesTheKey(Mode mode) {
		change(new Change.Delete(enqueue(key(mode)).id()));
		assertFree(mode);
	}

	@ParameterizedTest
	@EnumSource
	void cancellingAWaitingOwnerFreesTheKey(Mode mode) {
		Enqueued owner = enqueue(with(job("q", after(10)), key(mode)));
		change(new Change.Cancel(owner.id()));
		assertFree(mode);
	}

	@ParameterizedTest
	@EnumSource
	void purgeFreesTheKey(Mode mode) {
		enqueueAndClaim(mode);
		change(new Change.Purge());
		assertFree(mode);
	}

	@Test
	void pruningADeadOwnerFreesTheKey() {
		kill(enqueueAndClaim(Mode.UNTIL_REMOVED));
		this.store.prune(new dev.jobs.store.PruneRequest(after(1), 0, null, 0, null, null, 10, this.now));
		assertFree(Mode.UNTIL_REMOVED);
	}

	@Test
	void strandedOwnerFreesTheKeyByItsMode() {
		enqueue(key(Mode.UNTIL_DONE));
		this.store.prune(new dev.jobs.store.PruneRequest(null, 0, null, 0, after(1), null, 10, this.now));
		assertFree(Mode.UNTIL_DONE);
	}

	@Test
	void formerOwnerNeverFreesTheKeyOfANewerOne() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_STARTED);
		Enqueued newer = enqueue(key(Mode.UNTIL_STARTED));
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		Claim again = claim("w", "q", 2).stream()
			.filter((one) -> one.job().id().equals(claim.job().id()))
			.findFirst()
			.orElseThrow();
		Enqueued newest = enqueue(key(Mode.UNTIL_STARTED));
		assertThat(newest.isNew()).isTrue();
		settle(Transition.removed(again, this.now));
		assertThat(enqueue(key(Mode.UNTIL_STARTED)).id()).isEqualTo(newest.id()).isNotEqualTo(newer.id());
	}

	@Test
	void keyCountsUntilItsTimeIsOver() {
		Enqueued owner = enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		pass(9);
		assertThat(enqueue(keyUntil(Mode.UNTIL_DONE, after(10))).id()).isEqualTo(owner.id());
		pass(1);
		assertThat(enqueue(keyUntil(Mode.UNTIL_DONE, after(10))).isNew()).isTrue();
	}

	@Test
	void duplicatesDoNotProlongAKey() {
		enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		pass(9);
		enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		pass(1);
		assertThat(enqueue(keyUntil(Mode.UNTIL_DONE, after(10))).isNew()).isTrue();
	}

	@Test
	void ownerWhoseTimeIsOverDoesNotFreeTheKeyOfANewerOne() {
		Enqueued older = enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		pass(10);
		Enqueued newer = enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		change(new Change.Delete(older.id()));
		assertThat(enqueue(keyUntil(Mode.UNTIL_DONE, after(10))).id()).isEqualTo(newer.id());
	}

	@Test
	void retryByAPersonTakesTheKeyAgain() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_DONE);
		kill(claim);
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
		assertThat(enqueue(key(Mode.UNTIL_DONE)).id()).isEqualTo(claim.job().id());
	}

	@Test
	void retryByAPersonIsRefusedWhileAnotherHoldsTheKey() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_DONE);
		kill(claim);
		Enqueued owner = enqueue(key(Mode.UNTIL_DONE));
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.REFUSED);
		assertThat(state(claim.job().id())).isEqualTo(JobState.DEAD);
		change(new Change.Delete(owner.id()));
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
	}

	@Test
	void retryByAPersonLeavesAKeyUntilStartedAlone() {
		Claim claim = enqueueAndClaim(Mode.UNTIL_STARTED);
		kill(claim);
		enqueue(key(Mode.UNTIL_STARTED));
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
	}

	@Test
	void retryByAPersonIgnoresAKeyWhoseTimeIsOver() {
		enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		Claim claim = claimOne("w", "q");
		kill(claim);
		pass(10);
		enqueue(keyUntil(Mode.UNTIL_DONE, after(10)));
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
	}

	@Test
	void oneOfManyConcurrentEnqueuesWins() {
		List<Long> stored = Race.run(50,
				(thread) -> java.util.stream.IntStream.range(0, 20)
					.filter((i) -> enqueue(key(Mode.UNTIL_DONE)).isNew())
					.count());
		assertThat(stored.stream().mapToLong(Long::longValue).sum()).isEqualTo(1);
		assertThat(queue("q").ready()).isEqualTo(1);
	}

}
