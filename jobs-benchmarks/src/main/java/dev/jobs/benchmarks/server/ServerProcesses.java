package dev.jobs.benchmarks.server;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.ServerStores;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.benchmarks.subject.EngineSubject;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.store.JobStore;

/**
 * Workers on one server as processes of their own, started from the same class path.
 */
public final class ServerProcesses {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final ServerStores stores;

	/**
	 * Create the measurement.
	 * @param stores where the server's stores come from
	 */
	public ServerProcesses(ServerStores stores) {
		this.stores = stores;
	}

	/**
	 * Enqueue one job after the other here, to be run in another process that has nothing
	 * else to do.
	 * @param load the load
	 * @param pause the pause before each job
	 * @return how long each job took from before its enqueue to the start of its handler,
	 * in nanoseconds
	 */
	public long[] latencies(Load load, Duration pause) {
		return beside(load,
				(client, pings, first) -> pings.time(pause, (job) -> client.enqueue(request(load, first + job))));
	}

	/**
	 * Call one job after the other here, to be run in another process that has nothing
	 * else to do.
	 * @param load the load
	 * @param pause the pause before each job
	 * @return how long each took to the start of its handler, and from there until its
	 * result was here, both from before the call, in nanoseconds
	 */
	public long[][] calls(Load load, Duration pause) {
		long[] calls = new long[load.jobs()];
		long[] starts = beside(load, (client, pings, first) -> {
			for (int job = 0; job < 2 * calls.length; job++) {
				call(client, request(load, first + calls.length + job));
			}
			return pings.time(pause, (job) -> {
				long sent = WallClock.nanos();
				call(client, request(load, first + job));
				calls[job] = WallClock.nanos() - sent;
			});
		});
		return new long[][] { starts, calls };
	}

	private static void call(JobClient client, JobRequest request) {
		try {
			client.call(request, Void.class, PATIENCE);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while a job was called", ex);
		}
	}

	private long[] beside(Load load, Measurement measurement) {
		String namespace = this.stores.newNamespace();
		try (Stores.Opened opened = this.stores.open(namespace)) {
			// The other process is new and has to be brought to its usual speed.
			int warmUp = 2 * load.jobs();
			Pings coldPings = new Pings(warmUp, WallClock::nanos);
			Pings pings = new Pings(load.jobs(), WallClock::nanos);
			JobEngine client = EngineSubject.engine(opened.store(), load, (payload) -> {
			});
			try (WorkerProcess worker = worker(namespace, load, EngineSettings.defaults().lease(), false,
					(job, nanos) -> {
						if (job < warmUp) {
							coldPings.arrived(job, nanos);
						}
						else if (job < warmUp + load.jobs()) {
							pings.arrived(job - warmUp, nanos);
						}
					})) {
				awaitWorkers(opened.store(), 1);
				coldPings.time(Duration.ZERO, (job) -> client.client().enqueue(request(load, job)));
				return measurement.times(client.client(), pings, warmUp);
			}
		}
	}

	/**
	 * Strike a process down that runs a job.
	 * @param load the queues and the concurrency
	 * @param fault what happens to it
	 * @param lease how long a worker counts as alive after a beat
	 * @return how long it took until the job started in another process, in nanoseconds
	 */
	public long recovery(Load load, Fault fault, Duration lease) {
		String namespace = this.stores.newNamespace();
		CompletableFuture<Long> first = new CompletableFuture<>();
		CompletableFuture<Long> second = new CompletableFuture<>();
		try (Stores.Opened opened = this.stores.open(namespace);
				WorkerProcess victim = worker(namespace, load, lease, true, (job, nanos) -> first.complete(nanos))) {
			awaitWorkers(opened.store(), 1);
			EngineSubject.engine(opened.store(), load, (payload) -> {
			}).client().enqueue(request(load, 0));
			get(first);
			try (WorkerProcess heir = worker(namespace, load, lease, true, (job, nanos) -> second.complete(nanos))) {
				awaitWorkers(opened.store(), 2);
				long struck = WallClock.nanos();
				victim.signal(fault.signal());
				return get(second) - struck;
			}
		}
	}

	private static JobRequest request(Load load, int job) {
		return JobRequest.named(load.names().get(job % load.queues())).payload(new Payload(job));
	}

	private WorkerProcess worker(String namespace, Load load, Duration lease, boolean holds,
			WorkerProcess.Starts starts) {
		return new WorkerProcess(
				new WorkerMain.Options(this.stores.url(), namespace, load.queues(), load.concurrency(), lease, holds),
				starts);
	}

	private static void awaitWorkers(JobStore store, int count) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (store.inspector().workers(StoreJobs.now()).size() < count) {
			if (System.nanoTime() > end) {
				throw new IllegalStateException("A worker process did not start");
			}
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	private static long get(CompletableFuture<Long> started) {
		return started.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	/**
	 * Measures jobs that run in another process.
	 */
	private interface Measurement {

		/**
		 * Return the times of all jobs.
		 * @param client enqueues them
		 * @param pings hears of their starts
		 * @param first the number of the first job
		 */
		long[] times(JobClient client, Pings pings, int first);

	}

	/**
	 * What happens to a process.
	 */
	public enum Fault {

		/** It is killed by {@code SIGKILL}. */
		KILLED("KILL"),

		/** It is frozen by {@code SIGSTOP}. */
		FROZEN("STOP");

		private final String signal;

		Fault(String signal) {
			this.signal = signal;
		}

		String signal() {
			return this.signal;
		}

	}

}
