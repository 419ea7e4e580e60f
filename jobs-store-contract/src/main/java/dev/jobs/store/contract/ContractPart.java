package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerInfo.Pool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The base of the parts of the {@link JobStoreContract}: a store, a current time, and
 * short words for the verbs.
 */
abstract class ContractPart {

	static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	static final Duration LEASE = Duration.ofHours(1);

	private final StoreSource source;

	private final AtomicInteger lastId = new AtomicInteger();

	/** What each accepted job must carry, by id. */
	private final Map<String, byte[]> payloads = new ConcurrentHashMap<>();

	private final Set<NewJob> withKeys = ConcurrentHashMap.newKeySet();

	JobStore store;

	Instant now = START;

	ContractPart(StoreSource source) {
		this.source = source;
	}

	@BeforeEach
	void createStore() {
		this.store = this.source.create().get();
	}

	@AfterEach
	void checkAndDestroyStore() {
		try {
			StoreInvariants.check(this.store, this.now, this.payloads);
			StoreInvariants.checkThatPurgeFreesKeys(this.store, this.now, this.withKeys);
		}
		finally {
			this.source.destroy().accept(this.store);
		}
	}

	Instant after(long millis) {
		return this.now.plusMillis(millis);
	}

	void pass(long millis) {
		this.now = after(millis);
	}

	NewJob job(String queue) {
		return job(queue, this.now);
	}

	NewJob job(String queue, Instant dueAt) {
		String id = String.format("job-%06d", this.lastId.incrementAndGet());
		return NewJob.of(id, queue, ("payload of " + id).getBytes(), this.now)
			.withHeaders(Map.of("made-for", id))
			.withDueAt(dueAt);
	}

	List<NewJob> jobs(String queue, int count) {
		return java.util.stream.IntStream.range(0, count).mapToObj((i) -> job(queue)).toList();
	}

	static NewJob with(NewJob job, NewJob.UniqueKey key) {
		return job.withUniqueKey(key);
	}

	static NewJob with(NewJob job, byte[] payload) {
		return job.withPayload(payload);
	}

	static NewJob with(NewJob job, int maxWaiting) {
		return job.withMaxWaiting(maxWaiting);
	}

	static NewJob with(NewJob job, String header, String value) {
		Map<String, String> headers = new HashMap<>(job.headers());
		headers.put(header, value);
		return job.withHeaders(headers);
	}

	static NewJob in(NewJob job, String lane) {
		return with(job, Job.LANE_HEADER, lane);
	}

	Enqueued enqueue(NewJob job) {
		return enqueue(List.of(job)).get(0);
	}

	/**
	 * Enqueue a job that is ready now.
	 * @return its id
	 */
	String enqueue(String queue) {
		return enqueue(job(queue)).id();
	}

	String enqueue(String queue, Instant dueAt) {
		return enqueue(job(queue, dueAt)).id();
	}

	List<Enqueued> enqueue(List<NewJob> jobs) {
		return enqueue(jobs, this.store::enqueue);
	}

	List<Enqueued> enqueue(List<NewJob> jobs, BiFunction<List<NewJob>, Instant, List<Enqueued>> verb) {
		List<Enqueued> reply = verb.apply(jobs, this.now);
		assertThat(reply).hasSameSizeAs(jobs);
		for (int i = 0; i < jobs.size(); i++) {
			remember(jobs.get(i), reply.get(i));
		}
		return reply;
	}

	private void remember(NewJob job, Enqueued enqueued) {
		if (job.uniqueKey() != null) {
			this.withKeys.add(job);
		}
		if (enqueued.outcome() == Outcome.REPLACED || enqueued.outcome() == Outcome.RESCHEDULED) {
			this.payloads.put(enqueued.id(), job.payload());
		}
		if (enqueued.isNew()) {
			this.payloads.putIfAbsent(enqueued.id(), job.payload());
		}
	}

	void register(String worker, String... queues) {
		beat(worker, LEASE, queues);
	}

	BeatReply beat(String worker, Duration lease, String... queues) {
		WorkerInfo info = new WorkerInfo("host", 4711, "1.0", START,
				List.of(new Pool("default", 10, 0, List.of(queues))), List.of());
		return this.store.beat(new WorkerBeat(worker, lease, info, List.of(), false, this.now));
	}

	BeatReply beat(String worker, WorkerBeat.Note... notes) {
		return this.store.beat(new WorkerBeat(worker, LEASE, null, List.of(notes), false, this.now));
	}

	BeatReply leave(String worker) {
		return this.store.beat(new WorkerBeat(worker, LEASE, null, List.of(), true, this.now));
	}

	static Quota quota(String queue, int share, int most) {
		return Quota.of(queue, most).withShare(share);
	}

	ClaimReply claim(String worker, int limit, Quota... quotas) {
		return this.store.claim(new ClaimRequest(worker, List.of(quotas), limit, this.now));
	}

	List<Claim> claim(String worker, String queue, int count) {
		return claim(worker, count, quota(queue, count, count)).claims();
	}

	/**
	 * Register a worker and let it claim the first job of a queue.
	 */
	Claim claimOne(String worker, String queue) {
		register(worker, queue);
		List<Claim> claims = claim(worker, queue, 1);
		assertThat(claims).hasSize(1);
		return claims.get(0);
	}

	Claim enqueueAndClaim(String worker, String queue) {
		enqueue(queue);
		return claimOne(worker, queue);
	}

	ClaimReply takeOver(String worker, int limit, String... queues) {
		return this.store.takeOver(new TakeOver(worker, Set.of(queues), Map.of(), limit, this.now));
	}

	Settled settle(Transition transition) {
		return this.store.settle(List.of(transition), this.now).get(0);
	}

	Settled kill(Claim claim) {
		Trail.End end = Trail.End.of(dev.jobs.DeadReason.EXHAUSTED, "it failed too often", this.now);
		return settle(Transition.dead(claim, this.now, TrailBuilder.ended(failed(claim), end)));
	}

	Trail failed(Claim claim) {
		Trail trail = claim.job().trail();
		return TrailRules.failed(trail,
				Attempt.of(trail.attempt(), this.now, "it failed").withStackTrace("at its place"));
	}

	Changed change(Change change) {
		Changed changed = this.store.change(List.of(change), this.now).get(0);
		if (changed == Changed.DONE && change instanceof Change.ReplacePayload replaced) {
			this.payloads.put(replaced.id(), replaced.payload());
		}
		return changed;
	}

	/**
	 * Return a job that is expected to be stored.
	 */
	Job find(String id) {
		return this.store.inspector().job(id, this.now).orElseThrow(() -> new AssertionError("No job " + id));
	}

	JobState state(String id) {
		return find(id).state();
	}

	boolean exists(String id) {
		return this.store.inspector().job(id, this.now).isPresent();
	}

	QueueView queue(String name) {
		return this.store.inspector()
			.queues(this.now)
			.stream()
			.filter((view) -> view.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("No queue " + name));
	}

	boolean queueExists(String name) {
		return this.store.inspector().queues(this.now).stream().anyMatch((view) -> view.name().equals(name));
	}

	static List<String> ids(List<Claim> claims) {
		return claims.stream().map((claim) -> claim.job().id()).toList();
	}

	static List<String> idsOf(List<NewJob> jobs) {
		return jobs.stream().map(NewJob::id).toList();
	}

	static List<String> lanes(List<Claim> claims) {
		return claims.stream().map((claim) -> String.valueOf(claim.job().lane())).toList();
	}

	static byte[] bytes(int length) {
		byte[] bytes = new byte[length];
		for (int i = 0; i < length; i++) {
			bytes[i] = (byte) i;
		}
		return bytes;
	}

	static byte[] repeated(byte value, int length) {
		byte[] bytes = new byte[length];
		Arrays.fill(bytes, value);
		return bytes;
	}

}
