package dev.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Turns concurrent single calls into batches. Whoever finds less than two batches under
 * way sends its own item at once; what arrives meanwhile goes together in the next batch,
 * sent by one of those who wait. There is no timer and no thread, so a lone caller waits
 * for nothing. Only while callers are many, the next batch is offered to as many as the
 * last one had.
 *
 * @param <T> what is sent
 * @param <R> what comes back for it
 */
final class GroupCommit<T, R> {

	private final Function<List<T>, List<R>> sender;

	private final int largest;

	private final Queue<Waiting<T, R>> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger queued = new AtomicInteger();

	private final Semaphore sending = new Semaphore(2);

	private volatile int lastSize;

	GroupCommit(Function<List<T>, List<R>> sender, int largest) {
		this.sender = sender;
		this.largest = largest;
	}

	R submit(T item) {
		Waiting<T, R> waiting = new Waiting<>(item, Thread.currentThread());
		this.queue.add(waiting);
		this.queued.incrementAndGet();
		boolean interrupted = false;
		while (!waiting.done) {
			if (!waiting.taken && this.sending.tryAcquire()) {
				try {
					send();
				}
				finally {
					this.sending.release();
					wakeNext();
				}
			}
			else {
				LockSupport.park(this);
				interrupted |= Thread.interrupted();
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return waiting.result();
	}

	private void send() {
		letOthersJoin();
		List<Waiting<T, R>> batch = new ArrayList<>();
		List<T> items = new ArrayList<>();
		for (Waiting<T, R> next = this.queue.poll(); next != null; next = this.queue.poll()) {
			next.taken = true;
			batch.add(next);
			items.add(next.item);
			if (batch.size() == this.largest) {
				break;
			}
		}
		if (batch.isEmpty()) {
			return;
		}
		this.queued.addAndGet(-batch.size());
		this.lastSize = batch.size();
		try {
			List<R> results = this.sender.apply(items);
			for (int i = 0; i < batch.size(); i++) {
				batch.get(i).complete(results.get(i), null);
			}
		}
		catch (RuntimeException | Error ex) {
			batch.forEach((waiting) -> waiting.complete(null, ex));
		}
	}

	/**
	 * Step back for callers of the last batch that are about to come again.
	 */
	private void letOthersJoin() {
		for (int i = this.lastSize; i > 1 && this.queued.get() < this.lastSize; i--) {
			Thread.yield();
		}
	}

	private void wakeNext() {
		Waiting<T, R> next = this.queue.peek();
		if (next != null) {
			LockSupport.unpark(next.thread);
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
