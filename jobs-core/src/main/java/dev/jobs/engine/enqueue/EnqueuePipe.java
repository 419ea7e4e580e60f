package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.enqueue.EnqueueWriter.Item;
import dev.jobs.engine.outbox.OutboxRelay;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * Takes every enqueue through the {@link EnqueueChain} to {@link NewJobs}, which makes
 * the job, and on to a writer. That is the {@link EnqueueWriter}; in a transaction it is
 * the {@link JoinedWriter} or, with a store that cannot join it, the {@link OutboxRelay}
 * if there is one, or else, after the {@link EnqueueGate}, the {@link AfterCommitWriter}.
 * The jobs of schedules go through the {@link TickWriter}.
 */
public final class EnqueuePipe {

	private static final int MOST_UNHANDLED = 1000;

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final CallersStore store;

	private final NewJobs newJobs;

	private final EnqueueChain chain;

	private final EnqueueGate gate;

	private final EnqueueWriter writer;

	private final AfterCommitWriter afterCommitWriter;

	private final JoinedWriter joinedWriter;

	private final @Nullable OutboxRelay outbox;

	private final Set<String> unhandled = ConcurrentHashMap.newKeySet();

	private volatile Runnable onUnhandled = () -> {
	};

	public EnqueuePipe(CallersStore store, NewJobs newJobs, EnqueueChain chain, EnqueueGate gate, EnqueueWriter writer,
			EnqueueEvents events, StoreClock clock, @Nullable OutboxRelay outbox) {
		this.store = store;
		this.newJobs = newJobs;
		this.chain = chain;
		this.gate = gate;
		this.writer = writer;
		this.afterCommitWriter = new AfterCommitWriter(writer, events, clock);
		this.joinedWriter = new JoinedWriter(gate, events, clock);
		this.outbox = outbox;
	}

	/**
	 * Enqueue jobs.
	 * @param requests the jobs
	 * @param wait how long to wait while the queue of a single job is full, or {@code
	 * null} to apply the rules
	 * @return what happened, one for each request
	 */
	public List<Enqueued> enqueue(List<JobRequest> requests, @Nullable Duration wait) {
		this.writer.requireOpen();
		return this.chain.pass(requests,
				(passed) -> (passed.size() == 1) ? List.of(writeOne(passed.get(0), wait, (job) -> {
				})) : writeAll(passed));
	}

	/**
	 * Enqueue a job, of which the caller wants to know before it is stored.
	 * @param request the job
	 * @param made gets the job before it is stored; it may throw
	 * @return what happened
	 */
	public Enqueued enqueue(JobRequest request, Consumer<NewJob> made) {
		this.writer.requireOpen();
		return this.chain.pass(List.of(request), (passed) -> List.of(writeOne(passed.get(0), null, made))).get(0);
	}

	private Enqueued writeOne(JobRequest request, @Nullable Duration wait, Consumer<NewJob> made) {
		Item item = item(request, wait, enqueueTime());
		made.accept(item.job());
		Enqueued enqueued = (!item.ignoreTransaction() && this.gate.inTransaction()) ? joinOrHold(List.of(item)).get(0)
				: this.writer.one(item);
		lookOutFor(item.job().name());
		return enqueued;
	}

	private List<Enqueued> writeAll(List<JobRequest> requests) {
		Instant now = enqueueTime();
		List<Item> items = IntStream.range(0, requests.size()).mapToObj((i) -> item(requests.get(i), i, now)).toList();
		List<Enqueued> enqueued = this.gate.inTransaction() ? writeInTransaction(items) : this.writer.all(items);
		items.forEach((item) -> lookOutFor(item.job().name()));
		return enqueued;
	}

	/**
	 * Write jobs that ignore the transaction before the others: if they cannot be stored,
	 * neither are the others, and they must not wait for the others' locks.
	 */
	private List<Enqueued> writeInTransaction(List<Item> items) {
		Iterator<Enqueued> stored = this.writer.all(items.stream().filter(Item::ignoreTransaction).toList()).iterator();
		Iterator<Enqueued> joined = joinOrHold(items.stream().filter((item) -> !item.ignoreTransaction()).toList())
			.iterator();
		return items.stream().map((item) -> item.ignoreTransaction() ? stored.next() : joined.next()).toList();
	}

	private List<Enqueued> joinOrHold(List<Item> items) {
		if (items.isEmpty()) {
			return List.of();
		}
		Optional<JobStore> joined = this.store.joined();
		if (joined.isPresent()) {
			return this.joinedWriter.write(items, joined.get());
		}
		if (this.outbox == null || !this.outbox.put(items.stream().map(Item::job).toList())) {
			this.gate.hold(items, this.afterCommitWriter);
		}
		return items.stream().map(Item::deferred).toList();
	}

	/**
	 * Require that a job was not refused for lack of room.
	 */
	public void requireRoom(Enqueued enqueued, JobRequest request) {
		if (enqueued.isFull()) {
			throw new JobRejectedException(whyFull(request), RETRY_AFTER);
		}
	}

	private String whyFull(JobRequest request) {
		try {
			String name = this.newJobs.nameOf(request);
			String bounds = this.newJobs.bounds(request, name);
			if (!bounds.isEmpty()) {
				return "The queue of '" + name + "' is full: " + bounds;
			}
		}
		catch (IllegalArgumentException ex) {
			// An interceptor has given the job its name.
		}
		return "The queue of the job is full";
	}

	private Item item(JobRequest request, int index, Instant now) {
		try {
			return item(request, Duration.ZERO, now);
		}
		catch (IllegalArgumentException | PayloadException ex) {
			String message = "Element " + index + " of the jobs: " + ex.getMessage();
			throw (ex instanceof PayloadException) ? new PayloadException(message, ex.getCause())
					: new IllegalArgumentException(message, ex);
		}
	}

	private Item item(JobRequest request, @Nullable Duration wait, Instant now) {
		NewJob job = this.newJobs.make(request, now);
		Duration patience = (wait != null) ? wait : this.newJobs.waitForRoom(request, job.name());
		return new Item(job, patience, request.getOptions().isIgnoreTransaction());
	}

	/**
	 * Return the time from which delays count. It is the store's, or the enqueue fails.
	 * Only jobs that the outbox may take use the machine's clock if necessary, since the
	 * outbox works while the store is out of reach.
	 */
	private Instant enqueueTime() {
		boolean mayGoByTheMachine = this.outbox != null && this.gate.inTransaction();
		return mayGoByTheMachine ? this.store.now() : this.store.requireNow();
	}

	/**
	 * Report once that a name has no handler here, since it may be misspelt.
	 */
	private void lookOutFor(String name) {
		if (!this.newJobs.isHandled(name) && this.unhandled.size() < MOST_UNHANDLED && this.unhandled.add(name)) {
			this.onUnhandled.run();
		}
	}

	/**
	 * Set the callback for the first enqueue of a name without a handler here.
	 * @param onUnhandled what to do
	 */
	public void onUnhandled(Runnable onUnhandled) {
		this.onUnhandled = onUnhandled;
	}

	// --- closing

	/**
	 * Refuse enqueues from now on and release callers that wait for room.
	 */
	public void close() {
		this.writer.close();
	}

	public void open() {
		this.writer.open();
	}

}
