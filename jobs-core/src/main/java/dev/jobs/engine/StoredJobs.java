package dev.jobs.engine;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.JobStore;
import dev.jobs.store.TransactionalJobStore;

/**
 * Looks stored jobs up and changes them, within the caller's transaction if there is one
 * that the store can join.
 */
final class StoredJobs {

	private final JobStore store;

	private final EnqueueGate gate;

	private final StoreClock clock;

	private final HandlerRegistry registry;

	StoredJobs(JobStore store, EnqueueGate gate, StoreClock clock, HandlerRegistry registry) {
		this.store = store;
		this.gate = gate;
		this.clock = clock;
		this.registry = registry;
	}

	/**
	 * Return the store as the caller is to see it: in a transaction as a part of that, if
	 * it can be.
	 */
	JobStore store() {
		JobStore joined = this.gate.isClosed() ? TransactionalJobStore.join(this.store) : null;
		return (joined != null) ? joined : this.store;
	}

	/**
	 * Return the time. A process that only enqueues does not learn the store's time from
	 * beats, so it asks.
	 */
	Instant now() {
		this.clock.askNowAndThen(this::store);
		return this.clock.now();
	}

	Optional<Job> find(String id) {
		return store().inspector().job(id, now()).map(this.registry::readable);
	}

	Page page(JobFilter filter, Range range) {
		Page page = store().inspector().page(filter, range, now());
		return new Page(page.jobs().stream().map(this.registry::readable).toList(), page.total(), page.complete(),
				page.searched());
	}

	boolean cancel(String id) {
		return change(new Change.Cancel(id)) == Changed.DONE;
	}

	boolean reschedule(String id, Instant dueAt) {
		return change(new Change.Reschedule(id, StoreClock.roundUp(dueAt))) == Changed.DONE;
	}

	Changed change(Change change) {
		return store().change(List.of(change), now()).get(0);
	}

}
