package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Turns concurrent single calls into batches. Whoever finds no batch under way, or only
 * one that is small or takes long, sends its own item at once; what arrives meanwhile
 * goes together in the next batch, sent by one of those who wait. There is no timer and
 * no thread, so a lone caller waits for nothing. Only while callers are many, the next
 * batch waits briefly to grow as large as the last one.
 *
 * @param <T> what is sent
 * @param <R> what comes back for it
 */
final class GroupCommit<T, R> {

	/** A reply is often so close that to sleep and be woken up would take longer. */
	private static final int LOOKS = 20;

	/** Callers that are few get on faster side by side than together. */
	private static final int SMALL = 2;

	/**
	 * How long a batch is waited for: it may be held up by a lock or a lost connection.
	 */
	private static final long PATIENCE = Duration.ofMillis(20).toNanos();

	/**
	 * How often others may run, for each that the last batch had, before a batch goes.
	 */
	private static final int STEPS_BACK = 12;

	/** One that comes alone after many is not held up for long. */
	private static final int MOST_STEPS_BACK = 200;

	private final Sender<T, R> sender;

	private final int largest;

	private final LongSupplier nanos;

	private final Queue<Waiting<T, R>> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger queued = new AtomicInteger();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile int lastSize;

	private volatile long lastBegin;

	GroupCommit(Sender<T, R> sender, int largest, LongSupplier nanos) {
		this.sender = sender;
		this.largest = largest;
		this.nanos = nanos;
	}

	R submit(T item) {
		Waiting<T, R> waiting = new Waiting<>(item, Thread.currentThread());
		this.queue.add(waiting);
		this.queued.incrementAndGet();
		boolean interrupted = false;
		int looks = 0;
		while (!waiting.done) {
			if (!waiting.taken && mayBegin()) {
				send();
			}
			else if (looks++ < LOOKS) {
				Thread.yield();
			}
			else {
				sleep(waiting);
				interrupted |= Thread.interrupted();
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return waiting.result();
	}

	/**
	 * Sleep until woken up. The first in the queue also sees by itself when the batch
	 * under way has taken long.
	 */
	private void sleep(Waiting<T, R> waiting) {
		if (this.queue.peek() == waiting) {
			LockSupport.parkNanos(this, PATIENCE);
		}
		else {
			LockSupport.park(this);
		}
	}

	private boolean mayBegin() {
		int others = this.underWay.get();
		if (others > 1
				|| (others == 1 && this.lastSize > SMALL && this.nanos.getAsLong() - this.lastBegin < PATIENCE)) {
			return false;
		}
		return this.underWay.compareAndSet(others, others + 1);
	}

	private void send() {
		letOthersJoin();
		Batch batch = new Batch();
		if (batch.items.isEmpty()) {
			batch.end(List.of(), null);
			return;
		}
		this.lastSize = batch.items.size();
		this.lastBegin = this.nanos.getAsLong();
		try {
			batch.end(this.sender.send(batch.items, (results) -> batch.end(results, null)), null);
		}
		catch (RuntimeException | Error ex) {
			batch.end(List.of(), ex);
		}
	}

	/**
	 * Step back for callers of the last batch that are about to come again.
	 */
	private void letOthersJoin() {
		int size = this.lastSize;
		for (int i = Math.min(STEPS_BACK * size, MOST_STEPS_BACK); i > STEPS_BACK && this.queued.get() < size; i--) {
			Thread.yield();
		}
	}

	private void wakeNext() {
		Waiting<T, R> next = this.queue.peek();
		if (next != null) {
			LockSupport.unpark(next.thread);
		}
	}

	/**
	 * Sends a batch.
	 *
	 * @param <T> what is sent
	 * @param <R> what comes back for it
	 */
	@FunctionalInterface
	interface Sender<T, R> {

		/**
		 * Send items and wait for what comes back.
		 * @param items the items
		 * @param early may get the same as is returned, on any thread and before this one
		 * has woken up
		 * @return what came back, one for each item, in their order
		 */
		List<R> send(List<T> items, Consumer<List<R>> early);

	}

	/**
	 * What goes together. It ends once, and makes room for the next.
	 */
	private final class Batch {

		private final List<Waiting<T, R>> members = new ArrayList<>();

		private final List<T> items = new ArrayList<>();

		private final AtomicBoolean ended = new AtomicBoolean();

		Batch() {
			while (this.items.size() < GroupCommit.this.largest) {
				Waiting<T, R> next = GroupCommit.this.queue.poll();
				if (next == null) {
					break;
				}
				next.taken = true;
				this.members.add(next);
				this.items.add(next.item);
			}
			GroupCommit.this.queued.addAndGet(-this.items.size());
		}

		void end(List<R> results, @Nullable Throwable fault) {
			if (!this.ended.compareAndSet(false, true)) {
				return;
			}
			GroupCommit.this.underWay.decrementAndGet();
			for (int i = 0; i < this.members.size(); i++) {
				this.members.get(i).complete((fault == null) ? results.get(i) : null, fault);
			}
			wakeNext();
		}

	}

	private static final class Waiting<T, R> {

		private final T item;

		private final Thread thread;

		private @Nullable R result;

		private @Nullable Throwable fault;

		private volatile boolean taken;

		private volatile boolean done;

		Waiting(T item, Thread thread) {
			this.item = item;
			this.thread = thread;
		}

		void complete(@Nullable R result, @Nullable Throwable fault) {
			this.result = result;
			this.fault = fault;
			this.done = true;
			if (this.thread != Thread.currentThread()) {
				LockSupport.unpark(this.thread);
			}
		}

		@SuppressWarnings("NullAway") // either the result or the fault is there
		R result() {
			if (this.fault instanceof Error error) {
				throw error;
			}
			if (this.fault instanceof RuntimeException ex) {
				throw ex;
			}
			return this.result;
		}

	}

}
