package dev.jobs.metrics;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * A store whose calls are counted and timed. A call serves many jobs at once, so that
 * this costs next to nothing per job.
 */
public final class TimedStore implements JobStore {

	private final JobStore store;

	private final Verbs verbs;

	/**
	 * Create it around a store.
	 * @param store the store
	 * @param registry where the timers go
	 */
	public TimedStore(JobStore store, MeterRegistry registry) {
		this(store, new Verbs(registry));
	}

	private TimedStore(JobStore store, Verbs verbs) {
		this.store = store;
		this.verbs = verbs;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return this.verbs.enqueue.time(() -> this.store.enqueue(jobs, now));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.verbs.claim.time(() -> this.store.claim(request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.verbs.takeOver.time(() -> this.store.takeOver(request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return this.verbs.settle.time(() -> this.store.settle(transitions, now));
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.verbs.beat.time(() -> this.store.beat(beat));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.verbs.change.time(() -> this.store.change(changes, now));
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return this.verbs.prune.time(() -> this.store.prune(request));
	}

	@Override
	public TickReply fireTick(Tick tick) {
		return this.verbs.fireTick.time(() -> this.store.fireTick(tick));
	}

	@Override
	public @Nullable Instant time() {
		return this.store.time();
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.store.listen(listener);
	}

	@Override
	public <T> @Nullable T as(Class<T> ability) {
		Object timed = null;
		if (ability == TransactionalJobStore.class) {
			timed = timed(this.store.as(TransactionalJobStore.class));
		}
		else if (ability == OutboxTarget.class) {
			timed = timed(this.store.as(OutboxTarget.class));
		}
		else if (ability == EarlyEnqueue.class) {
			timed = timed(this.store.as(EarlyEnqueue.class));
		}
		return ability.cast(timed);
	}

	private @Nullable TransactionalJobStore timed(@Nullable TransactionalJobStore transactional) {
		return (transactional != null) ? () -> timed(transactional.joined()) : null;
	}

	private @Nullable JobStore timed(@Nullable JobStore joined) {
		return (joined != null) ? new TimedStore(joined, this.verbs) : null;
	}

	private @Nullable OutboxTarget timed(@Nullable OutboxTarget target) {
		return (target != null)
				? (jobs, memory, now) -> this.verbs.enqueue.time(() -> target.enqueueOnce(jobs, memory, now)) : null;
	}

	private @Nullable EarlyEnqueue timed(@Nullable EarlyEnqueue enqueue) {
		return (enqueue != null)
				? (jobs, now, early) -> this.verbs.enqueue.time(() -> enqueue.enqueue(jobs, now, early)) : null;
	}

	@Override
	public JobInspector inspector() {
		return this.store.inspector();
	}

	/**
	 * The timers of all verbs.
	 */
	private static final class Verbs {

		private final MeterRegistry registry;

		private final Verb enqueue;

		private final Verb claim;

		private final Verb takeOver;

		private final Verb settle;

		private final Verb beat;

		private final Verb change;

		private final Verb prune;

		private final Verb fireTick;

		Verbs(MeterRegistry registry) {
			this.registry = registry;
			this.enqueue = new Verb("enqueue");
			this.claim = new Verb("claim");
			this.takeOver = new Verb("take-over");
			this.settle = new Verb("settle");
			this.beat = new Verb("beat");
			this.change = new Verb("change");
			this.prune = new Verb("prune");
			this.fireTick = new Verb("fire-tick");
		}

		/**
		 * The timers of one verb.
		 */
		private final class Verb {

			private final Timer done;

			private final Timer failed;

			Verb(String name) {
				this.done = timer(name, "done");
				this.failed = timer(name, "failed");
			}

			private Timer timer(String name, String outcome) {
				return Timer.builder("jobs.store.calls")
					.description("Calls of the store by this process")
					.tag("verb", name)
					.tag("outcome", outcome)
					.register(Verbs.this.registry);
			}

			<T> T time(Supplier<T> call) {
				Timer.Sample sample = Timer.start(Verbs.this.registry);
				try {
					T answer = call.get();
					sample.stop(this.done);
					return answer;
				}
				catch (RuntimeException | Error ex) {
					sample.stop(this.failed);
					throw ex;
				}
			}

		}

	}

}
