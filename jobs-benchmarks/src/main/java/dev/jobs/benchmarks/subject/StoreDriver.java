package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;

/**
 * A store without an engine: bare threads that call its verbs with large batches, under a
 * lease and with tokens like the engine.
 */
final class StoreDriver {

	private static final int MOST_DRIVERS = 4;

	private static final int TRIALS = 3;

	private static final int JOBS_TO_TRY = 50_000;

	/** How many queues a claim asks: all, or with very many some after the other. */
	private static final int WINDOW = 5;

	private static final Duration LEASE = Duration.ofHours(1);

	private final Stores stores;

	private int drivers;

	StoreDriver(Stores stores) {
		this.stores = stores;
	}

	/**
	 * Drain with as many threads as are fastest, which is found out at the first call.
	 */
	long drain(Load load) {
		if (this.drivers == 0) {
			int jobs = Math.min(load.jobs(), JOBS_TO_TRY);
			this.drivers = fastest(new Load(jobs, load.queues(), load.concurrency()));
		}
		return drain(load, this.drivers);
	}

	private int fastest(Load load) {
		long[] took = new long[MOST_DRIVERS + 1];
		drain(load, 1);
		for (int trial = 0; trial < TRIALS; trial++) {
			for (int drivers = 1; drivers <= MOST_DRIVERS; drivers++) {
				took[drivers] += drain(load, drivers);
			}
		}
		return IntStream.rangeClosed(1, MOST_DRIVERS)
			.boxed()
			.min(Comparator.comparing((drivers) -> took[drivers]))
			.orElseThrow();
	}

	private long drain(Load load, int drivers) {
		try (Stores.Opened opened = this.stores.open();
				Bystanders bystanders = new Bystanders(opened.store(), load);
				Stores.Others others = this.stores.others(load.crowd())) {
			JobStore store = opened.store();
			StoreJobs jobs = new StoreJobs(load.names());
			jobs.schedule(store, load.crowd().scheduled());
			jobs.enqueue(store, 0, load.jobs());
			Arrivals arrivals = new Arrivals(load.jobs());
			System.gc();
			long took = Producers.time(drivers, drivers, 1,
					(driver, next) -> drive(store, load.names(), arrivals, load.queues() * driver / drivers));
			arrivals.requireExact();
			return took;
		}
	}

	private static void drive(JobStore store, List<String> queues, Arrivals arrivals, int first) {
		String worker = "driver-" + first;
		store.beat(new WorkerBeat(worker, LEASE, null, List.of(), false, StoreJobs.now()));
		int window = Math.min(WINDOW, queues.size());
		int from = first;
		while (!arrivals.areAll()) {
			List<Quota> quotas = new ArrayList<>(window);
			for (int i = from; i < from + window; i++) {
				quotas
					.add(Quota.of(queues.get(i % queues.size()), StoreJobs.BATCH).withShare(StoreJobs.BATCH / window));
			}
			ClaimReply reply = store.claim(new ClaimRequest(worker, quotas, StoreJobs.BATCH, StoreJobs.now()));
			List<Transition> ends = new ArrayList<>(reply.claims().size());
			for (Claim claim : reply.claims()) {
				if (Payload.READER.read(claim.job().payload()) instanceof Payload) {
					arrivals.arrived();
				}
				ends.add(Transition.removed(claim, claim.job().dueAt()));
			}
			store.settle(ends, StoreJobs.now());
			if (reply.queues().stream().noneMatch(ClaimReply.Left::more)) {
				from += window;
			}
		}
	}

	long enqueue(Load load, int threads, int batch) {
		try (Stores.Opened opened = this.stores.open()) {
			JobStore store = opened.store();
			StoreJobs jobs = new StoreJobs(load.names());
			System.gc();
			return Producers.time(load.jobs(), threads, batch, (from, to) -> {
				Instant now = StoreJobs.now();
				store.enqueue(IntStream.range(from, to).mapToObj((i) -> jobs.job(i, now)).toList(), now);
			});
		}
	}

}
