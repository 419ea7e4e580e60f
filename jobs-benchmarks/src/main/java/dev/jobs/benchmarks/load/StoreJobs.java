package dev.jobs.benchmarks.load;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;

/**
 * Makes jobs as a store takes them, without an engine.
 */
public final class StoreJobs {

	public static final int BATCH = 500;

	private static final InstantSource CLOCK = InstantSource.system();

	private final String chance = UUID.randomUUID().toString().replace("-", "").substring(0, 15);

	private final AtomicLong sequence = new AtomicLong(1L << 28);

	private final List<String> queues;

	public StoreJobs(List<String> queues) {
		this.queues = queues;
	}

	public static Instant now() {
		return CLOCK.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	public String queue(int i) {
		return this.queues.get(i % this.queues.size());
	}

	/**
	 * Make an id that is as long as those of the engine and, like them, begins with a
	 * hash of the queue.
	 */
	public String id(String queue) {
		CRC32 hash = new CRC32();
		hash.update(queue.getBytes(StandardCharsets.UTF_8));
		String prefix = Integer.toHexString(0x100 | ((int) hash.getValue() & 0xFF)).substring(1);
		return prefix + this.chance + Long.toHexString(this.sequence.getAndIncrement());
	}

	public NewJob job(int i, Instant now) {
		String queue = queue(i);
		return NewJob.of(id(queue), queue, Payload.encoded(i), now);
	}

	/**
	 * Enqueue jobs that are due one after the other, from in an hour on.
	 */
	public void schedule(JobStore store, int count) {
		Instant now = now();
		for (int next = 0; next < count; next += BATCH) {
			List<NewJob> batch = new ArrayList<>(BATCH);
			for (int i = next; i < Math.min(next + BATCH, count); i++) {
				String queue = queue(i);
				batch.add(
						NewJob.of(id(queue), queue, Payload.encoded(i), now).withDueAt(now.plusMillis(3_600_000L + i)));
			}
			store.enqueue(batch, now);
		}
	}

	/**
	 * Enqueue jobs with as few calls as are sensible.
	 */
	public void enqueue(JobStore store, int from, int to) {
		for (int next = from; next < to; next += BATCH) {
			Instant now = now();
			List<NewJob> batch = new ArrayList<>(BATCH);
			for (int i = next; i < Math.min(next + BATCH, to); i++) {
				batch.add(job(i, now));
			}
			store.enqueue(batch, now);
		}
	}

}
