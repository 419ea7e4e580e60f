package dev.jobs.store.contract;

import java.time.Duration;
import java.util.List;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.support.TrailBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#settle}.
 */
abstract class SettleContract extends ContractPart {

	SettleContract(StoreSource source) {
		super(source);
	}

	private Transition transition(Claim claim, Transition.To to, long token) {
		return Transition.of(claim.job().id(), claim.job().name(), token, to, this.now, claim.job().trail());
	}

	@Test
	void removedLeavesNothing() {
		Claim claim = enqueueAndClaim("w", "q");
		assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED);
		assertThat(exists(claim.job().id())).isFalse();
		assertThat(queue("q").running()).isZero();
		assertThat(beat("w").openTokens()).isEmpty();
	}

	@Test
	void keptStaysAsHistoryWithItsLastAttempt() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailRules.finished(failed(claim), lastAttempt(2));
		assertThat(settle(Transition.kept(claim, this.now, trail))).isEqualTo(Settled.APPLIED);
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
		assertThat(job.trail()).isEqualTo(trail);
		assertThat(job.attempt()).isEqualTo(2);
		assertThat(job.run()).isNull();
		assertThat(queue("q").history()).isEqualTo(1);
		assertThat(claim("w", "q", 1)).isEmpty();
	}

	@Test
	void cancelledStaysAsHistoryWithItsLastAttempt() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailRules.finished(Trail.EMPTY, lastAttempt(1));
		assertThat(settle(Transition.cancelled(claim, this.now, trail))).isEqualTo(Settled.APPLIED);
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.CANCELLED);
		assertThat(job.trail()).isEqualTo(trail);
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(queue("q").history()).isEqualTo(1);
	}

	@Test
	void jobCancelledBeforeItBeganHasNoAttempt() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.cancelled(claim, this.now, claim.job().trail()));
		assertThat(find(claim.job().id()).attempt()).isZero();
	}

	private Trail.Attempt lastAttempt(int number) {
		return Trail.Attempt.of(number, this.now, null).withStart(this.now.minusMillis(1500), "w").withLog("a line");
	}

	@Test
	void deadStaysInTheMorgueWithItsTrail() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailBuilder.ended(failed(claim), Trail.End.of(DeadReason.DISCARDED, "no use", this.now));
		assertThat(settle(Transition.dead(claim, this.now, trail))).isEqualTo(Settled.APPLIED);
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.DEAD);
		assertThat(job.trail()).isEqualTo(trail);
		assertThat(job.payload()).isEqualTo(claim.job().payload());
		assertThat(queue("q").dead()).isEqualTo(1);
		assertThat(claim("w", "q", 1)).isEmpty();
	}

	@Test
	void scheduledRunsAgainWhenItIsDue() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = failed(claim);
		assertThat(settle(Transition.scheduled(claim, after(10), trail))).isEqualTo(Settled.APPLIED);
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
		assertThat(job.dueAt()).isEqualTo(after(10));
		assertThat(job.createdAt()).isEqualTo(claim.job().createdAt());
		assertThat(job.run()).isNull();
		pass(9);
		assertThat(claim("w", "q", 1)).isEmpty();
		pass(1);
		Claim again = claimOne("w", "q");
		assertThat(again.job().trail()).isEqualTo(trail);
		assertThat(again.job().attempt()).isEqualTo(2);
		assertThat(again.job().payload()).isEqualTo(claim.job().payload());
		assertThat(again.token()).isGreaterThan(claim.token());
	}

	@Test
	void jobScheduledForNowGoesBehindReadyOnes() {
		Claim claim = enqueueAndClaim("w", "q");
		String ready = enqueue("q");
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		assertThat(state(claim.job().id())).isEqualTo(JobState.READY);
		assertThat(ids(claim("w", "q", 2))).containsExactly(ready, claim.job().id());
	}

	@Test
	void wholeTrailIsKept() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail.Attempt first = Trail.Attempt.of(1, this.now, "ä \"quoted\" \\ text")
			.withStart(this.now.minusMillis(1500), "host:1 \"a\"");
		Trail.Attempt second = Trail.Attempt.of(2, after(3), "").withStackTrace("line\nline\n\tat");
		Trail trail = new TrailBuilder().failures(3)
			.abandonments(4)
			.crashes(5)
			.suspect(true)
			.postponements(6)
			.attempts(List.of(first, second))
			.build();
		settle(Transition.scheduled(claim, after(1), trail));
		assertThat(find(claim.job().id()).trail()).isEqualTo(trail);
	}

	@Test
	void releasedGoesToTheFrontAsItWas() {
		Claim claim = enqueueAndClaim("w", "q");
		String waiting = enqueue("q");
		pass(5);
		assertThat(settle(Transition.released(claim, this.now, claim.job().trail()))).isEqualTo(Settled.APPLIED);
		Job job = find(claim.job().id());
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.dueAt()).isEqualTo(claim.job().dueAt());
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(ids(claim("w", "q", 2))).containsExactly(job.id(), waiting);
	}

	@Test
	void releasedBatchKeepsItsOrder() {
		List<NewJob> jobs = jobs("q", 3);
		enqueue(jobs);
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		String waiting = enqueue("q");
		this.store.settle(
				claims.stream().map((claim) -> Transition.released(claim, this.now, claim.job().trail())).toList(),
				this.now);
		assertThat(ids(claim("w", "q", 3))).isEqualTo(idsOf(jobs));
		assertThat(ids(claim("w", "q", 3))).containsExactly(waiting);
	}

	/**
	 * Enqueue a job, and return the claim of a worker that has lost it since.
	 */
	private Claim enqueueAndLose() {
		enqueue("q");
		beat("old", Duration.ofMillis(1), "q");
		Claim stale = claim("old", "q", 1).get(0);
		pass(2);
		register("w", "q");
		return stale;
	}

	@ParameterizedTest
	@EnumSource
	void withStaleTokenChangesNothing(Transition.To to) {
		Claim stale = enqueueAndLose();
		Claim taken = takeOver("w", 1, "q").claims().get(0);
		Job before = find(stale.job().id());
		assertThat(settle(transition(stale, to, stale.token()))).isEqualTo(Settled.LOST);
		assertThat(find(stale.job().id())).usingRecursiveComparison().isEqualTo(before);
		assertThat(settle(transition(taken, to, taken.token()))).isEqualTo(Settled.APPLIED);
	}

	@ParameterizedTest
	@EnumSource
	void withStaleTokenIsLostBesideTheEndThatCounts(Transition.To to) {
		Claim stale = enqueueAndLose();
		Claim taken = takeOver("w", 1, "q").claims().get(0);
		assertThat(this.store
			.settle(List.of(transition(stale, to, stale.token()), transition(taken, to, taken.token())), this.now))
			.containsExactly(Settled.LOST, Settled.APPLIED);
	}

	@ParameterizedTest
	@EnumSource
	void ofAnUnknownJobIsGone(Transition.To to) {
		Transition unknown = Transition.of("unknown", "q", 1, to, this.now, Trail.EMPTY);
		assertThat(settle(unknown)).isEqualTo(Settled.GONE);
		assertThat(exists("unknown")).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void repeatedIsGoneAndChangesNothing(Transition.To to) {
		Claim claim = enqueueAndClaim("w", "q");
		Transition transition = transition(claim, to, claim.token());
		assertThat(settle(transition)).isEqualTo(Settled.APPLIED);
		boolean stays = exists(claim.job().id());
		Job before = stays ? find(claim.job().id()) : claim.job();
		assertThat(settle(transition)).isEqualTo(Settled.GONE);
		assertThat(exists(claim.job().id())).isEqualTo(stays);
		if (stays) {
			assertThat(find(claim.job().id())).usingRecursiveComparison().isEqualTo(before);
		}
	}

	@Test
	void ofAJobClaimedAgainIsLost() {
		Claim first = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(first, this.now, failed(first)));
		Claim second = claimOne("w", "q");
		assertThat(settle(Transition.removed(first, this.now))).isEqualTo(Settled.LOST);
		assertThat(settle(Transition.removed(second, this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void batchAnswersForEachInOrder() {
		enqueue(jobs("q", 4));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), this.now),
				transition(claims.get(1), Transition.To.REMOVED, claims.get(1).token() - 1),
				Transition.of("unknown", "q", 1, Transition.To.REMOVED, this.now, Trail.EMPTY),
				Transition.kept(claims.get(2), this.now, claims.get(2).job().trail()),
				Transition.removed(claims.get(0), this.now)), this.now))
			.containsExactly(Settled.APPLIED, Settled.LOST, Settled.GONE, Settled.APPLIED, Settled.GONE);
		assertThat(state(claims.get(1).job().id())).isEqualTo(JobState.RUNNING);
	}

	/**
	 * A few of what a claim brought, half of it, and all.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 3, 10, 20 })
	void batchAnswersForEachOfAClaim(int several) {
		enqueue(jobs("q", 20));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 20);
		settle(Transition.removed(claims.get(0), this.now));
		settle(Transition.scheduled(claims.get(1), this.now, failed(claims.get(1))));
		Claim again = claimOne("w", "q");
		List<Settled> settled = this.store.settle(
				claims.stream().limit(several).map((claim) -> Transition.removed(claim, this.now)).toList(), this.now);
		assertThat(settled.subList(0, 2)).containsExactly(Settled.GONE, Settled.LOST);
		assertThat(settled.subList(2, several)).containsOnly(Settled.APPLIED);
		claims.subList(2, several).forEach((claim) -> assertThat(exists(claim.job().id())).isFalse());
		claims.subList(several, 20)
			.forEach((claim) -> assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED));
		assertThat(settle(Transition.removed(again, this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void batchMayMixQueuesAndTokens() {
		Claim one = enqueueAndClaim("w", "a");
		Claim other = enqueueAndClaim("v", "b");
		assertThat(this.store.settle(
				List.of(Transition.removed(one, this.now), Transition.scheduled(other, after(1), failed(other))),
				this.now))
			.containsExactly(Settled.APPLIED, Settled.APPLIED);
	}

	@Test
	void ofNothingDoesNothing() {
		assertThat(this.store.settle(List.of(), this.now)).isEmpty();
	}

	@Test
	void worksForAWorkerThatExpiredOrLeft() {
		enqueue(jobs("q", 2));
		beat("w", Duration.ofMillis(1), "q");
		List<Claim> claims = claim("w", "q", 2);
		pass(2);
		assertThat(settle(Transition.removed(claims.get(0), this.now))).isEqualTo(Settled.APPLIED);
		leave("w");
		assertThat(settle(Transition.removed(claims.get(1), this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void afterAPurgeIsGone() {
		Claim claim = enqueueAndClaim("w", "q");
		change(new Change.Purge());
		assertThat(settle(Transition.dead(claim, this.now, failed(claim)))).isEqualTo(Settled.GONE);
		assertThat(exists(claim.job().id())).isFalse();
	}

	@Test
	void byManyThreadsIsAppliedOnce() {
		Claim claim = enqueueAndClaim("w", "q");
		List<Settled> replies = Race.run(8, (number) -> settle(Transition.kept(claim, this.now, claim.job().trail())));
		assertThat(replies).containsOnlyOnce(Settled.APPLIED).doesNotContain(Settled.LOST);
	}

	@Test
	void keepsWhatAttemptsLogged() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailRules.failed(
				TrailRules.failed(
						TrailRules.failed(
								TrailRules.failed(claim.job().trail(),
										Trail.Attempt.of(1, this.now, "first")
											.withStackTrace("at its place")
											.withLog("INFO a: häuschen\nWARN b: \"2\" 😀")),
								Trail.Attempt.of(2, this.now, "second").withLog("INFO only a log")),
						Trail.Attempt.of(3, this.now, "third").withStackTrace("only a stack")),
				Trail.Attempt.of(4, this.now, "fourth"));
		settle(Transition.scheduled(claim, this.now, trail));
		assertThat(find(claim.job().id()).trail()).isEqualTo(trail);
		assertThat(claimOne("w", "q").job().trail()).isEqualTo(trail);
	}

}
