package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.Tally;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A store whose calls can be made to fail, before the call reaches the store behind it or
 * on the way back.
 */
public final class FaultyStore implements JobStore {

	private final JobStore delegate;

	private final Map<Verb, AtomicInteger> unsent = new ConcurrentHashMap<>();

	private final Map<Verb, AtomicInteger> unanswered = new ConcurrentHashMap<>();

	private final Map<Verb, AtomicInteger> calls = new ConcurrentHashMap<>();

	private final Map<Verb, Consumer<List<String>>> refused = new ConcurrentHashMap<>();

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile boolean down;

	private volatile boolean silent;

	private volatile @Nullable String undecided;

	/**
	 * Put a store in front of another.
	 * @param delegate the store behind it
	 */
	public FaultyStore(JobStore delegate) {
		this.delegate = delegate;
	}

	/**
	 * Let every call fail, or none. Calls under way are waited for, so that none reaches
	 * the store behind this one later.
	 * @param down whether calls fail
	 */
	public void down(boolean down) {
		this.down = down;
		if (down) {
			Awaitility.await("the end of calls under way")
				.pollInterval(Duration.ofMillis(1))
				.until(() -> this.underWay.get() == 0);
		}
	}

	/**
	 * Let every call wait for a reply that does not come, or none. Those that wait fail
	 * once this ends.
	 * @param silent whether calls get no reply
	 */
	public void silent(boolean silent) {
		this.silent = silent;
	}

	/**
	 * Return how many calls wait for a reply that does not come.
	 * @return the number
	 */
	public int waiting() {
		return this.waiting.get();
	}

	/**
	 * Let the next calls of a verb fail before they reach the store.
	 * @param verb the verb
	 * @param times how many
	 */
	public void failToSend(Verb verb, int times) {
		counter(this.unsent, verb).set(times);
	}

	/**
	 * Let the replies to the next calls of a verb get lost.
	 * @param verb the verb
	 * @param times how many
	 */
	public void loseReplies(Verb verb, int times) {
		counter(this.unanswered, verb).set(times);
	}

	/**
	 * Leave undecided what becomes of the jobs of a queue, as if the part of the store
	 * that keeps them was down, or of none.
	 * @param queue the queue, or {@code null} for none
	 */
	public void leaveUndecided(@Nullable String queue) {
		this.undecided = queue;
	}

	/**
	 * Refuse each call of a verb that contains something chosen, or none.
	 * @param verb the verb
	 * @param chosen chooses by the id of a job, or the name of a schedule or of a queue
	 * with statistics; {@code null} to refuse nothing any more
	 * @param temporary whether to say that the call may go well later
	 */
	public void refuse(Verb verb, @Nullable Predicate<String> chosen, boolean temporary) {
		if (chosen == null) {
			this.refused.remove(verb);
		}
		else {
			this.refused.put(verb, (ids) -> {
				if (ids.stream().anyMatch(chosen)) {
					throw JobStoreException.refused("The store does not like this '" + verb + "'", null, temporary);
				}
			});
		}
	}

	private void requireTaken(Verb verb, Stream<String> ids) {
		Consumer<List<String>> refusal = this.refused.get(verb);
		if (refusal != null) {
			refusal.accept(ids.toList());
		}
	}

	/**
	 * Return how often a verb was called, in vain or not.
	 * @param verb the verb
	 * @return the number
	 */
	public int calls(Verb verb) {
		return counter(this.calls, verb).get();
	}

	private static AtomicInteger counter(Map<Verb, AtomicInteger> counters, Verb verb) {
		return counters.computeIfAbsent(verb, (key) -> new AtomicInteger());
	}

	private <T> T call(Verb verb, Supplier<T> call) {
		counter(this.calls, verb).incrementAndGet();
		waitWhileSilent(verb);
		this.underWay.incrementAndGet();
		try {
			if (this.down || take(this.unsent, verb)) {
				throw JobStoreException.refused("The call '" + verb + "' was not sent", null, true);
			}
			T reply = call.get();
			if (take(this.unanswered, verb)) {
				throw new JobStoreException("The reply to '" + verb + "' got lost", null, true);
			}
			return reply;
		}
		finally {
			this.underWay.decrementAndGet();
		}
	}

	private void waitWhileSilent(Verb verb) {
		if (!this.silent) {
			return;
		}
		this.waiting.incrementAndGet();
		while (this.silent) {
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}
		this.waiting.decrementAndGet();
		throw new JobStoreException("Nothing answered '" + verb + "'", null, true);
	}

	private static boolean take(Map<Verb, AtomicInteger> counters, Verb verb) {
		return counter(counters, verb).getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return call(Verb.ENQUEUE, () -> {
			requireTaken(Verb.ENQUEUE, jobs.stream().map(NewJob::id));
			return this.delegate.enqueue(jobs, now);
		});
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return call(Verb.CLAIM, () -> this.delegate.claim(request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return call(Verb.TAKE_OVER, () -> this.delegate.takeOver(request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return call(Verb.SETTLE, () -> {
			requireTaken(Verb.SETTLE, transitions.stream().map(Transition::id));
			return settleExcept(this.undecided, transitions, now);
		});
	}

	private List<Settled> settleExcept(@Nullable String queue, List<Transition> transitions, Instant now) {
		Iterator<Settled> settled = this.delegate
			.settle(transitions.stream().filter((transition) -> !transition.queue().equals(queue)).toList(), now)
			.iterator();
		return transitions.stream()
			.map((transition) -> transition.queue().equals(queue) ? Settled.UNDECIDED : settled.next())
			.toList();
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return call(Verb.SAVE, () -> {
			requireTaken(Verb.SAVE, saves.stream().map(Save::job));
			return this.delegate.save(saves, now);
		});
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return call(Verb.BEAT, () -> {
			requireTaken(Verb.BEAT, Stream.concat(beat.notes().stream().map(WorkerBeat.Note::jobId),
					beat.report().tallies().stream().map(Tally::queue)));
			return this.delegate.beat(beat);
		});
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return call(Verb.CHANGE, () -> {
			requireTaken(Verb.CHANGE,
					changes.stream()
						.filter(Change.OfJob.class::isInstance)
						.map((change) -> ((Change.OfJob) change).id()));
			return this.delegate.change(changes, now);
		});
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return call(Verb.PRUNE, () -> this.delegate.prune(request));
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return call(Verb.FIRE_TICKS, () -> {
			requireTaken(Verb.FIRE_TICKS, ticks.stream().map((tick) -> tick.schedule().name()));
			return this.delegate.fireTicks(ticks, now);
		});
	}

	@Override
	public Optional<Instant> time() {
		counter(this.calls, Verb.TIME).incrementAndGet();
		waitWhileSilent(Verb.TIME);
		if (this.down || take(this.unsent, Verb.TIME)) {
			throw JobStoreException.refused("The call '" + Verb.TIME + "' was not sent", null, true);
		}
		return this.delegate.time();
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.delegate.listen(listener);
	}

	/**
	 * Join as the store behind does, and be filled from an outbox as it is. What is
	 * joined never fails; no enqueue returns early.
	 */
	@Override
	public <T> Optional<T> as(Class<T> ability) {
		if (ability == TransactionalJobStore.class) {
			return this.delegate.as(ability);
		}
		return this.delegate.as(OutboxTarget.class).map(this::faulty).filter(ability::isInstance).map(ability::cast);
	}

	private OutboxTarget faulty(OutboxTarget target) {
		return (jobs, memory, now) -> call(Verb.ENQUEUE, () -> {
			requireTaken(Verb.ENQUEUE, jobs.stream().map(NewJob::id));
			return target.enqueueOnce(jobs, memory, now);
		});
	}

	@Override
	public JobInspector inspector() {
		return this.delegate.inspector();
	}

	/**
	 * The calls that can fail.
	 */
	public enum Verb {

		/** Enqueue. */
		ENQUEUE,

		/** Claim. */
		CLAIM,

		/** Save. */
		SAVE,

		/** Take over. */
		TAKE_OVER,

		/** Settle. */
		SETTLE,

		/** Beat. */
		BEAT,

		/** Change. */
		CHANGE,

		/** Prune. */
		PRUNE,

		/** Fire a tick. */
		FIRE_TICKS,

		/** Ask for the time. */
		TIME

	}

}
