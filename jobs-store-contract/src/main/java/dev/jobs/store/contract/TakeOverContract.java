package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#takeOver}.
 */
abstract class TakeOverContract extends ContractPart {

	TakeOverContract(StoreSource source) {
		super(source);
	}

	/**
	 * Let a worker claim jobs and its lease run out.
	 */
	private List<Claim> abandon(String queue, int count) {
		enqueue(jobs(queue, count));
		beat("gone", Duration.ofMillis(10), queue);
		List<Claim> claims = claim("gone", queue, count);
		pass(11);
		return claims;
	}

	private List<Claim> takeOverStrays(String worker, Map<Long, Set<String>> strays, String... queues) {
		return this.store.takeOver(new TakeOver(worker, Set.of(queues), strays, 100, this.now)).claims();
	}

	@Test
	void takesNothingBeforeTheLeaseIsOver() {
		enqueue("q");
		beat("old", Duration.ofSeconds(300), "q");
		Claim claim = claim("old", "q", 1).get(0);
		register("w", "q");
		pass(300_000);
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(beat("old", Duration.ZERO).openTokens()).containsExactly(claim.token());
		pass(1);
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
	}

	@Test
	void cutsALeaseThatEndsLaterThanItsLengthFromNow() {
		enqueue("q");
		claimOne("gone", "q");
		setBack(LEASE);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(LEASE.toMillis());
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(1);
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
	}

	@Test
	void cutsALongLeaseToItsOwnLength() {
		enqueue("q");
		beat("gone", LEASE.multipliedBy(3), "q");
		claim("gone", "q", 1);
		setBack(LEASE);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(LEASE.multipliedBy(3).toMillis());
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(1);
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
	}

	/** Its own lease becomes possible as well. */
	@Test
	void workerWhoseOwnLeaseEndsTooLateCutsThoseOfOthers() {
		enqueue("q");
		claimOne("gone", "q");
		register("w", "q");
		setBack(LEASE);
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(this.store.inspector().workers(this.now)).hasSize(2)
			.allSatisfy((worker) -> assertThat(worker.leaseUntil()).isEqualTo(this.now.plus(LEASE)));
	}

	@Test
	void leavesTheLongestLeaseThereCanBeAlone() {
		enqueue("q");
		beat("old", WorkerBeat.LONGEST_LEASE, "q");
		claim("old", "q", 1);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(LEASE.toMillis() + 1);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
	}

	@Test
	void workerWhoseLeaseWasCutKeepsItsJobsWithItsNextBeat() {
		enqueue("q");
		Claim claim = claimOne("old", "q");
		setBack(LEASE);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		pass(LEASE.toMillis());
		assertThat(beat("old").openTokens()).containsExactly(claim.token());
		pass(1);
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(beat("old").openTokens()).containsExactly(claim.token());
	}

	/**
	 * As by a worker that does not know yet that the clock of the server was set back.
	 */
	@Test
	void takesNothingByATimeThatIsAheadOfTheServer() {
		Instant server = this.store.time().orElse(null);
		this.now = (server != null) ? server.truncatedTo(ChronoUnit.MILLIS) : this.now;
		enqueue("q");
		claimOne("alive", "q");
		pass(LEASE.toMillis() + 1);
		register("w", "q");
		assertThat(takeOverByServerTime("w", "q")).hasSize((server != null) ? 0 : 1);
		assertThat(takeOver("w", 5, "q").claims()).hasSize((server != null) ? 1 : 0);
	}

	/** As by a worker that does not know yet that the clock was set forward. */
	@Test
	void cutsNothingByATimeThatIsBehindTheServer() {
		Instant server = this.store.time().orElse(null);
		this.now = (server != null) ? server.truncatedTo(ChronoUnit.MILLIS) : this.now;
		Instant until = this.now.plus(LEASE);
		enqueue("q");
		claimOne("alive", "q");
		setBack(LEASE);
		register("w", "q");
		assertThat(takeOverByServerTime("w", "q")).isEmpty();
		assertThat(leaseOf("alive")).isEqualTo((server != null) ? until : this.now.plus(LEASE));
	}

	private List<Claim> takeOverByServerTime(String worker, String queue) {
		return this.store.takeOver(new TakeOver(worker, Set.of(queue), Map.of(), 5, this.now, true)).claims();
	}

	private Instant leaseOf(String id) {
		return this.store.inspector()
			.workers(this.now)
			.stream()
			.filter((worker) -> worker.id().equals(id))
			.map(WorkerView::leaseUntil)
			.findFirst()
			.orElseThrow();
	}

	private void setBack(Duration time) {
		this.now = this.now.minus(time);
	}

	@Test
	void givesTheJobUnderANewToken() {
		Claim old = abandon("q", 1).get(0);
		register("w", "q");
		Claim taken = takeOver("w", 5, "q").claims().get(0);
		assertThat(taken.token()).isGreaterThan(old.token());
		assertThat(taken.job().id()).isEqualTo(old.job().id());
		assertThat(taken.job().payload()).isEqualTo(old.job().payload());
		assertThat(taken.job().trail()).isEqualTo(old.job().trail());
		assertThat(taken.job().state()).isEqualTo(JobState.RUNNING);
		assertThat(taken.job().run()).isEqualTo(Job.Run.of("w", taken.token(), this.now));
		assertThat(find(old.job().id())).usingRecursiveComparison().isEqualTo(taken.job());
		assertThat(beat("w").openTokens()).containsExactly(taken.token());
	}

	@Test
	void givesAllJobsUnderOneToken() {
		abandon("q", 5);
		register("w", "q");
		List<Claim> taken = takeOver("w", 5, "q").claims();
		assertThat(taken).hasSize(5).extracting(Claim::token).containsOnly(taken.get(0).token());
	}

	@Test
	void saysNothingOfTheQueues() {
		abandon("q", 2);
		register("w", "q");
		ClaimReply reply = takeOver("w", 1, "q");
		assertThat(reply.queues()).isEmpty();
	}

	@Test
	void givesEachJobOnce() {
		abandon("q", 3);
		register("w", "q");
		register("v", "q");
		assertThat(takeOver("w", 5, "q").claims()).hasSize(3);
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(takeOver("v", 5, "q").claims()).isEmpty();
	}

	@Test
	void leavesJobsOfLiveWorkersAlone() {
		enqueueAndClaim("alive", "q");
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
	}

	@Test
	void leavesJobsThatWaitAlone() {
		abandon("q", 1);
		enqueue("q");
		enqueue("q", after(5));
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
		assertThat(queue("q").waiting()).isEqualTo(2);
	}

	@Test
	void takesOfServedQueuesOnly() {
		List<Claim> a = abandon("a", 2);
		List<Claim> b = abandon("b", 2);
		register("w", "a");
		register("v", "b");
		assertThat(takeOver("w", 10).claims()).isEmpty();
		assertThat(ids(takeOver("w", 10, "a").claims())).containsExactlyInAnyOrderElementsOf(ids(a));
		assertThat(ids(takeOver("v", 10, "b", "c").claims())).containsExactlyInAnyOrderElementsOf(ids(b));
	}

	@Test
	void takesNoMoreThanTheLimit() {
		List<Claim> abandoned = abandon("q", 7);
		register("w", "q");
		List<String> taken = new ArrayList<>();
		for (int expected : new int[] { 3, 3, 1, 0 }) {
			List<Claim> claims = takeOver("w", 3, "q").claims();
			assertThat(claims).hasSize(expected);
			taken.addAll(ids(claims));
		}
		assertThat(taken).containsExactlyInAnyOrderElementsOf(ids(abandoned));
	}

	@Test
	void takesNothingForALimitOfZeroOrLess() {
		abandon("q", 1);
		register("w", "q");
		assertThat(takeOver("w", 0, "q").claims()).isEmpty();
		assertThat(takeOver("w", -1, "q").claims()).isEmpty();
		assertThat(takeOver("w", 1, "q").claims()).hasSize(1);
	}

	@Test
	void ignoresPauses() {
		abandon("q", 1);
		change(new Change.Pause("q"));
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
	}

	@Test
	void fencesTheOldWorker() {
		Claim old = abandon("q", 1).get(0);
		register("w", "q");
		Claim taken = takeOver("w", 5, "q").claims().get(0);
		assertThat(settle(Transition.removed(old, this.now))).isEqualTo(Settled.LOST);
		assertThat(state(old.job().id())).isEqualTo(JobState.RUNNING);
		assertThat(settle(Transition.removed(taken, this.now))).isEqualTo(Settled.APPLIED);
		assertThat(settle(Transition.removed(old, this.now))).isEqualTo(Settled.GONE);
	}

	@Test
	void jobNotYetTakenOverMayStillBeSettled() {
		List<Claim> abandoned = abandon("q", 2);
		register("w", "q");
		List<String> taken = ids(takeOver("w", 1, "q").claims());
		List<Settled> replies = this.store
			.settle(abandoned.stream().map((claim) -> Transition.removed(claim, this.now)).toList(), this.now);
		for (int i = 0; i < 2; i++) {
			boolean lost = taken.contains(abandoned.get(i).job().id());
			assertThat(replies.get(i)).isEqualTo(lost ? Settled.LOST : Settled.APPLIED);
		}
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
	}

	@Test
	void forgetsTheExpiredWorkerAtOnce() {
		Claim old = abandon("a", 1).get(0);
		register("w", "b");
		assertThat(takeOver("w", 5, "b").claims()).isEmpty();
		assertThat(beat("gone", LEASE, "a").openTokens()).isEmpty();
		assertThat(settle(Transition.removed(old, this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void jobsOfAReturnedWorkerMayStillBeTakenOver() {
		Claim old = abandon("q", 1).get(0);
		register("w", "q");
		takeOver("w", 0, "q");
		register("gone", "q");
		assertThat(ids(takeOver("w", 5, "q").claims())).containsExactly(old.job().id());
		assertThat(settle(Transition.removed(old, this.now))).isEqualTo(Settled.LOST);
	}

	@Test
	void returnedWorkerMayTakeItsOldJobsOver() {
		Claim old = abandon("q", 1).get(0);
		register("w", "q");
		takeOver("w", 0, "q");
		register("gone", "q");
		Claim taken = takeOver("gone", 5, "q").claims().get(0);
		assertThat(taken.token()).isGreaterThan(old.token());
		assertThat(beat("gone").openTokens()).containsExactly(taken.token());
	}

	@Test
	void wishToCancelStays() {
		Claim old = abandon("q", 1).get(0);
		change(new Change.Cancel(old.job().id()));
		register("w", "q");
		Job job = takeOver("w", 5, "q").claims().get(0).job();
		assertThat(job.run()).isNotNull().extracting(Job.Run::cancelRequested).isEqualTo(true);
		assertThat(beat("w").cancelled()).containsExactly(job.id());
	}

	@Test
	void keepsTheProgressOfTheVanishedWorkerUntilTheJobIsSettled() {
		List<Claim> old = abandon("q", 2);
		Progress progress = Progress.of(null, 0, 0, this.now);
		beat("gone", new WorkerBeat.Note(old.get(0).job().id(), "q", old.get(0).token(), progress));
		pass(LEASE.toMillis() + 1);
		for (String worker : new String[] { "v", "w" }) {
			beat(worker, Duration.ofMillis(10), "q");
			List<Claim> taken = takeOver(worker, 5, "q").claims();
			assertThat(taken).hasSize(2).allSatisfy((claim) -> {
				boolean started = claim.job().id().equals(old.get(0).job().id());
				assertThat(progressOf(claim)).isEqualTo(started ? progress : null);
				assertThat(find(claim.job().id())).usingRecursiveComparison().isEqualTo(claim.job());
			});
			pass(11);
		}
		register("x", "q");
		takeOver("x", 5, "q").claims()
			.forEach((claim) -> settle(Transition.released(claim, this.now, claim.job().trail())));
		assertThat(claim("x", "q", 2)).hasSize(2).allMatch((claim) -> progressOf(claim) == null);
	}

	private static @Nullable Progress progressOf(Claim claim) {
		Job.Run run = claim.job().run();
		return (run != null) ? run.progress() : null;
	}

	@Test
	void byAnUnknownOrExpiredWorkerGetsNothing() {
		abandon("q", 1);
		assertThat(takeOver("stranger", 5, "q").claims()).isEmpty();
		beat("w", Duration.ofMillis(1), "q");
		pass(2);
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(this.store.inspector().workers(this.now)).extracting(WorkerView::id).isEmpty();
		register("w", "q");
		assertThat(takeOver("w", 5, "q").claims()).hasSize(1);
	}

	@Test
	void askingWorkerKeepsItsOwnJobsThoughItsLeaseIsOver() {
		register("w", "q");
		Claim claim = enqueueAndClaim("w", "q");
		pass(LEASE.toMillis() + 1);
		assertThat(takeOver("w", 5, "q").claims()).isEmpty();
		assertThat(beat("w", LEASE, "q").openTokens()).containsExactly(claim.token());
		assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void ownTokensGiveTheirJobsAgain() {
		enqueue(jobs("q", 2));
		register("w", "q");
		List<Claim> lost = claim("w", "q", 2);
		Claim other = enqueueAndClaim("w", "q");
		List<Claim> again = takeOverStrays("w", Map.of(lost.get(0).token(), Set.of()), "q");
		assertThat(ids(again)).containsExactlyInAnyOrderElementsOf(ids(lost));
		assertThat(again.get(0).token()).isGreaterThan(other.token());
		assertThat(beat("w").openTokens()).containsExactlyInAnyOrder(other.token(), again.get(0).token());
		assertThat(takeOverStrays("w", Map.of(lost.get(0).token(), Set.of()), "q")).isEmpty();
	}

	@Test
	void ownTokensGiveNoJobThatIsHeld() {
		enqueue(jobs("q", 120));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 120);
		long token = claims.get(0).token();
		List<Claim> held = List.of(claims.get(0), claims.get(7), claims.get(119));
		List<Claim> strays = new ArrayList<>(claims);
		strays.removeAll(held);
		List<Claim> taken = new ArrayList<>();
		for (int expected : new int[] { 100, 17, 0 }) {
			List<Claim> some = takeOverStrays("w", Map.of(token, Set.copyOf(ids(held))), "q");
			assertThat(some).hasSize(expected);
			taken.addAll(some);
		}
		assertThat(ids(taken)).containsExactlyInAnyOrderElementsOf(ids(strays));
		assertThat(beat("w").held()).containsEntry(token, 3).hasSize(3);
		held.forEach((claim) -> assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED));
		assertThat(settle(Transition.removed(strays.get(0), this.now))).isEqualTo(Settled.LOST);
	}

	@Test
	void tokensOfOthersGiveNothing() {
		Claim claim = enqueueAndClaim("v", "q");
		register("w", "q");
		assertThat(takeOverStrays("w", Map.of(claim.token(), Set.of(), 999_999L, Set.of()), "q")).isEmpty();
		assertThat(settle(Transition.removed(claim, this.now))).isEqualTo(Settled.APPLIED);
	}

	@Test
	void ownTokensLeaveVanishedWorkersJobsAlone() {
		abandon("q", 1);
		Claim own = enqueueAndClaim("w", "q");
		assertThat(ids(takeOverStrays("w", Map.of(own.token(), Set.of()), "q"))).containsExactly(own.job().id());
	}

	@Test
	void givesEachAbandonedJobToOneOfManyRescuers() {
		List<NewJob> jobs = jobs("q", 120);
		enqueue(jobs);
		beat("gone", Duration.ofMillis(1), "q");
		for (int i = 0; i < 12; i++) {
			claim("gone", "q", 10);
		}
		pass(2);
		List<List<String>> taken = Race.run(6, (number) -> {
			register("w" + number, "q");
			return rescue("w" + number);
		});
		assertThat(taken.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
		assertThat(queue("q").running()).isEqualTo(120);
	}

	@Test
	void jobsThatRescuersReleaseAreClaimedOnceEach() {
		List<NewJob> jobs = jobs("q", 200);
		enqueue(jobs);
		beat("gone", Duration.ofMillis(1), "q");
		for (int i = 0; i < 20; i++) {
			claim("gone", "q", 10);
		}
		pass(2);
		Set<String> claimed = ConcurrentHashMap.newKeySet();
		List<List<String>> given = Race.run(8, (number) -> {
			String worker = "w" + number;
			register(worker, "q");
			return (number < 4) ? release(worker) : claimUntil(claimed, 200, worker);
		});
		assertThat(given.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(idsOf(jobs));
	}

	/**
	 * Take jobs over and release them, until no more are left.
	 */
	private List<String> release(String worker) {
		List<Claim> claims;
		while (!(claims = takeOver(worker, 7, "q").claims()).isEmpty()) {
			settleAll(claims, (claim) -> Transition.released(claim, this.now, claim.job().trail()));
		}
		return List.of();
	}

	/**
	 * Claim and remove jobs, until all workers together have had so many.
	 */
	private List<String> claimUntil(Set<String> claimed, int count, String worker) {
		List<String> given = new ArrayList<>();
		while (claimed.size() < count && !Thread.currentThread().isInterrupted()) {
			List<Claim> claims = claim(worker, "q", 7);
			given.addAll(ids(claims));
			claimed.addAll(ids(claims));
			settleAll(claims, (claim) -> Transition.removed(claim, this.now));
		}
		return given;
	}

	private void settleAll(List<Claim> claims, Function<Claim, Transition> end) {
		List<Transition> transitions = claims.stream().map(end).toList();
		assertThat(this.store.settle(transitions, this.now)).hasSameSizeAs(claims)
			.allMatch((settled) -> settled == Settled.APPLIED);
	}

	private List<String> rescue(String worker) {
		List<String> taken = new ArrayList<>();
		while (true) {
			List<Claim> claims = takeOver(worker, 7, "q").claims();
			if (claims.isEmpty()) {
				return taken;
			}
			taken.addAll(ids(claims));
		}
	}

}
