package dev.jobs.engine.settle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.result.Waits;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.support.Refusals;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes endings in batches: jobs that end while one batch is being written go into the
 * next. A batch that fails is written again until the store has decided about it;
 * meanwhile the worker's lease covers its jobs. No ending holds up others:
 * <ul>
 * <li>a batch that fails is divided until the refused ending is alone, and that one rests
 * among the {@link Refusals};</li>
 * <li>new endings are written in between;</li>
 * <li>endings that the store leaves undecided while it decides about others are written
 * again after a short rest.</li>
 * </ul>
 */
public final class EndingWriter implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(EndingWriter.class);

	private static final int LARGEST_BATCH = 2000;

	private static final Duration REST = Duration.ofMinutes(1);

	private static final Duration REST_OF_UNDECIDED = Duration.ofMillis(250);

	/** How many are refused in a row before the rest waits for a moment. */
	private static final int MOST_REFUSED_IN_A_ROW = 20;

	private static final Duration REST_OF_REFUSED = Duration.ofMillis(500);

	private final WorkerContext context;

	private final Lease lease;

	private final Waits waits;

	private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	/** Failed batches, to be written next. */
	private final Deque<Batch> failed = new ArrayDeque<>();

	private final Deque<Ending> undecided = new ArrayDeque<>();

	private long undecidedUntilNanos;

	/** Refused endings, the next to try first. */
	private final Queue<Resting> refused = new PriorityQueue<>(
			(one, other) -> Long.signum(one.untilNanos - other.untilNanos));

	private volatile int refusedNow;

	/** How many batches the store has taken, as proof that it works. */
	private long taken;

	/** How many endings were refused since the store last took one. */
	private int refusedInARow;

	private long pausedUntilNanos;

	private boolean newOnes;

	private volatile boolean stopping;

	private volatile boolean triedAll;

	private final PollLoop loop;

	public EndingWriter(WorkerContext context, Lease lease, Waits waits) {
		this.context = context;
		this.lease = lease;
		this.waits = waits;
		this.pausedUntilNanos = context.clock().nanos();
		this.loop = new PollLoop("settle", this, context.clock());
	}

	/**
	 * Return the loop that writes.
	 * @return the loop, which is not started here
	 */
	public PollLoop loop() {
		return this.loop;
	}

	public void write(Ending ending) {
		this.pending.incrementAndGet();
		this.endings.add(ending);
		this.loop.wake();
	}

	/**
	 * Return how many endings the store has not decided about yet.
	 */
	public int pending() {
		return this.pending.get();
	}

	@Override
	public Duration poll() {
		if (this.stopping && !this.triedAll) {
			this.refused.forEach((resting) -> this.failed.add(resting.batch));
			this.refused.clear();
			this.refusedNow = 0;
			this.triedAll = true;
		}
		Batch batch = next();
		if (batch != null) {
			write(batch);
		}
		return rest();
	}

	/**
	 * Write all endings that the store does not refuse.
	 * @throws JobStoreException if the store fails or leaves something undecided
	 */
	public void pollAll() {
		while (writable() > 0 || isDue(this.refused.peek())) {
			boolean again = this.failed.isEmpty() && this.endings.isEmpty();
			this.pausedUntilNanos = this.context.clock().nanos();
			if (again) {
				this.undecidedUntilNanos = this.pausedUntilNanos;
			}
			int before = writable();
			poll();
			if (again && before > 0 && writable() == before) {
				throw new JobStoreException("The store left " + before + " ended job(s) undecided", null, true);
			}
		}
	}

	/**
	 * Return how many unrefused endings are left.
	 */
	public int writable() {
		return this.pending.get() - this.refusedNow;
	}

	// --- the end of the worker

	/**
	 * Try refused endings once more, because the worker stops.
	 */
	public void tryAll() {
		this.stopping = true;
		this.loop.wake();
	}

	/**
	 * Return whether every ending is written, except those refused to the last.
	 */
	public boolean isDone() {
		return pending() == 0 || (this.triedAll && writable() == 0);
	}

	/**
	 * Log the jobs whose ends the store has not taken, once writing is over.
	 */
	public void logRefused() {
		Thread thread = this.loop.thread();
		if (thread != null && thread.isAlive()) {
			return;
		}
		for (Resting resting : this.refused) {
			Ending ending = resting.batch.endings.get(0);
			logger.error(
					"The worker stops without the end of job '{}' {}, which the store refuses: {}. The job stays "
							+ "running until another worker takes it over, and may run again",
					ending.transition().queue(), ErrorText.clean(ending.transition().id(), 100), resting.cause);
			this.context.refusals().forget(what(ending));
		}
	}

	// --- what is written next

	/**
	 * Return new endings and failed batches in turn, so that neither waits for the other.
	 */
	private @Nullable Batch next() {
		this.newOnes = !this.newOnes;
		Batch first = this.newOnes ? nextNew() : nextAgain();
		return (first != null) ? first : this.newOnes ? nextAgain() : nextNew();
	}

	private @Nullable Batch nextNew() {
		List<Ending> batch = take(this.endings);
		return batch.isEmpty() ? null : new Batch(batch, false, -1, 0);
	}

	private @Nullable Batch nextAgain() {
		if (until(this.pausedUntilNanos) > 0) {
			return null;
		}
		Batch failed = this.failed.poll();
		if (failed != null) {
			return failed;
		}
		if (isUndecidedDue()) {
			return new Batch(take(this.undecided), true, -1, 0);
		}
		if (!isDue(this.refused.peek())) {
			return null;
		}
		Batch refused = this.refused.remove().batch;
		this.refusedNow = this.refused.size();
		return refused;
	}

	private static List<Ending> take(Queue<Ending> from) {
		List<Ending> batch = new ArrayList<>();
		while (batch.size() < LARGEST_BATCH) {
			Ending next = from.poll();
			if (next == null) {
				break;
			}
			batch.add(next);
		}
		return batch;
	}

	private boolean isUndecidedDue() {
		return !this.undecided.isEmpty() && until(this.undecidedUntilNanos) <= 0;
	}

	private boolean isDue(@Nullable Resting resting) {
		return resting != null && until(resting.untilNanos) <= 0;
	}

	private long until(long nanos) {
		return nanos - this.context.clock().nanos();
	}

	private Duration rest() {
		if (!this.endings.isEmpty()) {
			return Duration.ZERO;
		}
		long rest = this.failed.isEmpty() ? REST.toNanos() : 0;
		if (!this.undecided.isEmpty()) {
			rest = Math.min(rest, until(this.undecidedUntilNanos));
		}
		Resting first = this.refused.peek();
		if (first != null) {
			rest = Math.min(rest, until(first.untilNanos));
		}
		return Duration.ofNanos(Math.max(Math.max(rest, until(this.pausedUntilNanos)), 0));
	}

	// --- writing

	private void write(Batch batch) {
		List<Settled> settled;
		try {
			settled = this.context.store()
				.settle(batch.endings.stream().map(Ending::transition).toList(), this.context.clock().now());
		}
		catch (RuntimeException ex) {
			notTaken(batch, ex);
			return;
		}
		catch (Error ex) {
			this.failed.addFirst(batch.again());
			throw ex;
		}
		this.taken++;
		this.refusedInARow = 0;
		decided(batch, settled);
	}

	private void decided(Batch batch, List<Settled> settled) {
		int decided = 0;
		for (int i = 0; i < batch.endings.size(); i++) {
			Ending ending = batch.endings.get(i);
			if (settled.get(i) == Settled.UNDECIDED) {
				this.undecided.add(ending);
			}
			else {
				decided++;
				this.lease.ended(ending.job().id(), ending.transition().token());
				publish(ending, settled.get(i), batch.repeated);
			}
		}
		if (batch.failedAt >= 0) {
			this.context.refusals().taken(what(batch.endings.get(0)));
		}
		if (decided < batch.endings.size()) {
			this.undecidedUntilNanos = this.context.clock().nanosAfter(REST_OF_UNDECIDED);
		}
		this.pending.addAndGet(-decided);
	}

	/**
	 * Divide a batch. A single ending counts as refused if the fault is not temporary, or
	 * if the store has worked since the ending last failed; otherwise the store may be
	 * out of reach.
	 * @throws RuntimeException if the store may be out of reach, so that the loop rests
	 */
	private void notTaken(Batch batch, RuntimeException fault) {
		boolean temporary = Refusals.isTemporary(fault);
		if (batch.endings.size() > 1) {
			int half = batch.endings.size() / 2;
			this.failed.addFirst(batch.part(half, batch.endings.size()));
			this.failed.addFirst(batch.part(0, half));
		}
		else if (temporary && !hasWorkedSince(batch)) {
			this.failed.addLast(failed(batch));
		}
		else {
			refuse(batch, fault);
			return;
		}
		if (temporary) {
			throw fault;
		}
	}

	/**
	 * Return whether the store has taken others, or a beat, since an ending failed.
	 */
	private boolean hasWorkedSince(Batch batch) {
		return batch.failedAt >= 0 && (batch.failedAt != this.taken || this.lease.isConfirmedSince(batch.failedNanos));
	}

	private Batch failed(Batch batch) {
		return new Batch(batch.endings, true, this.taken, this.context.clock().nanos());
	}

	private void refuse(Batch batch, RuntimeException fault) {
		Duration rest = this.context.refusals().add(what(batch.endings.get(0)), fault);
		this.refused.add(new Resting(failed(batch), this.context.clock().nanosAfter(rest), Refusals.reasonOf(fault)));
		this.refusedNow = this.refused.size();
		// If the store takes nothing at all, leave it alone for a moment.
		this.pausedUntilNanos = this.context.clock()
			.nanosAfter((this.refusedInARow++ < MOST_REFUSED_IN_A_ROW) ? Duration.ZERO : REST_OF_REFUSED);
	}

	private static Refusals.What what(Ending ending) {
		return new Refusals.What("the end of job", ending.transition().queue(), ending.transition().id());
	}

	private void publish(Ending ending, Settled settled, boolean repeated) {
		if (ending.isApplied(settled, repeated)) {
			JobEvent event = (settled == Settled.GONE && ending.committed() != null) ? ending.committed()
					: ending.event();
			applied(event);
			tellWhoWait(ending.transition(), ending.job());
			return;
		}
		logger.info("Job '{}' {} was no longer held when its run ended ({}); the end changed nothing",
				ending.transition().queue(), ending.transition().id(), settled);
		lost(ending);
	}

	/**
	 * Count and publish an end that was committed with the transaction of its run.
	 * @param kept whether the end of the job is kept
	 */
	void committed(Job job, JobEvent event, boolean kept) {
		applied(event);
		if (kept) {
			this.waits.ended(job.id());
		}
	}

	/**
	 * Let those continue who wait for this end.
	 */
	private void tellWhoWait(Transition transition, Job job) {
		if (transition.to() == Transition.To.WAITING) {
			this.waits.parked(transition.trail().waitsFor());
		}
		else if (transition.end() != null) {
			this.waits.ended(job.id());
		}
	}

	/**
	 * Count and publish an accepted end.
	 * @param event what happened, or {@code null} if nothing is published
	 */
	void applied(@Nullable JobEvent event) {
		if (event != null) {
			this.context.tallies().ended(event, this.context.clock().now());
			this.context.events().publish(event);
		}
	}

	/**
	 * Publish that a job was no longer held when its run ended.
	 */
	public void lost(Ending ending) {
		JobEvent event = ending.event();
		if (event != null) {
			this.context.events().publish(new Events.LeaseLost(ending.job(), event.at()));
		}
	}

	/**
	 * Endings that are written together.
	 *
	 * @param endings the endings
	 * @param repeated whether they were written before, without a reply
	 * @param failedAt how many batches the store had taken when this single ending
	 * failed, or -1 if it has not failed
	 * @param failedNanos when it failed, by the counter
	 */
	private record Batch(List<Ending> endings, boolean repeated, long failedAt, long failedNanos) {

		Batch again() {
			return new Batch(this.endings, true, this.failedAt, this.failedNanos);
		}

		Batch part(int from, int to) {
			return new Batch(this.endings.subList(from, to), true, -1, 0);
		}

	}

	/**
	 * An ending that the store refuses.
	 *
	 * @param batch the ending, alone
	 * @param untilNanos when it is tried again
	 * @param cause why it is refused
	 */
	private record Resting(Batch batch, long untilNanos, String cause) {

	}

}
