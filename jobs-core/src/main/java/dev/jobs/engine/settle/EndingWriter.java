package dev.jobs.engine.settle;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobEvent;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes endings in batches: what ends while one batch is being written goes into the
 * next. A batch whose writing fails is written again until the store has decided about
 * it; its jobs stay covered by the worker's lease meanwhile. Endings that the store
 * leaves undecided while it decides about others step aside and are written again after a
 * short rest.
 */
public final class EndingWriter implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(EndingWriter.class);

	private static final int LARGEST_BATCH = 2000;

	private static final Duration REST = Duration.ofMinutes(1);

	private static final Duration REST_OF_UNDECIDED = Duration.ofMillis(250);

	private final WorkerContext context;

	private final Lease lease;

	private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private List<Ending> batch = List.of();

	private boolean repeated;

	private final Deque<Ending> undecided = new ArrayDeque<>();

	private long undecidedUntilNanos;

	private final PollLoop loop;

	public EndingWriter(WorkerContext context, Lease lease) {
		this.context = context;
		this.lease = lease;
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
	 * @return the number
	 */
	public int pending() {
		return this.pending.get();
	}

	@Override
	public Duration poll() {
		if (this.batch.isEmpty()) {
			this.batch = nextBatch();
		}
		if (!this.batch.isEmpty()) {
			writeBatch();
		}
		return rest();
	}

	/**
	 * Write all there is.
	 * @throws JobStoreException if the store fails or leaves something undecided
	 */
	public void pollAll() {
		while (pending() > 0) {
			boolean again = this.batch.isEmpty() && this.endings.isEmpty();
			if (again) {
				this.undecidedUntilNanos = this.context.clock().nanos();
			}
			int before = pending();
			poll();
			if (again && pending() == before) {
				throw new JobStoreException("The store left " + before + " ended job(s) undecided", null, true);
			}
		}
	}

	private List<Ending> nextBatch() {
		this.repeated = isUndecidedDue();
		Queue<Ending> from = this.repeated ? this.undecided : this.endings;
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
		return !this.undecided.isEmpty() && untilUndecided() <= 0;
	}

	private long untilUndecided() {
		return this.undecidedUntilNanos - this.context.clock().nanos();
	}

	private Duration rest() {
		if (!this.endings.isEmpty()) {
			return Duration.ZERO;
		}
		return this.undecided.isEmpty() ? REST : Duration.ofNanos(Math.max(untilUndecided(), 0));
	}

	private void writeBatch() {
		List<Settled> settled = settle(this.batch);
		List<Ending> written = this.batch;
		this.batch = List.of();
		int decided = 0;
		for (int i = 0; i < written.size(); i++) {
			if (settled.get(i) == Settled.UNDECIDED) {
				this.undecided.add(written.get(i));
			}
			else {
				decided++;
				this.lease.ended(written.get(i).job().id(), written.get(i).transition().token());
				publish(written.get(i), settled.get(i));
			}
		}
		if (decided < written.size()) {
			this.undecidedUntilNanos = this.context.clock().nanosAfter(REST_OF_UNDECIDED);
		}
		this.pending.addAndGet(-decided);
	}

	private List<Settled> settle(List<Ending> endings) {
		List<Transition> transitions = new ArrayList<>(endings.size());
		endings.forEach((ending) -> transitions.add(ending.transition()));
		try {
			return this.context.store().settle(transitions, this.context.clock().now());
		}
		catch (RuntimeException ex) {
			this.repeated = true;
			throw ex;
		}
	}

	private void publish(Ending ending, Settled settled) {
		if (ending.isApplied(settled, this.repeated)) {
			JobEvent event = (settled == Settled.GONE && ending.committed() != null) ? ending.committed()
					: ending.event();
			applied(event);
			return;
		}
		logger.info("Job '{}' {} was no longer held when its run ended ({}); the end changed nothing",
				ending.transition().queue(), ending.transition().id(), settled);
		lost(ending);
	}

	/**
	 * Count and publish what the store has accepted.
	 * @param event what happened, or {@code null} if nobody is to know of it
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

}
