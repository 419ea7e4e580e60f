package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStoreException;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.jspecify.annotations.Nullable;

/**
 * The client. An enqueue goes through the interceptors, becomes a {@link NewJob} and is
 * written together with what other threads enqueue at the same moment. Acts on existing
 * jobs go to the store as {@link Change}s.
 */
final class DefaultJobClient implements JobClient {

	private static final int CHUNK = 500;

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final JobStore store;

	private final NewJobs newJobs;

	private final List<EnqueueInterceptor> interceptors;

	private final EventBus events;

	private final StoreClock clock;

	private final RoomWaiters waiters;

	private final GroupCommit<NewJob, Enqueued> single;

	private volatile boolean closed;

	DefaultJobClient(JobStore store, NewJobs newJobs, List<EnqueueInterceptor> interceptors, EventBus events,
			StoreClock clock) {
		this.store = store;
		this.newJobs = newJobs;
		this.interceptors = List.copyOf(interceptors);
		this.events = events;
		this.clock = clock;
		this.waiters = new RoomWaiters(store, clock);
		this.single = new GroupCommit<>(this::write, CHUNK);
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
		return requests.isEmpty() ? List.of() : intercepted(List.copyOf(requests), this::storeAll);
	}

	private Enqueued enqueueOne(JobRequest request, @Nullable Duration wait) {
		return intercepted(List.of(request),
				(requests) -> (requests.size() == 1) ? List.of(storeOne(requests.get(0), wait)) : storeAll(requests))
			.get(0);
	}

	private static String describe(JobRequest request) {
		return (request.name() != null) ? "'" + request.name() + "'"
				: String.valueOf((request.payload() != null) ? request.payload().getClass() : null);
	}

	private List<Enqueued> intercepted(List<JobRequest> requests, Function<List<JobRequest>, List<Enqueued>> end) {
		requireOpen();
		return proceed(0, requests, end);
	}

	private List<Enqueued> proceed(int position, List<JobRequest> requests,
			Function<List<JobRequest>, List<Enqueued>> end) {
		if (position == this.interceptors.size()) {
			return requests.isEmpty() ? List.of() : end.apply(requests);
		}
		EnqueueInterceptor interceptor = this.interceptors.get(position);
		List<Enqueued> enqueued = interceptor.around(requests, (passed) -> proceed(position + 1, passed, end));
		if (enqueued == null || enqueued.size() != requests.size()) {
			throw new IllegalStateException("Interceptor %s answered %d enqueues with %s results".formatted(interceptor,
					requests.size(), (enqueued != null) ? enqueued.size() : "no"));
		}
		return enqueued;
	}

	private Enqueued storeOne(JobRequest request, @Nullable Duration wait) {
		Instant now = this.clock.now();
		NewJob job = this.newJobs.make(request, now);
		Duration patience = (wait != null) ? wait : this.newJobs.waitForRoom(request, job.name());
		Enqueued enqueued = this.single.submit(job);
		if (enqueued.outcome() == Outcome.FULL && patience.compareTo(Duration.ZERO) > 0) {
			enqueued = this.waiters.retry(job.name(), patience, enqueued, () -> {
				requireOpen();
				return this.single.submit(job);
			});
		}
		tell(job, enqueued, now);
		return enqueued;
	}

	private List<Enqueued> storeAll(List<JobRequest> requests) {
		Instant now = this.clock.now();
		List<NewJob> jobs = new ArrayList<>(requests.size());
		requests.forEach((request) -> jobs.add(this.newJobs.make(request, now)));
		List<Enqueued> enqueued = storeInChunks(jobs);
		for (int i = 0; i < enqueued.size(); i++) {
			tell(jobs.get(i), enqueued.get(i), now);
		}
		return enqueued;
	}

	private List<Enqueued> storeInChunks(List<NewJob> jobs) {
		List<Enqueued> enqueued = new ArrayList<>(jobs.size());
		for (int from = 0; from < jobs.size(); from += CHUNK) {
			enqueued.addAll(write(jobs.subList(from, Math.min(from + CHUNK, jobs.size()))));
		}
		return enqueued;
	}

	/**
	 * Write jobs to the store. After a temporary fault they are written once more, since
	 * the reply alone may have got lost and the caller is to hear of a job that is
	 * stored; with the same ids nothing is stored twice.
	 */
	private List<Enqueued> write(List<NewJob> jobs) {
		try {
			return this.store.enqueue(jobs, this.clock.now());
		}
		catch (JobStoreException ex) {
			if (!ex.isTemporary()) {
				throw ex;
			}
			return this.store.enqueue(jobs, this.clock.now());
		}
	}

	private void tell(NewJob job, Enqueued enqueued, Instant now) {
		switch (enqueued.outcome()) {
			case FULL -> this.events.publish(() -> new JobEvent.Rejected(job.name(), now));
			case NEW, REPLACED, RESCHEDULED ->
				this.events.publish(() -> new JobEvent.Accepted(seen(job, enqueued, now), enqueued.outcome(), now));
			case DUPLICATE, STOPPED -> {
			}
		}
	}

	private static Job seen(NewJob job, Enqueued enqueued, Instant now) {
		JobState state = enqueued.dueAt().isAfter(now) ? JobState.SCHEDULED : JobState.READY;
		return new Job(enqueued.id(), job.name(), job.payload(), job.headers(), state, job.createdAt(),
				enqueued.dueAt(), Trail.EMPTY, null);
	}

	/**
	 * Enqueue the job of a schedule's tick, if no other process has.
	 * @param tick the tick, without its job
	 * @param request the job
	 * @param id its id
	 * @return what happened, and the latest tick
	 */
	TickReply fire(Tick tick, JobRequest request, String id) {
		@Nullable TickReply[] reply = new TickReply[1];
		intercepted(List.of(request), (requests) -> {
			NewJob job = this.newJobs.make(requests.get(0), tick.now()).withId(id);
			TickReply fired = this.store.fireTick(tick.with(job));
			reply[0] = fired;
			Enqueued enqueued = fired.enqueued();
			if (enqueued == null) {
				return List.of(new Enqueued(id, Outcome.DUPLICATE, tick.instant()));
			}
			if (enqueued.isNew()) {
				this.events.publish(() -> new JobEvent.Ticked(tick.schedule(), seen(job, enqueued, tick.now()),
						tick.instant(), tick.now()));
			}
			return List.of(enqueued);
		});
		TickReply fired = reply[0];
		return (fired != null) ? fired : this.store.fireTick(tick);
	}

	// --- acts on what exists

	@Override
	public Optional<Job> find(String id) {
		return this.store.inspector().job(id, this.clock.now());
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
	public int retryAll(JobFilter filter) {
		JobFilter dead = new JobFilter(Set.of(JobState.DEAD), filter.name(), filter.retrying(), filter.text());
		Instant begin = this.clock.now();
		return changeAll(dead, (job) -> job.trail().end() == null || !job.trail().end().at().isAfter(begin),
				Change.Retry::new);
	}

	@Override
	public int deleteAll(JobFilter filter) {
		return changeAll(filter, (job) -> true, Change.Delete::new);
	}

	/**
	 * Change all jobs of a selection, page by page. What could not be changed stays in
	 * the selection and is passed over.
	 */
	private int changeAll(JobFilter filter, Predicate<Job> wanted, Function<String, Change> change) {
		int changed = 0;
		long passedOver = 0;
		while (true) {
			List<Job> jobs = this.store.inspector()
				.page(filter, new Range(passedOver, CHUNK, false), this.clock.now())
				.jobs();
			if (jobs.isEmpty()) {
				return changed;
			}
			List<Change> changes = jobs.stream().filter(wanted).map(Job::id).map(change).toList();
			passedOver += jobs.size() - changes.size();
			for (Changed done : this.store.change(changes, this.clock.now())) {
				changed += (done == Changed.DONE) ? 1 : 0;
				passedOver += (done == Changed.REFUSED) ? 1 : 0;
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
	public void purge() {
		change(new Change.Purge());
	}

	private Changed change(Change change) {
		return this.store.change(List.of(change), this.clock.now()).get(0);
	}

	// --- closing

	/**
	 * Refuse enqueues from now on and release those who wait for room.
	 */
	void close() {
		this.closed = true;
		this.waiters.releaseAll();
	}

	void open() {
		this.closed = false;
	}

	private void requireOpen() {
		if (this.closed) {
			throw new JobRejectedException("The job client is closed and takes no more jobs", RETRY_AFTER);
		}
	}

}
