package dev.jobs.benchmarks.page;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.jobs.Job;
import dev.jobs.Unique;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.DurationHistogram;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerInfo.Pool;

/**
 * Fills a store with what it holds after a bad day, by the verbs that make it so: of 1000
 * jobs 39 were claimed, of which 20 are dead, 9 wait for another attempt, 9 succeeded and
 * one still runs; a third of the others is scheduled, the rest ready. A fifth of them is
 * in one queue. Some have a unique key, some a tag. Some workers live, and have reported
 * what happened in half an hour.
 */
final class Backlog implements AutoCloseable {

	/** What one in a thousand jobs is tagged with. */
	static final String TAG = "tenant-7";

	private static final int TENANTS = 50;

	private static final int EACH_WITH_TAG = 21;

	private static final int EACH_WITH_KEY = 11;

	private static final int CLAIMED_OF_THOUSAND = 39;

	private static final int WORKERS = 4;

	private static final int SCHEDULES = 12;

	private static final int MINUTES = 30;

	private static final int BEAT_SECONDS = 4;

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();

	private final Instant started = StoreJobs.now();

	private final JobStore store;

	private final List<String> queues;

	private final StoreJobs ids;

	private final int claimed;

	private final int jobs;

	private String deadId = "";

	private int lastDead;

	Backlog(JobStore store, Load load) {
		this.store = store;
		this.queues = load.names();
		this.ids = new StoreJobs(this.queues);
		this.jobs = load.jobs();
		this.claimed = Math.max(load.jobs() / 1000 * CLAIMED_OF_THOUSAND, CLAIMED_OF_THOUSAND);
		report();
		beat();
		this.beats.scheduleAtFixedRate(this::beat, BEAT_SECONDS, BEAT_SECONDS, TimeUnit.SECONDS);
		IntStream.range(0, SCHEDULES).forEach(this::schedule);
		for (int from = 0; from < this.claimed; from += StoreJobs.BATCH) {
			run(from, Math.min(from + StoreJobs.BATCH, this.claimed));
		}
		for (int from = this.claimed; from < this.jobs; from += StoreJobs.BATCH) {
			enqueue(from, Math.min(from + StoreJobs.BATCH, this.jobs));
		}
	}

	String largestQueue() {
		return this.queues.get(0);
	}

	String deadId() {
		return this.deadId;
	}

	String deadText() {
		return Order.number(this.lastDead);
	}

	/** Among the first that are ready. */
	String readyText() {
		return Order.number(this.claimed + (isScheduled(this.claimed) ? 1 : 0));
	}

	/** Of one that waits. */
	String key() {
		return key((this.claimed / EACH_WITH_KEY + 1) * EACH_WITH_KEY);
	}

	Instant hourFrom() {
		return this.started.plus(Duration.ofHours(1));
	}

	Instant hourTo() {
		return this.started.plus(Duration.ofHours(2));
	}

	private void enqueue(int from, int to) {
		Instant now = StoreJobs.now();
		this.store.enqueue(IntStream.range(from, to).mapToObj((i) -> job(i, now)).toList(), now);
	}

	private NewJob job(int i, Instant now) {
		String queue = queue(i);
		Instant due = isScheduled(i) ? this.started.plus(Duration.ofHours(1)).plusMillis(40L * i) : now;
		Map<String, String> headers = (i % EACH_WITH_TAG == 0)
				? Map.of(Job.TAGS_HEADER, "tenant-" + i / EACH_WITH_TAG % TENANTS) : Map.of();
		return NewJob.of(this.ids.id(queue), queue, Payload.SERIALIZER.write(new Order(i), Integer.MAX_VALUE), now)
			.withHeaders(headers)
			.withDueAt(due)
			.withUniqueKey((i % EACH_WITH_KEY == 0) ? unique(queue, key(i)) : null);
	}

	private boolean isScheduled(int i) {
		return i >= this.claimed && i % 3 == 0;
	}

	private String queue(int i) {
		int others = this.queues.size() - 1;
		return (i % 5 == 0) ? largestQueue() : this.queues.get(1 + (i - i / 5 - 1) % others);
	}

	private static String key(int i) {
		return "invoice-" + i;
	}

	private static NewJob.UniqueKey unique(String queue, String key) {
		return new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.HANDLER, queue, key), Unique.Mode.UNTIL_DONE,
				Unique.Scope.HANDLER, null, Unique.OnDuplicate.KEEP);
	}

	/** Nothing else is ready yet, so what is claimed are these. */
	private void run(int from, int to) {
		enqueue(from, to);
		List<Quota> quotas = this.queues.stream().map((queue) -> Quota.of(queue, to - from)).toList();
		List<Claim> claims = this.store
			.claim(new ClaimRequest(worker(from / StoreJobs.BATCH % WORKERS), quotas, to - from, StoreJobs.now()))
			.claims();
		Instant now = StoreJobs.now();
		List<Transition> ends = new ArrayList<>();
		for (Claim claim : claims) {
			Object payload = Order.READER.read(claim.job().payload());
			if (payload instanceof Order order && order.i() % CLAIMED_OF_THOUSAND != 0) {
				ends.add(end(claim, order.i(), now));
			}
		}
		this.store.settle(ends, now);
	}

	private Transition end(Claim claim, int i, Instant now) {
		int fate = i % CLAIMED_OF_THOUSAND;
		if (fate < 10) {
			return Transition.kept(claim, now, claim.job().trail());
		}
		if (fate < 19) {
			return Transition.scheduled(claim, now.plus(Duration.ofHours(1)).plusMillis(i), Mishap.of(i).once(i, now));
		}
		this.deadId = claim.job().id();
		this.lastDead = i;
		return Transition.dead(claim, now, Mishap.of(i).forGood(i, now));
	}

	/**
	 * Report half an hour, a minute with each beat.
	 */
	private void report() {
		for (int minute = 1; minute <= MINUTES; minute++) {
			Instant start = Tally.Span.MINUTE.startOf(this.started.minus(Duration.ofMinutes(MINUTES - minute)));
			List<Tally> tallies = IntStream.range(0, this.queues.size())
				.mapToObj(
						(i) -> new Tally(this.queues.get(i), start, 60 + i, 50 + i, 2, 1, 0, spread(i), spread(i + 1)))
				.toList();
			this.store.beat(new WorkerBeat(worker(0), LEASE, info(0), List.of(), new Report(minute, tallies), false,
					StoreJobs.now()));
		}
	}

	private static DurationHistogram spread(int i) {
		List<Long> counts = new ArrayList<>(Collections.nCopies(DurationHistogram.SIZE, 0L));
		counts.set(i % DurationHistogram.SIZE, 40L);
		counts.set((i + 1) % DurationHistogram.SIZE, 10L);
		return new DurationHistogram(counts);
	}

	private void beat() {
		IntStream.range(0, WORKERS)
			.forEach((number) -> this.store
				.beat(new WorkerBeat(worker(number), LEASE, info(number), List.of(), false, StoreJobs.now())));
	}

	private static String worker(int number) {
		return "worker-" + number;
	}

	private WorkerInfo info(int number) {
		return new WorkerInfo("host-" + number, 1000 + number, "1.0", this.started,
				List.of(new Pool("default", 20, 10, this.queues)), List.of());
	}

	private void schedule(int number) {
		Instant tick = this.started.minus(Duration.ofHours(1));
		this.store.fireTicks(List.of(Tick
			.of(new NewSchedule("schedule-" + number, "UTC 0 30 " + number + " * * *", largestQueue()), tick, null)),
				tick);
	}

	@Override
	public void close() {
		this.beats.shutdownNow();
	}

}
