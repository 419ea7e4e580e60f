package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.view.QueueView;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the repairs of {@link RedisJobStore}.
 */
class RedisRepairTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final String namespace = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(TestRedis.factory(), this.namespace);

	private final RedisCommands<String, String> server = TestRedis.commands();

	private int sweeps;

	@AfterEach
	void closeStore() {
		this.store.close();
	}

	private String key(String name) {
		return "{" + this.namespace + ":0}:" + name;
	}

	private void enqueue(String id, NewJob.UniqueKey key) {
		this.store.enqueue(List.of(NewJob.of(id, "q", new byte[] { 1 }, NOW).withUniqueKey(key)), NOW);
	}

	private static NewJob.UniqueKey key(Unique.Scope scope) {
		return new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, scope, null, Unique.OnDuplicate.KEEP);
	}

	private List<Claim> claim(String worker, int limit) {
		beat(worker);
		return this.store.claim(new ClaimRequest(worker, List.of(Quota.of("q", limit)), limit, NOW)).claims();
	}

	private void beat(String worker) {
		this.store.beat(new WorkerBeat(worker, Duration.ofSeconds(15), null, List.of(), false, NOW));
	}

	private void sweep() {
		Instant now = NOW.plusSeconds(11 * this.sweeps++);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, now));
	}

	private QueueView queue() {
		return this.store.inspector().queues(NOW).get(0);
	}

	@Test
	void nothingIsRepairedWhereAllFits() {
		enqueue("a", null);
		enqueue("b", key(Unique.Scope.HANDLER));
		enqueue("c", key(Unique.Scope.NAMESPACE));
		claim("w", 2);
		sweep();
		sweep();
		assertThat(this.store.repairs()).isEmpty();
		assertThat(queue().running()).isEqualTo(2);
	}

	private List<Claim> claimOfLanes() {
		beat("w");
		return this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 5).withLanes(1, "")), 5, NOW)).claims();
	}

	@ParameterizedTest
	@ValueSource(strings = { "laned", "lines", "lanes", "occupied" })
	void laneHealsWhateverOfItIsLost(String part) {
		for (String id : List.of("a", "b", "c")) {
			this.store.enqueue(
					List.of(NewJob.of(id, "q", new byte[] { 1 }, NOW).withHeaders(Map.of(Job.LANE_HEADER, "x"))), NOW);
		}
		Claim claim = claimOfLanes().get(0);
		this.server.del(key("q:q:" + part));
		for (int i = 0; i < 4; i++) {
			sweep();
		}
		this.store.settle(List.of(Transition.removed(claim, NOW)), NOW);
		for (int left = 2; left > 0; left--) {
			List<Claim> next = claimOfLanes();
			assertThat(next).hasSize(1);
			this.store.settle(List.of(Transition.removed(next.get(0), NOW)), NOW);
		}
		assertThat(this.store.inspector().count(JobFilter.all(), 1, NOW).number()).isZero();
	}

	@Test
	void laneHealsWhenJobsOfItVanish() {
		for (String id : List.of("a", "b", "c")) {
			this.store.enqueue(
					List.of(NewJob.of(id, "q", new byte[] { 1 }, NOW).withHeaders(Map.of(Job.LANE_HEADER, "x"))), NOW);
		}
		claimOfLanes();
		this.server.hdel(key("jobs"), "a", "b");
		sweep();
		sweep();
		assertThat(claimOfLanes()).extracting((claim) -> claim.job().id()).containsExactly("c");
	}

	@Test
	void orderedLaneHealsWhenTheJobThatHoldsItVanishes() {
		for (String id : List.of("a", "b")) {
			this.store.enqueue(
					List.of(NewJob.of(id, "q", new byte[] { 1 }, NOW).withHeaders(Map.of(Job.LANE_HEADER, "x"))), NOW);
		}
		Claim claim = claimOfLanes().get(0);
		this.store.settle(List.of(Transition.scheduled(claim, NOW.plusSeconds(60), claim.job().trail()).keepingLane()),
				NOW);
		assertThat(claimOfLanes()).isEmpty();
		this.server.hdel(key("jobs"), "a");
		sweep();
		sweep();
		assertThat(claimOfLanes()).extracting((next) -> next.job().id()).containsExactly("b");
		assertThat(this.store.repairs()).containsEntry("entries without a job in kept", 1L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "leases", "tokens", "held:gone" })
	void runningJobThatNoWorkerHoldsIsTakenOver(String record) {
		enqueue("a", null);
		Claim lost = claim("gone", 1).get(0);
		this.server.del(key(record));
		beat("w");
		sweep();
		sweep();
		List<Claim> taken = this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 5, NOW)).claims();
		assertThat(taken).extracting((claim) -> claim.job().id()).containsExactly("a");
		assertThat(this.store.settle(List.of(Transition.removed(lost, NOW)), NOW)).containsExactly(Settled.LOST);
		assertThat(this.store.settle(List.of(Transition.removed(taken.get(0), NOW)), NOW))
			.containsExactly(Settled.APPLIED);
		assertThat(this.store.repairs()).containsEntry("running jobs that no worker held", 1L);
	}

	@ParameterizedTest
	@ValueSource(doubles = { Double.POSITIVE_INFINITY, 1e300, 9007199254740994d, 8e15, 5000, 0.5, -1,
			Double.NEGATIVE_INFINITY })
	void runningJobWhoseTokenIsDamagedRunsAgain(double score) {
		enqueue("a", null);
		enqueue("b", null);
		List<Claim> held = claim("gone", 2);
		this.server.zadd(key("q:q:running"), score, "a");
		assertThat(settle(held.get(0))).isEqualTo(Settled.LOST);
		beat("w");
		sweep();
		sweep();
		List<Claim> taken = this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 5, NOW)).claims();
		assertThat(taken).extracting((claim) -> claim.job().id()).containsExactly("a");
		assertThat(settle(held.get(0))).isEqualTo(Settled.LOST);
		assertThat(settle(taken.get(0))).isEqualTo(Settled.APPLIED);
		assertThat(settle(held.get(1))).isEqualTo(Settled.APPLIED);
		assertThat(queue().running()).isZero();
		assertThat(this.store.repairs()).isEqualTo(Map.of("running jobs that no worker held", 1L));
	}

	private Settled settle(Claim claim) {
		return this.store.settle(List.of(Transition.removed(claim, NOW)), NOW).get(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "tokens", "held:w", "leases", "tokens,held:w", "tokens,held:w,leases,workers" })
	void whatIsErasedOfALiveWorkerIsPutBackByItsNextBeat(String erased) {
		enqueue("a", null);
		enqueue("b", null);
		List<Claim> claims = claim("w", 2);
		Stream.of(erased.split(",")).forEach((record) -> this.server.del(key(record)));
		sweep();
		assertThat(
				this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW)).openTokens())
			.containsExactly(claims.get(0).token());
		beat("v");
		sweep();
		sweep();
		assertThat(this.store.takeOver(new TakeOver("v", Set.of("q"), Map.of(), 5, NOW)).claims()).isEmpty();
		assertThat(this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.containsOnly(Settled.APPLIED);
		assertThat(this.server.exists(key("tokens"), key("held:w"), key("q:q:abandoned"))).isZero();
		assertThat(this.store.repairs()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Unique.Scope.class)
	void jobIsTakenAtOnceWhileItsKeyBelongsToOneThatIsGone(Unique.Scope scope) {
		enqueue("a", key(scope));
		this.server.hdel(key("jobs"), "a");
		this.server.lrem(key("q:q:ready"), 0, "a");
		NewJob job = NewJob.of("b", "q", new byte[] { 1 }, NOW).withUniqueKey(key(scope));
		assertThat(this.store.enqueue(List.of(job), NOW).get(0).isNew()).isTrue();
		assertThat(claim("w", 5)).extracting((claim) -> claim.job().id()).containsExactly("b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "scheduled", "retry", "running", "dead", "done" })
	void entryWithoutAJobIsRemoved(String part) {
		enqueue("a", null);
		this.server.zadd(key("q:q:" + part), 1, "nobody");
		sweep();
		assertThat(this.server.exists(key("q:q:" + part))).isZero();
		assertThat(this.store.repairs()).containsEntry("entries without a job in " + part, 1L);
	}

	@ParameterizedTest
	@CsvSource({ "scheduled,Infinity", "scheduled,1e300", "scheduled,9007199254740994", "retry,Infinity" })
	void dueTimeThatIsNoTimeIsAgainThatOfTheJob(String part, double score) {
		Instant due = NOW.plusSeconds(60);
		if (part.equals("scheduled")) {
			this.store.enqueue(List.of(NewJob.of("a", "q", new byte[] { 1 }, NOW).withDueAt(due)), NOW);
		}
		else {
			enqueue("a", null);
			Trail failed = TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, NOW, "error").withStackTrace(""));
			this.store.settle(List.of(Transition.scheduled(claim("w", 1).get(0), due, failed)), NOW);
		}
		assertThat(this.server.zadd(key("q:q:" + part), score, "a")).isZero();
		sweep();
		sweep();
		assertThat(this.server.zscore(key("q:q:" + part), "a")).isEqualTo(due.toEpochMilli());
		assertThat(this.store.repairs()).isEqualTo(Map.of("due times that are no times", 1L));
	}

	@Test
	void settingsOfAQueueThatCannotBeReadAreNamedOnceUntilTheyAreSetAgain() {
		enqueue("a", null);
		this.server.hset(key("queues"), "q", "garbage");
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs.store.redis");
		logger.addAppender(logged);
		logged.start();
		try {
			sweep();
			sweep();
			assertThat(this.store.inspector().faults()).singleElement()
				.matches((fault) -> !fault.stopsWork())
				.extracting(StoreFault::text)
				.isEqualTo(logged.list.get(0).getFormattedMessage());
			assertThat(logged.list).singleElement()
				.extracting(ILoggingEvent::getFormattedMessage)
				.asString()
				.startsWith("The key " + key("queues") + " holds settings for the queue q that cannot be read;");
			assertThat(claim("w", 5)).hasSize(1);
			this.store.change(List.of(new Change.Limit("q", 3)), NOW);
			assertThat(this.store.inspector().faults()).isEmpty();
			assertThat(queue().limit()).isEqualTo(3);
		}
		finally {
			logger.detachAppender(logged);
		}
	}

	@Test
	void settingThatCannotBeReadLeavesTheOthers() {
		this.store.change(List.of(new Change.Pause("q", "ada"), new Change.Limit("q", 3)), NOW);
		String settings = this.server.hget(key("queues"), "q");
		this.server.hset(key("queues"), "q", settings.replace("3:ada1:3", "3:ada1:x"));
		assertThat(queue().settings().paused()).isNotNull();
		assertThat(queue().limit()).isEqualTo(-1);
		assertThat(this.store.inspector().faults()).hasSize(1);
		String at = String.valueOf(NOW.toEpochMilli());
		this.server.hset(key("queues"), "q", settings.replace(at + "3:ada", "x".repeat(at.length()) + "3:ada"));
		assertThat(queue().paused()).isFalse();
		assertThat(queue().limit()).isEqualTo(3);
		assertThat(this.store.inspector().faults()).hasSize(1);
		this.store.change(List.of(new Change.Pause("q", "ada")), NOW);
		assertThat(queue().settings().version()).isEqualTo(3);
		assertThat(this.store.inspector().faults()).isEmpty();
	}

	private void enqueueTagged(String... ids) {
		Map<String, String> headers = Map.of("a", "b", Job.TAGS_HEADER, "customer:42,urgent");
		this.store.enqueue(
				Stream.of(ids).map((id) -> NewJob.of(id, "q", new byte[] { 1 }, NOW).withHeaders(headers)).toList(),
				NOW);
	}

	@Test
	void tagsGoWithTheirJobs() {
		enqueueTagged("done", "kept", "dead", "deleted", "purged");
		assertThat(this.server.zcard(key("q:q:tags"))).isEqualTo(10);
		List<Claim> claims = claim("w", 3);
		this.store.settle(List.of(Transition.removed(claims.get(0), NOW),
				Transition.kept(claims.get(1), NOW, claims.get(1).job().trail()),
				Transition.dead(claims.get(2), NOW, Trail.EMPTY)), NOW);
		this.store.change(List.of(new Change.Delete("deleted")), NOW);
		assertThat(this.server.zrange(key("q:q:tags"), 0, -1)).containsExactly("customer:42,dead", "customer:42,kept",
				"customer:42,purged", "urgent,dead", "urgent,kept", "urgent,purged");
		this.store.prune(new PruneRequest(NOW.plusSeconds(1), 0, NOW.plusSeconds(1), 0, null, null, 100, NOW));
		assertThat(this.server.zrange(key("q:q:tags"), 0, -1)).containsExactly("customer:42,purged", "urgent,purged");
		this.store.change(List.of(new Change.Purge()), NOW);
		assertThat(this.server.exists(key("q:q:tags"))).isZero();
		enqueue("plain", null);
		assertThat(this.server.exists(key("q:q:tags"))).isZero();
		assertThat(this.store.repairs()).isEmpty();
	}

	@Test
	void tagWithoutAJobIsForgotten() {
		enqueueTagged("a");
		this.server.zadd(key("q:q:tags"), 0, "customer:42,nobody");
		this.server.zadd(key("q:q:tags"), 0, "odd");
		JobFilter customer = JobFilter.of((only) -> only.tag("customer:42"));
		assertThat(this.store.inspector().page(customer, PageRequest.oldestFirst(9), NOW).jobs()).extracting(Job::id)
			.containsExactly("a");
		sweep();
		assertThat(this.server.zrange(key("q:q:tags"), 0, -1)).containsExactly("customer:42,a", "urgent,a");
		assertThat(this.store.repairs()).containsEntry("tags without a job", 2L);
	}

	@Test
	void idWithoutAJobInTheReadyListIsPassedOver() {
		enqueue("a", null);
		this.server.lpush(key("q:q:ready"), "7a0123456789abcdefghjkmnp");
		assertThat(claim("w", 5)).extracting((claim) -> claim.job().id()).containsExactly("a");
		assertThat(this.store.repairs()).containsEntry("entries without a job in ready", 1L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "unique", "q:q:unique" })
	void keyWhoseOwnerIsGoneIsFreed(String keys) {
		enqueue("a", null);
		this.server.hset(key(keys), "digest", "a;nobody");
		sweep();
		assertThat(this.server.exists(key(keys))).isZero();
		assertThat(this.store.repairs()).containsEntry("unique keys without an owner", 1L);
	}

	@Test
	void keyWhoseTimeIsOverLeavesNothing() {
		enqueue("a", new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_REMOVED, Unique.Scope.HANDLER, NOW.plusMillis(1),
				Unique.OnDuplicate.KEEP));
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, NOW.plusSeconds(1)));
		assertThat(this.server.exists(key("q:q:unique"))).isZero();
		assertThat(this.store.repairs()).isEmpty();
	}

	@Test
	void endWhoseTimeIsLostIsStillForgottenWhenThatIsOver() {
		enqueue("a", null);
		End end = new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[3], NOW.plusSeconds(10));
		this.store.settle(List.of(Transition.removed(claim("w", 1).get(0), NOW).keeping(end)), NOW);
		this.server.del(key("ends-until"));
		sweep();
		assertThat(this.store.repairs()).containsOnly(Map.entry("ends without a time", 1L));
		assertThat(this.store.inspector().ends(List.of("a"), NOW)).containsKey("a");
		sweep();
		assertThat(this.server.exists(key("ends"), key("ends-until"))).isZero();
	}

	private void park(String id, String thing) {
		enqueue(id, null);
		Trail trail = TrailRules.parked(Trail.EMPTY, Trail.Wait.of(thing, NOW));
		this.store.settle(List.of(Transition.waiting(claim("w", 1).get(0), NOW.plusSeconds(1000), trail)), NOW);
	}

	private Changed release(String thing) {
		return this.store.change(List.of(new Change.Release(thing)), NOW).get(0);
	}

	@Test
	void thingFindsTheJobsAgainThatWaitForIt() {
		park("a", "signal:a");
		sweep();
		assertThat(this.store.repairs()).isEmpty();
		this.server.del(key("waiters"));
		assertThat(release("signal:a")).isEqualTo(Changed.NOT_FOUND);
		sweep();
		assertThat(this.store.repairs()).containsOnly(Map.entry("jobs that nothing releases", 1L));
		assertThat(release("signal:a")).isEqualTo(Changed.DONE);
		assertThat(claim("w", 5)).hasSize(1);
		assertThat(this.server.exists(key("waiters"), key("q:q:waiting"))).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void thingThatOnceWasWaitedForReleasesNoJobThatRunsOrWaitsForAnother(boolean swept) {
		park("other", "signal:b");
		park("running", "signal:a");
		release("signal:a");
		assertThat(claim("w", 5)).singleElement().extracting((claim) -> claim.job().id()).isEqualTo("running");
		for (String id : List.of("other", "running", "gone")) {
			this.server.zadd(key("waiters"), 0, "8:signal:a1:q" + id.length() + ":" + id);
		}
		if (swept) {
			sweep();
			assertThat(this.store.repairs()).containsOnly(Map.entry("things without a job that waits for them", 3L));
		}
		assertThat(release("signal:a")).isEqualTo(Changed.NOT_FOUND);
		assertThat(this.server.zrange(key("waiters"), 0, -1)).containsExactly("8:signal:b1:q5:other");
		assertThat(this.store.inspector().job("other", NOW)).map(Job::state).hasValue(JobState.WAITING);
		assertThat(queue()).satisfies((queue) -> assertThat(queue.ready()).isZero())
			.satisfies((queue) -> assertThat(queue.running()).isOne());
	}

	@Test
	void jobInNoStructureIsMadeReady() {
		enqueue("a", null);
		enqueue("b", null);
		this.server.lrem(key("q:q:ready"), 1, "a");
		sweep();
		assertThat(this.store.repairs()).isEmpty();
		sweep();
		assertThat(claim("w", 5)).extracting((claim) -> claim.job().id()).containsExactly("b", "a");
		assertThat(this.store.repairs()).containsEntry("jobs in no structure", 1L);
	}

	@Test
	void manyJobsInNoStructureAreFoundAmongMany() {
		for (int i = 0; i < 3000; i++) {
			enqueue("job-" + i, null);
		}
		this.server.ltrim(key("q:q:ready"), 100, -1);
		sweep();
		sweep();
		assertThat(queue().ready()).isEqualTo(3000);
		assertThat(claim("w", 3000)).extracting((claim) -> claim.job().id()).doesNotHaveDuplicates().hasSize(3000);
	}

}
