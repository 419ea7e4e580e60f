package dev.jobs.store.contract;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.JobInspector;

/**
 * A store that passes everything on to another, for tests that want one verb to behave
 * differently.
 */
public class ForwardingStore implements JobStore {

	private final JobStore target;

	protected ForwardingStore(JobStore target) {
		this.target = target;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return this.target.enqueue(jobs, now);
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.target.claim(request);
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.target.takeOver(request);
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return this.target.settle(transitions, now);
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return this.target.save(saves, now);
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.target.beat(beat);
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.target.change(changes, now);
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return this.target.prune(request);
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return this.target.fireTicks(ticks, now);
	}

	@Override
	public Optional<Instant> time() {
		return this.target.time();
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.target.listen(listener);
	}

	@Override
	public JobInspector inspector() {
		return this.target.inspector();
	}

	/**
	 * Join as the store behind does, and be filled from an outbox as it is. No enqueue
	 * returns early, so that all come by here.
	 */
	@Override
	public <T> Optional<T> as(Class<T> ability) {
		return (ability != EarlyEnqueue.class) ? this.target.as(ability) : Optional.empty();
	}

}
