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
final class JoinedWriter implements EnqueueGate.Outlet<Runnable> {

	private static final int CHUNK = 500;

	private final EnqueueGate gate;

	private final EventBus events;

	private final StoreClock clock;

	private final Tallies tallies;

	JoinedWriter(EnqueueGate gate, EventBus events, StoreClock clock, Tallies tallies) {
		this.gate = gate;
		this.events = events;
		this.clock = clock;
		this.tallies = tallies;
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
		Instant now = this.clock.now();
		List<Runnable> accepted = new ArrayList<>();
		for (int i = 0; i < jobs.size(); i++) {
			NewJob job = jobs.get(i);
			Supplier<JobEvent> event = EnqueueWriter.event(job, answers.get(i), now);
			if (event != null && answers.get(i).outcome() == Outcome.FULL) {
				this.events.publish(event);
			}
			else if (event != null) {
				boolean isNew = answers.get(i).isNew();
				accepted.add(() -> accept(job, isNew, event));
			}
		}
		if (!accepted.isEmpty()) {
			this.gate.hold(accepted, this);
		}
	}

	private void accept(NewJob job, boolean isNew, Supplier<JobEvent> event) {
		if (isNew) {
			this.tallies.enqueued(job.name(), this.clock.now());
		}
		this.events.publish(event);
	}

	@Override
	public void write(List<Runnable> accepted) {
		accepted.forEach(Runnable::run);
	}

	/**
	 * Tell nothing: the caller has got an exception, and the jobs are stored if and only
	 * if the transaction was committed.
	 */
	@Override
	public void giveUp(List<Runnable> accepted) {
	}

}
