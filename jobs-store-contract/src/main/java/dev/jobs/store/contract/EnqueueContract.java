package dev.jobs.store.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.store.Claim;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#enqueue}, except for unique keys.
 */
abstract class EnqueueContract extends ContractPart {

	private static final Duration MEMORY = Duration.ofHours(24);

	EnqueueContract(StoreSource source) {
		super(source);
	}

	@Test
	void storesWhatIsGiven() {
		NewJob added = NewJob.of("id", "q", bytes(10), START.minusSeconds(1))
			.withHeaders(Map.of("a", "1", "b", "ä\n"))
			.withDueAt(this.now);
		enqueue(added);
		Job job = find("id");
		assertThat(job.name()).isEqualTo("q");
		assertThat(job.payload()).isEqualTo(bytes(10));
		assertThat(job.headers()).isEqualTo(Map.of("a", "1", "b", "ä\n"));
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.createdAt()).isEqualTo(START.minusSeconds(1));
		assertThat(job.dueAt()).isEqualTo(this.now);
		assertThat(job.trail()).isEqualTo(Trail.EMPTY);
		assertThat(job.run()).isNull();
	}

	@Test
	void answersForEachJobInOrder() {
		List<NewJob> jobs = List.of(job("a"), job("b", after(5)), job("a"));
		assertThat(enqueue(jobs)).containsExactly(Enqueued.of(jobs.get(0).id(), Outcome.NEW, this.now),
				Enqueued.of(jobs.get(1).id(), Outcome.NEW, after(5)),
				Enqueued.of(jobs.get(2).id(), Outcome.NEW, this.now));
	}

	@Test
	void returnsEarlyOnlyWhatItReturns() {
		EarlyEnqueue enqueue = this.store.as(EarlyEnqueue.class).orElse(null);
		if (enqueue == null) {
			return;
		}
		NewJob first = job("a");
		List<List<Enqueued>> early = new CopyOnWriteArrayList<>();
		List<Enqueued> answer = enqueue.enqueue(List.of(first, job("b", after(5))), this.now, early::add);
		assertThat(early).isSubsetOf(List.of(answer));
		early.clear();
		answer = enqueue.enqueue(List.of(job("a"), first), this.now, early::add);
		assertThat(early).isSubsetOf(List.of(answer));
		assertThat(answer).extracting(Enqueued::outcome).containsOnly(Outcome.NEW);
	}

	@Test
	void ofNothingDoesNothing() {
		assertThat(enqueue(List.of())).isEmpty();
		assertThat(this.store.inspector().queues(this.now)).isEmpty();
	}

	@Test
	void makesTheQueueExist() {
		assertThat(queueExists("q")).isFalse();
		enqueue("q");
		assertThat(queueExists("q")).isTrue();
	}

	@Test
	void keepsTheOrderOfBatchesAndCalls() {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			List<NewJob> batch = jobs("q", 7);
			enqueue(batch);
			ids.addAll(idsOf(batch));
		}
		register("w", "q");
		assertThat(ids(claim("w", "q", 100))).isEqualTo(ids);
	}

	@Test
	void keepsTheOrderOfABatchWhateverTheIds() {
		NewJob late = job("q");
		List<NewJob> batch = List.of(job("q"), job("q"), late);
		List<NewJob> reversed = List.of(batch.get(2), batch.get(1), batch.get(0));
		enqueue(reversed);
		register("w", "q");
		assertThat(ids(claim("w", "q", 3))).isEqualTo(idsOf(reversed));
	}

	@Test
	void withPastDueTimeGoesToTheBackToo() {
		String first = enqueue("q");
		String second = enqueue("q", this.now.minusSeconds(60));
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(first, second);
	}

	@Test
	void withFutureDueTimeWaits() {
		String id = enqueue("q", after(1));
		assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
		register("w", "q");
		assertThat(claim("w", "q", 1)).isEmpty();
	}

	@Test
	void ofStoredIdAnswersNewAgainAndChangesNothing() {
		NewJob job = job("q", after(10));
		Enqueued first = enqueue(job);
		NewJob other = NewJob.of(job.id(), "q", bytes(3), this.now);
		assertThat(enqueue(other)).isEqualTo(first);
		assertThat(find(job.id()).payload()).isEqualTo(job.payload());
		assertThat(queue("q").scheduled()).isEqualTo(1);
	}

	@Test
	void ofTheSameIdTwiceInABatchStoresOne() {
		NewJob job = job("q");
		assertThat(enqueue(List.of(job, job))).extracting(Enqueued::outcome).containsOnly(Outcome.NEW);
		assertThat(queue("q").ready()).isEqualTo(1);
	}

	@Test
	void ofARunningIdAnswersNewAndStoresNothing() {
		NewJob job = job("q");
		enqueue(job);
		claimOne("w", "q");
		assertThat(enqueue(job).outcome()).isEqualTo(Outcome.NEW);
		assertThat(state(job.id())).isEqualTo(JobState.RUNNING);
		assertThat(queue("q").waiting()).isZero();
	}

	@Test
	void ofStoredIdIsNotRefusedByTheLength() {
		NewJob job = with(job("q"), 1);
		enqueue(job);
		assertThat(enqueue(job).outcome()).isEqualTo(Outcome.NEW);
	}

	/**
	 * Call a promise that only a store that can be filled from an outbox makes.
	 */
	private void ifOutboxTarget(Consumer<OutboxTarget> promise) {
		this.store.as(OutboxTarget.class).ifPresent(promise);
	}

	private List<Enqueued> enqueueOnce(OutboxTarget target, NewJob... jobs) {
		return enqueue(List.of(jobs), (all, time) -> target.enqueueOnce(all, MEMORY, time));
	}

	@Test
	void ofARememberedIdChangesNothingAfterTheJobIsGone() {
		ifOutboxTarget((target) -> {
			NewJob job = job("q");
			assertThat(enqueueOnce(target, job, job)).extracting(Enqueued::outcome).containsOnly(Outcome.NEW);
			assertThat(queue("q").ready()).isEqualTo(1);
			settle(Transition.removed(claimOne("w", "q"), this.now));
			this.now = this.now.plus(MEMORY.minusMillis(1));
			NewJob other = job("q");
			assertThat(enqueueOnce(target, job, other)).containsExactly(Enqueued.of(job.id(), Outcome.NEW, job.dueAt()),
					Enqueued.of(other.id(), Outcome.NEW, other.dueAt()));
			assertThat(exists(job.id())).isFalse();
			assertThat(exists(other.id())).isTrue();
		});
	}

	@Test
	void ofARememberedIdChangesNothingThoughAnotherQueueHasItsKeyByThen() {
		ifOutboxTarget((target) -> {
			NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null,
					Unique.OnDuplicate.KEEP);
			NewJob job = with(job("q"), key);
			assertThat(enqueueOnce(target, job)).extracting(Enqueued::outcome).containsExactly(Outcome.NEW);
			settle(Transition.removed(claimOne("w", "q"), this.now));
			for (int i = 0; i < 8; i++) {
				String queue = "other" + i;
				NewJob other = with(job(queue), key);
				assertThat(enqueue(other).outcome()).isEqualTo(Outcome.NEW);
				assertThat(enqueueOnce(target, job)).containsExactly(Enqueued.of(job.id(), Outcome.NEW, job.dueAt()));
				assertThat(enqueue(with(job("q"), key)))
					.isEqualTo(Enqueued.of(other.id(), Outcome.DUPLICATE, other.dueAt()));
				settle(Transition.removed(claimOne("w", queue), this.now));
			}
			assertThat(exists(job.id())).isFalse();
		});
	}

	@Test
	void ofARememberedIdStoresTheJobAgainWhenItsTimeIsOver() {
		ifOutboxTarget((target) -> {
			NewJob job = job("q");
			enqueueOnce(target, job);
			settle(Transition.removed(claimOne("w", "q"), this.now));
			this.now = this.now.plus(MEMORY);
			assertThat(enqueueOnce(target, job)).extracting(Enqueued::outcome).containsExactly(Outcome.NEW);
			assertThat(exists(job.id())).isTrue();
		});
	}

	@Test
	void ofARememberedDuplicateChangesNothingLater() {
		ifOutboxTarget((target) -> {
			NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
					Unique.OnDuplicate.REPLACE);
			NewJob owner = with(job("q"), key);
			NewJob duplicate = with(with(job("q"), key), bytes(5));
			NewJob last = with(with(job("q"), key), bytes(7));
			enqueue(owner);
			assertThat(enqueueOnce(target, duplicate)).extracting(Enqueued::outcome).containsExactly(Outcome.REPLACED);
			assertThat(enqueue(last).outcome()).isEqualTo(Outcome.REPLACED);
			assertThat(enqueueOnce(target, duplicate))
				.containsExactly(Enqueued.of(duplicate.id(), Outcome.NEW, duplicate.dueAt()));
			assertThat(find(owner.id()).payload()).isEqualTo(bytes(7));
			settle(Transition.removed(claimOne("w", "q"), this.now));
			assertThat(enqueueOnce(target, duplicate)).extracting(Enqueued::outcome).containsExactly(Outcome.NEW);
			assertThat(exists(duplicate.id())).isFalse();
		});
	}

	@Test
	void refusedForTheLengthIsNotRemembered() {
		ifOutboxTarget((target) -> {
			enqueue("q");
			NewJob refused = with(job("q"), 1);
			assertThat(enqueueOnce(target, refused)).extracting(Enqueued::outcome).containsExactly(Outcome.FULL);
			claimOne("w", "q");
			assertThat(enqueueOnce(target, refused)).extracting(Enqueued::outcome).containsExactly(Outcome.NEW);
			assertThat(exists(refused.id())).isTrue();
		});
	}

	@Test
	void beyondTheMaximumLengthIsRefused() {
		for (int i = 0; i < 100; i++) {
			assertThat(enqueue(with(job("q"), 100)).isNew()).isTrue();
		}
		NewJob refused = with(job("q", after(7)), 100);
		assertThat(enqueue(refused)).isEqualTo(Enqueued.of(refused.id(), Outcome.FULL, after(7)));
		assertThat(exists(refused.id())).isFalse();
		assertThat(queue("q").ready()).isEqualTo(100);
	}

	@Test
	void maximumLengthCountsWhatWaitsDueOrNot() {
		enqueue("q");
		enqueue("q", after(1000));
		assertThat(enqueue(with(job("q"), 2)).outcome()).isEqualTo(Outcome.FULL);
		assertThat(enqueue(with(job("q"), 3)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void maximumLengthDoesNotCountWhatRuns() {
		enqueue(with(job("q"), 1));
		claimOne("w", "q");
		assertThat(enqueue(with(job("q"), 1)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void maximumLengthIsPerQueue() {
		enqueue("a");
		assertThat(enqueue(with(job("b"), 1)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void maximumLengthAppliesWithinABatch() {
		List<NewJob> batch = List.of(with(job("q"), 2), with(job("q"), 2), with(job("q"), 2), job("q"));
		assertThat(enqueue(batch)).extracting(Enqueued::outcome)
			.containsExactly(Outcome.NEW, Outcome.NEW, Outcome.FULL, Outcome.NEW);
	}

	@Test
	void maximumLengthHoldsUnderConcurrency() {
		List<NewJob> jobs = jobs("q", 64);
		List<Boolean> stored = Race
			.run(16, (number) -> jobs.subList(number * 4, number * 4 + 4)
				.stream()
				.filter((job) -> enqueue(with(job, 10)).isNew())
				.count())
			.stream()
			.flatMap((count) -> java.util.stream.Stream.generate(() -> true).limit(count))
			.toList();
		assertThat(stored).hasSize(10);
		assertThat(queue("q").ready()).isEqualTo(10);
	}

	@Test
	void payloadOfAnyBytesComesBackEqual() {
		NewJob job = with(job("q"), bytes(256));
		enqueue(job);
		Claim claim = claimOne("w", "q");
		assertThat(claim.job().payload()).isEqualTo(bytes(256));
	}

	@Test
	void emptyPayloadComesBackEmpty() {
		enqueue(with(job("q"), new byte[0]));
		assertThat(claimOne("w", "q").job().payload()).isEmpty();
	}

	@Test
	void payloadOfAMegabyteComesBackEqual() {
		enqueue(with(job("q"), bytes(1 << 20)));
		enqueue(with(job("q"), repeated((byte) 0, 1 << 20)));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 2);
		assertThat(claims.get(0).job().payload()).isEqualTo(bytes(1 << 20));
		assertThat(claims.get(1).job().payload()).isEqualTo(repeated((byte) 0, 1 << 20));
	}

	@Test
	void fromManyThreadsLosesNothing() {
		List<NewJob> jobs = jobs("q", 400);
		Race.run(8, (number) -> enqueue(jobs.subList(number * 50, number * 50 + 50)));
		register("w", "q");
		assertThat(ids(claim("w", "q", 1000))).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

}
