package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
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
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import io.lettuce.core.api.sync.RedisCommands;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A namespace in which every key is used, with every action of a store: jobs wait, run
 * and have ended in the queue {@code q}; {@code fine} is the queue of their neighbours.
 */
final class UsedNamespace implements AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(15);

	private final String name = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(TestRedis.factory(), this.name);

	private final RedisCommands<String, String> server = TestRedis.commands();

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	private long reports;

	private int jobs;

	/** Held by the worker w, in the queue q. */
	private final Claim held;

	/** The ids of all jobs that ended well, or were seen to. */
	private final Set<String> succeeded = new TreeSet<>();

	UsedNamespace() {
		beat("w");
		beat("gone");
		NewJob.UniqueKey inQueue = new NewJob.UniqueKey("in-queue", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null,
				Unique.OnDuplicate.KEEP);
		NewJob.UniqueKey everywhere = new NewJob.UniqueKey("everywhere", Unique.Mode.UNTIL_REMOVED,
				Unique.Scope.NAMESPACE, this.now.plusSeconds(3600), Unique.OnDuplicate.KEEP);
		enqueue("dead", "q", null);
		enqueue("done", "q", null);
		enqueue("retried", "q", null);
		enqueue("parked", "q", null);
		enqueue("held", "q", null);
		enqueue("lost", "q", null);
		List<Claim> claims = claim("w", 5, "q");
		Trail failed = TrailRules.failed(Trail.EMPTY,
				Trail.Attempt.of(1, this.now, "error").withStackTrace("stack ".repeat(200)));
		Trail dead = new TrailBuilder().failures(1)
			.attempts(failed.attempts())
			.end(Trail.End.of(DeadReason.EXHAUSTED, "no more", this.now))
			.build();
		this.store.settle(List.of(Transition.dead(claims.get(0), this.now, dead),
				Transition.kept(claims.get(1), this.now, claims.get(1).job().trail()).keeping(end()),
				Transition.scheduled(claims.get(2), this.now.plusSeconds(3600), failed),
				Transition.waiting(claims.get(3), this.now.plusSeconds(3600), waiting("thing"))), this.now);
		this.held = claims.get(4);
		claim("gone", 1, "q");
		this.store.change(List.of(new Change.Limit("fine", 0)), this.now);
		enqueueInLane("in-lane");
		enqueueInLane("behind-in-lane");
		this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", 1).withLanes(1, "")), 1, this.now));
		enqueue("keyed", "q", inQueue);
		enqueue("keyed-everywhere", "q", everywhere);
		enqueue("left", "q", null);
		Instant later = this.now.plusSeconds(3600);
		this.store.enqueue(List.of(NewJob.of("later", "q", new byte[20_000], this.now).withDueAt(later)), this.now);
		this.store.enqueueOnce(List.of(job("remembered", "q", this.now, null, 0)), Duration.ofDays(1), this.now);
		this.store.enqueue(List.of(job("refused", "q", this.now, null, 1)), this.now);
		this.store.change(List.of(new Change.Delete("left"), new Change.Limit("q", 50), new Change.Cancel("held"),
				new Change.PauseSchedule("paused"), new Change.KeepNote("a", "note"),
				new Change.Set("pool", "default", "text", null),
				new Change.PutSchedule(new NewSchedule("put", "definition", "q", "version"), "spec",
						this.now.plusSeconds(3600), Duration.ZERO)),
				this.now);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("schedule", "definition", "q"), this.now, null)),
				this.now);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("schedule", "definition", "q"), this.now.plusSeconds(1),
				job("ticked", "q", this.now, null, 0))), this.now.plusSeconds(1));
		this.server.hset(key("owners"), "everywhere", "a0");
		this.server.sadd(key("q:q:abandoned"), "7");
		this.store.save(List.of(new Save("held", "q", this.held.token(), "step", new byte[3])), this.now);
		beat("w",
				List.of(new WorkerBeat.Note("held", "q", this.held.token(), Job.Progress.of("step", 1, 2, this.now))));
	}

	RedisJobStore store() {
		return this.store;
	}

	RedisCommands<String, String> server() {
		return this.server;
	}

	Instant now() {
		return this.now;
	}

	Claim held() {
		return this.held;
	}

	String key(String key) {
		return "{" + this.name + ":0}:" + key;
	}

	/**
	 * Return the names of all keys there are.
	 */
	List<String> keys() {
		return this.server.keys("{" + this.name + ":0}:*")
			.stream()
			.map((key) -> key.substring(key.indexOf('}') + 2))
			.sorted()
			.toList();
	}

	NewJob job(String id, String queue, Instant dueAt, NewJob.UniqueKey key, int maxWaiting) {
		return NewJob.of(id, queue, new byte[] { 1 }, this.now)
			.withHeaders(Map.of(Job.TAGS_HEADER, "red,blue", "a", "b"))
			.withDueAt(dueAt)
			.withUniqueKey(key)
			.withMaxWaiting(maxWaiting);
	}

	void enqueue(String id, String queue, NewJob.UniqueKey key) {
		this.store.enqueue(List.of(job(id, queue, this.now, key, 0)), this.now);
	}

	private Trail waiting(String thing) {
		return TrailRules.parked(Trail.EMPTY, Trail.Wait.of(thing, this.now));
	}

	private End end() {
		return new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[3], this.now.plusSeconds(3600));
	}

	private void enqueueInLane(String id) {
		NewJob job = job(id, "q", this.now, null, 0);
		this.store.enqueue(List.of(job.withHeaders(Map.of(Job.LANE_HEADER, "tenant", "a", "b"))), this.now);
	}

	void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	void beat(String worker) {
		beat(worker, List.of());
	}

	void beat(String worker, List<WorkerBeat.Note> notes) {
		WorkerInfo info = new WorkerInfo("host", 1, "1", this.now,
				List.of(new WorkerInfo.Pool("default", 5, 1, List.of("q", "fine"))),
				List.of(new WorkerInfo.Limit("q", 1, 1, 0)));
		long[] cells = new long[Tally.CELLS];
		cells[0] = 1;
		this.store.beat(new WorkerBeat(worker, LEASE, info, notes,
				new WorkerBeat.Report(++this.reports, List.of(Tally.of("q", this.now, cells))), false, this.now));
	}

	List<Claim> claim(String worker, int limit, String... queues) {
		List<Quota> quotas = Stream.of(queues).map((queue) -> Quota.of(queue, limit)).toList();
		return this.store.claim(new ClaimRequest(worker, quotas, limit, this.now)).claims();
	}

	/**
	 * Take over the jobs of vanished workers.
	 */
	List<Claim> takeOver(String queue) {
		return this.store.takeOver(new TakeOver("w", Set.of(queue), Map.of(), 100, this.now)).claims();
	}

	/**
	 * End a job well, and remember that.
	 */
	Settled succeed(Claim claim) {
		return settle(Transition.removed(claim, this.now));
	}

	private Settled settle(Transition success) {
		Settled settled = this.store.settle(List.of(success), this.now).get(0);
		if (settled == Settled.APPLIED) {
			this.succeeded.add(success.id());
		}
		return settled;
	}

	/**
	 * Take whatever waits, and expect that it has not ended well before.
	 */
	List<Claim> claimAll(String worker) {
		List<Claim> claims = claim(worker, 100, "q", "fine");
		assertThat(claims).extracting((claim) -> claim.job().id()).doesNotContainAnyElementsOf(this.succeeded);
		return claims;
	}

	/**
	 * Work for some neighbours: they run once, under greater and greater tokens.
	 */
	void work() {
		long token = this.held.token();
		for (int i = 0; i < 2; i++) {
			String id = "fine-" + this.jobs++;
			pass(Duration.ofMillis(1));
			this.store.enqueue(List.of(job(id, "fine", this.now, new NewJob.UniqueKey(id, Unique.Mode.UNTIL_DONE,
					Unique.Scope.NAMESPACE, null, Unique.OnDuplicate.KEEP), 1000)), this.now);
			enqueue(id + "-plain", "fine", null);
			List<Claim> claims = claim("w", 10, "fine");
			assertThat(claims).extracting((claim) -> claim.job().id()).containsExactly(id, id + "-plain");
			assertThat(claims.get(0).token()).isGreaterThan(token);
			token = claims.get(0).token();
			beat("w", List.of(new WorkerBeat.Note(id, "fine", token, Job.Progress.of("x", 1, 2, this.now))));
			assertThat(succeed(claims.get(0))).isEqualTo(Settled.APPLIED);
			String thing = "thing of " + id;
			assertThat(this.store.settle(
					List.of(Transition.waiting(claims.get(1), this.now.plusSeconds(3600), waiting(thing))), this.now))
				.containsExactly(Settled.APPLIED);
			assertThat(this.store.change(List.of(new Change.KeepEnd(thing, end())), this.now))
				.containsExactly(Changed.DONE);
			release(thing);
			List<Claim> released = claim("w", 10, "fine");
			assertThat(released).extracting((claim) -> claim.job().id()).containsExactly(id + "-plain");
			assertThat(settle(Transition.removed(released.get(0), this.now).keeping(end()))).isEqualTo(Settled.APPLIED);
		}
	}

	/**
	 * Release a neighbour, if need be after what leads to it was repaired.
	 */
	private void release(String thing) {
		List<Change> release = List.of(new Change.Release(thing));
		if (this.store.change(release, this.now).contains(Changed.NOT_FOUND)) {
			tend();
			assertThat(this.store.change(release, this.now)).containsExactly(Changed.DONE);
		}
	}

	/**
	 * Work for a neighbour without a unique key.
	 */
	void workPlainly() {
		String id = "plain-" + this.jobs++;
		pass(Duration.ofMillis(1));
		enqueue(id, "fine", null);
		assertThat(claim("w", 10, "fine")).singleElement().satisfies((claim) -> {
			assertThat(claim.job().id()).isEqualTo(id);
			assertThat(succeed(claim)).isEqualTo(Settled.APPLIED);
		});
	}

	/**
	 * Pause the queue of the neighbours and let it go on.
	 */
	void pauseAndResume() {
		assertThat(this.store.change(List.of(new Change.Pause("fine"), new Change.Resume("fine")), this.now))
			.containsOnly(Changed.DONE);
	}

	/**
	 * Rescue neighbours of a worker that vanishes.
	 */
	void rescue() {
		String worker = "vanishing-" + this.jobs++;
		beat(worker);
		enqueue(worker + "-job", "fine", null);
		assertThat(claim(worker, 10, "fine")).hasSize(1);
		beat("w");
		pass(LEASE.dividedBy(2));
		beat("w");
		pass(LEASE.dividedBy(2).plusMillis(1));
		beat("w");
		List<Claim> taken = takeOver("fine");
		assertThat(taken).extracting((claim) -> claim.job().id()).contains(worker + "-job");
		assertThat(taken).allMatch((claim) -> succeed(claim) == Settled.APPLIED);
	}

	/**
	 * Look at everything.
	 */
	void view() {
		assertThat(this.store.inspector().queues(this.now)).extracting((queue) -> queue.name()).contains("fine");
		assertThat(this.store.inspector().workers(this.now)).extracting((worker) -> worker.id()).contains("w");
		this.store.inspector().schedules();
		for (JobState state : JobState.values()) {
			this.store.inspector()
				.page(JobFilter.of((only) -> only.states(state)), PageRequest.oldestFirst(100), this.now);
		}
		this.store.inspector().page(JobFilter.of((only) -> only.text("error")), PageRequest.newestFirst(100), this.now);
		this.store.inspector().page(JobFilter.of((only) -> only.tag("red")), PageRequest.newestFirst(100), this.now);
		this.store.inspector().job("ticked", this.now);
		this.store.inspector().ends(Set.of("done", "ticked"), this.now);
		this.store.inspector()
			.statistics(Set.of(),
					new Period(this.now.minusSeconds(3600), this.now.plusSeconds(60), Duration.ofMinutes(1)));
	}

	/**
	 * Do what is done now and then.
	 */
	void tend() {
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("fine", "definition", "fine"), this.now, null)), this.now);
		this.store.change(List.of(new Change.Pause("fine"), new Change.Resume("fine"), new Change.Limit("fine", 0)),
				this.now);
		for (int i = 0; i < 2; i++) {
			pass(Duration.ofSeconds(11));
			beat("w");
			this.store.prune(new PruneRequest(this.now.minusSeconds(3600), 0, this.now.minusSeconds(3600), 0, null,
					this.now.minusSeconds(3600), 100, this.now));
		}
	}

	/**
	 * Fill a key with something of a type, and return whether that is another one than
	 * before.
	 */
	boolean becomes(String key, String type) {
		String before = this.server.type(key(key));
		this.server.del(key(key));
		switch (type) {
			case "string" -> this.server.set(key(key), "garbage");
			case "list" -> this.server.rpush(key(key), "garbage");
			case "set" -> this.server.sadd(key(key), "garbage");
			case "zset" -> this.server.zadd(key(key), 1, "garbage");
			default -> this.server.hset(key(key), "garbage", "garbage");
		}
		return !before.equals(type);
	}

	static List<byte[]> bytes(List<String> texts) {
		List<byte[]> bytes = new ArrayList<>();
		texts.forEach((text) -> bytes.add(text.getBytes(StandardCharsets.UTF_8)));
		return bytes;
	}

	@Override
	public void close() {
		this.server.keys("{" + this.name + ":*").forEach(this.server::del);
		this.store.close();
	}

}
