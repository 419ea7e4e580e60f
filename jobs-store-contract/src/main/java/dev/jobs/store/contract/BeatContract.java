package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#beat}.
 */
abstract class BeatContract extends ContractPart {

	BeatContract(StoreSource source) {
		super(source);
	}

	private List<WorkerView> workers() {
		return this.store.inspector().workers(this.now);
	}

	private WorkerBeat.Note note(Claim claim, Progress progress) {
		return new WorkerBeat.Note(claim.job().id(), claim.job().name(), claim.token(), progress);
	}

	private Progress progress(String checkIn) {
		return Progress.of(checkIn, 3, 7, this.now);
	}

	private Job.Run run(String id) {
		Job.Run run = find(id).run();
		if (run == null) {
			throw new AssertionError("Job " + id + " does not run");
		}
		return run;
	}

	/**
	 * A store that has a clock returns its own time, when asked and with a beat, whatever
	 * time comes in with the call.
	 */
	@Test
	void timeIsThatOfTheServerWhereverItIsReturned() {
		Instant before = this.store.time().orElse(null);
		Instant beat = this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, this.now))
			.serverTime();
		Instant noted = this.store
			.beat(new WorkerBeat("w", Duration.ofSeconds(15), null,
					List.of(new WorkerBeat.Note("none", "work", 1, progress("one"))), false, this.now.plusSeconds(1)))
			.serverTime();
		Instant after = this.store.time().orElse(null);
		if (before == null) {
			assertThat(Arrays.asList(beat, noted, after)).containsOnlyNulls();
		}
		else {
			assertThat(List.of(beat, noted, after)).isSorted()
				.allSatisfy((time) -> assertThat(time).isBetween(before, before.plusSeconds(600)));
		}
	}

	@Test
	void registersAWorker() {
		WorkerInfo info = new WorkerInfo("häuschen", 42, "", START,
				List.of(new WorkerInfo.Pool("a", 3, 1, List.of("p", "q")), new WorkerInfo.Pool("b", 5, 0, List.of())),
				List.of(new WorkerInfo.Limit("p", 3, 0, 0), new WorkerInfo.Limit("q", 0, 1, 0, "10/1s", true)),
				new WorkerInfo.Jvm("25.0.1+8-LTS", "", 123_456_789_012L, Long.MAX_VALUE, 45));
		BeatReply reply = this.store
			.beat(new WorkerBeat("w", Duration.ofSeconds(15), info, List.of(), false, this.now));
		assertThat(reply.openTokens()).isEmpty();
		assertThat(reply.cancelled()).isEmpty();
		assertThat(workers()).containsExactly(new WorkerView("w", info, this.now, this.now.plusSeconds(15), 0));
	}

	@Test
	void renewsTheLease() {
		beat("w", Duration.ofMillis(10), "q");
		pass(10);
		beat("w", Duration.ofMillis(10), "q");
		pass(10);
		assertThat(workers()).hasSize(1);
		assertThat(workers().get(0).leaseUntil()).isEqualTo(this.now);
		pass(1);
		assertThat(workers()).isEmpty();
	}

	@Test
	void withoutInfoLeavesWhatIsStored() {
		register("w", "q");
		WorkerInfo info = workers().get(0).info();
		beat("w");
		assertThat(workers().get(0).info()).isEqualTo(info).isNotNull();
	}

	@Test
	void withoutInfoRegistersToo() {
		beat("w");
		assertThat(workers()).hasSize(1);
		assertThat(workers().get(0).info()).isNull();
		enqueue("q");
		assertThat(claim("w", "q", 1)).hasSize(1);
	}

	@Test
	void repeatedChangesNothing() {
		Claim claim = enqueueAndClaim("w", "q");
		assertThat(beat("w").openTokens()).containsExactly(claim.token());
		assertThat(beat("w").openTokens()).containsExactly(claim.token());
		assertThat(workers()).hasSize(1);
	}

	@Test
	void tellsTheOpenTokensOfTheWorkerOnly() {
		Claim first = enqueueAndClaim("w", "q");
		Claim second = enqueueAndClaim("w", "q");
		enqueueAndClaim("v", "q");
		assertThat(beat("w").openTokens()).containsExactlyInAnyOrder(first.token(), second.token());
		settle(Transition.removed(first, this.now));
		assertThat(beat("w").openTokens()).containsExactly(second.token());
	}

	@Test
	void tokenIsOpenWhileOneOfItsJobsIsHeld() {
		enqueue(jobs("q", 2));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 2);
		assertThat(beat("w").held()).isEqualTo(Map.of(claims.get(0).token(), 2));
		settle(Transition.removed(claims.get(0), this.now));
		assertThat(beat("w").held()).isEqualTo(Map.of(claims.get(0).token(), 1));
		settle(Transition.scheduled(claims.get(1), after(1), failed(claims.get(1))));
		assertThat(beat("w").openTokens()).isEmpty();
	}

	@Test
	void renewsAnExpiredWorkerThatNobodyNoticed() {
		enqueue("q");
		beat("w", Duration.ofMillis(1), "q");
		Claim claim = claim("w", "q", 1).get(0);
		pass(2);
		assertThat(beat("w").openTokens()).containsExactly(claim.token());
		register("v", "q");
		assertThat(takeOver("v", 5, "q").claims()).isEmpty();
	}

	@Test
	void tellsOfCancelledJobsUntilTheyEnd() {
		Claim claim = enqueueAndClaim("w", "q");
		enqueueAndClaim("w", "q");
		assertThat(beat("w").cancelled()).isEmpty();
		change(new Change.Cancel(claim.job().id()));
		assertThat(beat("w").cancelled()).containsExactly(claim.job().id());
		assertThat(beat("w").cancelled()).containsExactly(claim.job().id());
		settle(Transition.cancelled(claim, this.now, claim.job().trail()));
		assertThat(beat("w").cancelled()).isEmpty();
	}

	@Test
	void replyHasNoCancelledJobsOfOthers() {
		Claim claim = enqueueAndClaim("w", "q");
		register("v", "q");
		change(new Change.Cancel(claim.job().id()));
		assertThat(beat("v").cancelled()).isEmpty();
	}

	@Test
	void progressOfARunningJobIsStored() {
		Claim claim = enqueueAndClaim("w", "q");
		Progress progress = progress("halfway");
		beat("w", note(claim, progress));
		Job.Run run = run(claim.job().id());
		assertThat(run).isEqualTo(Job.Run.of("w", claim.token(), this.now).withProgress(progress));
	}

	@Test
	void laterNoteReplacesTheEarlierOne() {
		Claim claim = enqueueAndClaim("w", "q");
		beat("w", note(claim, progress("first")));
		Progress second = Progress.of(null, 0, 0, after(1));
		beat("w", note(claim, second));
		assertThat(run(claim.job().id()).progress()).isEqualTo(second);
	}

	@Test
	void notesWhatARunningJobLogs() {
		Claim claim = enqueueAndClaim("w", "q");
		Progress progress = Progress.of(null, 0, 0, this.now).withLog("INFO a: häuschen\nWARN b: \"2\" 😀");
		beat("w", note(claim, progress));
		assertThat(run(claim.job().id()).progress()).isEqualTo(progress);
		beat("w", note(claim, progress("done")));
		assertThat(run(claim.job().id()).progress()).isEqualTo(progress("done"));
	}

	@Test
	void beatWithoutNoteKeepsTheLastOne() {
		Claim claim = enqueueAndClaim("w", "q");
		Progress progress = progress("here");
		beat("w", note(claim, progress));
		beat("w");
		assertThat(run(claim.job().id()).progress()).isEqualTo(progress);
	}

	@Test
	void noteKeepsTheWishToCancel() {
		Claim claim = enqueueAndClaim("w", "q");
		change(new Change.Cancel(claim.job().id()));
		beat("w", note(claim, progress("here")));
		assertThat(run(claim.job().id()).cancelRequested()).isTrue();
	}

	@Test
	void dropsNotesOfJobsNotHeldUnderTheToken() {
		Claim stale = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(stale, this.now, failed(stale)));
		beat("w", note(stale, progress("while it waits")));
		Claim claim = claimOne("w", "q");
		beat("w", note(stale, progress("late")),
				new WorkerBeat.Note("unknown", "q", claim.token(), progress("of nothing")));
		assertThat(run(claim.job().id()).progress()).isNull();
		assertThat(exists("unknown")).isFalse();
	}

	@Test
	void dropsNotesOfEndedJobs() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.kept(claim, this.now, claim.job().trail()));
		beat("w", note(claim, progress("late")));
		assertThat(find(claim.job().id()).run()).isNull();
	}

	@Test
	void nextRunShowsNothingOfTheLastOne() {
		Claim first = enqueueAndClaim("w", "q");
		beat("w", note(first, progress("first run")));
		change(new Change.Cancel(first.job().id()));
		settle(Transition.scheduled(first, this.now, failed(first)));
		pass(1);
		Claim second = claimOne("w", "q");
		assertThat(second.job().run()).isEqualTo(Job.Run.of("w", second.token(), this.now));
		assertThat(run(second.job().id())).isEqualTo(second.job().run());
		assertThat(beat("w").cancelled()).isEmpty();
	}

	@Test
	void leavingForgetsTheWorker() {
		register("w", "q");
		register("v", "q");
		leave("w");
		assertThat(workers()).extracting(WorkerView::id).containsExactly("v");
		leave("w");
		assertThat(workers()).hasSize(1);
	}

	@Test
	void leavingOfAStrangerDoesNothing() {
		BeatReply reply = leave("stranger");
		assertThat(reply.openTokens()).isEmpty();
		assertThat(workers()).isEmpty();
	}

	@Test
	void leavingWorkersJobsAreThoseOfAVanishedOne() {
		Claim claim = enqueueAndClaim("w", "q");
		assertThat(leave("w").openTokens()).isEmpty();
		register("v", "q");
		assertThat(ids(takeOver("v", 5, "q").claims())).containsExactly(claim.job().id());
	}

	@Test
	void leavingWorkersLastNotesAreTaken() {
		Claim claim = enqueueAndClaim("w", "q");
		Progress progress = progress("last words");
		this.store.beat(new WorkerBeat("w", LEASE, null, List.of(note(claim, progress)), true, this.now));
		assertThat(run(claim.job().id()).progress()).isEqualTo(progress);
	}

	@Test
	void returningWorkerHasNoOpenTokens() {
		enqueueAndClaim("w", "q");
		leave("w");
		assertThat(beat("w").openTokens()).isEmpty();
		// The job that it lost still names it, which no other worker's would.
		leave("w");
	}

	@Test
	void restartsLeaveNothingBehind() {
		for (int i = 0; i < 100; i++) {
			register("w" + i, "q");
			leave("w" + i);
		}
		assertThat(workers()).isEmpty();
		assertThat(this.store.inspector().queues(this.now)).isEmpty();
	}

}
