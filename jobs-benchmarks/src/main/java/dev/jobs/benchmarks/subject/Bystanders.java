package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.WorkerBeat;

/**
 * Other workers that hold jobs of the same queues all the while and send their beats.
 */
final class Bystanders implements AutoCloseable {

	private static final int WORKERS = 10;

	private static final int BEAT_SECONDS = 4;

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();

	private final JobStore store;

	Bystanders(JobStore store, Load load) {
		this.store = store;
		if (load.running() > 0) {
			new StoreJobs(load.names()).enqueue(store, 0, load.running());
			beat();
			claim(load.names(), load.running());
			this.beats.scheduleAtFixedRate(this::beat, BEAT_SECONDS, BEAT_SECONDS, TimeUnit.SECONDS);
		}
	}

	/** Each claim takes all of one queue that one worker is to have. */
	private void claim(List<String> queues, int running) {
		int held = 0;
		for (int i = 0; held < running; i++) {
			String queue = queues.get(i % queues.size());
			int wanted = Math.min(running - held, (running - 1) / (WORKERS * queues.size()) + 1);
			Quota quota = Quota.of(queue, wanted);
			String worker = worker(i / queues.size() % WORKERS);
			held += this.store.claim(new ClaimRequest(worker, List.of(quota), wanted, StoreJobs.now())).claims().size();
		}
	}

	private void beat() {
		IntStream.range(0, WORKERS)
			.forEach((number) -> this.store
				.beat(new WorkerBeat(worker(number), LEASE, null, List.of(), false, StoreJobs.now())));
	}

	private static String worker(int number) {
		return "bystander-" + number;
	}

	@Override
	public void close() {
		this.beats.shutdownNow();
	}

}
