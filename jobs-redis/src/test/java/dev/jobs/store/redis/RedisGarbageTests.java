package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.WorkerView;
import dev.jobs.test.ExpectsFaults;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} among the data of other programs in its keys.
 */
class RedisGarbageTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final String GARBAGE = "\u0000\u00ff{garbage: 12:x";

	private final String namespace = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(TestRedis.factory(), this.namespace);

	private final RedisCommands<String, String> server = TestRedis.commands();

	@BeforeEach
	void useEveryStructure() {
		beat("w");
		beat("gone");
		enqueue("a", NOW, null);
		enqueue("b", NOW, key());
		claim("gone", 1);
		enqueue("c", NOW, null);
		enqueue("d", NOW.plusSeconds(60), null);
		this.store.change(List.of(new Change.Limit("other", 5)), NOW);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("schedule", "definition", "q"), NOW, null)), NOW);
	}

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	private static NewJob.UniqueKey key() {
		return new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.KEEP);
	}

	private String key(String name) {
		return "{" + this.namespace + ":0}:" + name;
	}

	private void enqueue(String id, Instant dueAt, NewJob.UniqueKey key) {
		this.store.enqueue(List.of(NewJob.of(id, "q", new byte[] { 1 }, NOW).withDueAt(dueAt).withUniqueKey(key)), NOW);
	}

	private void beat(String worker) {
		this.store.beat(new WorkerBeat(worker, Duration.ofSeconds(15), null, List.of(), false, NOW));
	}

	private List<Claim> claim(String worker, int limit) {
		return claim(worker, limit, "q");
	}

	private List<Claim> claim(String worker, int limit, String... queues) {
		List<Quota> quotas = Stream.of(queues).map((queue) -> Quota.of(queue, limit)).toList();
		return this.store.claim(new ClaimRequest(worker, quotas, limit, NOW)).claims();
	}

	private static List<String> ids(List<Claim> claims) {
		return claims.stream().map((claim) -> claim.job().id()).toList();
	}

	@Test
	void plainPushOfAnotherProgramEnqueuesAJob() {
		this.server.rpush(key("q:foreign:ready"), "{\"to\":\"a@b.c\"}", "{\"to\":\"d@e.f\"}");
		List<Claim> claims = claim("w", 10, "foreign");
		assertThat(claims).extracting((claim) -> new String(claim.job().payload(), StandardCharsets.UTF_8))
			.containsExactly("{\"to\":\"a@b.c\"}", "{\"to\":\"d@e.f\"}");
		assertThat(ids(claims)).doesNotHaveDuplicates();
		assertThat(claims).extracting((claim) -> claim.job().name()).containsOnly("foreign");
		assertThat(this.store.settle(
				List.of(Transition.released(claims.get(0), NOW, Trail.EMPTY), Transition.removed(claims.get(1), NOW)),
				NOW))
			.containsOnly(Settled.APPLIED);
		assertThat(ids(claim("w", 10, "foreign"))).containsExactly(claims.get(0).job().id());
	}

	@Test
	void numbersPushedAreJobsToo() {
		this.server.rpush(key("q:foreign:ready"), "1001", "4200", "10012345", "null");
		this.server.rpush(key("q:other:ready"), "1001");
		List<Claim> claims = claim("w", 10, "foreign", "other");
		assertThat(claims).extracting((claim) -> new String(claim.job().payload(), StandardCharsets.UTF_8))
			.containsExactlyInAnyOrder("1001", "4200", "10012345", "null", "1001");
		assertThat(ids(claims)).doesNotHaveDuplicates();
	}

	@Test
	void sameElementPushedTwiceIsTwoJobsThatLeaveNothing() {
		this.server.rpush(key("q:foreign:ready"), "{}", "{}");
		long before = this.server.hlen(key("jobs"));
		List<Claim> claims = claim("w", 10, "foreign");
		assertThat(ids(claims)).hasSize(2).doesNotHaveDuplicates();
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.containsOnly(Settled.APPLIED);
		assertThat(this.server.hlen(key("jobs"))).isEqualTo(before);
		assertThat(this.server.exists(key("q:foreign:ready"), key("q:foreign:running"), key("held:w"))).isZero();
	}

	@Test
	void recordOfAnotherQueueCountsWhereItLies() {
		this.store.change(List.of(new Change.Limit("a", 1), new Change.Limit("b", 1)), NOW);
		for (String id : List.of("x", "y")) {
			this.store.enqueue(List.of(NewJob.of(id, "b", new byte[] { 1 }, NOW)), NOW);
			this.server.lrem(key("q:b:ready"), 0, id);
			this.server.rpush(key("q:a:ready"), id);
		}
		for (String id : List.of("x", "y")) {
			List<Claim> claims = claim("w", 10, "a", "b");
			assertThat(claims).extracting((claim) -> claim.job().id() + " of " + claim.job().name())
				.containsExactly(id + " of a");
			assertThat(running("a")).isEqualTo(1);
			assertThat(running("b")).isZero();
			assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), NOW)), NOW))
				.containsExactly(Settled.APPLIED);
			assertThat(running("a") + running("b")).isZero();
		}
	}

	private long running(String name) {
		return this.store.inspector()
			.queues(NOW)
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.mapToLong((queue) -> queue.running())
			.sum();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "q:q:scheduled", "q:q:retry", "q:q:running", "q:q:dead", "q:q:done", "q:q:waiting", "leases" })
	void jobBecomesDueAmongGarbageInASortedSet(String set) {
		for (double score : new double[] { Double.NEGATIVE_INFINITY, -1, 0.5, 5, 1e300, Double.POSITIVE_INFINITY }) {
			this.server.zadd(key(set), score, GARBAGE + score);
		}
		assertThat(ids(claim("w", 10))).doesNotContain("d");
		Instant later = NOW.plusSeconds(61);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, later));
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 10)), 10, later)).claims();
		assertThat(ids(claims)).containsExactly("d");
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), later)), later))
			.containsExactly(Settled.APPLIED);
	}

	@Test
	void dueJobsRunAndEveryListShowsTheRestAmongGarbageInEveryPlace() {
		for (String id : List.of("retried", "dead", "ready")) {
			enqueue(id, NOW, null);
		}
		Trail failed = TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, NOW, "error").withStackTrace("stack"));
		List<Claim> claims = claim("w", 5);
		assertThat(ids(claims)).containsExactly("b", "c", "retried", "dead", "ready");
		assertThat(this.store
			.settle(List.of(Transition.removed(claims.get(0), NOW), Transition.removed(claims.get(1), NOW),
					Transition.scheduled(claims.get(2), NOW.plusSeconds(30), failed),
					Transition.dead(claims.get(3), NOW,
							TrailBuilder.ended(failed, Trail.End.of(DeadReason.EXHAUSTED, "no more", NOW))),
					Transition.released(claims.get(4), NOW, Trail.EMPTY)), NOW))
			.containsOnly(Settled.APPLIED);
		this.server.rpush(key("q:q:ready"), "not json", GARBAGE, "");
		this.server.lpush(key("q:q:ready"), "not json", GARBAGE, "");
		for (String set : List.of("scheduled", "retry", "waiting", "dead", "running", "done")) {
			this.server.zadd(key("q:q:" + set), 0, "not json");
			this.server.zadd(key("q:q:" + set), NOW.plusSeconds(1).toEpochMilli(), GARBAGE);
			this.server.zadd(key("q:q:" + set), Double.POSITIVE_INFINITY, "");
		}
		for (String hash : List.of("jobs", "trail", "queues", "progress", "tokens", "workers", "schedules")) {
			this.server.hset(key(hash), "not json", GARBAGE);
		}
		assertThat(states(NOW)).containsEntry("ready", JobState.READY)
			.containsEntry("d", JobState.SCHEDULED)
			.containsEntry("retried", JobState.SCHEDULED)
			.containsEntry("a", JobState.RUNNING)
			.containsEntry("dead", JobState.DEAD);
		Instant later = NOW.plusSeconds(61);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, later));
		List<Claim> due = this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 50)), 50, later)).claims();
		assertThat(ids(due)).contains("ready", "retried", "d");
		assertThat(this.store.settle(due.stream().map((claim) -> Transition.removed(claim, later)).toList(), later))
			.containsOnly(Settled.APPLIED);
		assertThat(states(later)).containsEntry("dead", JobState.DEAD).doesNotContainKeys("ready", "retried", "d");
	}

	/**
	 * Ask for every list.
	 * @return the state of each job of which there is a list
	 */
	private Map<String, JobState> states(Instant now) {
		JobInspector inspector = this.store.inspector();
		Map<String, JobState> states = new HashMap<>();
		for (JobState state : JobState.values()) {
			for (boolean newestFirst : new boolean[] { true, false }) {
				inspector
					.page(JobFilter.of((only) -> only.states(state).name("q")),
							newestFirst ? PageRequest.newestFirst(100) : PageRequest.oldestFirst(100), now)
					.jobs()
					.forEach((job) -> states.put(job.id(), job.state()));
			}
		}
		assertThat(ids(JobFilter.all(), now)).containsAll(states.keySet());
		assertThat(states.keySet()).allSatisfy((id) -> assertThat(inspector.job(id, now)).isPresent());
		assertThat(ids(JobFilter.of((only) -> only.text("no more")), now)).containsExactly("dead");
		assertThat(ids(JobFilter.of((only) -> only.since(NOW.minusSeconds(1)).before(now.plusSeconds(100))), now))
			.contains("dead");
		assertThat(inspector.deaths(JobFilter.of((only) -> only.states(JobState.DEAD)), now).causes())
			.extracting(Deaths.Cause::error)
			.contains("no more");
		assertThat(inspector.queues(now)).filteredOn((queue) -> queue.name().equals("q"))
			.singleElement()
			.satisfies((queue) -> assertThat(queue.dead()).isPositive());
		assertThat(inspector.workers(now)).extracting(WorkerView::id).contains("w");
		assertThat(inspector.schedules()).extracting(ScheduleView::name).contains("schedule");
		assertThat(ids(JobFilter.of((only) -> only.tag("red")), now)).isEmpty();
		assertThat(inspector.store()).isNotNull();
		return states;
	}

	private List<String> ids(JobFilter filter, Instant now) {
		return this.store.inspector()
			.page(filter, PageRequest.newestFirst(100), now)
			.jobs()
			.stream()
			.map(Job::id)
			.toList();
	}

	@Test
	void idOfARunningJobPushedAgainDoesNotRunTwice() {
		List<Claim> running = claim("w", 1);
		this.server.lpush(key("q:q:ready"), running.get(0).job().id(), running.get(0).job().id());
		assertThat(ids(claim("w", 10))).containsExactly("c");
		assertThat(this.store.settle(List.of(Transition.removed(running.get(0), NOW)), NOW))
			.containsExactly(Settled.APPLIED);
	}

	@Test
	void idOfAReadyJobPushedAgainRunsOnce() {
		this.server.rpush(key("q:q:ready"), "c", "c");
		assertThat(ids(claim("w", 10))).containsExactly("b", "c");
	}

	@Test
	void unreadableJobsAreFoundByTextAndTime() {
		String stack = "a0:1:19:1,0,0,0,00:0:1:11:10:0:1:15:error1:1500:";
		Map<String, String> records = Map.of("r1", "Garbage", "r2", "a1:51:69:", "r3", "a1:51:61:q0:1:0Garbage", "r4",
				"a1:51:61:q0:1:0");
		records.forEach((id, record) -> {
			enqueue(id, NOW, null);
			this.server.hset(key("jobs"), id, record);
		});
		enqueue("t", NOW, null);
		this.server.hset(key("trail"), "t", stack + "x".repeat(499));
		enqueue("u", NOW, null);
		this.server.hset(key("trail"), "u", stack + "x".repeat(500) + "1:0");
		assertThat(listed(JobFilter.of((only) -> only.text("garbage")))).containsExactlyInAnyOrder("r1", "r3");
		assertThat(listed(JobFilter.of((only) -> only.text("error")))).containsExactly("u");
		assertThat(listed(JobFilter.of((only) -> only.retrying(true)))).containsExactly("u");
		assertThat(listed(JobFilter.of((only) -> only.before(Instant.EPOCH.plusMillis(6)))))
			.containsExactlyInAnyOrder("r1", "r2");
		assertThat(listed(JobFilter.of((only) -> only.since(Instant.EPOCH.plusMillis(6)).before(NOW))))
			.containsExactlyInAnyOrder("r3", "r4");
	}

	private List<String> listed(JobFilter filter) {
		return this.store.inspector()
			.page(filter, PageRequest.oldestFirst(100), NOW)
			.jobs()
			.stream()
			.map(Job::id)
			.toList();
	}

	@Test
	void whatAnotherVersionHasWrittenIsNeverMisread() {
		enqueue("l", NOW, null);
		this.server.hset(key("trail"), "l", "b0:1:29:2,0,0,0,00:0:");
		this.server.hset(key("jobs"), "b", "b1:51:61:q0:1:0payload");
		this.server.hset(key("ends"), "e", "b13:20000000000001:01:00:");
		assertThat(this.store.inspector().ends(List.of("e"), NOW)).isEmpty();
		assertThat(this.store.inspector().job("l", NOW).get().trail()).isEqualTo(Trail.EMPTY);
		List<Claim> claims = claim("w", 10);
		assertThat(ids(claims)).containsExactlyInAnyOrder("b", "c", "l");
		assertThat(claims).filteredOn((claim) -> claim.job().id().equals("b"))
			.extracting((claim) -> new String(claim.job().payload(), StandardCharsets.UTF_8))
			.containsExactly("b1:51:61:q0:1:0payload");
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.containsOnly(Settled.APPLIED);
	}

	@Test
	void settingsOwnersAndStatisticsOfAnotherVersionCountAsMissing() {
		this.server.hset(key("queues"), "q", "b1;1");
		this.server.hset(key("q:q:unique"), "digest", "b;b");
		long start = NOW.toEpochMilli();
		this.server.zadd(key("tallies:1"), start, Long.toString(start));
		this.server.hset(key("tally:1:" + start), "q", "b0=5");
		assertThat(this.store.inspector().queues(NOW)).filteredOn((queue) -> queue.name().equals("q"))
			.singleElement()
			.matches((queue) -> !queue.paused() && queue.limit() == -1);
		assertThat(this.store.enqueue(List.of(NewJob.of("e", "q", new byte[] { 1 }, NOW).withUniqueKey(key())), NOW)
			.get(0)
			.isNew()).isTrue();
		assertThat(this.store.inspector()
			.statistics(Set.of(), new Period(NOW, NOW.plusSeconds(60), Duration.ofMinutes(1)))).isEmpty();
	}

	@Test
	void unreadableRecordIsAPayload() {
		this.server.hset(key("jobs"), "b", GARBAGE);
		this.server.hset(key("trail"), "c", GARBAGE);
		List<Claim> claims = claim("w", 10);
		assertThat(ids(claims)).containsExactly("b", "c");
		assertThat(claims.get(0).job().payload()).isEqualTo(GARBAGE.getBytes(StandardCharsets.UTF_8));
		assertThat(this.store.settle(
				List.of(Transition.dead(claims.get(0), NOW, Trail.EMPTY), Transition.removed(claims.get(1), NOW)), NOW))
			.containsOnly(Settled.APPLIED);
		assertThat(this.store.inspector().job("b", NOW)).isPresent();
		assertThat(this.store.change(List.of(new Change.Delete("b")), NOW)).hasSize(1);
	}

	static Stream<String> hashes() {
		return Stream.of("jobs", "trail", "previews", "queues", "waits", "progress", "cancellations", "tokens",
				"workers", "schedules", "unique", "q:q:unique", "ends");
	}

	@ParameterizedTest
	@MethodSource("hashes")
	void garbageInEveryFieldOfAHashStopsNothing(String hash) {
		List<String> names = new ArrayList<>(this.server.hkeys(key(hash)));
		names.add(GARBAGE);
		names.forEach((name) -> this.server.hset(key(hash), name, GARBAGE));
		goOn();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "q:q:scheduled", "q:q:retry", "q:q:running", "q:q:dead", "q:q:done", "leases", "ends-until" })
	void garbageInASortedSetStopsNothing(String set) {
		for (double score : new double[] { Double.NEGATIVE_INFINITY, -1, 0.5, 5, 1e15 + 7, 1e300,
				Double.POSITIVE_INFINITY }) {
			this.server.zadd(key(set), score, GARBAGE + score);
		}
		goOn();
	}

	@ParameterizedTest
	@ValueSource(strings = { "q:q:skip", "q:q:abandoned", "held:w", "held:gone" })
	void garbageInASetStopsNothing(String set) {
		this.server.sadd(key(set), GARBAGE, "", "1:2:3", "99999999999999999999999:q");
		goOn();
	}

	@Test
	void garbageInAListStopsNothing() {
		this.server.lpush(key("q:q:ready"), GARBAGE, "", "unknown");
		goOn();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ready", "skip", "scheduled", "retry", "running", "dead", "done", "unique", "abandoned" })
	@ExpectsFaults("holds a string where a")
	void keyOfTheWrongTypeStopsItsQueueOnly(String part) {
		this.store.enqueue(List.of(NewJob.of("x", "broken", new byte[0], NOW)), NOW);
		Claim broken = claim("w", 1, "broken").get(0);
		List<Claim> sound = claim("w", 1);
		this.server.del(key("q:broken:" + part));
		this.server.set(key("q:broken:" + part), "text");
		assertThat(ids(claim("w", 10, "broken", "q"))).contains("c").doesNotContain("x");
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null,
				List.of(new WorkerBeat.Note("x", "broken", broken.token(), Job.Progress.of("x", 1, 2, NOW))), false,
				NOW));
		assertThat(
				this.store.settle(List.of(Transition.removed(broken, NOW), Transition.removed(sound.get(0), NOW)), NOW))
			.containsExactly(Settled.UNDECIDED, Settled.APPLIED);
		this.store.prune(new PruneRequest(NOW, 1, NOW, 1, NOW, NOW, 100, NOW));
		assertThat(this.store.inspector().queues(NOW)).extracting((queue) -> queue.name()).contains("q");
		assertThat(this.store.inspector().workers(NOW)).isNotEmpty();
		Instant later = NOW.plusSeconds(20);
		this.store.beat(new WorkerBeat("v", Duration.ofSeconds(15), null, List.of(), false, later));
		assertThat(ids(this.store.takeOver(new TakeOver("v", Set.of("broken", "q"), Map.of(), 10, later)).claims()))
			.contains("c")
			.doesNotContain("x");
		this.server.del(key("q:broken:" + part));
		assertThat(this.store.settle(List.of(Transition.removed(broken, later)), later))
			.containsExactly(part.equals("running") ? Settled.GONE : Settled.APPLIED);
	}

	@Test
	void enqueueIntoAKeyOfTheWrongTypeNamesItAndStoresNothing() {
		this.server.set(key("q:broken:ready"), "text");
		NewJob job = NewJob.of("new", "broken", new byte[0], NOW);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.enqueue(List.of(job), NOW))
			.withMessageContaining(key("q:broken:ready"))
			.withMessageContaining("list")
			.matches((ex) -> !ex.isTemporary());
		assertThat(this.server.hexists(key("jobs"), "new")).isFalse();
	}

	/**
	 * Whatever there is: new jobs are taken and run, and every verb and view answers.
	 */
	private void goOn() {
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
		enqueue("new", NOW, null);
		this.store.enqueue(List.of(NewJob.of("keyed", "q", new byte[] { 1 }, NOW)
			.withUniqueKey(new NewJob.UniqueKey("other", Unique.Mode.UNTIL_STARTED, Unique.Scope.NAMESPACE, null,
					Unique.OnDuplicate.KEEP))
			.withMaxWaiting(100)), NOW);
		List<Claim> claims = claim("w", 50);
		assertThat(ids(claims)).contains("new", "keyed");
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.containsOnly(Settled.APPLIED);
		this.store.inspector().queues(NOW);
		this.store.inspector().workers(NOW);
		this.store.inspector().schedules();
		this.store.inspector().job("d", NOW);
		assertThat(this.store.inspector().ends(List.of("d", GARBAGE), NOW)).containsKey("d");
		List<Job> jobs = this.store.inspector().page(JobFilter.all(), PageRequest.oldestFirst(100), NOW).jobs();
		this.store.change(List.of(new Change.Pause("q"), new Change.Resume("q"), new Change.Limit("q", 0)), NOW);
		this.store.change(jobs.stream().map((job) -> new Change.Cancel(job.id())).map(Change.class::cast).toList(),
				NOW);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("schedule", "definition", "q"), NOW.plusSeconds(1), null)),
				NOW);
		this.store.prune(new PruneRequest(NOW, 1, NOW, 1, NOW.minusSeconds(1), NOW.minusSeconds(1), 100, NOW));
		beat("w");
		Instant later = NOW.plusSeconds(20);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, later));
		this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 10, later));
	}

}
