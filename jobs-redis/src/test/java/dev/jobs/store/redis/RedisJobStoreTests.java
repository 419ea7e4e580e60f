package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.Rate;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.process.UniqueRetries;
import dev.jobs.store.view.Tally;
import dev.jobs.test.ExpectsFaults;
import io.lettuce.core.KillArgs;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} beyond the contract.
 */
class RedisJobStoreTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final String DOCUMENTED = "(partitions|jobs|trail|previews|queues|waits|progress|cancellations|tokens|leases|workers|token"
			+ "|unique|remembered|schedules|tally:[0-9]+:[0-9]+|tallies:[0-9]+|reported|notes|ends|ends-until|held:[^:]+|q:[^:]+:(ready|skip|scheduled|retry|running|dead|done|unique|abandoned))";

	private final String namespace = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(TestRedis.factory(), this.namespace);

	private final AtomicInteger lastId = new AtomicInteger();

	@Test
	void timeIsThatOfTheServerWhateverTheCallSays() {
		Instant before = Instant.now().minusSeconds(60);
		Instant beat = this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW))
			.serverTime();
		assertThat(beat).isBetween(before, before.plusSeconds(120));
		assertThat(this.store.time().orElseThrow()).isBetween(beat, beat.plusSeconds(60));
	}

	@Test
	void retriesOfUniqueJobsAreNoReasonForAWarning() {
		JobStore store = TestRedis.createStore();
		try {
			new UniqueRetries(store).expectNoWarningsButThoseOfTheFailures();
		}
		finally {
			TestRedis.destroyStore(store);
		}
	}

	@Test
	void oneClaimPassesThousandsOfJobsThatLeftTheLine() {
		List<NewJob> gone = IntStream.range(0, 3500).mapToObj((i) -> job("q", NOW, null, 0)).toList();
		this.store.enqueue(gone, NOW);
		String behind = enqueue("q");
		this.store.change(
				gone.stream().<Change>map((job) -> new Change.Reschedule(job.id(), NOW.plusSeconds(60))).toList(), NOW);
		this.store.change(List.of(new Change.Reschedule(gone.get(0).id(), NOW)), NOW);
		beat(this.store, "w", false);
		assertThat(claim("w", 1, "q")).extracting((claim) -> claim.job().id()).containsExactly(behind);
		assertThat(claim("w", 5, "q")).extracting((claim) -> claim.job().id()).containsExactly(gone.get(0).id());
		assertThat(keys()).doesNotContain("q:q:skip");
	}

	@Test
	void oneClaimPassesNoMoreThanThousandsThoughALaneWaits() {
		List<NewJob> inLane = IntStream.range(0, 2)
			.mapToObj((i) -> job("q", NOW, null, 0).withHeaders(Map.of(Job.LANE_HEADER, "lane")))
			.toList();
		this.store.enqueue(inLane, NOW);
		beat(this.store, "w", false);
		Quota quota = Quota.of("q", 1).withLanes(1, "");
		assertThat(this.store.claim(new ClaimRequest("w", List.of(quota), 1, NOW)).claims()).hasSize(1);
		List<NewJob> gone = IntStream.range(0, 30_000).mapToObj((i) -> job("q", NOW, null, 0)).toList();
		this.store.enqueue(gone, NOW);
		enqueue("q");
		this.store.change(
				gone.stream().<Change>map((job) -> new Change.Reschedule(job.id(), NOW.plusSeconds(60))).toList(), NOW);
		this.store.claim(new ClaimRequest("w", List.of(quota), 1, NOW));
		assertThat(TestRedis.commands().scard("{" + this.namespace + ":0}:q:q:skip")).isBetween(10_000L, 29_000L);
	}

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	private NewJob job(String queue, Instant dueAt, NewJob.@Nullable UniqueKey key, int maxWaiting) {
		return NewJob.of("job-" + this.lastId.incrementAndGet(), queue, new byte[] { 1, 2 }, NOW)
			.withHeaders(Map.of("a", "b"))
			.withDueAt(dueAt)
			.withUniqueKey(key)
			.withMaxWaiting(maxWaiting);
	}

	private String enqueue(String queue) {
		NewJob job = job(queue, NOW, null, 0);
		this.store.enqueue(List.of(job), NOW);
		return job.id();
	}

	private String enqueueLarge(String queue) {
		NewJob job = NewJob.of("large-" + this.lastId.incrementAndGet(), queue, "x".repeat(100_000).getBytes(), NOW)
			.withHeaders(Map.of("a", "b"));
		this.store.enqueue(List.of(job), NOW);
		return job.id();
	}

	private void beat(JobStore store, String worker, boolean leaving) {
		store.beat(new WorkerBeat(worker, Duration.ofSeconds(15), null, List.of(), leaving, NOW));
	}

	private List<Claim> claim(String worker, int count, String... queues) {
		List<Quota> quotas = List.of(queues).stream().map((queue) -> Quota.of(queue, count)).toList();
		return this.store.claim(new ClaimRequest(worker, quotas, count, NOW)).claims();
	}

	private List<String> keys() {
		String prefix = "{" + this.namespace + ":0}:";
		return TestRedis.commands().keys("*" + this.namespace + "*").stream().map((key) -> {
			assertThat(key).startsWith(prefix);
			return key.substring(prefix.length());
		}).sorted().toList();
	}

	private static NewJob.UniqueKey key(String digest, Unique.Mode mode, Unique.Scope scope) {
		return new NewJob.UniqueKey(digest, mode, scope, NOW.plusSeconds(5), Unique.OnDuplicate.REPLACE_AND_RESCHEDULE);
	}

	private static End end(int bytes) {
		return new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[bytes], NOW.plusSeconds(1));
	}

	private void useEverything() {
		for (Unique.Mode mode : Unique.Mode.values()) {
			for (Unique.Scope scope : Unique.Scope.values()) {
				NewJob.UniqueKey key = key(mode.name(), mode, scope);
				this.store.enqueue(List.of(job("q", NOW, key, 0), job("q", NOW.plusMillis(5), key, 0)), NOW);
			}
		}
		IntStream.range(0, 20).forEach((i) -> enqueue("q"));
		enqueueLarge("q");
		this.store.enqueue(List.of(job("q", NOW, null, 1)), NOW);
		this.store.change(List.of(new Change.Delete(enqueue("q")), new Change.Limit("r", 1), new Change.Pause("s")),
				NOW);
		enqueue("r");
		enqueue("r");
		this.store.enqueueOnce(List.of(job("r", NOW, null, 0)), Duration.ofHours(1), NOW);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("s", "def", "q"), NOW, job("q", NOW, null, 0))), NOW);
		beat(this.store, "w", false);
		List<Claim> claims = claim("w", 12, "q", "r");
		Trail failed = TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, NOW, "error"));
		this.store.settle(
				List.of(Transition.removed(claims.get(0), NOW),
						Transition.kept(claims.get(1), NOW, claims.get(1).job().trail()).keeping(end(1)),
						Transition.cancelled(claims.get(2), NOW, claims.get(2).job().trail()),
						Transition.scheduled(claims.get(3), NOW.plusMillis(1), failed),
						Transition.released(claims.get(4), NOW, failed), Transition.dead(claims.get(5), NOW, failed)),
				NOW);
		Claim held = claims.get(6);
		this.store.change(List.of(new Change.Cancel(held.job().id())), NOW);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null,
				List.of(new WorkerBeat.Note(held.job().id(), held.job().name(), held.token(),
						Progress.of("x", 1, 2, NOW))),
				new WorkerBeat.Report(1, List.of(Tally.of("q", NOW, new long[Tally.CELLS]))), false, NOW));
		beat(this.store, "gone", false);
		claim("gone", 2, "q");
		beat(this.store, "gone", true);
	}

	@Test
	void outcomeOfPlainJobsIsPassedOnWithoutWaitingForTheCaller() {
		enqueue("q");
		List<NewJob> jobs = List.of(job("q", NOW, null, 0), job("q", NOW, null, 0));
		List<List<Enqueued>> early = new CopyOnWriteArrayList<>();
		List<Enqueued> answer = this.store.enqueue(jobs, NOW, early::add);
		Awaitility.await().until(() -> !early.isEmpty());
		assertThat(early).containsExactly(answer);
	}

	@Test
	void onlyDocumentedKeysAreWritten() {
		useEverything();
		assertThat(keys()).hasSizeGreaterThan(20).allMatch((key) -> key.matches(DOCUMENTED));
	}

	/** Packed ones are searched from their start. */
	@Test
	void runningJobsOfABusyQueueAreNotKeptPacked() {
		String running = "{" + this.namespace + ":0}:q:q:running";
		beat(this.store, "w", false);
		IntStream.range(0, 21).forEach((i) -> enqueue("q"));
		Claim first = claim("w", 1, "q").get(0);
		List<Claim> claims = claim("w", 20, "q");
		assertThat(TestRedis.commands().objectEncoding(running)).isEqualTo("skiplist");
		assertThat(TestRedis.commands().zrange(running, 0, -1)).containsExactlyInAnyOrderElementsOf(
				Stream.concat(Stream.of(first), claims.stream()).map((claim) -> claim.job().id()).toList());
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW);
		assertThat(TestRedis.commands().zrange(running, 0, -1)).containsExactly(first.job().id());
	}

	@Test
	void purgeLeavesTheCounterOfTokensLiveWorkersAndWhatIsRemembered() {
		useEverything();
		this.store.change(List.of(new Change.Purge()), NOW);
		assertThat(keys()).containsExactly("leases", "partitions", "remembered", "reported", "token", "workers");
	}

	@Test
	void whatIsRememberedIsForgottenInTime() {
		String remembered = "{" + this.namespace + ":0}:remembered";
		Duration hour = Duration.ofHours(1);
		List<NewJob> many = IntStream.range(0, 600).mapToObj((i) -> job("q", NOW, null, 0)).toList();
		this.store.enqueueOnce(many, hour, NOW);
		assertThat(TestRedis.commands().zcard(remembered)).isEqualTo(600);
		assertThat(TestRedis.commands().pttl(remembered)).isBetween(1L, hour.toMillis());
		this.store.enqueueOnce(List.of(job("q", NOW, null, 0)), hour, NOW.plus(hour));
		assertThat(TestRedis.commands().zcard(remembered)).isEqualTo(1);
	}

	@Test
	@ExpectsFaults("holds a string where a zset must be")
	void keyOfAnotherTypeStopsOnlyWhatIsToBeRemembered() {
		TestRedis.commands().set("{" + this.namespace + ":0}:remembered", "mine");
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.store.enqueueOnce(List.of(job("q", NOW, null, 0)), Duration.ofHours(1), NOW))
			.withMessageContaining("holds a string");
		assertThat(this.store.inspector().queues(NOW)).isEmpty();
		enqueue("q");
		assertThat(this.store.inspector().queues(NOW).get(0).ready()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(Unique.Scope.class)
	void serverLetsNoUniqueKeyExpire(Unique.Scope scope) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, scope,
				NOW.plus(Duration.ofDays(5)), Unique.OnDuplicate.KEEP);
		this.store.enqueue(List.of(job("q", NOW.plus(Duration.ofDays(3)), key, 0)), NOW);
		String owners = "{" + this.namespace + ":0}:" + ((scope == Unique.Scope.HANDLER) ? "q:q:unique" : "unique");
		assertThat(TestRedis.commands().hlen(owners)).isEqualTo(1);
		assertThat(keys()).allMatch((name) -> TestRedis.commands().ttl("{" + this.namespace + ":0}:" + name) == -1);
	}

	@Test
	void serverLetsNoRateHoldOrPlaceOfALaneExpire() {
		this.store.enqueue(IntStream.range(0, 3)
			.mapToObj((i) -> job("q", NOW, null, 0).withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i)))
			.toList(), NOW);
		beat(this.store, "w", false);
		Rate rate = Rate.of(3, Duration.ofSeconds(1));
		Quota quota = Quota.of("q", 3).withLanes(1, "").withRates(new Rates(rate, rate, Duration.ZERO));
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(quota), 3, NOW)).claims();
		this.store.settle(List.of(Transition.heldBack(claims.get(0), NOW.plusSeconds(1), Trail.EMPTY),
				Transition.scheduled(claims.get(1), NOW.plusSeconds(1), Trail.EMPTY).keepingLane()), NOW);
		assertThat(keys()).contains("q:q:gates", "q:q:kept", "q:q:occupied")
			.allMatch((name) -> TestRedis.commands().ttl("{" + this.namespace + ":0}:" + name) == -1);
	}

	@Test
	void purgeChangesNoKeyOfAnotherNamespace() {
		try (UsedNamespace other = new UsedNamespace(); UsedNamespace purged = new UsedNamespace()) {
			List<byte[]> before = dump(other);
			purged.store().change(List.of(new Change.Purge()), purged.now());
			assertThat(dump(other)).usingElementComparator(java.util.Arrays::compare).isEqualTo(before);
			assertThat(purged.keys()).containsExactly("leases", "partitions", "remembered", "reported", "settings",
					"token", "workers");
			purged.work();
			other.work();
		}
	}

	private static List<byte[]> dump(UsedNamespace namespace) {
		return namespace.keys().stream().map((key) -> namespace.server().dump(namespace.key(key))).toList();
	}

	@Test
	void purgeLeavesOtherNamespacesAlone() {
		try (RedisJobStore other = new RedisJobStore(TestRedis.factory(), this.namespace + "-other")) {
			other.enqueue(List.of(job("q", NOW, null, 0)), NOW);
			this.store.change(List.of(new Change.Purge()), NOW);
			assertThat(other.inspector().queues(NOW)).hasSize(1);
		}
	}

	@Test
	void restartsAndFinishedJobsLeaveNothing() {
		for (int i = 0; i < 20; i++) {
			String worker = "w" + i;
			this.store.enqueue(List.of(job("q", NOW, key("k", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER), 0)), NOW);
			enqueue("q");
			enqueueLarge("q");
			beat(this.store, worker, false);
			List<Claim> claims = claim(worker, 5, "q");
			this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW);
			enqueue("q");
			claim(worker, 1, "q");
			beat(this.store, worker, true);
			beat(this.store, "next", false);
			List<Claim> taken = this.store.takeOver(new TakeOver("next", Set.of("q"), Map.of(), 5, NOW)).claims();
			this.store.settle(taken.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW);
			beat(this.store, "next", true);
			assertThat(keys()).containsExactly("partitions", "queues", "token");
		}
	}

	@Test
	void largeValuesOfManyJobsAreReadAtOnce() {
		IntStream.range(0, 20).forEach((i) -> enqueue("q"));
		beat(this.store, "w", false);
		List<Claim> claims = claim("w", 20, "q");
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW).keeping(end(500_000))).toList(),
				NOW);
		List<String> ids = claims.stream().map((claim) -> claim.job().id()).toList();
		assertThat(this.store.inspector().ends(ids, NOW)).containsOnlyKeys(ids)
			.allSatisfy((id, end) -> assertThat(end.value()).hasSize(500_000));
	}

	@Test
	void endsLeaveNothingWhenTheirTimeIsOver() {
		enqueue("q");
		beat(this.store, "w", false);
		this.store.settle(List.of(Transition.removed(claim("w", 1, "q").get(0), NOW).keeping(end(1))), NOW);
		assertThat(keys()).contains("ends", "ends-until");
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 10, NOW.plusSeconds(1)));
		assertThat(keys()).doesNotContain("ends", "ends-until");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order 7", "3:a,b", "line\nline", "\u00fc\u4e2d" })
	void oneSignalTellsOfAllEndsWhateverTheirJobsAreCalled(String id) {
		this.store.enqueue(Stream.of(id, "other").map((each) -> NewJob.of(each, "q", new byte[1], NOW)).toList(), NOW);
		beat(this.store, "w", false);
		List<Claim> claims = claim("w", 2, "q");
		List<Set<String>> told = new CopyOnWriteArrayList<>();
		AtomicInteger signals = new AtomicInteger();
		try (JobStore.Subscription subscription = this.store.listen(new StoreListener() {

			@Override
			public void restricted(String queue) {
				signals.incrementAndGet();
			}

			@Override
			public void ended(Set<String> jobs) {
				told.add(jobs);
			}

		})) {
			assertThat(subscription).isNotNull();
			awaitSignal(signals);
			this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW).keeping(end(1))).toList(),
					NOW);
			Awaitility.await().until(() -> !told.isEmpty());
			signals.set(0);
			awaitSignal(signals);
			assertThat(told).containsExactly(Set.of(id, "other"));
		}
	}

	@Test
	void listsReadPreviewsInPlaceOfLargeRecords() {
		String small = enqueue("q");
		assertThat(keys()).doesNotContain("previews");
		String large = enqueueLarge("q");
		String jobs = "{" + this.namespace + ":0}:jobs";
		long size = TestRedis.commands().hstrlen(jobs, large);
		TestRedis.commands().hset(jobs, large, "unreadable".repeat(100_000).substring(0, (int) size));
		for (JobFilter filter : List.of(JobFilter.all(),
				JobFilter.of((only) -> only.states(JobState.READY).name("q")))) {
			List<Job> listed = this.store.inspector().page(filter, PageRequest.oldestFirst(9), NOW).jobs();
			assertThat(listed).extracting(Job::id).containsExactly(small, large);
			assertThat(listed.get(1).payloadSize()).isEqualTo(100_000);
			assertThat(new String(listed.get(1).payloadPreview())).matches("x{512}");
			assertThat(listed.get(1).headers()).containsOnly(Map.entry("a", "b"));
		}
		assertThat(this.store.inspector().job(large, NOW).orElseThrow().payloadSize()).isEqualTo((int) size);
	}

	@Test
	void previewGoesWithItsJob() {
		beat(this.store, "w", false);
		enqueueLarge("q");
		claim("w", 1, "q").forEach((claim) -> {
			this.store.settle(List.of(Transition.dead(claim, NOW, claim.job().trail())), NOW);
			assertThat(keys()).contains("previews");
			this.store.prune(new PruneRequest(NOW.plusMillis(1), 0, null, 0, null, null, 10, NOW));
			assertThat(keys()).doesNotContain("jobs", "previews");
		});
		String deleted = enqueueLarge("q");
		assertThat(keys()).contains("previews");
		assertThat(this.store.change(List.of(new Change.Delete(deleted)), NOW)).containsExactly(Changed.DONE);
		assertThat(keys()).doesNotContain("jobs", "previews");
	}

	@Test
	void scriptsAreLoadedAgainIfTheServerForgotThem() {
		enqueue("q");
		TestRedis.commands().scriptFlush();
		enqueue("q");
		assertThat(this.store.inspector().queues(NOW).get(0).ready()).isEqualTo(2);
	}

	@Test
	void continuesAfterItsConnectionsWereKilled() {
		AtomicInteger signals = new AtomicInteger();
		beat(this.store, "w", false);
		try (JobStore.Subscription subscription = this.store.listen(new StoreListener() {

			@Override
			public void restricted(String queue) {
				signals.incrementAndGet();
			}

		})) {
			assertThat(subscription).isNotNull();
			awaitSignal(signals);
			TestRedis.commands().clientKill(KillArgs.Builder.typeNormal().skipme());
			TestRedis.commands().clientKill(KillArgs.Builder.typePubsub());
			String id = enqueue("q");
			beat(this.store, "w", false);
			assertThat(claim("w", 5, "q")).extracting((claim) -> claim.job().id()).containsExactly(id);
			signals.set(0);
			awaitSignal(signals);
		}
	}

	private void awaitSignal(AtomicInteger signals) {
		Awaitility.await().until(() -> {
			this.store.change(List.of(new Change.Pause("paused")), NOW);
			return signals.get() > 0;
		});
	}

	@Test
	void manyJobsGoThroughInOneCall() {
		int many = 20_000;
		List<NewJob> jobs = IntStream.range(0, many).mapToObj((i) -> job("q", NOW, null, 0)).toList();
		this.store.enqueue(jobs, NOW);
		beat(this.store, "w", false);
		List<Claim> claims = claim("w", many, "q");
		assertThat(claims).extracting((claim) -> claim.job().id()).isEqualTo(jobs.stream().map(NewJob::id).toList());
		assertThat(this.store
			.settle(claims.stream().map((claim) -> Transition.released(claim, NOW, Trail.EMPTY)).toList(), NOW))
			.containsOnly(Settled.APPLIED);
		List<Claim> again = claim("w", many, "q");
		assertThat(again).extracting((claim) -> claim.job().id()).isEqualTo(jobs.stream().map(NewJob::id).toList());
		assertThat(this.store.settle(again.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.hasSize(many)
			.containsOnly(Settled.APPLIED);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 10_000 })
	void manyJobsOfLanesGoThroughInOneCall(int lanes) {
		int many = 20_000;
		this.store.enqueue(IntStream.range(0, many)
			.mapToObj((i) -> job("q", NOW, null, 0).withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i % lanes)))
			.toList(), NOW);
		beat(this.store, "w", false);
		Quota quota = Quota.of("q", many).withLanes(many, "");
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(quota), many, NOW)).claims();
		assertThat(claims).hasSize(many);
		assertThat(this.store.settle(claims.stream()
			.map((claim) -> Transition.scheduled(claim, NOW.plusMillis(1), Trail.EMPTY).keepingLane())
			.toList(), NOW)).containsOnly(Settled.APPLIED);
		Instant later = NOW.plusMillis(2);
		claims = new ArrayList<>();
		for (int before = -1; claims.size() > before;) {
			before = claims.size();
			claims.addAll(this.store.claim(new ClaimRequest("w", List.of(quota), many, later)).claims());
		}
		assertThat(claims).hasSize(many);
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, later)).toList(), later))
			.containsOnly(Settled.APPLIED);
	}

}
