package dev.jobs.engine.result;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

/**
 * Releases jobs that wait for something which has happened. Whoever makes it happen
 * releases them. But it may happen while a job is being put away, or its sender may die
 * in between. So the worker looks once more when the store has taken the job, and passes
 * over all jobs that wait, some in each round.
 */
public final class Waits implements PollLoop.Task {

	/** Begins the text of a signal, which no id of a job does. */
	public static final String SIGNAL = Trail.Wait.SIGNAL;

	private static final Duration ROUND = Duration.ofSeconds(30);

	private static final Duration BETWEEN_PAGES = Duration.ofSeconds(1);

	private static final JobFilter WAITING = JobFilter.of((only) -> only.states(JobState.WAITING));

	private static final int AT_ONCE = 500;

	private final WorkerContext context;

	private final PollLoop loop;

	/** What jobs wait for that were just put away. */
	private final Queue<String> newest = new ConcurrentLinkedQueue<>();

	/** The jobs that have ended and whose end is kept. */
	private final Queue<String> ended = new ConcurrentLinkedQueue<>();

	private @Nullable String cursor;

	private long nextRoundNanos;

	public Waits(WorkerContext context) {
		this.context = context;
		this.nextRoundNanos = context.clock().nanos();
		this.loop = new PollLoop("waits", this, context.clock());
	}

	public PollLoop loop() {
		return this.loop;
	}

	/**
	 * Look whether what a job waits for has happened, now that the store has it.
	 */
	public void parked(Trail.@Nullable Wait wait) {
		if (wait != null) {
			this.newest.add(wait.thing());
			this.loop.wake();
		}
	}

	/**
	 * Release the jobs that wait for one that has ended.
	 */
	public void ended(String job) {
		this.ended.add(job);
		this.loop.wake();
	}

	/**
	 * Release all jobs that wait for something.
	 */
	public static void release(Collection<String> things, JobStore store, Instant now) {
		List<String> left = List.copyOf(things);
		while (!left.isEmpty()) {
			List<Changed> changed = store.change(left.stream().<Change>map(Change.Release::new).toList(), now);
			List<String> more = new ArrayList<>();
			for (int i = 0; i < left.size(); i++) {
				if (changed.get(i) == Changed.DONE) {
					more.add(left.get(i));
				}
			}
			left = more;
		}
	}

	@Override
	public Duration poll() {
		Instant now = this.context.clock().now();
		Set<String> released = take(this.ended);
		Map<String, Instant> things = new LinkedHashMap<>();
		take(this.newest).forEach((thing) -> things.put(thing, now));
		Set<String> newest = Set.copyOf(things.keySet());
		try {
			if (this.nextRoundNanos - this.context.clock().nanos() <= 0) {
				pass(things);
			}
			released.addAll(happened(things, now));
			release(released, this.context.store(), now);
		}
		catch (RuntimeException ex) {
			this.newest.addAll(newest);
			this.ended.addAll(released);
			throw ex;
		}
		boolean more = !this.newest.isEmpty() || !this.ended.isEmpty();
		return more ? Duration.ZERO : Duration.ofNanos(Math.max(this.nextRoundNanos - this.context.clock().nanos(), 0));
	}

	/**
	 * Look at all that jobs wait for.
	 */
	public void pollAll() {
		do {
			this.nextRoundNanos = this.context.clock().nanos();
		}
		while (poll().isZero() || this.cursor != null);
	}

	private static Set<String> take(Queue<String> from) {
		Set<String> taken = new LinkedHashSet<>();
		for (String next = from.poll(); next != null; next = (taken.size() < AT_ONCE) ? from.poll() : null) {
			taken.add(next);
		}
		return taken;
	}

	/**
	 * Add what the next jobs wait for, and since when, until all were passed. To see that
	 * none waits costs less than a list.
	 */
	private void pass(Map<String, Instant> things) {
		Instant now = this.context.clock().now();
		JobInspector inspector = this.context.store().inspector();
		if (this.cursor == null && inspector.count(WAITING, 1, now).number() == 0) {
			this.nextRoundNanos = this.context.clock().nanosAfter(this.context.vary(ROUND));
			return;
		}
		PageRequest request = PageRequest.oldestFirst(Math.min(AT_ONCE, PageRequest.LARGEST));
		JobPage page = inspector.page(WAITING, (this.cursor != null) ? request.after(this.cursor) : request, now);
		this.cursor = page.next();
		this.nextRoundNanos = this.context.clock()
			.nanosAfter(this.context.vary((this.cursor != null) ? BETWEEN_PAGES : ROUND));
		for (Job job : page.jobs()) {
			Trail.Wait wait = job.trail().waitsFor();
			if (wait != null) {
				things.merge(wait.thing(), wait.since(), (one, other) -> one.isBefore(other) ? one : other);
			}
		}
	}

	/**
	 * Return what has happened. A job that is not there may be on its way for a while.
	 */
	private Collection<String> happened(Map<String, Instant> things, Instant now) {
		if (things.isEmpty()) {
			return List.of();
		}
		Map<String, EndView> ends = this.context.store().inspector().ends(things.keySet(), now);
		List<String> happened = new ArrayList<>();
		things.forEach((thing, since) -> {
			EndView end = ends.get(thing);
			boolean gone = end == null && !thing.startsWith(SIGNAL) && !since.plus(Results.UNKNOWN_FOR).isAfter(now);
			if (gone || (end != null && JobEnd.of(thing, end, null) != null)) {
				happened.add(thing);
			}
		});
		return happened;
	}

}
