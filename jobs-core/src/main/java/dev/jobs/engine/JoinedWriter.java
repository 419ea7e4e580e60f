package dev.jobs.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobEvent;
import dev.jobs.engine.EnqueueWriter.Item;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;

/**
 * Writes new jobs as a part of the caller's transaction, on the caller's thread. Nothing
 * is tried twice, since after a fault the transaction is lost, and nobody waits for room,
 * since it may be this transaction that fills the queue. What was stored is told after
 * the commit.
 */
final class JoinedWriter implements EnqueueGate.Outlet<Supplier<JobEvent>> {

	private static final int CHUNK = 500;

	private final EnqueueGate gate;

	private final EventBus events;

	private final StoreClock clock;

	JoinedWriter(EnqueueGate gate, EventBus events, StoreClock clock) {
		this.gate = gate;
		this.events = events;
		this.clock = clock;
	}

	List<Enqueued> write(List<Item> items, JobStore joined) {
		List<Enqueued> enqueued = new ArrayList<>(items.size());
		for (int from = 0; from < items.size(); from += CHUNK) {
			List<NewJob> jobs = items.subList(from, Math.min(from + CHUNK, items.size()))
				.stream()
				.map(Item::job)
				.toList();
			List<Enqueued> answers = joined.enqueue(jobs, this.clock.now());
			enqueued.addAll(answers);
			tell(jobs, answers);
		}
		return enqueued;
	}

	private void tell(List<NewJob> jobs, List<Enqueued> answers) {
		if (!this.events.isHeard()) {
			return;
		}
		Instant now = this.clock.now();
		List<Supplier<JobEvent>> accepted = new ArrayList<>();
		for (int i = 0; i < jobs.size(); i++) {
			Supplier<JobEvent> event = EnqueueWriter.event(jobs.get(i), answers.get(i), now);
			if (event != null && answers.get(i).outcome() == Outcome.FULL) {
				this.events.publish(event);
			}
			else if (event != null) {
				accepted.add(event);
			}
		}
		if (!accepted.isEmpty()) {
			this.gate.hold(accepted, this);
		}
	}

	@Override
	public void write(List<Supplier<JobEvent>> accepted) {
		accepted.forEach(this.events::publish);
	}

	/**
	 * Tell nothing: the caller has got an exception, and the jobs are stored if and only
	 * if the transaction was committed.
	 */
	@Override
	public void giveUp(List<Supplier<JobEvent>> accepted) {
	}

}
