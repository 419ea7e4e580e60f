package dev.jobs.metrics;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
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
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * A store whose calls are counted and timed. A call serves many jobs at once, so this
 * costs next to nothing per job.
 */
public final class TimedStore implements JobStore {

	private final JobStore store;

	private final Timer[] done;

	private final Timer[] failed;

	/**
	 * Create it around a store.
	 * @param store the store
	 * @param registry where the timers go
	 */
	public TimedStore(JobStore store, MeterRegistry registry) {
		this(store, timers("done", registry), timers("failed", registry));
	}

	private TimedStore(JobStore store, Timer[] done, Timer[] failed) {
		this.store = store;
		this.done = done;
		this.failed = failed;
	}

	private static Timer[] timers(String outcome, MeterRegistry registry) {
		return Stream.of(Verb.values())
			.map((verb) -> Timer.builder("jobs.store.calls")
				.description("Calls of the store by this process")
				.tag("verb", verb.name().toLowerCase(Locale.ROOT).replace('_', '-'))
				.tag("outcome", outcome)
				.register(registry))
			.toArray(Timer[]::new);
	}

	private <T> T time(Verb verb, Supplier<T> call) {
		Timer.Sample sample = Timer.start();
		Timer[] ended = this.failed;
		try {
			T reply = call.get();
			ended = this.done;
			return reply;
		}
		finally {
			sample.stop(ended[verb.ordinal()]);
		}
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return time(Verb.ENQUEUE, () -> this.store.enqueue(jobs, now));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return time(Verb.CLAIM, () -> this.store.claim(request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return time(Verb.TAKE_OVER, () -> this.store.takeOver(request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return time(Verb.SETTLE, () -> this.store.settle(transitions, now));
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return time(Verb.SAVE, () -> this.store.save(saves, now));
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return time(Verb.BEAT, () -> this.store.beat(beat));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return time(Verb.CHANGE, () -> this.store.change(changes, now));
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return time(Verb.PRUNE, () -> this.store.prune(request));
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return time(Verb.FIRE_TICKS, () -> this.store.fireTicks(ticks, now));
	}

	@Override
	public Optional<Instant> time() {
		return this.store.time();
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.store.listen(listener);
	}

	@Override
	public <T> Optional<T> as(Class<T> ability) {
		Optional<?> timed = Optional.empty();
		if (ability == TransactionalJobStore.class) {
			timed = this.store.as(TransactionalJobStore.class).map(this::timed);
		}
		else if (ability == OutboxTarget.class) {
			timed = this.store.as(OutboxTarget.class).map(this::timed);
		}
		else if (ability == EarlyEnqueue.class) {
			timed = this.store.as(EarlyEnqueue.class).map(this::timed);
		}
		return timed.map(ability::cast);
	}

	private TransactionalJobStore timed(TransactionalJobStore transactional) {
		return () -> transactional.joined().map((joined) -> new TimedStore(joined, this.done, this.failed));
	}

	private OutboxTarget timed(OutboxTarget target) {
		return (jobs, memory, now) -> time(Verb.ENQUEUE, () -> target.enqueueOnce(jobs, memory, now));
	}

	private EarlyEnqueue timed(EarlyEnqueue enqueue) {
		return (jobs, now, early) -> time(Verb.ENQUEUE, () -> enqueue.enqueue(jobs, now, early));
	}

	@Override
	public JobInspector inspector() {
		return this.store.inspector();
	}

	private enum Verb {

		ENQUEUE, CLAIM, TAKE_OVER, SETTLE, SAVE, BEAT, CHANGE, PRUNE, FIRE_TICKS

	}

}
