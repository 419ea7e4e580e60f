package dev.jobs.store.contract;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.jobs.DeadReason;
import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.Unique.Scope;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.WorkerView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The promises of {@link dev.jobs.store.view.JobInspector}.
 */
abstract class InspectContract extends ContractPart {

	InspectContract(StoreSource source) {
		super(source);
	}

	private JobPage page(JobFilter filter, PageRequest request) {
		return this.store.inspector().page(filter, request, this.now);
	}

	private List<String> ids(JobFilter filter) {
		return ids(page(filter, PageRequest.oldestFirst(1000)));
	}

	private static List<String> ids(JobPage page) {
		return page.jobs().stream().map(Job::id).toList();
	}

	private List<String> all(JobFilter filter, PageRequest request) {
		return AllJobs.of(this.store.inspector(), filter, request, this.now).stream().map(Job::id).toList();
	}

	private JobCount count(JobFilter filter) {
		return this.store.inspector().count(filter, 1000, this.now);
	}

	private List<String> dead(int count) {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Claim claim = enqueueAndClaim("w", "q");
			kill(claim);
			ids.add(claim.job().id());
			pass(1);
		}
		return ids;
	}

	@Test
	void emptyStoreShowsNothing() {
		assertThat(this.store.inspector().queues(this.now)).isEmpty();
		assertThat(this.store.inspector().workers(this.now)).isEmpty();
		assertThat(this.store.inspector().schedules()).isEmpty();
		assertThat(this.store.inspector().job("x", this.now)).isEmpty();
		assertThat(page(JobFilter.all(), PageRequest.oldestFirst(20))).isEqualTo(JobPage.of(List.of(), null));
		assertThat(count(JobFilter.all())).isEqualTo(JobCount.exactly(0));
	}

	@Test
	void queuesAreCountedAndSorted() {
		enqueue(jobs("b", 3));
		enqueue("b", after(10));
		enqueue("a", after(10));
		Claim dead = enqueueAndClaim("w", "c");
		kill(dead);
		settle(Transition.kept(enqueueAndClaim("w", "c"), this.now, Trail.EMPTY));
		settle(Transition.cancelled(enqueueAndClaim("w", "c"), this.now, Trail.EMPTY));
		Claim retry = enqueueAndClaim("w", "c");
		settle(Transition.scheduled(retry, after(5), failed(retry)));
		enqueueAndClaim("w", "c");
		assertThat(this.store.inspector().queues(this.now)).containsExactly(
				QueueView.of("a", false).withJobs(0, 1, 0, 0, 0, 0),
				QueueView.of("b", false).withJobs(3, 1, 0, 0, 0, 0).withOldestReady(this.now),
				QueueView.of("c", true).withJobs(0, 1, 1, 1, 1, 2));
	}

	@Test
	void oneQueueOrScheduleIsReadAsAmongAll() {
		enqueue(jobs("b", 3));
		enqueue("a", after(10));
		enqueueAndClaim("w", "c");
		change(new Change.Pause("c"));
		for (String name : List.of("one", "other")) {
			this.store.fireTicks(List.of(Tick.of(new NewSchedule(name, "def", "q"), this.now, job("q"))), this.now);
		}
		change(new Change.PauseSchedule("other"));
		JobInspector inspector = this.store.inspector();
		assertThat(inspector.queues(this.now)).hasSize(4)
			.allSatisfy((queue) -> assertThat(inspector.queue(queue.name(), this.now)).contains(queue));
		assertThat(inspector.schedules()).hasSize(2)
			.allSatisfy((schedule) -> assertThat(inspector.schedule(schedule.name())).contains(schedule));
		for (String unknown : List.of("", "none", "B", "b ", "one ", "a\0b")) {
			assertThat(inspector.queue(unknown, this.now)).isEmpty();
			assertThat(inspector.schedule(unknown)).isEmpty();
		}
	}

	@Test
	void dueJobsAreReadyThoughNoClaimLooked() {
		String id = enqueue("q", after(10));
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, after(11), failed(claim)));
		pass(9);
		assertThat(queue("q")).isEqualTo(QueueView.of("q", true).withJobs(0, 2, 1, 0, 0, 0));
		pass(1);
		assertThat(queue("q")).isEqualTo(QueueView.of("q", true).withJobs(1, 1, 1, 0, 0, 0).withOldestReady(this.now));
		assertThat(state(id)).isEqualTo(JobState.READY);
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.READY)))).containsExactly(id);
		pass(1);
		assertThat(queue("q")).isEqualTo(QueueView.of("q", true).withJobs(2, 0, 0, 0, 0, 0).withOldestReady(after(-1)));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED)))).isEmpty();
	}

	@Test
	void queueIsServedWhileALiveWorkerReportsIt() {
		enqueue("q");
		assertThat(queue("q").served()).isFalse();
		register("w", "q");
		assertThat(queue("q").served()).isTrue();
		register("w", "other");
		assertThat(queue("q").served()).isFalse();
		register("w", "q");
		pass(LEASE.toMillis() + 1);
		assertThat(queue("q").served()).isFalse();
	}

	@Test
	void oldestReadyIsWhenItBecameDue() {
		enqueue("q");
		pass(10);
		enqueue("q");
		assertThat(queue("q").oldestReady()).isEqualTo(START);
		claimOne("w", "q");
		assertThat(queue("q").oldestReady()).isEqualTo(this.now);
	}

	@Test
	void workersAreSortedWithWhatTheyHold() {
		register("b", "q");
		register("a", "q");
		enqueue(jobs("q", 3));
		claim("b", "q", 2);
		claim("b", "q", 1);
		assertThat(this.store.inspector().workers(this.now)).extracting(WorkerView::id).containsExactly("a", "b");
		assertThat(this.store.inspector().workers(this.now)).extracting(WorkerView::running).containsExactly(0L, 3L);
	}

	@Test
	void pagesPartTheWhole() {
		List<String> ids = dead(45);
		List<String> seen = new ArrayList<>();
		PageRequest request = PageRequest.oldestFirst(20);
		for (int size : List.of(20, 20, 5)) {
			JobPage page = page(JobFilter.of((only) -> only.states(JobState.DEAD)), request);
			assertThat(page.jobs()).hasSize(size);
			seen.addAll(ids(page));
			request = request.after(page.next());
		}
		assertThat(seen).isEqualTo(ids);
		assertThat(request.after()).isNull();
	}

	@Test
	void pageThatHoldsAllIsTheLast() {
		dead(5);
		assertThat(page(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.oldestFirst(5)).next())
			.isNull();
		assertThat(page(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.newestFirst(5)).next())
			.isNull();
		assertThat(page(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.oldestFirst(4)).next())
			.isNotNull();
	}

	@Test
	void newestComeFirstIfWanted() {
		List<String> ids = new ArrayList<>(dead(5));
		Collections.reverse(ids);
		assertThat(all(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.newestFirst(3))).isEqualTo(ids);
	}

	@Test
	void cursorOfAnotherListOrNoneIsRefused() {
		dead(5);
		enqueue(jobs("q", 5));
		JobFilter dead = JobFilter.of((only) -> only.states(JobState.DEAD));
		PageRequest request = PageRequest.oldestFirst(2);
		String cursor = String.valueOf(page(dead, request).next());
		assertThat(ids(page(dead, PageRequest.oldestFirst(1).after(cursor)))).hasSize(1);
		for (JobFilter other : List.of(JobFilter.all(), dead.with((only) -> only.name("q")),
				dead.with((only) -> only.text("a")), dead.with((only) -> only.tag("a")),
				dead.with((only) -> only.uniqueKey("a")), dead.with((only) -> only.since(START)),
				JobFilter.of((only) -> only.states(JobState.READY)))) {
			assertThatIllegalArgumentException().as(other.toString())
				.isThrownBy(() -> page(other, request.after(cursor)))
				.withMessageContaining("cursor");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> page(dead, PageRequest.newestFirst(2).after(cursor)))
			.withMessageContaining("cursor");
		for (String garbage : List.of("", "x", "not/base64", "AAAA", cursor + "A", cursor.substring(1),
				cursor.substring(0, cursor.length() - 2))) {
			assertThatIllegalArgumentException().as(garbage)
				.isThrownBy(() -> page(dead, request.after(garbage)))
				.withMessageContaining("cursor");
		}
	}

	@Test
	void jobsThatComeAndLeaveMoveNoOtherAcrossACursor() {
		List<String> dead = new ArrayList<>(dead(20));
		JobFilter filter = JobFilter.of((only) -> only.states(JobState.DEAD));
		PageRequest request = PageRequest.oldestFirst(6);
		JobPage page = page(filter, request);
		List<String> seen = new ArrayList<>(ids(page));
		while (page.next() != null) {
			change(new Change.Delete(seen.get(seen.size() - 1)));
			change(new Change.Retry(seen.get(0)));
			page = page(filter, request.after(page.next()));
			seen.addAll(ids(page));
		}
		assertThat(seen).isEqualTo(dead);
	}

	@Test
	void readyJobsAreListedOnceWhileTheirQueueMovesOn() {
		for (boolean newestFirst : List.of(false, true)) {
			register("w", "r");
			List<NewJob> added = new ArrayList<>(jobs("r", 60));
			enqueue(added);
			PageRequest request = newestFirst ? PageRequest.newestFirst(7) : PageRequest.oldestFirst(7);
			JobFilter ready = JobFilter.of((only) -> only.states(JobState.READY).name("r"));
			List<String> seen = new ArrayList<>();
			JobPage page = page(ready, request);
			while (true) {
				seen.addAll(ids(page));
				if (page.next() == null) {
					break;
				}
				List<Claim> claims = claim("w", "r", 3);
				claims.forEach((claim) -> settle(Transition.removed(claim, this.now)));
				change(new Change.Delete(seen.get(seen.size() - 1)));
				List<NewJob> more = jobs("r", 2);
				enqueue(more);
				page = page(ready, request.after(page.next()));
			}
			assertThat(seen).doesNotHaveDuplicates();
			List<String> left = ids(ready);
			List<String> asLongAsThere = added.stream().map(NewJob::id).filter(left::contains).toList();
			assertThat(seen).containsAll(asLongAsThere);
			change(new Change.Purge());
		}
	}

	@Test
	void readyJobsComeQueueByQueueAsTheyWillRun() {
		enqueue(jobs("b", 2));
		enqueue(jobs("a", 2));
		enqueue("c", after(1));
		List<String> ids = all(JobFilter.of((only) -> only.states(JobState.READY, JobState.SCHEDULED)),
				PageRequest.oldestFirst(2));
		pass(2);
		register("w", "a", "b", "c");
		List<String> run = new ArrayList<>();
		for (String queue : List.of("a", "b", "c")) {
			claim("w", queue, 5).forEach((claim) -> run.add(claim.job().id()));
		}
		assertThat(ids).isEqualTo(run);
	}

	@Test
	void countIsExactUpToItsBound() {
		enqueue(jobs("a", 3));
		enqueue("a", after(5));
		enqueue(jobs("b", 2));
		JobInspector inspector = this.store.inspector();
		assertThat(inspector.count(JobFilter.all(), 6, this.now)).isEqualTo(JobCount.exactly(6));
		assertThat(inspector.count(JobFilter.all(), 5, this.now)).isEqualTo(JobCount.atLeast(5)).hasToString("5+");
		assertThat(inspector.count(JobFilter.of((only) -> only.name("a")), 9, this.now)).isEqualTo(JobCount.exactly(4));
		assertThat(inspector.count(JobFilter.of((only) -> only.states(JobState.READY)), 9, this.now))
			.isEqualTo(JobCount.exactly(5));
		assertThat(inspector.count(JobFilter.of((only) -> only.states(JobState.READY)), 4, this.now))
			.isEqualTo(JobCount.atLeast(4));
		assertThat(inspector.count(JobFilter.of((only) -> only.text("payload")), 9, this.now))
			.isEqualTo(JobCount.exactly(6));
		assertThat(inspector.count(JobFilter.of((only) -> only.since(after(1))), 9, this.now))
			.isEqualTo(JobCount.exactly(1));
	}

	@Test
	void waitingJobsAreOrderedByDueTimeThenId() {
		NewJob late = job("q", after(9));
		NewJob first = job("q", after(1));
		NewJob second = job("q", after(1));
		enqueue(List.of(late, second, first));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED)))).containsExactly(first.id(),
				second.id(), late.id());
	}

	@Test
	void runningJobsAreOrderedByTheirStart() {
		enqueue(jobs("a", 1));
		enqueue(jobs("b", 1));
		Claim b = claimOne("w", "b");
		pass(1);
		Claim a = claimOne("w", "a");
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.RUNNING)))).containsExactly(b.job().id(),
				a.job().id());
	}

	@Test
	void endedJobsAreOrderedByTheirEnd() {
		enqueue(jobs("q", 3));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		for (int i = 2; i >= 0; i--) {
			settle((i == 1) ? Transition.cancelled(claims.get(i), this.now, claims.get(i).job().trail())
					: Transition.kept(claims.get(i), this.now, claims.get(i).job().trail()));
			pass(1);
		}
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SUCCEEDED, JobState.CANCELLED))))
			.containsExactly(claims.get(2).job().id(), claims.get(1).job().id(), claims.get(0).job().id());
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.CANCELLED))))
			.containsExactly(claims.get(1).job().id());
	}

	@Test
	void filterByName() {
		String a = enqueue("a");
		enqueue("b");
		assertThat(ids(JobFilter.of((only) -> only.name("a")))).containsExactly(a);
		assertThat(ids(JobFilter.of((only) -> only.name("unknown")))).isEmpty();
	}

	@Test
	void filterByRetrying() {
		Claim claim = enqueueAndClaim("w", "q");
		String fresh = enqueue("q", after(100));
		settle(Transition.scheduled(claim, after(100), failed(claim)));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true))))
			.containsExactly(claim.job().id());
		assertThat(ids(JobFilter.of((only) -> only.retrying(false)))).containsExactly(fresh);
		pass(100);
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true))))
			.containsExactly(claim.job().id());
	}

	@Test
	void postponedJobsAreNoRetries() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, after(100), TrailRules.postponed(claim.job().trail())));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true))))
			.isEmpty();
		assertThat(queue("q").retrying()).isZero();
	}

	@Test
	void filterByTextOfTheId() {
		String id = enqueue("q");
		enqueue("q");
		assertThat(ids(JobFilter.of((only) -> only.text(id.toUpperCase(Locale.ROOT))))).containsExactly(id);
	}

	@Test
	void filterByTextOfThePayload() {
		NewJob job = with(job("q"), "{\"to\":\"Ada@Example.org\"}".getBytes(StandardCharsets.UTF_8));
		enqueue(job);
		enqueue("q");
		assertThat(ids(JobFilter.of((only) -> only.text("ada@example")))).containsExactly(job.id());
		assertThat(ids(JobFilter.of((only) -> only.text("nowhere")))).isEmpty();
	}

	@Test
	void filterByTextOfAnError() {
		enqueue(jobs("q", 2));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 2);
		Trail trail = TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, this.now, "Connection REFUSED by peer"));
		settle(Transition.scheduled(claims.get(0), after(5), trail));
		settle(Transition.scheduled(claims.get(1), after(5), failed(claims.get(1))));
		assertThat(ids(JobFilter.of((only) -> only.text("refused")))).containsExactly(claims.get(0).job().id());
	}

	@Test
	void filterByTextOfTheEnd() {
		Claim claim = enqueueAndClaim("w", "q");
		kill(claim);
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.DEAD).text("too OFTEN"))))
			.containsExactly(claim.job().id());
	}

	@Test
	void textIsFoundWhateverItIsMadeOf() {
		NewJob payload = with(job("q"), "{\"a\":\"300 \u212a in \u0130zmir\",\n\"\u00c4\":\"\\u00e4 \u65e5\"}"
			.getBytes(StandardCharsets.UTF_8));
		NewJob large = with(job("q"), ("x".repeat(5000) + " The LAST of it").getBytes(StandardCharsets.UTF_8));
		enqueue(List.of(payload, large));
		Claim claim = enqueueAndClaim("w", "r");
		String stack = "at unsought.Place\n".repeat(100);
		Trail trail = TrailRules.failed(
				TrailRules.failed(
						TrailRules.failed(claim.job().trail(),
								Trail.Attempt.of(1, this.now, "FIRST \"\u00dcbel\"").withStackTrace(stack)),
						Trail.Attempt.of(2, this.now, "second")),
				Trail.Attempt.of(3, this.now, "1:1third " + "y".repeat(3000) + " far")
					.withStackTrace(stack)
					.withLog("unsought log"));
		settle(Transition.dead(claim, this.now,
				TrailBuilder.ended(trail, Trail.End.of(DeadReason.EXHAUSTED, "the End", this.now))));
		Map<String, String> found = Map.ofEntries(Map.entry("300 k", payload.id()), Map.entry("K IN", payload.id()),
				Map.entry("\u0130zm", payload.id()), Map.entry("i\u0307ZMIR", payload.id()),
				Map.entry("\u00e4\":", payload.id()), Map.entry("\\u00E4 \u65e5", payload.id()),
				Map.entry("\",\n", payload.id()), Map.entry("the last", large.id()),
				Map.entry("first \"\u00fcbel\"", claim.job().id()), Map.entry("SECOND", claim.job().id()),
				Map.entry("1:1THIRD", claim.job().id()), Map.entry("y FAR", claim.job().id()),
				Map.entry("THE end", claim.job().id()), Map.entry(claim.job().id(), claim.job().id()));
		found.forEach(
				(text, id) -> assertThat(ids(JobFilter.of((only) -> only.text(text)))).as(text).containsExactly(id));
		for (String text : List.of("unsought", "izmir", "300 k.", "made-for", "\u00e4\u65e5")) {
			assertThat(ids(JobFilter.of((only) -> only.text(text)))).as(text).isEmpty();
		}
	}

	@Test
	void listedJobHasItsLatestStackHoweverItWasFound() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailRules.failed(TrailRules.failed(TrailRules.failed(claim.job().trail(),
				Trail.Attempt.of(1, this.now, "needle").withStackTrace("at a \"first\" Place\n").withLog("first log")),
				Trail.Attempt.of(2, this.now, "needle")),
				Trail.Attempt.of(3, this.now, "other").withStackTrace("at a third Place\n"));
		settle(Transition.dead(claim, this.now,
				TrailBuilder.ended(trail, Trail.End.of(DeadReason.EXHAUSTED, "the End", this.now))));
		Job whole = find(claim.job().id());
		assertThat(whole.trail().attempts()).isEqualTo(trail.attempts());
		for (JobFilter filter : List.of(JobFilter.of((only) -> only.text("needle")), JobFilter.all())) {
			assertThat(page(filter, PageRequest.oldestFirst(10)).jobs()).containsExactly(ListedJob.listed(whole));
		}
		List<Trail.Attempt> listed = ListedJob.listed(whole).trail().attempts();
		assertThat(listed.get(0)).isEqualTo(trail.attempts().get(0).withStackTrace(null).withLog(null));
		assertThat(listed.get(2)).isEqualTo(trail.attempts().get(2));
	}

	@Test
	void listHasTheSizeOfAPayloadAndNoMoreThanItsBeginning() {
		List<NewJob> added = new ArrayList<>();
		for (int size : List.of(0, 1, Job.LONGEST_PREVIEW - 1, Job.LONGEST_PREVIEW, Job.LONGEST_PREVIEW + 1, 3000,
				200_000)) {
			for (String queue : List.of("q", "r")) {
				NewJob job = with(tagged(job(queue), "customer:42"), payload(size));
				added.add(with(job, key(Scope.HANDLER, queue, job.id())));
			}
		}
		enqueue(added);
		register("w", "q");
		claim("w", "q", 7).forEach((claim) -> kill(claim));
		JobFilter all = JobFilter.all();
		for (JobFilter filter : List.of(all, all.with((only) -> only.states(JobState.DEAD)),
				all.with((only) -> only.states(JobState.READY)), all.with((only) -> only.tag("customer:42")),
				all.with((only) -> only.text("made of it")))) {
			page(filter, PageRequest.newestFirst(100)).jobs().forEach((job) -> expectNoPayload(job, added));
		}
		added.stream()
			.filter((job) -> job.name().equals("r"))
			.forEach((job) -> assertThat(
					page(all.with((only) -> only.uniqueKey(job.id())), PageRequest.newestFirst(9)).jobs())
				.singleElement()
				.satisfies((listed) -> expectNoPayload(listed, added)));
		this.store.inspector()
			.deaths(all, this.now)
			.causes()
			.forEach((cause) -> expectNoPayload(cause.latest(), added));
	}

	@Test
	void listHasTheBeginningOfAPayloadThatReplacedAnother() {
		NewJob.UniqueKey replacing = new NewJob.UniqueKey("k", Unique.Mode.UNTIL_DONE, Scope.HANDLER, null,
				Unique.OnDuplicate.REPLACE);
		NewJob owner = with(with(job("q"), payload(100)), replacing);
		enqueue(owner);
		for (int size : List.of(40_000, 50_000, 3000, 60_000, 10)) {
			NewJob replaced = with(owner, payload(size));
			assertThat(enqueue(with(with(job("q"), replaced.payload()), replacing)).id()).isEqualTo(owner.id());
			assertThat(page(JobFilter.all(), PageRequest.newestFirst(9)).jobs()).singleElement()
				.satisfies((listed) -> expectNoPayload(listed, List.of(replaced)));
		}
	}

	private static byte[] payload(int size) {
		byte[] payload = new byte[size];
		new Random(size).nextBytes(payload);
		byte[] end = "MADE OF IT".getBytes(StandardCharsets.UTF_8);
		if (size >= end.length) {
			System.arraycopy(end, 0, payload, size - end.length, end.length);
		}
		return payload;
	}

	private static void expectNoPayload(Job listed, List<NewJob> added) {
		byte[] payload = added.stream()
			.filter((job) -> job.id().equals(listed.id()))
			.findFirst()
			.orElseThrow()
			.payload();
		assertThat(listed.isListed()).isTrue();
		assertThat(listed.payloadSize()).isEqualTo(payload.length);
		assertThat(listed.payloadPreview())
			.isEqualTo(Arrays.copyOf(payload, Math.min(payload.length, Job.LONGEST_PREVIEW)));
	}

	@Test
	void textOfAKeyOwnerIsLookedForInAllOfItsPayload() {
		NewJob job = with(with(job("q"), payload(3000)), key(Scope.HANDLER, "q", "k"));
		enqueue(job);
		JobFilter owner = JobFilter.of((only) -> only.uniqueKey("k"));
		assertThat(ids(owner.with((only) -> only.text("made of it")))).containsExactly(job.id());
		assertThat(ids(owner.with((only) -> only.text("made of that")))).isEmpty();
		assertThat(count(owner.with((only) -> only.text("made of it")))).isEqualTo(JobCount.exactly(1));
	}

	@Test
	void textIsLookedForInABoundedNumberOfBytes() {
		int size = 1 << 20;
		int most = JobInspector.BYTES_LOOKED_THROUGH / size;
		List<NewJob> large = new ArrayList<>();
		for (int i = 0; i < most + 3; i++) {
			byte[] payload = "x".repeat(size).getBytes(StandardCharsets.UTF_8);
			System.arraycopy("needle".getBytes(StandardCharsets.UTF_8), 0, payload, size - 6, 6);
			large.add(with(job("q"), payload));
		}
		large.forEach(this::enqueue);
		List<String> found = new ArrayList<>();
		int pages = 0;
		String next = null;
		do {
			JobPage page = page(JobFilter.of((only) -> only.text("NEEDLE")), PageRequest.oldestFirst(100).after(next));
			assertThat(page.jobs()).hasSizeBetween(1, most + 1);
			found.addAll(ids(page));
			next = page.next();
			pages++;
		}
		while (next != null);
		assertThat(found).containsExactlyElementsOf(large.stream().map(NewJob::id).toList());
		assertThat(pages).isGreaterThan(1);
		JobCount count = count(JobFilter.of((only) -> only.text("NEEDLE")));
		assertThat(count.exact()).isFalse();
		assertThat(count.number()).isBetween(1L, most + 1L);
		assertThat(page(JobFilter.all(), PageRequest.oldestFirst(100)).jobs()).hasSize(most + 3);
		change(new Change.Purge());
	}

	@Test
	void textIsNoPattern() {
		NewJob job = with(job("q"), "100% of a.b*[c]_d".getBytes(StandardCharsets.UTF_8));
		enqueue(job);
		enqueue(with(job("q"), "100 of axb".getBytes(StandardCharsets.UTF_8)));
		for (String text : List.of("100% ", "a.b", "b*", "[c]", "c]_d")) {
			assertThat(ids(JobFilter.of((only) -> only.text(text)))).as(text).containsExactly(job.id());
		}
	}

	@Test
	void textIsFoundInAnyCaseHoweverItIsKept() {
		String text = "Zu VIEL: \"C:\\temp\\Größe\"\n300 \u212A and \u0130D 7 to AZ 17";
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, after(5),
				TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, this.now, text))));
		NewJob job = with(job("q"), text.getBytes(StandardCharsets.UTF_8));
		enqueue(job);
		for (String part : List.of("zu viel: \"c:\\TEMP\\gr", "GRÖßE\"\n300", "0 k", "K AND i\u0307d 7", "\u212A",
				"00 ", "az 17")) {
			assertThat(ids(JobFilter.of((only) -> only.text(part)))).as(part)
				.containsExactlyInAnyOrder(claim.job().id(), job.id());
		}
		for (String other : List.of("c:\\\\temp", "\\n300", "gross", "u00f6")) {
			assertThat(ids(JobFilter.of((only) -> only.text(other)))).as(other).isEmpty();
		}
	}

	@Test
	void payloadThatIsNoTextDoesNotBreakAPage() {
		NewJob broken = with(job("q"), bytes(256));
		enqueue(broken);
		NewJob mixed = with(job("q"), new byte[] { (byte) 0xff, 0, 'n', 'e', 'e', 'd', 'l', 'e', (byte) 0xc3 });
		enqueue(mixed);
		assertThat(ids(JobFilter.all())).contains(broken.id(), mixed.id());
		assertThat(ids(JobFilter.of((only) -> only.text("needle")))).containsExactly(mixed.id());
	}

	@Test
	void readingChangesNothing() {
		enqueue("q");
		enqueue("q", after(5));
		pass(5);
		List<QueueView> before = this.store.inspector().queues(this.now);
		for (int i = 0; i < 3; i++) {
			page(JobFilter.all(), PageRequest.oldestFirst(10));
			this.store.inspector().job("unknown", this.now);
			this.store.inspector().workers(this.now);
		}
		assertThat(this.store.inspector().queues(this.now)).isEqualTo(before);
	}

	private NewJob.UniqueKey key(Scope scope, String queue, String key) {
		return new NewJob.UniqueKey(UniqueKeyDigest.of(scope, queue, key), Unique.Mode.UNTIL_DONE, scope, after(50),
				Unique.OnDuplicate.KEEP);
	}

	@Test
	void filterByTheKeyThatAJobHolds() {
		NewJob inA = with(job("a", after(5)), key(Scope.HANDLER, "a", "order 1"));
		NewJob inB = with(job("b"), key(Scope.HANDLER, "b", "order 1"));
		NewJob across = with(job("c"), key(Scope.NAMESPACE, "c", "order 1"));
		enqueue(List.of(inA, inB, across, with(job("a"), key(Scope.HANDLER, "a", "order 2")), job("a")));
		JobFilter first = JobFilter.of((only) -> only.uniqueKey("order 1"));
		assertThat(ids(first)).containsExactly(inB.id(), across.id(), inA.id());
		assertThat(all(first, PageRequest.newestFirst(1))).containsExactly(inA.id(), across.id(), inB.id());
		assertThat(count(first)).isEqualTo(JobCount.exactly(3));
		assertThat(ids(first.with((only) -> only.name("a")))).containsExactly(inA.id());
		assertThat(ids(first.with((only) -> only.name("c")))).containsExactly(across.id());
		assertThat(ids(first.with((only) -> only.name("other")))).isEmpty();
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED).uniqueKey("order 1"))))
			.containsExactly(inA.id());
		assertThat(ids(first.with((only) -> only.since(after(1))))).containsExactly(inA.id());
		assertThat(ids(first.with((only) -> only.text("payload of " + inB.id())))).containsExactly(inB.id());
		assertThat(ids(JobFilter.of((only) -> only.uniqueKey("order")))).isEmpty();
	}

	private NewJob tagged(NewJob job, String tags) {
		return job.withHeaders(Map.of("a", "b", Job.TAGS_HEADER, tags, "z", "y"));
	}

	@Test
	void filterByTag() {
		NewJob first = tagged(job("a"), "customer:42,team:billing");
		NewJob second = tagged(job("b", after(5)), "customer:42");
		enqueue(List.of(first, job("a"), tagged(job("b"), "customer:4"), second, tagged(job("c"), "team:billing")));
		JobFilter customer = JobFilter.of((only) -> only.tag("customer:42"));
		assertThat(page(customer, PageRequest.oldestFirst(10)).next()).isNull();
		assertThat(all(customer, PageRequest.oldestFirst(1))).containsExactly(first.id(), second.id());
		assertThat(all(customer, PageRequest.newestFirst(1))).containsExactly(second.id(), first.id());
		assertThat(count(customer)).isEqualTo(JobCount.exactly(2));
		assertThat(count(JobFilter.of((only) -> only.states(JobState.READY).tag("customer:42"))))
			.isEqualTo(JobCount.exactly(1));
		assertThat(ids(customer.with((only) -> only.name("b")))).containsExactly(second.id());
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.READY).tag("customer:42"))))
			.containsExactly(first.id());
		assertThat(ids(customer.with((only) -> only.text("payload of " + second.id())))).containsExactly(second.id());
		assertThat(ids(JobFilter.of((only) -> only.tag("customer")))).isEmpty();
		assertThat(ids(JobFilter.of((only) -> only.tag("customer:42,team:billing")))).isEmpty();
		Claim claim = claimOne("w", "a");
		assertThat(claim.job().tags()).containsExactly("customer:42", "team:billing");
		settle(Transition.kept(claim, this.now, claim.job().trail()));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SUCCEEDED).tag("team:billing"))))
			.containsExactly(first.id());
		change(new Change.Delete(first.id()));
		assertThat(ids(customer)).containsExactly(second.id());
		change(new Change.Cancel(second.id()));
		assertThat(ids(customer)).isEmpty();
	}

	@Test
	void jobThatIsReplacedHasTheTagsOfTheNewOne() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Scope.HANDLER, null,
				Unique.OnDuplicate.REPLACE);
		NewJob old = with(tagged(job("q"), "a,b"), key);
		enqueue(old);
		enqueue(with(tagged(job("q"), "b,c"), key));
		assertThat(ids(JobFilter.of((only) -> only.tag("a")))).isEmpty();
		assertThat(ids(JobFilter.of((only) -> only.tag("b")))).containsExactly(old.id());
		assertThat(ids(JobFilter.of((only) -> only.tag("c")))).containsExactly(old.id());
		enqueue(with(job("q"), key));
		assertThat(ids(JobFilter.of((only) -> only.tag("b")))).isEmpty();
		settle(Transition.removed(claimOne("w", "q"), this.now));
		assertThat(ids(JobFilter.of((only) -> only.tag("c")))).isEmpty();
	}

	@Test
	void keyLeadsToItsOwnerAsLongAsItCounts() {
		NewJob job = with(job("q"), key(Scope.HANDLER, "q", "k"));
		enqueue(job);
		JobFilter holding = JobFilter.of((only) -> only.uniqueKey("k"));
		Claim claim = claimOne("w", "q");
		assertThat(page(holding, PageRequest.oldestFirst(10)).jobs()).extracting(Job::state)
			.containsExactly(JobState.RUNNING);
		settle(Transition.kept(claim, this.now, claim.job().trail()));
		assertThat(ids(holding)).isEmpty();
		NewJob next = with(job("q"), key(Scope.HANDLER, "q", "k"));
		enqueue(next);
		pass(49);
		assertThat(ids(holding)).containsExactly(next.id());
		pass(1);
		assertThat(ids(holding)).isEmpty();
	}

	@Test
	void filterByTime() {
		List<String> ids = dead(4);
		JobFilter dead = JobFilter.of((only) -> only.states(JobState.DEAD));
		assertThat(ids(dead.with((only) -> only.since(START.plusMillis(1)).before(START.plusMillis(3)))))
			.containsExactly(ids.get(1), ids.get(2));
		JobFilter later = dead.with((only) -> only.since(START.plusMillis(1)));
		assertThat(all(later, PageRequest.newestFirst(1))).containsExactly(ids.get(3), ids.get(2), ids.get(1));
		assertThat(count(later)).isEqualTo(JobCount.exactly(3));
		String soon = enqueue("q", after(5));
		enqueue("q", after(6));
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.SCHEDULED).since(after(5)).before(after(6)))))
			.containsExactly(soon);
	}

	@Test
	void filterByTimeInStatesOfDifferentTimes() {
		Claim moved = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(moved, after(20), failed(moved)));
		Claim running = enqueueAndClaim("w", "q");
		List<NewJob> plain = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			NewJob job = job("q", after(i / 10 - 15));
			plain.add(NewJob.of(job.id(), "q", bytes(1), job.createdAt()).withDueAt(job.dueAt()));
		}
		enqueue(plain);
		pass(10);
		JobFilter waiting = JobFilter.of((only) -> only.states(JobState.READY, JobState.SCHEDULED));
		assertThat(
				ids(waiting.with((only) -> only.since(START.plusNanos(2_000_001)).before(START.plusNanos(4_500_000)))))
			.hasSize(20)
			.containsExactlyElementsOf(plain.subList(180, 200).stream().map(NewJob::id).toList());
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.READY).since(START.plusMillis(11))))).isEmpty();
		assertThat(ids(JobFilter.of((only) -> only.since(START.plusMillis(15))))).containsExactly(moved.job().id());
		assertThat(ids(JobFilter.of((only) -> only.before(START.minusMillis(14))))).hasSize(10);
		assertThat(ids(JobFilter.of((only) -> only.since(START).before(START.plusMillis(1))))).hasSize(11)
			.contains(running.job().id());
		JobFilter retrying = JobFilter.of((only) -> only.retrying(true));
		assertThat(ids(retrying)).containsExactly(moved.job().id());
		assertThat(ids(JobFilter.of((only) -> only.retrying(false)))).hasSize(301).doesNotContain(moved.job().id());
		pass(10);
		assertThat(ids(JobFilter.of((only) -> only.states(JobState.READY).since(START.plusMillis(15)))))
			.containsExactly(moved.job().id());
	}

	@Test
	void textIsLookedForInABoundedPartOfAllQueues() {
		NewJob first = with(job("q"), "needle 1".getBytes(StandardCharsets.UTF_8));
		NewJob last = with(job("r", after(1)), "needle 2".getBytes(StandardCharsets.UTF_8));
		enqueue(first);
		enqueue(last);
		List<NewJob> hay = new ArrayList<>(jobs("q", JobInspector.LOOKED_THROUGH / 2));
		hay.addAll(jobs("r", JobInspector.LOOKED_THROUGH - 1 - hay.size()));
		for (int from = 0; from < hay.size(); from += 1000) {
			enqueue(hay.subList(from, Math.min(from + 1000, hay.size()))
				.stream()
				.map((job) -> with(job, bytes(1)))
				.toList());
		}
		JobFilter filter = JobFilter.of((only) -> only.text("NEEDLE"));
		PageRequest request = PageRequest.oldestFirst(10);
		JobPage page = page(filter, request);
		assertThat(ids(page)).containsExactly(first.id());
		assertThat(count(filter)).isEqualTo(JobCount.atLeast(1));
		JobPage rest = page(filter, request.after(page.next()));
		assertThat(ids(rest)).containsExactly(last.id());
		assertThat(rest.next()).isNull();
		assertThat(all(filter, PageRequest.newestFirst(1))).containsExactly(last.id(), first.id());
		change(new Change.Purge());
	}

	@Test
	void pagesPartTheWholeOfManyQueuesAndStates() {
		List<NewJob> waiting = new ArrayList<>();
		for (int i = 0; i < 1500; i++) {
			waiting.add(job("q" + i % 3, after(100 + (i * 7 % 1500) / 100)));
		}
		enqueue(waiting);
		enqueue(jobs("q0", 300));
		enqueue(jobs("q1", 300));
		dead(3);
		List<String> inOrder = waiting.stream()
			.sorted(Comparator.comparing(NewJob::dueAt).thenComparing(NewJob::id))
			.map(NewJob::id)
			.toList();
		for (boolean newestFirst : List.of(false, true)) {
			List<String> ids = new ArrayList<>(
					all(JobFilter.all(), newestFirst ? PageRequest.newestFirst(290) : PageRequest.oldestFirst(290)));
			assertThat(ids).hasSize(2103).doesNotHaveDuplicates();
			if (newestFirst) {
				Collections.reverse(ids);
			}
			assertThat(ids).containsSubsequence(inOrder);
		}
	}

	@Test
	void jobIsOnEveryPageWhileItMoves() {
		String id = enqueue("q");
		enqueue("q", after(60_000));
		AtomicBoolean atRest = new AtomicBoolean();
		List<Long> without = Race.run(3, (number) -> {
			if (number == 0) {
				move(200);
				atRest.set(true);
				return 0L;
			}
			long missed = 0;
			PageRequest request = (number == 1) ? PageRequest.newestFirst(10) : PageRequest.oldestFirst(10);
			while (!atRest.get()) {
				missed += page(JobFilter.all(), request).jobs().stream().noneMatch((job) -> job.id().equals(id)) ? 1
						: 0;
			}
			return missed;
		});
		assertThat(without).containsOnly(0L);
	}

	/**
	 * Have the job that is ready run and go back to its queue again and again.
	 */
	private void move(int times) {
		for (int i = 0; i < times; i++) {
			Claim claim = claimOne("w", "q");
			settle((i % 2 == 0) ? Transition.released(claim, this.now, claim.job().trail())
					: Transition.scheduled(claim, this.now, claim.job().trail()));
		}
	}

	@Test
	void deadAreGroupedByWhatTheyDiedOf() {
		for (String error : List.of("java.io.IOException: a\n at x", "java.io.IOException: b",
				"java.io.IOException: a")) {
			Claim claim = enqueueAndClaim("w", "q");
			settle(Transition.dead(claim, this.now,
					TrailBuilder.ended(failed(claim), Trail.End.of(DeadReason.EXHAUSTED, error, this.now))));
			pass(1);
		}
		Deaths deaths = this.store.inspector().deaths(JobFilter.all(), this.now);
		assertThat(deaths.causes()).extracting(Deaths.Cause::error, Deaths.Cause::count)
			.containsExactly(tuple("java.io.IOException: a", 2L), tuple("java.io.IOException: b", 1L));
		assertThat(deaths.causes().get(0).latest().id()).isEqualTo("job-000003");
		assertThat(deaths.searched()).isEqualTo(3);
		assertThat(deaths.complete()).isTrue();
		assertThat(this.store.inspector().deaths(JobFilter.of((only) -> only.name("other")), this.now).causes())
			.isEmpty();
	}

}
