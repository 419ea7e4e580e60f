package dev.jobs.benchmarks.server;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.jobs.JobRequest;
import dev.jobs.Unique;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.ServerStores;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.benchmarks.subject.EngineSubject;
import dev.jobs.engine.JobEngine;

/**
 * How much of a server's memory or disk jobs take while they wait.
 */
public final class Footprint {

	private static final Duration AN_HOUR = Duration.ofHours(1);

	private static final int LOOKS = 50;

	private final ServerStores stores;

	/**
	 * Create the measurement.
	 * @param stores where the server's stores come from
	 */
	public Footprint(ServerStores stores) {
		this.stores = stores;
	}

	/**
	 * Return how many bytes a job takes beside its payload. It has no headers.
	 * @param load how many jobs in how many queues
	 * @param kind how they wait
	 * @return the bytes, on average
	 */
	public double bytesPerJob(Load load, Kind kind) {
		try (Stores.Opened opened = this.stores.open()) {
			JobEngine engine = EngineSubject.engine(opened.store(), load, (payload) -> {
			});
			// Connections and the like are there before the first look.
			enqueue(engine, load, kind, -StoreJobs.BATCH, 0);
			long before = settledBytes();
			enqueue(engine, load, kind, 0, load.jobs());
			long payloads = IntStream.range(0, load.jobs()).mapToLong((job) -> Payload.encoded(job).length).sum();
			return (settledBytes() - before - payloads) / (double) load.jobs();
		}
	}

	private static void enqueue(JobEngine engine, Load load, Kind kind, int from, int to) {
		Instant due = StoreJobs.now().plus(AN_HOUR);
		EngineSubject.enqueueAll(engine, from, to, (job) -> {
			JobRequest request = JobRequest.named(load.names().get(Math.floorMod(job, load.queues())))
				.payload(new Payload(job));
			JobRequest timed = kind.isScheduled() ? request.options((options) -> options.at(due.plusMillis(job)))
					: request;
			return kind.isUnique() ? timed.options((options) -> options.unique(Unique.byKey("key-" + job))) : timed;
		});
	}

	/** Tables that grow are for a while there twice. */
	private long settledBytes() {
		long last = Long.MAX_VALUE;
		for (int look = 0; look < LOOKS; look++) {
			long used = this.stores.usedBytes();
			if (used >= last) {
				return used;
			}
			last = used;
			LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
		}
		return last;
	}

	/**
	 * How jobs wait.
	 */
	public enum Kind {

		/** For a worker. */
		READY("ready", false, false),

		/** For a worker, under a unique key each. */
		READY_UNIQUE("ready, with a unique key", false, true),

		/** For their time. */
		SCHEDULED("scheduled", true, false),

		/** For their time, under a unique key each. */
		SCHEDULED_UNIQUE("scheduled, with a unique key", true, true);

		private final String title;

		private final boolean scheduled;

		private final boolean unique;

		Kind(String title, boolean scheduled, boolean unique) {
			this.title = title;
			this.scheduled = scheduled;
			this.unique = unique;
		}

		public String title() {
			return this.title;
		}

		boolean isScheduled() {
			return this.scheduled;
		}

		boolean isUnique() {
			return this.unique;
		}

	}

}
