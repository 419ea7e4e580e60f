package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.JobStore;
import org.jspecify.annotations.Nullable;

/**
 * The client. Enqueues go through the {@link EnqueuePipe}; acts on existing jobs go to
 * the store as {@link Change}s.
 */
public final class DefaultJobClient implements JobClient {

	private static final int CHUNK = 500;

	private static final int MOST_EMPTY_PAGES = 10;

	private static final Set<JobState> LIVE = Set.of(JobState.SCHEDULED, JobState.READY, JobState.RUNNING);

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final EnqueuePipe pipe;

	public DefaultJobClient(EnqueuePipe pipe) {
		this.pipe = pipe;
	}

	// --- enqueue

	@Override
	public Enqueued enqueue(JobRequest request) {
		Enqueued enqueued = enqueueOne(request, null);
		if (enqueued.outcome() == Outcome.FULL) {
			throw new JobRejectedException("The queue of " + describe(request) + " is full", RETRY_AFTER);
		}
		return enqueued;
	}

	@Override
	public boolean tryEnqueue(JobRequest request) {
		return enqueueOne(request, Duration.ZERO).outcome() != Outcome.FULL;
	}

	@Override
	public boolean tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException {
		boolean taken = enqueueOne(request, timeout).outcome() != Outcome.FULL;
		if (!taken && Thread.interrupted()) {
			throw new InterruptedException("Interrupted while waiting for room in a full queue");
		}
		return taken;
	}

	@Override
	public List<Enqueued> enqueueAll(Collection<JobRequest> requests) {
		return requests.isEmpty() ? List.of() : this.pipe.enqueue(List.copyOf(requests), Duration.ZERO);
	}

	private Enqueued enqueueOne(JobRequest request, @Nullable Duration wait) {
		return this.pipe.enqueue(List.of(request), wait).get(0);
	}

	private static String describe(JobRequest request) {
		return (request.name() != null) ? "'" + request.name() + "'"
				: String.valueOf((request.payload() != null) ? request.payload().getClass() : null);
	}

	// --- acts on what exists

	@Override
	public Optional<Job> find(String id) {
		return this.pipe.store().inspector().job(id, this.pipe.now());
	}

	@Override
	public boolean cancel(String id) {
		return change(new Change.Cancel(id)) == Changed.DONE;
	}

	@Override
	public boolean delete(String id) {
		return change(new Change.Delete(id)) == Changed.DONE;
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return change(new Change.Reschedule(id, StoreClock.roundUp(dueAt))) == Changed.DONE;
	}

	@Override
	public boolean retry(String id) {
		return change(new Change.Retry(id)) == Changed.DONE;
	}

	@Override
	public int retryAll(JobFilter filter, Consumer<String> changed) {
		JobFilter dead = filter.inStates(Set.of(JobState.DEAD));
		Instant begin = this.pipe.now();
		return changeAll(dead, (job) -> job.trail().end() == null || !job.trail().end().at().isAfter(begin),
				Change.Retry::new, changed);
	}

	@Override
	public int deleteAll(JobFilter filter, Consumer<String> changed) {
		Instant begin = this.pipe.now();
		return changeAll(filter, (job) -> !job.createdAt().isAfter(begin), Change.Delete::new, changed);
	}

	/**
	 * Cancel until nothing is left to. What runs stays in the selection and shows that it
	 * was told; when it ends meanwhile, others move up to where they are not looked at.
	 */
	@Override
	public int cancelAll(JobFilter filter, Consumer<String> changed) {
		JobFilter live = filter.inStates(filter.states().isEmpty() ? LIVE : filter.states());
		Instant begin = this.pipe.now();
		int cancelled = 0;
		int last;
		do {
			last = changeAll(live, (job) -> !job.createdAt().isAfter(begin) && !isToldToEnd(job), Change.Cancel::new,
					changed);
			cancelled += last;
		}
		while (last > 0);
		return cancelled;
	}

	private static boolean isToldToEnd(Job job) {
		return job.run() != null && job.run().cancelRequested();
	}

	/**
	 * Change all jobs of a selection, page by page. What could not be changed stays in
	 * the selection and is passed over. Jobs that run fast may leave a page while it is
	 * read; an empty one is the last only if nothing is left, or if it stays empty.
	 */
	private int changeAll(JobFilter filter, Predicate<Job> wanted, Function<String, Change> change,
			Consumer<String> told) {
		JobStore store = this.pipe.store();
		int changed = 0;
		long passedOver = 0;
		long searched = 0;
		int empty = 0;
		while (true) {
			Page page = store.inspector().page(filter, new Range(passedOver, CHUNK, false, searched), this.pipe.now());
			List<Job> jobs = page.jobs();
			if (jobs.isEmpty()) {
				boolean more = page.complete() ? page.total() > passedOver && ++empty < MOST_EMPTY_PAGES
						: page.searched() > searched;
				if (!more) {
					return changed;
				}
				if (!page.complete()) {
					searched = page.searched();
					passedOver = 0;
				}
				continue;
			}
			empty = 0;
			List<String> ids = jobs.stream().filter(wanted).map(Job::id).toList();
			passedOver += jobs.size() - ids.size();
			List<Changed> done = store.change(ids.stream().map(change).toList(), this.pipe.now());
			for (int i = 0; i < ids.size(); i++) {
				if (done.get(i) == Changed.DONE) {
					changed++;
					told.accept(ids.get(i));
				}
				passedOver += (done.get(i) == Changed.REFUSED) ? 1 : 0;
			}
		}
	}

	@Override
	public void pause(String name) {
		change(new Change.Pause(HandlerDefinition.requireValidName(name)));
	}

	@Override
	public void resume(String name) {
		change(new Change.Resume(HandlerDefinition.requireValidName(name)));
	}

	@Override
	public void limit(String name, int maxRunning) {
		if (maxRunning < -1 || maxRunning == 0) {
			throw new IllegalArgumentException("'maxRunning' must be from 1, or -1 to go by the workers, but was "
					+ maxRunning + "; to start no jobs, pause them");
		}
		change(new Change.Limit(HandlerDefinition.requireValidName(name), maxRunning));
	}

	@Override
	public void pauseSchedule(String schedule) {
		change(new Change.PauseSchedule(HandlerDefinition.requireValidName(schedule)));
	}

	@Override
	public void resumeSchedule(String schedule) {
		change(new Change.ResumeSchedule(HandlerDefinition.requireValidName(schedule)));
	}

	@Override
	public void purge() {
		change(new Change.Purge());
	}

	private Changed change(Change change) {
		return this.pipe.store().change(List.of(change), this.pipe.now()).get(0);
	}

}
