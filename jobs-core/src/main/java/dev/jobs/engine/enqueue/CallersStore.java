package dev.jobs.engine.enqueue;

import java.time.Instant;
import java.util.Optional;

import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.store.JobStore;
import dev.jobs.store.TransactionalJobStore;

/**
 * The store and its time as the calling thread sees them: as a part of its transaction,
 * if possible.
 */
public record CallersStore(JobStore store, EnqueueGate gate, StoreClock clock, TimeKeeper time) {

	/**
	 * Return the store.
	 */
	public JobStore get() {
		return this.gate.inTransaction() ? joined().orElse(this.store) : this.store;
	}

	/**
	 * Return the store as a part of the caller's transaction, or empty if it cannot join
	 * one.
	 */
	public Optional<JobStore> joined() {
		return TransactionalJobStore.join(this.store);
	}

	/**
	 * Return the current time. A process that only enqueues has no beats that bring the
	 * store's time, so it asks.
	 */
	public Instant now() {
		this.time.askNowAndThen(this::get);
		return this.clock.now();
	}

	/**
	 * Return the current time, and fail if the store's time is not known yet.
	 */
	Instant requireNow() {
		this.time.require(this::get);
		return this.clock.now();
	}

}
