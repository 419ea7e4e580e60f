package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#claim}, except for running limits.
 */
abstract class ClaimContract extends ContractPart {

	ClaimContract(StoreSource source) {
		super(source);
	}

	@Test
	void handsOutTheJobAsItRuns() {
		NewJob added = job("q", this.now.minusSeconds(1));
		enqueue(added);
		Claim claim = claimOne("w", "q");
		Job job = claim.job();
		assertThat(job.id()).isEqualTo(added.id());
		assertThat(job.payload()).isEqualTo(added.payload());
		assertThat(job.headers()).isEqualTo(added.headers());
		assertThat(job.state()).isEqualTo(JobState.RUNNING);
		assertThat(job.dueAt()).isEqualTo(added.dueAt());
		assertThat(job.run()).isEqualTo(Job.Run.of("w", claim.token(), this.now));
		assertThat(find(added.id())).usingRecursiveComparison().isEqualTo(job);
	}

	@Test
	void handsOutEachJobOnce() {
		enqueue("q");
		register("w", "q");
		register("v", "q");
		assertThat(claim("w", "q", 5)).hasSize(1);
		assertThat(claim("w", "q", 5)).isEmpty();
		assertThat(claim("v", "q", 5)).isEmpty();
	}

	@Test
	void givesNoMoreThanTheLimit() {
		enqueue(jobs("q", 10));
		register("w", "q");
		assertThat(claim("w", 4, quota("q", 10, 10)).claims()).hasSize(4);
		assertThat(queue("q").running()).isEqualTo(4);
	}

	@Test
	void givesNothingForALimitOfZeroOrLess() {
		enqueue(jobs("q", 3));
		register("w", "q");
		assertThat(claim("w", 0, quota("q", 3, 3)).claims()).isEmpty();
		assertThat(claim("w", -1, quota("q", 3, 3)).claims()).isEmpty();
		assertThat(queue("q").ready()).isEqualTo(3);
	}

	@Test
	void givesNoMoreOfAQueueThanItsMaximum() {
		enqueue(jobs("q", 10));
		register("w", "q");
		assertThat(claim("w", 10, quota("q", 5, 3)).claims()).hasSize(3);
	}

	@Test
	void givesSharesFirstAndThenFillsUp() {
		List<NewJob> a = jobs("a", 5);
		List<NewJob> b = jobs("b", 5);
		enqueue(a);
		enqueue(b);
		register("w", "a", "b");
		ClaimReply reply = claim("w", 6, quota("a", 2, 5), quota("b", 1, 5));
		assertThat(ids(reply.claims())).containsExactly(a.get(0).id(), a.get(1).id(), b.get(0).id(), a.get(2).id(),
				a.get(3).id(), a.get(4).id());
	}

	@Test
	void fillsUpFromLaterQueuesIfEarlierOnesAreEmpty() {
		List<NewJob> b = jobs("b", 5);
		enqueue(b);
		register("w", "a", "b");
		assertThat(ids(claim("w", 4, quota("a", 3, 4), quota("b", 1, 4)).claims())).isEqualTo(idsOf(b).subList(0, 4));
	}

	@Test
	void asksQueuesInTheOrderOfTheRequest() {
		enqueue(jobs("a", 5));
		List<NewJob> b = jobs("b", 5);
		enqueue(b);
		register("w", "a", "b");
		assertThat(ids(claim("w", 5, quota("b", 5, 5), quota("a", 5, 5)).claims())).isEqualTo(idsOf(b));
	}

	@Test
	void ofNoQueueGivesNothing() {
		enqueue("q");
		register("w", "q");
		ClaimReply reply = claim("w", 5);
		assertThat(reply.claims()).isEmpty();
		assertThat(reply.queues()).isEmpty();
	}

	@Test
	void ofAnUnknownQueueGivesNothingAndMakesNone() {
		register("w", "q");
		ClaimReply reply = claim("w", 5, quota("q", 5, 5));
		assertThat(reply.claims()).isEmpty();
		assertThat(reply.queues()).containsExactly(new Left("q", false, null));
		assertThat(queueExists("q")).isFalse();
	}

	@Test
	void leavesOtherQueuesAlone() {
		enqueue("other");
		register("w", "q");
		assertThat(claim("w", "q", 5)).isEmpty();
		assertThat(queue("other").ready()).isEqualTo(1);
	}

	@Test
	void tellsWhetherThereIsMore() {
		enqueue(jobs("q", 3));
		register("w", "q");
		assertThat(claim("w", 2, quota("q", 2, 2)).queues()).containsExactly(new Left("q", true, null));
		assertThat(claim("w", 2, quota("q", 2, 2)).queues()).containsExactly(new Left("q", false, null));
	}

	@Test
	void tellsOfMoreIfDueJobsRemain() {
		for (int i = 0; i < 50; i++) {
			enqueue("q", after(1));
		}
		register("w", "q");
		pass(1);
		assertThat(claim("w", 5, quota("q", 5, 5)).queues()).containsExactly(new Left("q", true, null));
	}

	@Test
	void tellsTheNextDueTimeThatIsToCome() {
		enqueue("q", after(30));
		enqueue("q", after(20));
		enqueue("q", after(10));
		register("w", "q");
		assertThat(claim("w", 5, quota("q", 5, 5)).queues()).containsExactly(new Left("q", false, after(10)));
		pass(10);
		assertThat(claim("w", 0, quota("q", 5, 5)).queues()).containsExactly(new Left("q", true, after(10)));
		assertThat(claim("w", 5, quota("q", 5, 5)).queues()).containsExactly(new Left("q", false, after(10)));
	}

	@Test
	void neverGivesAJobEarly() {
		enqueue("q", after(10));
		register("w", "q");
		pass(9);
		assertThat(claim("w", "q", 1)).isEmpty();
		pass(1);
		assertThat(claim("w", "q", 1)).hasSize(1);
	}

	@Test
	void givesDueJobsByDueTimeThenId() {
		NewJob late = job("q", after(3));
		NewJob second = job("q", after(2));
		NewJob third = job("q", after(2));
		NewJob first = job("q", after(1));
		enqueue(List.of(late, third, second, first));
		register("w", "q");
		pass(10);
		assertThat(ids(claim("w", "q", 10))).containsExactly(first.id(), second.id(), third.id(), late.id());
	}

	@Test
	void givesDueJobsAfterReadyOnes() {
		String due = enqueue("q", after(1));
		pass(5);
		String ready = enqueue("q");
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(ready, due);
	}

	@Test
	void givesDueJobsTheirTurnHoweverManyAreEnqueued() {
		String due = enqueue("q", after(1));
		register("w", "q");
		pass(1);
		List<String> given = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			enqueue(jobs("q", 2));
			given.addAll(ids(claim("w", "q", 2)));
		}
		assertThat(given).contains(due);
	}

	@Test
	void drainsWhateverIsDueInBatches() {
		List<NewJob> jobs = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			jobs.add(job("q", after(i % 7)));
		}
		enqueue(jobs);
		register("w", "q");
		pass(10);
		List<String> given = new ArrayList<>();
		boolean more = true;
		while (more) {
			ClaimReply reply = claim("w", 16, quota("q", 16, 16));
			given.addAll(ids(reply.claims()));
			more = reply.queues().get(0).more();
		}
		assertThat(given).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

	@Test
	void givesNothingOfAPausedQueue() {
		enqueue("q");
		enqueue("q", after(1));
		String other = enqueue("other");
		change(new Change.Pause("q"));
		register("w", "q", "other");
		pass(1);
		ClaimReply reply = claim("w", 5, quota("q", 5, 5), quota("other", 5, 5));
		assertThat(ids(reply.claims())).containsExactly(other);
		assertThat(reply.queues()).contains(new Left("q", false, null));
		change(new Change.Resume("q"));
		assertThat(claim("w", "q", 5)).hasSize(2);
	}

	@Test
	void tellsTheNextDueTimeOfAPausedQueue() {
		enqueue("q", after(7));
		change(new Change.Pause("q"));
		register("w", "q");
		assertThat(claim("w", 5, quota("q", 5, 5)).queues()).containsExactly(new Left("q", false, after(7)));
	}

	@Test
	void holdsTheJobsOfAQueueInAReplyUnderOneOpenToken() {
		enqueue(jobs("a", 3));
		enqueue(jobs("b", 3));
		register("w", "a", "b");
		List<Claim> claims = claim("w", 6, quota("a", 3, 3), quota("b", 3, 3)).claims();
		assertThat(claims).hasSize(6);
		assertThat(claims.subList(0, 3)).extracting(Claim::token).containsOnly(claims.get(0).token());
		assertThat(claims.subList(3, 6)).extracting(Claim::token).containsOnly(claims.get(3).token());
		assertThat(beat("w").openTokens()).containsOnly(claims.get(0).token(), claims.get(3).token());
	}

	@Test
	void tokensOnlyGrow() {
		long last = Long.MIN_VALUE;
		for (int i = 0; i < 20; i++) {
			Claim claim = enqueueAndClaim("w" + i % 3, "q");
			assertThat(claim.token()).isGreaterThan(last);
			last = claim.token();
			settle(Transition.removed(claim, this.now));
		}
	}

	@Test
	void tokensGrowBeyondAPurge() {
		long before = enqueueAndClaim("w", "q").token();
		change(new Change.Purge());
		assertThat(enqueueAndClaim("w", "q").token()).isGreaterThan(before);
	}

	@Test
	void byAnUnknownWorkerGetsNothing() {
		enqueue("q");
		enqueue("q", after(10));
		ClaimReply reply = claim("stranger", 5, quota("q", 5, 5));
		assertThat(reply.claims()).isEmpty();
		assertThat(reply.queues()).containsExactly(new Left("q", false, null));
		assertThat(queue("q").ready()).isEqualTo(1);
	}

	@Test
	void byAnExpiredWorkerGetsNothing() {
		enqueue(jobs("q", 2));
		beat("w", Duration.ofMillis(10), "q");
		pass(10);
		assertThat(claim("w", "q", 1)).hasSize(1);
		pass(1);
		assertThat(claim("w", "q", 1)).isEmpty();
		register("w", "q");
		assertThat(claim("w", "q", 1)).hasSize(1);
	}

	@Test
	void byALeftWorkerGetsNothing() {
		enqueue("q");
		register("w", "q");
		leave("w");
		assertThat(claim("w", "q", 1)).isEmpty();
	}

	@Test
	void keepsWhenTheJobWasEnqueued() {
		Instant created = this.now.minusSeconds(77);
		enqueue(NewJob.of("old", "q", bytes(1), created).withDueAt(this.now));
		assertThat(claimOne("w", "q").job().createdAt()).isEqualTo(created);
	}

	@Test
	void concurrentClaimsAreDisjoint() {
		List<NewJob> jobs = jobs("q", 1000);
		enqueue(jobs);
		assertThat(claimedAtOnce()).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

	/**
	 * A store may keep them elsewhere than those that wait for the first time.
	 */
	@Test
	void concurrentClaimsOfReleasedJobsAreDisjoint() {
		List<NewJob> jobs = jobs("q", 1000);
		enqueue(jobs);
		register("first", "q");
		for (int i = 0; i < 10; i++) {
			List<Transition> released = claim("first", "q", 100).stream()
				.map((claim) -> Transition.released(claim, this.now, claim.job().trail()))
				.toList();
			assertThat(this.store.settle(released, this.now)).hasSize(100).containsOnly(Settled.APPLIED);
		}
		assertThat(claimedAtOnce()).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

	@Test
	void concurrentClaimsOfJobsThatAreDueNowAreDisjoint() {
		List<NewJob> jobs = IntStream.range(0, 1000).mapToObj((i) -> job("q", after(1 + i % 50))).toList();
		enqueue(jobs);
		pass(50);
		assertThat(claimedAtOnce()).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

	private Stream<String> claimedAtOnce() {
		List<List<String>> given = Race.run(10, (number) -> {
			String worker = "w" + number;
			register(worker, "q");
			return drain(worker, quota("q", 7, 7));
		});
		return given.stream().flatMap(List::stream);
	}

	private List<String> drain(String worker, Quota quota) {
		List<String> given = new ArrayList<>();
		while (true) {
			List<Claim> claims = claim(worker, 7, quota).claims();
			if (claims.isEmpty()) {
				return given;
			}
			given.addAll(ids(claims));
		}
	}

}
