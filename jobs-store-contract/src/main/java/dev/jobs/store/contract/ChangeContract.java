package dev.jobs.store.contract;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#change}, except for unique keys and
 * limits.
 */
abstract class ChangeContract extends ContractPart {

	ChangeContract(StoreSource source) {
		super(source);
	}

	private String dead(String queue) {
		Claim claim = enqueueAndClaim("w", queue);
		kill(claim);
		return claim.job().id();
	}

	private String succeeded(String queue) {
		Claim claim = enqueueAndClaim("w", queue);
		settle(Transition.kept(claim, this.now, claim.job().trail()));
		return claim.job().id();
	}

	private String cancelled(String queue) {
		Claim claim = enqueueAndClaim("w", queue);
		settle(Transition.cancelled(claim, this.now, claim.job().trail()));
		return claim.job().id();
	}

	private void assertRefused(Change change, String id) {
		Job before = find(id);
		assertThat(change(change)).isEqualTo(Changed.REFUSED);
		assertThat(find(id)).usingRecursiveComparison().isEqualTo(before);
	}

	@Test
	void answersForEachInOrder() {
		String id = enqueue("q");
		String running = enqueueAndClaim("w", "other").job().id();
		assertThat(this.store.change(List.of(new Change.Delete("unknown"), new Change.Delete(id),
				new Change.Delete(running), new Change.Delete(id)), this.now))
			.containsExactly(Changed.NOT_FOUND, Changed.DONE, Changed.REFUSED, Changed.NOT_FOUND);
	}

	@Test
	void ofNothingDoesNothing() {
		assertThat(this.store.change(List.of(), this.now)).isEmpty();
	}

	@Test
	void ofUnknownJobsIsNotFound() {
		for (String id : List.of("x", "", "a\0b", "\ud800", "'", "*")) {
			assertThat(this.store.inspector().job(id, this.now)).isEmpty();
			assertThat(this.store.change(List.of(new Change.Cancel(id), new Change.Delete(id),
					new Change.Reschedule(id, this.now), new Change.Retry(id), new Change.ReplacePayload(id, bytes(9)),
					Change.SetStanding.urgency(id, Urgency.HIGH)), this.now))
				.containsOnly(Changed.NOT_FOUND);
		}
	}

	@Test
	void cancelRemovesAJobThatWaits() {
		String ready = enqueue("q");
		String scheduled = enqueue("q", after(10));
		assertThat(change(new Change.Cancel(ready))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Cancel(scheduled))).isEqualTo(Changed.DONE);
		assertThat(exists(ready)).isFalse();
		assertThat(exists(scheduled)).isFalse();
		assertThat(queue("q").waiting()).isZero();
	}

	@Test
	void cancelOfARunningJobIsNoted() {
		String id = enqueueAndClaim("w", "q").job().id();
		assertThat(change(new Change.Cancel(id))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Cancel(id))).isEqualTo(Changed.DONE);
		Job.Run run = find(id).run();
		assertThat(run).isNotNull().extracting(Job.Run::cancelRequested).isEqualTo(true);
	}

	@Test
	void cancelOfOtherStatesIsRefused() {
		for (String id : List.of(dead("q"), succeeded("q"), cancelled("q"))) {
			assertRefused(new Change.Cancel(id), id);
		}
	}

	@Test
	void deleteRemovesAJobInAnyStateButRunning() {
		for (String id : List.of(enqueue("p"), enqueue("p", after(10)), dead("q"), succeeded("q"), cancelled("q"))) {
			assertThat(change(new Change.Delete(id))).isEqualTo(Changed.DONE);
			assertThat(exists(id)).isFalse();
			assertThat(change(new Change.Delete(id))).isEqualTo(Changed.NOT_FOUND);
		}
		assertThat(this.store.inspector().count(JobFilter.all(), 10, this.now).number()).isZero();
	}

	@Test
	void deleteOfARunningJobIsRefused() {
		String id = enqueueAndClaim("w", "q").job().id();
		assertRefused(new Change.Delete(id), id);
	}

	@Test
	void deletedJobsAreNotHandedOut() {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			ids.add(enqueue("q"));
		}
		for (int i : new int[] { 0, 4, 5, 9 }) {
			change(new Change.Delete(ids.get(i)));
		}
		register("w", "q");
		assertThat(ids(claim("w", "q", 10))).containsExactly(ids.get(1), ids.get(2), ids.get(3), ids.get(6), ids.get(7),
				ids.get(8));
	}

	@Test
	void rescheduleMovesTheDueTime() {
		String id = enqueue("q", after(100));
		assertThat(change(new Change.Reschedule(id, after(50)))).isEqualTo(Changed.DONE);
		assertThat(find(id).dueAt()).isEqualTo(after(50));
		register("w", "q");
		pass(49);
		assertThat(claim("w", "q", 1)).isEmpty();
		pass(1);
		assertThat(claim("w", "q", 1)).hasSize(1);
	}

	@Test
	void rescheduleToNowMakesReady() {
		String id = enqueue("q", after(100));
		String ready = enqueue("q");
		assertThat(change(new Change.Reschedule(id, this.now))).isEqualTo(Changed.DONE);
		assertThat(state(id)).isEqualTo(JobState.READY);
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(ready, id);
	}

	@Test
	void rescheduleOfAReadyJobMakesItWait() {
		String id = enqueue("q");
		String other = enqueue("q");
		assertThat(change(new Change.Reschedule(id, after(10)))).isEqualTo(Changed.DONE);
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(other);
		pass(10);
		assertThat(ids(claim("w", "q", 2))).containsExactly(id);
	}

	@Test
	void rescheduledAwayAndBackGoesToTheBack() {
		String id = enqueue("q");
		String other = enqueue("q");
		change(new Change.Reschedule(id, after(10)));
		change(new Change.Reschedule(id, this.now));
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(other, id);
	}

	@Test
	void rescheduleOfAReadyJobToThePastKeepsItsPlace() {
		String id = enqueue("q");
		String other = enqueue("q");
		change(new Change.Reschedule(id, this.now.minusSeconds(1)));
		assertThat(find(id).dueAt()).isEqualTo(this.now.minusSeconds(1));
		register("w", "q");
		assertThat(ids(claim("w", "q", 2))).containsExactly(id, other);
	}

	@Test
	void rescheduleOfOtherStatesIsRefused() {
		String running = enqueueAndClaim("w", "p").job().id();
		for (String id : List.of(running, dead("q"), succeeded("q"), cancelled("q"))) {
			assertRefused(new Change.Reschedule(id, after(1)), id);
		}
	}

	@Test
	void retryMakesADeadJobReadyWithItsTrailStartedOver() {
		String id = dead("q");
		Job before = find(id);
		pass(1);
		assertThat(change(new Change.Retry(id))).isEqualTo(Changed.DONE);
		Job job = find(id);
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.dueAt()).isEqualTo(this.now);
		assertThat(job.trail()).isEqualTo(TrailBuilder.retried(before.trail()));
		assertThat(job.payload()).isEqualTo(before.payload());
		assertThat(queue("q").dead()).isZero();
		assertThat(claimOne("w", "q").job().attempt()).isEqualTo(1);
	}

	@Test
	void retryMakesAScheduledJobDueNow() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, after(1000), failed(claim)));
		pass(1);
		assertThat(change(new Change.Retry(claim.job().id()))).isEqualTo(Changed.DONE);
		Job job = claimOne("w", "q").job();
		assertThat(job.dueAt()).isEqualTo(this.now);
		assertThat(job.attempt()).isEqualTo(2);
	}

	@Test
	void retryLeavesAReadyJobAsItIs() {
		String id = enqueue("q");
		String due = enqueue("q", after(1));
		pass(1);
		for (String ready : List.of(id, due)) {
			Job before = find(ready);
			assertThat(change(new Change.Retry(ready))).isEqualTo(Changed.DONE);
			assertThat(find(ready)).usingRecursiveComparison().isEqualTo(before);
		}
	}

	@Test
	void retryOfOtherStatesIsRefused() {
		String running = enqueueAndClaim("w", "p").job().id();
		for (String id : List.of(running, succeeded("q"), cancelled("q"))) {
			assertRefused(new Change.Retry(id), id);
		}
	}

	@Test
	void anotherPayloadLeavesAJobWhereItIs() {
		String ready = enqueue("q");
		String scheduled = enqueue("q", after(10));
		for (byte[] payload : List.of(bytes(100_000), bytes(0), bytes(9))) {
			for (String id : List.of(ready, scheduled)) {
				Job before = find(id);
				assertThat(change(new Change.ReplacePayload(id, payload))).isEqualTo(Changed.DONE);
				assertThat(find(id)).isEqualTo(before.toBuilder().payload(payload).build());
				assertThat(listed(id).payloadPreview())
					.isEqualTo(Arrays.copyOf(payload, Math.min(payload.length, Job.LONGEST_PREVIEW)));
			}
		}
		String last = enqueue("q");
		pass(10);
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		assertThat(ids(claims)).containsExactly(ready, last, scheduled);
		assertThat(claims.get(0).job().payload()).isEqualTo(bytes(9));
	}

	private Job listed(String id) {
		return this.store.inspector()
			.page(JobFilter.all(), PageRequest.oldestFirst(10), this.now)
			.jobs()
			.stream()
			.filter((job) -> job.id().equals(id))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void anotherPayloadOfOtherStatesIsRefused() {
		String running = enqueueAndClaim("w", "p").job().id();
		for (String id : List.of(running, dead("q"), succeeded("q"), cancelled("q"))) {
			assertRefused(new Change.ReplacePayload(id, bytes(9)), id);
		}
	}

	@Test
	void concurrentRetriesMakeOneJob() {
		String id = dead("q");
		assertThat(Race.run(8, (number) -> change(new Change.Retry(id)))).containsOnly(Changed.DONE);
		assertThat(queue("q").ready()).isEqualTo(1);
		assertThat(claim("w", "q", 5)).hasSize(1);
	}

	@Test
	void batchRetriesWhatItCan() {
		List<Change> changes = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			changes.add(new Change.Retry("unknown" + i));
			changes.add(new Change.Retry(dead("q")));
		}
		List<Changed> replies = this.store.change(changes, this.now);
		assertThat(replies.stream().filter((changed) -> changed == Changed.DONE)).hasSize(30);
		assertThat(queue("q").ready()).isEqualTo(30);
	}

	@Test
	void pauseAndResumeMayBeRepeated() {
		enqueue("q");
		for (int i = 0; i < 2; i++) {
			assertThat(change(new Change.Pause("q"))).isEqualTo(Changed.DONE);
			assertThat(queue("q").paused()).isTrue();
		}
		for (int i = 0; i < 2; i++) {
			assertThat(change(new Change.Resume("q"))).isEqualTo(Changed.DONE);
			assertThat(queue("q").paused()).isFalse();
		}
	}

	@Test
	void pauseWorksBeforeTheFirstJob() {
		assertThat(change(new Change.Pause("q"))).isEqualTo(Changed.DONE);
		enqueue("q");
		register("w", "q");
		assertThat(claim("w", "q", 1)).isEmpty();
		assertThat(queue("q").paused()).isTrue();
	}

	@Test
	void pausedQueueTakesJobsAndSettles() {
		Claim claim = enqueueAndClaim("w", "q");
		change(new Change.Pause("q"));
		enqueue("q");
		settle(Transition.removed(claim, this.now));
		assertThat(queue("q").ready()).isEqualTo(1);
		assertThat(queue("q").running()).isZero();
	}

	@Test
	void resumeOfAnUnknownQueueIsNotFound() {
		assertThat(change(new Change.Resume("q"))).isEqualTo(Changed.NOT_FOUND);
		assertThat(queueExists("q")).isFalse();
	}

	@Test
	void limitIsStored() {
		enqueue("q");
		assertThat(queue("q").limit()).isEqualTo(-1);
		for (int limit : new int[] { 5, 0, Integer.MAX_VALUE, -1 }) {
			assertThat(change(new Change.Limit("q", limit))).isEqualTo(Changed.DONE);
			assertThat(queue("q").limit()).isEqualTo(limit);
		}
	}

	@Test
	void anyLimitLeavesThePause() {
		enqueue("q");
		change(new Change.Pause("q", "ada"));
		SettingsView paused = queue("q").settings();
		change(new Change.Limit("q", Integer.MAX_VALUE, "bob"));
		assertThat(queue("q").settings())
			.isEqualTo(new SettingsView(2, paused.paused(), new Value<>(Integer.MAX_VALUE, this.now, "bob")));
		register("w", "q");
		assertThat(claim("w", "q", 1)).isEmpty();
		change(new Change.Resume("q"));
		assertThat(claim("w", "q", 1)).hasSize(1);
	}

	@Test
	void settingsSayWhoSetThemAndWhen() {
		enqueue("q");
		assertThat(queue("q").settings()).isEqualTo(SettingsView.NONE);
		change(new Change.Pause("q", "ada"));
		Value<Boolean> paused = new Value<>(true, this.now, "ada");
		pass(1);
		change(new Change.Limit("q", 3, "Ö, the \"other\" operator"));
		Value<Integer> limit = new Value<>(3, this.now, "Ö, the \"other\" operator");
		assertThat(queue("q").settings()).isEqualTo(new SettingsView(2, paused, limit));
		change(new Change.Resume("q"));
		assertThat(queue("q").settings()).isEqualTo(new SettingsView(3, null, limit));
		change(new Change.Limit("q", -1, "ada"));
		assertThat(queue("q").settings()).isEqualTo(new SettingsView(4, null, null));
	}

	@Test
	void settingOfNobodySaysWhen() {
		change(new Change.Pause("q"));
		change(new Change.Limit("q", 0));
		assertThat(queue("q").settings())
			.isEqualTo(new SettingsView(2, new Value<>(true, this.now, null), new Value<>(0, this.now, null)));
	}

	@Test
	void refusedLimitLeavesTheSettings() {
		change(new Change.Limit("q", 2, "ada"));
		SettingsView settings = queue("q").settings();
		assertThat(change(new Change.Limit("q", -2, "bob"))).isEqualTo(Changed.REFUSED);
		assertThat(queue("q").settings()).isEqualTo(settings);
	}

	@Test
	void limitWorksBeforeTheFirstJob() {
		assertThat(change(new Change.Limit("q", 1))).isEqualTo(Changed.DONE);
		enqueue(jobs("q", 2));
		register("w", "q");
		assertThat(claim("w", "q", 2)).hasSize(1);
	}

	@Test
	void limitBelowMinusOneIsRefused() {
		enqueue("q");
		assertThat(change(new Change.Limit("q", -2))).isEqualTo(Changed.REFUSED);
		assertThat(queue("q").limit()).isEqualTo(-1);
	}

	private List<String> notes() {
		return this.store.inspector().notes().stream().map(Note::text).toList();
	}

	@Test
	void notesAreKeptTheLatestFirst() {
		String text = "Dashboard: pause by \"ad\u00e4 l\": queue q; {\"state\":\"dead\"} 5:hello, ".repeat(10);
		assertThat(notes()).isEmpty();
		assertThat(change(new Change.KeepNote("a", text))).isEqualTo(Changed.DONE);
		pass(1);
		assertThat(change(new Change.KeepNote("b", "second"))).isEqualTo(Changed.DONE);
		assertThat(notes()).containsExactly("second", text);
		assertThat(this.store.inspector().notes().get(0).at()).isEqualTo(this.now);
	}

	@Test
	void noteThatComesAgainChangesNothing() {
		change(new Change.KeepNote("a", "first"));
		pass(1);
		change(new Change.KeepNote("b", "second"));
		pass(1);
		for (String text : List.of("first", "another text", "")) {
			assertThat(change(new Change.KeepNote("a", text))).isEqualTo(Changed.DONE);
		}
		assertThat(notes()).containsExactly("second", "first");
	}

	@Test
	void idThatBeginsAsAnotherIsAnother() {
		for (String id : List.of("a:b", "a", "a:b c", "a:")) {
			change(new Change.KeepNote(id, id));
		}
		assertThat(notes()).containsExactlyInAnyOrder("a:b", "a", "a:b c", "a:");
	}

	@Test
	void oneOfManyNotesWithTheSameIdIsKept() {
		assertThat(Race.run(8, (number) -> change(new Change.KeepNote("a", "by worker " + number))))
			.containsOnly(Changed.DONE);
		assertThat(notes()).hasSize(1);
	}

	@Test
	void notesAreOrderedByTheirTimeThoughAClockWasSetBack() {
		change(new Change.KeepNote("a", "at ten"));
		for (int i = 0; i < Note.KEPT - 2; i++) {
			change(new Change.KeepNote("note " + i, "at ten, too"));
		}
		this.now = this.now.minusSeconds(3600);
		change(new Change.KeepNote("b", "at nine"));
		assertThat(notes()).hasSize(Note.KEPT).endsWith("at nine").contains("at ten");
		pass(7_200_000);
		change(new Change.KeepNote("c", "at eleven"));
		assertThat(notes()).hasSize(Note.KEPT).startsWith("at eleven").contains("at ten").doesNotContain("at nine");
	}

	@Test
	void onlyTheLatestNotesAreKept() {
		for (int i = 0; i < Note.KEPT + 5; i++) {
			pass(1);
			change(new Change.KeepNote("note " + i, "text " + i));
		}
		assertThat(notes()).hasSize(Note.KEPT).startsWith("text " + (Note.KEPT + 4)).endsWith("text 5");
	}

	@Test
	void purgeLeavesNothingButLiveWorkers() {
		enqueue("ready");
		enqueue("scheduled", after(9));
		enqueueAndClaim("w", "running");
		dead("dead");
		succeeded("history");
		change(new Change.Pause("paused"));
		beat("gone", java.time.Duration.ofMillis(1));
		change(new Change.KeepNote("a", "note"));
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("s", "def", "q"), this.now, null)), this.now);
		pass(2);
		assertThat(change(new Change.Purge())).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().queues(this.now)).isEmpty();
		assertThat(this.store.inspector().schedules()).isEmpty();
		assertThat(notes()).isEmpty();
		assertThat(this.store.inspector().count(JobFilter.all(), 10, this.now).number()).isZero();
		assertThat(this.store.inspector().workers(this.now)).extracting(WorkerView::id, WorkerView::running)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("w", 0L));
		assertThat(beat("w").openTokens()).isEmpty();
		enqueue("ready");
		assertThat(claim("w", "ready", 1)).hasSize(1);
	}

	@Test
	void purgeOfAnEmptyStoreIsDone() {
		assertThat(change(new Change.Purge())).isEqualTo(Changed.DONE);
	}

	// --- settings for workers

	private Changed set(String name, @Nullable String value) {
		return change(new Change.Set("pool", name, value, "ada"));
	}

	private long revision() {
		return this.store.beat(new WorkerBeat("w", LEASE, null, List.of(), false, this.now)).settings();
	}

	@Test
	void settingIsKeptUntilItIsRemoved() {
		assertThat(this.store.inspector().operatorSettings()).isEmpty();
		String text = "a 'text' of\ntwo lines: \u00e4\u4e2d\ud83d\ude00";
		assertThat(set("b", text)).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Set("pool", "a:1", "", null))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Set("queue", "b", "other", null))).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().operatorSettings()).containsExactly(
				new OperatorSetting("pool", "a:1", "", this.now, null),
				new OperatorSetting("pool", "b", text, this.now, "ada"),
				new OperatorSetting("queue", "b", "other", this.now, null));
		assertThat(set("b", null)).isEqualTo(Changed.DONE);
		assertThat(set("b", null)).isEqualTo(Changed.NOT_FOUND);
		assertThat(this.store.inspector().operatorSettings()).extracting(OperatorSetting::name)
			.containsExactly("a:1", "b");
	}

	@Test
	void laterSettingReplacesAnEarlierOne() {
		set("a", "1");
		pass(1);
		change(new Change.Set("pool", "a", "2", "bob"));
		assertThat(this.store.inspector().operatorSettings())
			.containsExactly(new OperatorSetting("pool", "a", "2", this.now, "bob"));
	}

	@Test
	void settingsThatRaceAreAllKept() {
		long before = revision();
		Race.run(8, (number) -> set("pool-" + number, "text"));
		assertThat(this.store.inspector().operatorSettings()).hasSize(8);
		assertThat(revision()).isGreaterThanOrEqualTo(before + 8);
	}

	private Changed swap(String name, String expected, String value, boolean announced) {
		return change(new Change.Swap("pool", name, expected, value, announced));
	}

	@Test
	void settingIsReplacedOnlyIfItIsAsExpected() {
		String text = "a 'text' of\ntwo lines: \u00e4\u4e2d\ud83d\ude00";
		assertThat(swap("a", "", "1", false)).isEqualTo(Changed.NOT_FOUND);
		set("a", "1");
		pass(1);
		assertThat(swap("a", "2", "3", true)).isEqualTo(Changed.REFUSED);
		assertThat(swap("a", "1", text, false)).isEqualTo(Changed.DONE);
		assertThat(swap("a", "1", "3", false)).isEqualTo(Changed.REFUSED);
		assertThat(this.store.inspector().operatorSettings())
			.containsExactly(new OperatorSetting("pool", "a", text, this.now, "ada"));
		assertThat(swap("a", text, "4", true)).isEqualTo(Changed.DONE);
		assertThat(this.store.inspector().operatorSettings()).extracting(OperatorSetting::value).containsExactly("4");
	}

	@Test
	void revisionGrowsWithAReplacedSettingOnlyIfItIsAnnounced() {
		set("a", "1");
		long first = revision();
		swap("a", "1", "2", false);
		swap("a", "1", "3", true);
		swap("b", "1", "3", true);
		assertThat(revision()).isEqualTo(first);
		swap("a", "2", "3", true);
		assertThat(revision()).isGreaterThan(first);
	}

	@Test
	void ofReplacementsThatRaceOneIsMade() {
		set("a", "begin");
		List<Changed> made = Collections.synchronizedList(new ArrayList<>());
		Race.run(8, (number) -> made.add(swap("a", "begin", "by " + number, number % 2 == 0)));
		assertThat(made).containsOnlyOnce(Changed.DONE).filteredOn((one) -> one == Changed.REFUSED).hasSize(7);
	}

	/** A server that takes over without the latest changes must not use one again. */
	@Test
	void revisionOfSettingsIsNotBelowTheTime() {
		set("a", "1");
		assertThat(revision()).isGreaterThanOrEqualTo(this.now.toEpochMilli());
		pass(60);
		set("a", "2");
		assertThat(revision()).isGreaterThanOrEqualTo(this.now.toEpochMilli());
	}

	@Test
	void beatRepliesARevisionThatGrowsWithEachChangeOfASetting() {
		assertThat(revision()).isZero();
		set("a", "1");
		long first = revision();
		assertThat(first).isPositive();
		set("a", null);
		long second = revision();
		assertThat(second).isGreaterThan(first);
		set("a", "1");
		long third = revision();
		assertThat(third).isGreaterThan(second);
		change(new Change.Purge());
		assertThat(this.store.inspector().operatorSettings()).isEmpty();
		assertThat(revision()).isGreaterThan(third);
	}

}
