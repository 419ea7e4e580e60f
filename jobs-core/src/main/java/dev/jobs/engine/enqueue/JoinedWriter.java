package dev.jobs.engine.enqueue;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.engine.context.Batches;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.enqueue.EnqueueWriter.Item;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;

/**
 * Writes new jobs as a part of the caller's transaction, on the caller's thread. Nothing
 * is tried twice, since a fault ends the transaction, and nobody waits for room, since
 * this transaction itself may fill the queue. Events are published after the commit.
 */
record JoinedWriter(EnqueueGate gate, EnqueueEvents events,
		StoreClock clock) implements EnqueueGate.Outlet<JoinedWriter.Stored> {

	List<Enqueued> write(List<Item> items, JobStore joined) {
		List<Enqueued> all = new ArrayList<>(items.size());
		for (List<Item> batch : Batches.of(items)) {
			List<Enqueued> enqueued = joined.enqueue(batch.stream().map(Item::job).toList(), this.clock.now());
			all.addAll(enqueued);
			hold(batch, enqueued);
		}
		return all;
	}

	private void hold(List<Item> items, List<Enqueued> enqueued) {
		List<Stored> stored = new ArrayList<>();
		for (int i = 0; i < items.size(); i++) {
			NewJob job = items.get(i).job();
			switch (enqueued.get(i).outcome()) {
				case FULL -> this.events.report(job, enqueued.get(i), this.clock.now());
				case NEW, REPLACED, RESCHEDULED -> stored.add(new Stored(job, enqueued.get(i)));
				case DUPLICATE, STOPPED, DEFERRED -> {
				}
			}
		}
		if (!stored.isEmpty()) {
			this.gate.hold(stored, this);
		}
	}

	@Override
	public void write(List<Stored> stored) {
		stored.forEach((each) -> this.events.report(each.job(), each.enqueued(), this.clock.now()));
	}

	/**
	 * Publish nothing: the caller got an exception, and the jobs are stored if and only
	 * if the transaction was committed.
	 */
	@Override
	public void giveUp(List<Stored> stored) {
	}

	/**
	 * A job that is stored if the transaction is committed.
	 *
	 * @param job the job
	 * @param enqueued what the store says
	 */
	record Stored(NewJob job, Enqueued enqueued) {

	}

}
