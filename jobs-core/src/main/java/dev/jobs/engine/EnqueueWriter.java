package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobRejectedException;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.ErrorText;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes new jobs to the store and tells what became of them: the caller, or, once the
 * caller's transaction has been committed and nobody waits for an answer any more, the
 * log and the listeners.
 */
final class EnqueueWriter implements EnqueueGate.Outlet<EnqueueWriter.Item> {

	private static final Logger logger = LoggerFactory.getLogger(EnqueueWriter.class);

	private static final int CHUNK = 500;

	private static final int MOST_LOGGED = 20;

	private static final Duration PATIENCE_IN_DOUBT = Duration.ofSeconds(4);

	private static final Duration REST_IN_DOUBT = Duration.ofMillis(100);

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final JobStore store;

	private final EventBus events;

	private final StoreClock clock;

	private final Tallies tallies;

	private final RoomWaiters waiters;

	private final GroupCommit<NewJob, Enqueued> single;

	private volatile boolean closed;

	EnqueueWriter(JobStore store, EventBus events, StoreClock clock, Tallies tallies) {
		this.store = store;
		this.events = events;
		this.clock = clock;
		this.tallies = tallies;
		this.waiters = new RoomWaiters(store, clock);
		EarlyEnqueue enqueue = store.as(EarlyEnqueue.class);
		this.single = new GroupCommit<>((jobs, early) -> (enqueue != null) ? enqueue.enqueue(jobs, clock.now(), early)
				: store.enqueue(jobs, clock.now()), CHUNK, clock::nanos);
	}

	// --- for a caller who waits for the answer

	/**
	 * Write one job together with what other threads enqueue at the same moment, and wait
	 * for room if its queue is full.
	 */
	Enqueued one(Item item) {
		NewJob job = item.job();
		try {
			Enqueued enqueued = waitForRoom(item, putOne(job));
			tell(job, enqueued, job.createdAt());
			return enqueued;
		}
		catch (JobStoreException ex) {
			throw ex.isRefused() ? ex : unconfirmed(List.of(item), ex);
		}
	}

	/**
	 * Write jobs in steps. If one fails, those before it are told and stay.
	 */
	List<Enqueued> all(List<Item> items) {
		List<Enqueued> enqueued = new ArrayList<>(items.size());
		while (enqueued.size() < items.size()) {
			List<Item> chunk = chunk(items, enqueued.size());
			try {
				enqueued.addAll(putAndTell(chunk));
			}
			catch (JobStoreException ex) {
				throw explained(ex, chunk, enqueued.size(), items.size());
			}
		}
		return enqueued;
	}

	private static RuntimeException explained(JobStoreException ex, List<Item> chunk, int done, int all) {
		if (!ex.isRefused()) {
			return unconfirmed(chunk, ex);
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

	// --- after the commit of a transaction

	/**
	 * Write jobs whose caller has gone on. When the store fails, what is left is given up
	 * at once, so that the thread that committed is not held up any longer.
	 */
	@Override
	public void write(List<Item> items) {
		List<Item> full = new ArrayList<>();
		for (int from = 0; from < items.size(); from += CHUNK) {
			List<Item> chunk = chunk(items, from);
			try {
				List<Enqueued> enqueued = putAndTell(chunk);
				for (int i = 0; i < chunk.size(); i++) {
					if (enqueued.get(i).outcome() == Outcome.FULL) {
						full.add(chunk.get(i));
					}
				}
			}
			catch (RuntimeException ex) {
				failed(chunk, ErrorText.of(ex), ex, isInDoubt(ex));
				failed(items.subList(from + chunk.size(), items.size()), ErrorText.of(ex), ex, false);
				break;
			}
		}
		failed(full.stream().filter(this::staysOut).toList(), "The queue is full", null, false);
	}

	/**
	 * Wait for room as the enqueue said, and tell what came of it unless it is that there
	 * was none.
	 */
	private boolean staysOut(Item item) {
		try {
			Enqueued full = new Enqueued(item.job().id(), Outcome.FULL, item.job().dueAt());
			Enqueued enqueued = waitForRoom(item, full);
			if (enqueued.outcome() != Outcome.FULL) {
				tell(item.job(), enqueued, this.clock.now());
			}
			return enqueued.outcome() == Outcome.FULL;
		}
		catch (RuntimeException ex) {
			failed(List.of(item), ErrorText.of(ex), ex, isInDoubt(ex));
			return false;
		}
	}

	private static boolean isInDoubt(RuntimeException ex) {
		return !(ex instanceof JobRejectedException) && !(ex instanceof JobStoreException fault && fault.isRefused());
	}

	@Override
	public void giveUp(List<Item> items) {
		failed(items, "It is unknown whether the transaction was committed", null, true);
	}

	private void failed(List<Item> items, String error, @Nullable Throwable cause, boolean inDoubt) {
		if (items.isEmpty()) {
			return;
		}
		logger.error("{} after the commit of the transaction ({}): {}",
				inDoubt ? "Perhaps not enqueued" : "Not enqueued", describe(items), error);
		Instant now = this.clock.now();
		for (Item item : items) {
			NewJob job = item.job();
			this.events.publish(() -> new JobEvent.EnqueueFailed(seen(job, job.id(), job.dueAt(), now), error, cause,
					inDoubt, now));
		}
	}

	private static String describe(List<Item> items) {
		String named = items.stream()
			.limit(MOST_LOGGED)
			.map((item) -> "'" + item.job().name() + "' " + item.job().id())
			.collect(Collectors.joining(", "));
		return (items.size() > MOST_LOGGED) ? named + " and " + (items.size() - MOST_LOGGED) + " more" : named;
	}

	// --- both

	private static List<Item> chunk(List<Item> items, int from) {
		return items.subList(from, Math.min(from + CHUNK, items.size()));
	}

	private List<Enqueued> putAndTell(List<Item> chunk) {
		List<Enqueued> enqueued = (chunk.size() == 1) ? List.of(putOne(chunk.get(0).job()))
				: put(chunk.stream().map(Item::job).toList());
		Instant now = this.clock.now();
		for (int i = 0; i < chunk.size(); i++) {
			tell(chunk.get(i).job(), enqueued.get(i), now);
		}
		return enqueued;
	}

	/**
	 * Write a job together with those of other threads. After a fault it is written once
	 * more, now alone, since the fault may be that of another's job, and on this thread,
	 * so that nobody else waits.
	 */
	private Enqueued putOne(NewJob job) {
		long end = this.clock.nanosAfter(PATIENCE_IN_DOUBT);
		try {
			return this.single.submit(job);
		}
		catch (JobStoreException ex) {
			return putAgain(List.of(job), ex, end).get(0);
		}
	}

	/**
	 * Write jobs to the store. After a temporary fault they are written once more, since
	 * the reply alone may have got lost and the caller is to hear of a job that is
	 * stored; a job that is still there is not stored twice, as its id is the same.
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
	 * Write jobs once more. That this is refused does not tell what became of them
	 * before, so while that is in doubt it is tried until the end of the patience.
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

	private Enqueued waitForRoom(Item item, Enqueued first) {
		if (first.outcome() != Outcome.FULL || item.patience().compareTo(Duration.ZERO) <= 0) {
			return first;
		}
		return this.waiters.retry(item.job().name(), item.patience(), first, () -> {
			requireOpen();
			return putOne(item.job());
		});
	}

	private void tell(NewJob job, Enqueued enqueued, Instant now) {
		if (enqueued.isNew()) {
			this.tallies.enqueued(job.name(), now);
		}
		Supplier<JobEvent> event = event(job, enqueued, now);
		if (event != null) {
			this.events.publish(event);
		}
	}

	/**
	 * Return what there is to tell of an enqueue, or {@code null} if nothing is.
	 */
	static @Nullable Supplier<JobEvent> event(NewJob job, Enqueued enqueued, Instant now) {
		return switch (enqueued.outcome()) {
			case FULL -> () -> new JobEvent.Rejected(job.name(), now);
			case NEW, REPLACED, RESCHEDULED ->
				() -> new JobEvent.Accepted(seen(job, enqueued.id(), enqueued.dueAt(), now), enqueued.outcome(), now);
			case DUPLICATE, STOPPED, DEFERRED -> null;
		};
	}

	static Job seen(NewJob job, String id, Instant dueAt, Instant now) {
		JobState state = dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY;
		return new Job(id, job.name(), job.payload(), job.headers(), state, job.createdAt(), dueAt, Trail.EMPTY, null);
	}

	// --- closing

	/**
	 * Refuse enqueues from now on and release those who wait for room.
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
		 * Return what the caller is told in a transaction.
		 */
		Enqueued deferred() {
			return new Enqueued(this.job.id(), Outcome.DEFERRED, this.job.dueAt());
		}

	}

}
