package dev.jobs.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.StoreListeners;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.Transition.To;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.SavedView;

/**
 * Keeps jobs in memory, for tests and for applications whose jobs may end with them. It
 * is the readable specification of every other store.
 * <p>
 * One lock guards everything; a call keeps it for work that its arguments bound.
 * Listeners are called after it is released, on the thread that caused the signal.
 */
public final class InMemoryJobStore implements JobStore, OutboxTarget {

	/** How many jobs a store holds unless its capacity is set. */
	public static final int DEFAULT_CAPACITY = 10_000_000;

	private final Contents contents = new Contents();

	private final ReentrantLock lock = new ReentrantLock();

	private final StoreListeners listeners = new StoreListeners();

	private final JobInspector inspector = new InMemoryJobInspector(this.contents, this.lock);

	private final int capacity;

	/**
	 * Create a store with the default capacity.
	 */
	public InMemoryJobStore() {
		this(DEFAULT_CAPACITY);
	}

	/**
	 * Create a store.
	 * @param capacity how many jobs it keeps at most, in any state; an enqueue that might
	 * exceed it fails with a temporary fault and stores nothing
	 */
	public InMemoryJobStore(int capacity) {
		if (capacity < 1) {
			throw new IllegalArgumentException("'capacity' must be positive but was " + capacity);
		}
		this.capacity = capacity;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return locked(() -> {
			requireCapacity(jobs);
			List<Enqueued> reply = new ArrayList<>(jobs.size());
			for (NewJob job : jobs) {
				reply.add(enqueue(job, now));
			}
			return reply;
		});
	}

	@Override
	public List<Enqueued> enqueueOnce(List<NewJob> jobs, Duration memory, Instant now) {
		return locked(() -> {
			requireCapacity(jobs);
			List<Enqueued> reply = new ArrayList<>(jobs.size());
			for (NewJob job : jobs) {
				reply.add(enqueueOnce(job, now.plus(memory), now));
			}
			return reply;
		});
	}

	private void requireCapacity(Collection<NewJob> jobs) {
		int free = this.capacity - this.contents.jobs.size();
		if (jobs.size() > free
				&& jobs.stream().filter((job) -> !this.contents.jobs.containsKey(job.id())).count() > free) {
			throw JobStoreException.refused(
					"The store is full: it holds " + this.contents.jobs.size() + " jobs of at most " + this.capacity,
					null, true);
		}
	}

	private Enqueued enqueueOnce(NewJob job, Instant rememberedUntil, Instant now) {
		if (this.contents.remembered.contains(job.id(), now) && !this.contents.jobs.containsKey(job.id())) {
			return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
		}
		Enqueued enqueued = enqueue(job, now);
		if (enqueued.outcome() != Outcome.FULL) {
			this.contents.remembered.add(job.id(), rememberedUntil, now);
		}
		return enqueued;
	}

	private Enqueued enqueue(NewJob job, Instant now) {
		StoredJob stored = this.contents.jobs.get(job.id());
		if (stored != null) {
			return Enqueued.of(job.id(), Outcome.NEW, stored.job().dueAt());
		}
		NewJob.Throttle throttle = job.throttle();
		Queue.Window window = (throttle != null) ? this.contents.queue(job.name()).windows.get(throttle.key()) : null;
		if (window != null && window.until().isAfter(now)) {
			return Enqueued.of(window.job(), Outcome.DUPLICATE, window.until());
		}
		StoredJob owner = this.contents.keys.owner(job.name(), job.uniqueKey(), now);
		if (owner != null && job.uniqueKey() != null) {
			Outcome outcome = update(owner, job, job.uniqueKey(), now);
			return Enqueued.of(owner.id(), outcome, owner.job().dueAt());
		}
		Queue queue = this.contents.queues.get(job.name());
		if (queue != null && (queue.refuses(job.maxWaiting()) || queue.refusesInLane(job.lane(), job.maxInLane()))) {
			return Enqueued.of(job.id(), Outcome.FULL, job.dueAt());
		}
		this.contents.store(job, now);
		if (throttle != null) {
			this.contents.queue(job.name()).windows.put(throttle.key(), new Queue.Window(job.id(), throttle.until()));
		}
		return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
	}

	private Outcome update(StoredJob owner, NewJob job, NewJob.UniqueKey key, Instant now) {
		OnDuplicate rule = key.onDuplicate();
		boolean changeable = owner.state().isWaiting() && owner.queue().equals(job.name());
		if (rule == OnDuplicate.KEEP || !changeable) {
			return Outcome.DUPLICATE;
		}
		this.contents.carry(owner, job.payload(), job.headers(), now);
		owner.saved = null;
		if (rule == OnDuplicate.REPLACE) {
			return Outcome.REPLACED;
		}
		Instant until = (owner.key != null) ? owner.key.until() : null;
		this.contents.moveToWait(owner, key.dueAt(job.dueAt(), until), owner.job().trail(), now);
		return Outcome.RESCHEDULED;
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return locked(() -> {
			Worker worker = this.contents.liveWorker(request.worker(), request.now());
			return new Claiming(this.contents, request).by(worker);
		});
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return locked(() -> {
			boolean own = !request.strays().isEmpty();
			if (!own) {
				this.contents
					.forgetWorkers((worker) -> !worker.isAlive(request.now()) && !worker.id().equals(request.worker()));
				this.contents.cutLeases(request.now());
			}
			Worker asking = this.contents.workers.get(request.worker());
			if (asking == null || !asking.isAlive(request.now())) {
				return new ClaimReply(List.of(), List.of());
			}
			Set<String> staying = request.staying();
			Collection<Delivery> deliveries = own ? asking.deliveries.values() : this.contents.abandoned.values();
			List<StoredJob> wanted = deliveries.stream()
				.filter((delivery) -> !own || request.strays().containsKey(delivery.token()))
				.flatMap((delivery) -> delivery.jobs().stream())
				.filter((job) -> !staying.contains(job.id()))
				.filter((job) -> request.queues().contains(job.queue()))
				.limit(Math.max(request.limit(), 0))
				.toList();
			Delivery delivery = this.contents.deliveryFor(asking);
			List<Claim> claims = new ArrayList<>(wanted.size());
			for (StoredJob job : wanted) {
				claims.add(this.contents.takeOver(job, delivery, request.now()));
			}
			return new ClaimReply(claims, List.of());
		});
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return locked(() -> {
			List<Settled> reply = new ArrayList<>(transitions.size());
			List<StoredJob> released = new ArrayList<>();
			Set<String> ended = new HashSet<>();
			for (Transition transition : transitions) {
				Settled settled = settle(transition, released, now);
				End end = transition.end();
				if (end != null && settled == Settled.APPLIED) {
					this.contents.ends.keep(transition.id(), end);
					ended.add(transition.id());
				}
				reply.add(settled);
			}
			if (!ended.isEmpty()) {
				this.contents.signals.ended(ended);
			}
			for (int i = released.size() - 1; i >= 0; i--) {
				StoredJob job = released.get(i);
				this.contents.queue(job.queue()).addFirst(job, now);
			}
			return reply;
		});
	}

	private Settled settle(Transition transition, List<StoredJob> released, Instant now) {
		StoredJob job = this.contents.jobs.get(transition.id());
		if (job == null || job.run() == null) {
			return Settled.GONE;
		}
		if (!job.isHeldUnder(transition.token())) {
			return Settled.LOST;
		}
		job.keepsLane = transition.keepsLane();
		if (transition.endsForGood()) {
			job.saved = null;
		}
		switch (transition.to()) {
			case REMOVED -> this.contents.remove(job, now);
			case SUCCEEDED -> end(job, JobState.SUCCEEDED, transition, now);
			case CANCELLED -> end(job, JobState.CANCELLED, transition, now);
			case DEAD -> end(job, JobState.DEAD, transition, now);
			case SCHEDULED -> this.contents.moveToWait(job, transition.at(), transition.trail(), now);
			case WAITING -> this.contents.park(job, transition.at(), transition.trail(), now);
			case FRONT, HELD_BACK -> {
				this.contents.release(job, transition.trail(), now);
				released.add(job);
				if (transition.to() == To.HELD_BACK) {
					this.contents.queue(job.queue()).holdBack(job.lane(), transition.at());
				}
			}
		}
		return Settled.APPLIED;
	}

	private void end(StoredJob job, JobState state, Transition transition, Instant now) {
		this.contents.end(job, state, transition.at(), transition.trail(), now);
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return locked(() -> saves.stream().map((save) -> save(save, now)).toList());
	}

	private Settled save(Save save, Instant now) {
		StoredJob job = this.contents.jobs.get(save.job());
		if (job == null || job.run() == null) {
			return Settled.GONE;
		}
		if (!job.isHeldUnder(save.token())) {
			return Settled.LOST;
		}
		job.saved = (job.saved != null) ? job.saved : new TreeMap<>();
		job.saved.put(save.name(), new SavedView(save.name(), save.value(), now));
		return Settled.APPLIED;
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return locked(() -> {
			beat.notes().forEach(this::note);
			Worker known = this.contents.workers.get(beat.worker());
			if (known == null || known.isNew(beat.report())) {
				beat.report().tallies().forEach(this.contents.statistics::add);
			}
			if (beat.leaving()) {
				this.contents.forgetWorkers((worker) -> worker.id().equals(beat.worker()));
				return new BeatReply(Map.of(), Set.of(), null);
			}
			Worker worker = this.contents.beat(beat);
			Set<String> cancelled = worker.jobs()
				.filter(StoredJob::isCancelRequested)
				.map(StoredJob::id)
				.collect(Collectors.toSet());
			Map<Long, Integer> held = new HashMap<>();
			worker.deliveries.forEach((token, delivery) -> held.put(token, delivery.jobs().size()));
			return new BeatReply(held, cancelled, null).withFirstTick(this.contents.schedules.firstDue())
				.withSettings(this.contents.revision);
		});
	}

	private void note(WorkerBeat.Note note) {
		StoredJob job = this.contents.jobs.get(note.jobId());
		if (job != null && job.isHeldUnder(note.token())) {
			job.report(note.progress());
		}
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return locked(() -> {
			Changing changing = new Changing(this.contents, now);
			return changes.stream().map((change) -> change.applyTo(changing)).toList();
		});
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return locked(() -> new Pruning(this.contents, request).run());
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return locked(() -> {
			requireCapacity(ticks.stream()
				.filter(this.contents.schedules::takes)
				.map(Tick::job)
				.filter(Objects::nonNull)
				.toList());
			return ticks.stream()
				.map((tick) -> this.contents.schedules.fire(tick, now, (job) -> enqueue(job, now)))
				.toList();
		});
	}

	@Override
	public Optional<Instant> time() {
		return Optional.empty();
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.listeners.add(listener);
	}

	@Override
	public JobInspector inspector() {
		return this.inspector;
	}

	private <T> T locked(Supplier<T> verb) {
		List<Consumer<StoreListener>> signals;
		T reply;
		this.lock.lock();
		try {
			reply = verb.get();
		}
		finally {
			signals = this.contents.signals.drain();
			this.lock.unlock();
		}
		signals.forEach(this.listeners::signal);
		return reply;
	}

}
