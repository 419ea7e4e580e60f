package dev.jobs.engine.result;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import dev.jobs.JobRejectedException;
import dev.jobs.Trail;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

/**
 * Tells callers how jobs ended, wherever these run. All who wait share one subscription
 * and one thread, both begun with the first of them. A signal makes this fast, and
 * looking makes it true: each job is looked at once after the subscription, and again
 * after ever longer times, many in one call and some time after the call before.
 */
public final class Results implements StoreListener, PollLoop.Task {

	private static final int MOST_ENDED_AT_ONCE = 200;

	private static final Duration FIRST_REST = Duration.ofSeconds(1);

	private static final Duration LONGEST_REST = Duration.ofSeconds(30);

	private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

	/**
	 * For each job of the look before, so that many who wait cost no more calls than few.
	 */
	private static final Duration FOR_EACH = Duration.ofMillis(3);

	/** A job may be stored after the call that returned its id, by an outbox. */
	public static final Duration UNKNOWN_FOR = Duration.ofSeconds(10);

	private final JobStore store;

	private final StoreClock clock;

	private final Supplier<Instant> now;

	private final Map<String, Waiter> waiters = new ConcurrentHashMap<>();

	/** The jobs that have ended by a signal. */
	private final Queue<String> ended = new ConcurrentLinkedQueue<>();

	private final Queue<Waiter> added = new ConcurrentLinkedQueue<>();

	/** Those to look at now. Used by the loop alone, as all that follows. */
	private final Queue<Waiter> urgent = new ArrayDeque<>();

	/** Those of jobs that were just stored, by the time of their first look. */
	private final Queue<Waiter> fresh = new ArrayDeque<>();

	/** By the time of their next look. */
	private final PriorityQueue<Waiter> looks = new PriorityQueue<>(
			(one, other) -> Long.signum(one.nextNanos - other.nextNanos));

	private long nextLookNanos;

	private volatile boolean lookAtAll;

	private volatile boolean closed;

	private volatile @Nullable PollLoop loop;

	private @Nullable Subscription subscription;

	/**
	 * Create the place where callers wait.
	 * @param store the store
	 * @param clock counts how long they wait
	 * @param now returns the time of the store
	 */
	public Results(JobStore store, StoreClock clock, Supplier<Instant> now) {
		this.store = store;
		this.clock = clock;
		this.now = now;
		this.nextLookNanos = clock.nanos();
	}

	// --- waiting

	/**
	 * Listen from now on, so that no end of a job is missed that is enqueued from now on.
	 */
	public synchronized PollLoop open() {
		if (this.closed) {
			throw closing("anything");
		}
		PollLoop loop = this.loop;
		if (loop == null) {
			this.subscription = this.store.listen(this);
			loop = new PollLoop("results", this, this.clock);
			this.loop = loop;
			loop.start();
		}
		return loop;
	}

	/**
	 * Wait for the end of a job.
	 * @param job its id
	 * @param isNew whether it is not stored yet, and is {@linkplain #stored said} to be
	 * soon
	 * @return becomes the end. Cancel it to wait no longer
	 */
	public CompletableFuture<JobEnd> await(String job, boolean isNew) {
		PollLoop loop = open();
		CompletableFuture<JobEnd> future = new CompletableFuture<>();
		Waiter first = new Waiter(job);
		Waiter waiter = this.waiters.compute(job, (id, known) -> {
			Waiter all = (known != null) ? known : first;
			all.futures.add(future);
			return all;
		});
		if (waiter == first && !isNew) {
			this.added.add(first);
		}
		future.whenComplete((end, ex) -> this.waiters.computeIfPresent(job, (id, all) -> {
			all.futures.remove(future);
			return all.futures.isEmpty() ? null : all;
		}));
		if (this.closed) {
			future.completeExceptionally(closing("job " + job));
		}
		loop.wake();
		return future;
	}

	/**
	 * Look for a job from now on that has just been stored, for which one waits as new.
	 */
	public void stored(String job) {
		Waiter waiter = this.waiters.get(job);
		if (waiter != null) {
			waiter.isKnown = true;
			waiter.nextNanos = this.clock.nanosAfter(FIRST_REST);
			this.added.add(waiter);
			wake();
		}
	}

	/**
	 * Let callers wait again.
	 */
	public synchronized void reopen() {
		this.closed = false;
	}

	/**
	 * Wait no longer for anything.
	 */
	public synchronized void close() {
		this.closed = true;
		PollLoop loop = this.loop;
		if (loop != null && this.subscription != null) {
			loop.stop();
			this.subscription.close();
			this.loop = null;
			this.subscription = null;
		}
		for (Waiter waiter : List.copyOf(this.waiters.values())) {
			waiter.all().forEach((future) -> future.completeExceptionally(closing("job " + waiter.job)));
		}
	}

	private static JobRejectedException closing(String what) {
		return new JobRejectedException("The client is closing, so nobody waits for " + what + " any more",
				Duration.ZERO);
	}

	@Override
	public void ended(Set<String> jobs) {
		boolean awaited = false;
		for (String job : jobs) {
			if (this.waiters.containsKey(job)) {
				this.ended.add(job);
				awaited = true;
			}
		}
		if (awaited) {
			wake();
		}
	}

	@Override
	public void ready(String queue, Instant at) {
		if (at.equals(Instant.EPOCH) && !this.waiters.isEmpty()) {
			this.lookAtAll = true;
			wake();
		}
	}

	private void wake() {
		PollLoop loop = this.loop;
		if (loop != null) {
			loop.wake();
		}
	}

	// --- looking

	@Override
	public Duration poll() {
		long nanos = this.clock.nanos();
		Set<String> jobs = new LinkedHashSet<>();
		while (jobs.size() < MOST_ENDED_AT_ONCE && !this.ended.isEmpty()) {
			jobs.add(this.ended.remove());
		}
		for (Waiter waiter = this.added.poll(); waiter != null; waiter = this.added.poll()) {
			(waiter.isKnown ? this.fresh : this.urgent).add(waiter);
		}
		if (this.lookAtAll) {
			this.lookAtAll = false;
			this.urgent.addAll(this.fresh);
			this.fresh.clear();
			this.urgent.addAll(this.looks);
			this.looks.clear();
		}
		while (until(this.fresh.peek(), nanos) <= 0) {
			this.urgent.add(this.fresh.remove());
		}
		List<Waiter> due = new ArrayList<>();
		int again = 0;
		while (jobs.size() < JobInspector.ENDS_AT_ONCE && untilNext(nanos) <= 0) {
			again += this.urgent.isEmpty() ? 1 : 0;
			Waiter waiter = this.urgent.isEmpty() ? this.looks.remove() : this.urgent.remove();
			if (this.waiters.get(waiter.job) == waiter) {
				jobs.add(waiter.job);
				due.add(waiter);
			}
		}
		if (again > 0) {
			Duration rest = FOR_EACH.multipliedBy(again);
			this.nextLookNanos = this.clock.nanosAfter((rest.compareTo(BETWEEN_LOOKS) > 0) ? rest : BETWEEN_LOOKS);
		}
		try {
			look(jobs);
		}
		catch (RuntimeException ex) {
			this.ended.addAll(jobs);
			throw ex;
		}
		finally {
			due.forEach(this::lookAgain);
		}
		return this.ended.isEmpty() ? Duration.ofNanos(Math.max(untilNext(this.clock.nanos()), 0)) : Duration.ZERO;
	}

	private long untilNext(long nanos) {
		if (!this.urgent.isEmpty()) {
			return 0;
		}
		long again = Math.max(until(this.looks.peek(), nanos), this.nextLookNanos - nanos);
		return Math.min(until(this.fresh.peek(), nanos), again);
	}

	private static long until(@Nullable Waiter waiter, long nanos) {
		return (waiter != null) ? waiter.nextNanos - nanos : LONGEST_REST.toNanos();
	}

	private void lookAgain(Waiter waiter) {
		if (this.waiters.get(waiter.job) == waiter) {
			waiter.nextNanos = this.clock.nanosAfter(waiter.rest);
			Duration longer = waiter.rest.multipliedBy(2);
			waiter.rest = (longer.compareTo(LONGEST_REST) < 0) ? longer : LONGEST_REST;
			this.looks.add(waiter);
		}
	}

	private void look(Set<String> jobs) {
		if (jobs.isEmpty()) {
			return;
		}
		Map<String, EndView> ends = this.store.inspector().ends(jobs, this.now.get());
		for (String job : jobs) {
			Waiter waiter = this.waiters.get(job);
			EndView end = ends.get(job);
			if (waiter == null) {
				continue;
			}
			JobEnd ended = JobEnd.of(job, end, waiter.trail);
			if (end != null) {
				waiter.trail = end.trail();
				waiter.isKnown = true;
			}
			if (ended != null && (waiter.isKnown || this.clock.nanos() - waiter.sinceNanos >= UNKNOWN_FOR.toNanos())) {
				waiter.tell(ended);
			}
		}
	}

	/**
	 * Return the end of a job, without waiting.
	 * @return the end, or {@code null} if the job has not ended
	 */
	public @Nullable JobEnd now(String job, JobInspector inspector) {
		return JobEnd.of(job, inspector.ends(List.of(job), this.now.get()).get(job), null);
	}

	/**
	 * All who wait for one job. Its futures are guarded by the map of waiters.
	 */
	private final class Waiter {

		private final String job;

		private final Set<CompletableFuture<JobEnd>> futures = new LinkedHashSet<>();

		private final long sinceNanos = Results.this.clock.nanos();

		private volatile long nextNanos = this.sinceNanos;

		private Duration rest = FIRST_REST;

		private volatile boolean isKnown;

		private @Nullable Trail trail;

		Waiter(String job) {
			this.job = job;
		}

		List<CompletableFuture<JobEnd>> all() {
			List<CompletableFuture<JobEnd>> all = new ArrayList<>();
			Results.this.waiters.computeIfPresent(this.job, (id, waiter) -> {
				all.addAll(waiter.futures);
				return waiter;
			});
			return all;
		}

		void tell(JobEnd end) {
			all().forEach((future) -> future.complete(end));
		}

	}

}
