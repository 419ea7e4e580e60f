package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.jobs.Enqueued;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * Turns concurrent enqueues of single jobs into batches. A caller that finds no batch
 * under way, or only one that is small or slow, writes its own job at once; jobs that
 * arrive meanwhile form the next batch, which one of the waiting callers writes. There is
 * no timer and no thread, so a lone caller never waits. Only with many callers does the
 * next batch wait briefly to grow as large as the last one.
 */
final class GroupCommit {

	/** A reply is often so close that sleeping and being woken up would take longer. */
	private static final int LOOKS = 20;

	/** A few callers are faster side by side than together. */
	private static final int SMALL = 2;

	/**
	 * How long to wait for a batch, which a lock or a lost connection may hold up.
	 */
	private static final long PATIENCE = Duration.ofMillis(20).toNanos();

	/**
	 * How often to yield to other threads, per job of the last batch, before a batch
	 * goes.
	 */
	private static final int STEPS_BACK = 12;

	/** A lone caller after many is not held up for long. */
	private static final int MOST_STEPS_BACK = 200;

	private final JobStore store;

	private final @Nullable EarlyEnqueue early;

	private final StoreClock clock;

	private final int largest;

	private final Queue<Waiting> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger queued = new AtomicInteger();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile int lastSize;

	private volatile long lastBegin;

	GroupCommit(JobStore store, StoreClock clock, int largest) {
		this.store = store;
		this.early = store.as(EarlyEnqueue.class).orElse(null);
		this.clock = clock;
		this.largest = largest;
	}

	Enqueued enqueue(NewJob job) {
		Waiting waiting = new Waiting(job);
		this.queue.add(waiting);
		this.queued.incrementAndGet();
		boolean interrupted = false;
		int looks = 0;
		Batch batch = null;
		while (batch == null || !batch.done) {
			if (batch == null && mayBegin()) {
				writeBatch();
			}
			else if (looks++ < LOOKS) {
				Thread.yield();
			}
			else {
				sleep(waiting);
				interrupted |= Thread.interrupted();
			}
			batch = waiting.batch;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return batch.reply(waiting.place);
	}

	/**
	 * Sleep until woken up. The first in the queue also wakes by itself when the batch
	 * under way takes long.
	 */
	private void sleep(Waiting waiting) {
		if (this.queue.peek() == waiting) {
			LockSupport.parkNanos(this, PATIENCE);
		}
		else {
			LockSupport.park(this);
		}
	}

	private boolean mayBegin() {
		int others = this.underWay.get();
		if (others > 1 || (others == 1 && this.lastSize > SMALL && this.clock.nanos() - this.lastBegin < PATIENCE)) {
			return false;
		}
		return this.underWay.compareAndSet(others, others + 1);
	}

	private void writeBatch() {
		letOthersJoin();
		Batch batch = new Batch();
		if (batch.jobs.isEmpty()) {
			batch.end(List.of(), null);
			return;
		}
		this.lastSize = batch.jobs.size();
		this.lastBegin = this.clock.nanos();
		try {
			batch.end(write(batch), null);
		}
		catch (RuntimeException | Error ex) {
			batch.end(List.of(), ex);
		}
	}

	private List<Enqueued> write(Batch batch) {
		Instant now = this.clock.now();
		return (this.early != null) ? this.early.enqueue(batch.jobs, now, (replies) -> batch.end(replies, null))
				: this.store.enqueue(batch.jobs, now);
	}

	/**
	 * Yield to callers of the last batch that are about to come again.
	 */
	private void letOthersJoin() {
		int size = this.lastSize;
		for (int i = Math.min(STEPS_BACK * size, MOST_STEPS_BACK); i > STEPS_BACK && this.queued.get() < size; i--) {
			Thread.yield();
		}
	}

	private void wakeNext() {
		Waiting next = this.queue.peek();
		if (next != null) {
			LockSupport.unpark(next.thread);
		}
	}

	/**
	 * Jobs that are written together. A batch ends once, and makes room for the next.
	 */
	private final class Batch {

		private final List<Waiting> members = new ArrayList<>();

		private final List<NewJob> jobs = new ArrayList<>();

		private final AtomicBoolean ended = new AtomicBoolean();

		private List<Enqueued> replies = List.of();

		private @Nullable Throwable fault;

		private volatile boolean done;

		Batch() {
			while (this.jobs.size() < GroupCommit.this.largest) {
				Waiting next = GroupCommit.this.queue.poll();
				if (next == null) {
					break;
				}
				next.place = this.jobs.size();
				next.batch = this;
				this.members.add(next);
				this.jobs.add(next.job);
			}
			GroupCommit.this.queued.addAndGet(-this.jobs.size());
		}

		void end(List<Enqueued> replies, @Nullable Throwable fault) {
			if (!this.ended.compareAndSet(false, true)) {
				return;
			}
			GroupCommit.this.underWay.decrementAndGet();
			this.replies = replies;
			this.fault = fault;
			this.done = true;
			for (Waiting member : this.members) {
				if (member.thread != Thread.currentThread()) {
					LockSupport.unpark(member.thread);
				}
			}
			wakeNext();
		}

		Enqueued reply(int place) {
			if (this.fault instanceof Error error) {
				throw error;
			}
			if (this.fault instanceof RuntimeException ex) {
				throw ex;
			}
			return this.replies.get(place);
		}

	}

	private static final class Waiting {

		private final NewJob job;

		private final Thread thread = Thread.currentThread();

		private int place;

		/** The batch that took it, once one has. */
		private volatile @Nullable Batch batch;

		Waiting(NewJob job) {
			this.job = job;
		}

	}

}
