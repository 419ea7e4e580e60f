package dev.jobs.store.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about how many jobs of a queue run at once.
 */
abstract class LimitContract extends ContractPart {

	LimitContract(StoreSource source) {
		super(source);
	}

	private ClaimReply claimLimited(String worker, int count, int maxRunning) {
		register(worker, "q");
		return claim(worker, count, Quota.of("q", count).withMaxRunning(maxRunning));
	}

	@Test
	void limitOfTheWorkersHolds() {
		enqueue(jobs("q", 10));
		ClaimReply reply = claimLimited("w", 10, 3);
		assertThat(reply.claims()).hasSize(3);
		assertThat(reply.queues()).containsExactly(new Left("q", false, null));
		assertThat(claimLimited("w", 10, 3).claims()).isEmpty();
	}

	@Test
	void limitHoldsOverAllWorkers() {
		enqueue(jobs("q", 10));
		assertThat(claimLimited("w", 2, 3).claims()).hasSize(2);
		assertThat(claimLimited("v", 2, 3).claims()).hasSize(1);
		assertThat(claimLimited("u", 2, 3).claims()).isEmpty();
	}

	@Test
	void settledJobMakesRoom() {
		enqueue(jobs("q", 2));
		Claim claim = claimLimited("w", 2, 1).claims().get(0);
		settle(Transition.removed(claim, this.now));
		assertThat(claimLimited("w", 2, 1).claims()).hasSize(1);
	}

	@Test
	void repeatedSettleMakesRoomOnce() {
		enqueue(jobs("q", 4));
		List<Claim> claims = claimLimited("w", 2, 2).claims();
		settle(Transition.removed(claims.get(0), this.now));
		settle(Transition.removed(claims.get(0), this.now));
		assertThat(claimLimited("w", 4, 2).claims()).hasSize(1);
		assertThat(queue("q").running()).isEqualTo(2);
	}

	@Test
	void limitAppliesToDueJobsToo() {
		for (int i = 0; i < 5; i++) {
			enqueue("q", after(1));
		}
		pass(1);
		assertThat(claimLimited("w", 5, 2).claims()).hasSize(2);
	}

	@Test
	void limitOfOneQueueLeavesOthersFree() {
		enqueue(jobs("q", 3));
		enqueue(jobs("free", 3));
		register("w", "q", "free");
		ClaimReply reply = claim("w", 10, Quota.of("q", 5).withMaxRunning(1), quota("free", 5, 5));
		assertThat(reply.claims()).hasSize(4);
	}

	@Test
	void storedLimitReplacesThatOfTheWorkers() {
		enqueue(jobs("q", 10));
		change(new Change.Limit("q", 2));
		assertThat(claimLimited("w", 10, 5).claims()).hasSize(2);
		assertThat(claimLimited("w", 10, 0).claims()).isEmpty();
		change(new Change.Limit("q", 4));
		assertThat(claimLimited("w", 10, 3).claims()).hasSize(2);
	}

	@Test
	void storedLimitOfZeroMeansNone() {
		enqueue(jobs("q", 10));
		change(new Change.Limit("q", 0));
		assertThat(claimLimited("w", 10, 1).claims()).hasSize(10);
	}

	@Test
	void removedStoredLimitLeavesThatOfTheWorkers() {
		enqueue(jobs("q", 10));
		change(new Change.Limit("q", 7));
		change(new Change.Limit("q", -1));
		assertThat(claimLimited("w", 10, 2).claims()).hasSize(2);
	}

	@Test
	void limitBelowWhatRunsGivesNothing() {
		enqueue(jobs("q", 10));
		List<Claim> claims = claimLimited("w", 5, 0).claims();
		change(new Change.Limit("q", 2));
		claims.subList(0, 3).forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimLimited("w", 10, 0).claims()).isEmpty();
		settle(Transition.removed(claims.get(3), this.now));
		assertThat(claimLimited("w", 10, 0).claims()).hasSize(1);
	}

	@Test
	void jobsOfAVanishedWorkerCountUntilTheyAreSettled() {
		enqueue(jobs("q", 5));
		beat("gone", Duration.ofMillis(1), "q");
		claim("gone", "q", 2);
		pass(2);
		assertThat(claimLimited("w", 5, 2).claims()).isEmpty();
		List<Claim> taken = takeOver("w", 5, "q").claims();
		assertThat(claimLimited("w", 5, 2).claims()).isEmpty();
		taken.forEach((claim) -> settle(Transition.removed(claim, this.now)));
		assertThat(claimLimited("w", 5, 2).claims()).hasSize(2);
	}

	@Test
	void jobsOfALeftWorkerCountUntilTheyAreSettled() {
		enqueue(jobs("q", 5));
		register("gone", "q");
		claim("gone", "q", 2);
		leave("gone");
		assertThat(claimLimited("w", 5, 2).claims()).isEmpty();
	}

	@Test
	void limitHoldsUnderConcurrency() {
		int limit = 5;
		enqueue(jobs("q", 400));
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger ended = new AtomicInteger();
		Race.run(8, (number) -> {
			String worker = "w" + number;
			register(worker, "q");
			List<Claim> held = List.of();
			while (ended.get() < 400) {
				List<Claim> claims = claim(worker, 3, Quota.of("q", 3).withMaxRunning(limit)).claims();
				most.accumulateAndGet(running.addAndGet(claims.size()), Math::max);
				// What is held while others claim counts until just before it is settled.
				running.addAndGet(-held.size());
				held.forEach(
						(claim) -> assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED));
				ended.addAndGet(held.size());
				held = claims;
			}
			return true;
		});
		assertThat(most.get()).isBetween(1, limit);
		assertThat(ended.get()).isEqualTo(400);
		assertThat(queue("q").running()).isZero();
	}

}
