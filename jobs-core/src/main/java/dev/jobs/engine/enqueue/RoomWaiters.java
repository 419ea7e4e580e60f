package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;

/**
 * Makes producers wait while a queue is full. They try again when the store reports room,
 * and now and then in case a report got lost.
 */
final class RoomWaiters {

	private static final Duration RECHECK = Duration.ofMillis(250);

	private final JobStore store;

	private final StoreClock clock;

	private final Map<String, Semaphore> rooms = new ConcurrentHashMap<>();

	RoomWaiters(JobStore store, StoreClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Try again until there is room or the time is up.
	 * @param queue the full queue
	 * @param timeout how long to try
	 * @param full the result of the first try
	 * @param attempt the next tries
	 * @return the result of the last try; a thread interrupted while it waits stays
	 * interrupted
	 */
	Enqueued retry(String queue, Duration timeout, Enqueued full, Supplier<Enqueued> attempt) {
		long end = this.clock.nanosAfter(timeout);
		Semaphore room = this.rooms.computeIfAbsent(queue, (key) -> new Semaphore(0));
		Enqueued last = full;
		try (Subscription subscription = this.store.listen(new Listener())) {
			while (last.outcome() == Outcome.FULL) {
				last = attempt.get();
				long left = end - this.clock.nanos();
				if (last.outcome() != Outcome.FULL || left <= 0) {
					return last;
				}
				room.tryAcquire(Math.min(left, RECHECK.toNanos()), TimeUnit.NANOSECONDS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return last;
	}

	void releaseAll() {
		this.rooms.values().forEach((room) -> room.release(1000));
	}

	private final class Listener implements StoreListener {

		@Override
		public void room(String queue) {
			Semaphore room = RoomWaiters.this.rooms.get(queue);
			if (room != null && room.availablePermits() == 0) {
				room.release();
			}
		}

	}

}
