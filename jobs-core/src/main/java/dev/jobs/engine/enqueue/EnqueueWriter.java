package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobRejectedException;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.Batches;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;

/**
 * Writes new jobs to the store for a caller who waits for the answer.
 */
public final class EnqueueWriter {

	private static final Duration PATIENCE_IN_DOUBT = Duration.ofSeconds(4);

	private static final Duration REST_IN_DOUBT = Duration.ofMillis(100);

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final JobStore store;

	private final EnqueueEvents events;

	private final StoreClock clock;

	private final RoomWaiters waiters;

	private final GroupCommit single;

	private volatile boolean closed;

	public EnqueueWriter(JobStore store, EnqueueEvents events, StoreClock clock) {
		this.store = store;
		this.events = events;
		this.clock = clock;
		this.waiters = new RoomWaiters(store, clock);
		this.single = new GroupCommit(store, clock, Batches.LARGEST);
	}

	/**
	 * Write one job together with the jobs of other threads at the same moment, and wait
	 * for room if its queue is full.
	 */
	Enqueued one(Item item) {
		NewJob job = item.job();
		try {
			Enqueued enqueued = waitForRoom(item, putOne(job));
			this.events.report(job, enqueued, job.createdAt());
			return enqueued;
		}
		catch (JobStoreException ex) {
			throw ex.isRefused() ? ex : unconfirmed(List.of(item), ex);
		}
	}

	/**
	 * Write jobs in batches. If a batch fails, the jobs before it are reported and stay.
	 */
	List<Enqueued> all(List<Item> items) {
		List<Enqueued> enqueued = new ArrayList<>(items.size());
		for (List<Item> batch : Batches.of(items)) {
			try {
				enqueued.addAll(write(batch));
			}
			catch (JobStoreException ex) {
				throw explained(ex, batch, enqueued.size(), items.size());
			}
		}
		return enqueued;
	}

	private static RuntimeException explained(JobStoreException ex, List<Item> batch, int done, int all) {
		if (!ex.isRefused()) {
			return unconfirmed(batch, ex);
		}
		return (done == 0) ? ex
				: new JobStoreException(
						"Only the first %d of %d enqueues were done: %s".formatted(done, all, ex.getMessage()), ex,
						ex.isTemporary());
	}

	private static EnqueueUnconfirmedException unconfirmed(List<Item> items, JobStoreException ex) {
		List<String> ids = items.stream().map((item) -> item.job().id()).toList();
		return new EnqueueUnconfirmedException(
				"It is unknown whether %s stored: %s".formatted(
						(ids.size() == 1) ? "job " + ids.get(0) + " is" : ids.size() + " jobs are", ex.getMessage()),
				ids, ex);
	}

	/**
	 * Write a batch, and report the result.
	 */
	List<Enqueued> write(List<Item> batch) {
		List<Enqueued> enqueued = (batch.size() == 1) ? List.of(putOne(batch.get(0).job()))
				: put(batch.stream().map(Item::job).toList());
		Instant now = this.clock.now();
		for (int i = 0; i < batch.size(); i++) {
			this.events.report(batch.get(i).job(), enqueued.get(i), now);
		}
		return enqueued;
	}

	/**
	 * Write a job together with those of other threads. After a fault it is written once
	 * more, alone, since another job may have caused the fault, and on this thread, so
	 * that nobody else waits.
	 */
	private Enqueued putOne(NewJob job) {
		long end = this.clock.nanosAfter(PATIENCE_IN_DOUBT);
		try {
			return this.single.enqueue(job);
		}
		catch (JobStoreException ex) {
			return putAgain(List.of(job), ex, end).get(0);
		}
	}

	/**
	 * Write jobs to the store. After a temporary fault they are written once more:
	 * perhaps only the reply got lost, and then the caller must learn that the job is
	 * stored. A job that is still there is not stored twice, since its id is the same.
	 */
	private List<Enqueued> put(List<NewJob> jobs) {
		long end = this.clock.nanosAfter(PATIENCE_IN_DOUBT);
		try {
			return this.store.enqueue(jobs, this.clock.now());
		}
		catch (JobStoreException ex) {
			if (!ex.isTemporary()) {
				throw ex;
			}
			return putAgain(jobs, ex, end);
		}
	}

	/**
	 * Write jobs once more. A refusal of this call does not show whether the first one
	 * stored them, so as long as that is in doubt it is repeated until the patience ends.
	 */
	private List<Enqueued> putAgain(List<NewJob> jobs, JobStoreException first, long end) {
		while (true) {
			try {
				return this.store.enqueue(jobs, this.clock.now());
			}
			catch (JobStoreException ex) {
				if (first.isRefused() || !ex.isRefused()) {
					throw ex;
				}
				if (!ex.isTemporary() || this.closed || this.clock.nanos() >= end
						|| Thread.currentThread().isInterrupted()) {
					ex.addSuppressed(first);
					throw new JobStoreException(String.valueOf(first.getMessage()), ex, ex.isTemporary());
				}
				LockSupport.parkNanos(REST_IN_DOUBT.toNanos());
			}
		}
	}

	/**
	 * Wait for room in a full queue as long as the enqueue allows.
	 * @param first the result of the first try
	 * @return the result of the last try
	 */
	Enqueued waitForRoom(Item item, Enqueued first) {
		if (first.outcome() != Outcome.FULL || item.patience().compareTo(Duration.ZERO) <= 0) {
			return first;
		}
		return this.waiters.retry(item.job().name(), item.patience(), first, () -> {
			requireOpen();
			return putOne(item.job());
		});
	}

	// --- closing

	/**
	 * Refuse enqueues from now on and release callers that wait for room.
	 */
	void close() {
		this.closed = true;
		this.waiters.releaseAll();
	}

	void open() {
		this.closed = false;
	}

	boolean isClosed() {
		return this.closed;
	}

	void requireOpen() {
		if (this.closed) {
			throw new JobRejectedException("The job client is closed and takes no more jobs", RETRY_AFTER);
		}
	}

	/**
	 * A job to be written.
	 *
	 * @param job the job
	 * @param patience how long to wait while its queue is full
	 * @param ignoreTransaction whether not to wait for the commit of a transaction
	 */
	record Item(NewJob job, Duration patience, boolean ignoreTransaction) {

		/**
		 * Return the result for a caller in a transaction.
		 */
		Enqueued deferred() {
			return Enqueued.of(this.job.id(), Outcome.DEFERRED, this.job.dueAt());
		}

	}

}
