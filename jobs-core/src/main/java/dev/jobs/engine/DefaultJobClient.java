package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.engine.EnqueueWriter.Item;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.jspecify.annotations.Nullable;

/**
 * The client. An enqueue goes through the interceptors and becomes a {@link NewJob},
 * which the {@link EnqueueWriter} writes; in a transaction the {@link JoinedWriter} does
 * so as a part of it, or, with a store that cannot join it, the {@link OutboxRelay} if
 * there is one, or the {@link EnqueueWriter} once the {@link EnqueueGate} lets it. Acts
 * on existing jobs go to the store as {@link Change}s.
 */
final class DefaultJobClient implements JobClient {

	private static final int CHUNK = 500;

	private static final int MOST_UNHANDLED = 1000;

	private static final Set<JobState> LIVE = Set.of(JobState.SCHEDULED, JobState.READY, JobState.RUNNING);

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final JobStore store;

	private final NewJobs newJobs;

	private final List<EnqueueInterceptor> interceptors;

	private final EnqueueGate gate;

	private final EventBus events;

	private final StoreClock clock;

	private final Tallies tallies;

	private final EnqueueWriter writer;

	private final JoinedWriter joinedWriter;

	private final @Nullable OutboxRelay outbox;

	private final Set<String> unhandled = ConcurrentHashMap.newKeySet();

	private volatile Runnable onUnhandled = () -> {
	};

	DefaultJobClient(JobStore store, NewJobs newJobs, List<EnqueueInterceptor> interceptors, EnqueueGate gate,
			EventBus events, StoreClock clock, Tallies tallies, @Nullable OutboxRelay outbox) {
		this.store = store;
		this.newJobs = newJobs;
		this.interceptors = List.copyOf(interceptors);
		this.gate = gate;
		this.events = events;
		this.clock = clock;
		this.tallies = tallies;
		this.writer = new EnqueueWriter(store, events, clock, tallies);
		this.joinedWriter = new JoinedWriter(gate, events, clock, tallies);
		this.outbox = outbox;
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
		this.writer.requireOpen();
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
		Item item = item(request, wait, enqueueTime());
		Enqueued enqueued = (!item.ignoreTransaction() && this.gate.isClosed()) ? joinOrHold(List.of(item)).get(0)
				: this.writer.one(item);
		lookOutFor(item.job().name());
		return enqueued;
	}

	private List<Enqueued> storeAll(List<JobRequest> requests) {
		Instant now = enqueueTime();
		List<Item> items = requests.stream().map((request) -> item(request, Duration.ZERO, now)).toList();
		List<Enqueued> enqueued = this.gate.isClosed() ? storeInTransaction(items) : this.writer.all(items);
		items.forEach((item) -> lookOutFor(item.job().name()));
		return enqueued;
	}

	/**
	 * Have it looked once at a name without a handler here, which may be misspelt.
	 */
	private void lookOutFor(String name) {
		if (!this.newJobs.isHandled(name) && this.unhandled.size() < MOST_UNHANDLED && this.unhandled.add(name)) {
			this.onUnhandled.run();
		}
	}

	/**
	 * Say what to do when a job of a name was enqueued that has no handler here.
	 * @param onUnhandled what to do
	 */
	void onUnhandled(Runnable onUnhandled) {
		this.onUnhandled = onUnhandled;
	}

	/**
	 * Store jobs that do not wait for the commit before the others: if they cannot be
	 * stored, neither are these, and they would have to wait for locks of these.
	 */
	private List<Enqueued> storeInTransaction(List<Item> items) {
		Iterator<Enqueued> stored = this.writer.all(items.stream().filter(Item::ignoreTransaction).toList()).iterator();
		Iterator<Enqueued> joined = joinOrHold(items.stream().filter((item) -> !item.ignoreTransaction()).toList())
			.iterator();
		return items.stream().map((item) -> item.ignoreTransaction() ? stored.next() : joined.next()).toList();
	}

	private List<Enqueued> joinOrHold(List<Item> items) {
		if (items.isEmpty()) {
			return List.of();
		}
		JobStore joined = this.store.joined();
		if (joined != null) {
			return this.joinedWriter.write(items, joined);
		}
		if (this.outbox == null || !this.outbox.put(items.stream().map(Item::job).toList())) {
			this.gate.hold(items, this.writer);
		}
		return items.stream().map(Item::deferred).toList();
	}

	private Item item(JobRequest request, @Nullable Duration wait, Instant now) {
		NewJob job = this.newJobs.make(request, now);
		Duration patience = (wait != null) ? wait : this.newJobs.waitForRoom(request, job.name());
		return new Item(job, patience, request.options().ignoreTransaction());
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
				this.tallies.enqueued(job.name(), tick.now());
				this.events.publish(() -> new JobEvent.Ticked(tick.schedule(),
						EnqueueWriter.seen(job, enqueued.id(), enqueued.dueAt(), tick.now()), tick.instant(),
						tick.now()));
			}
			return List.of(enqueued);
		});
		TickReply fired = reply[0];
		return (fired != null) ? fired : this.store.fireTick(tick);
	}

	// --- acts on what exists

	/**
	 * Return the store as the caller is to see it: in a transaction as a part of that, if
	 * it can be.
	 */
	private JobStore store() {
		JobStore joined = this.gate.isClosed() ? this.store.joined() : null;
		return (joined != null) ? joined : this.store;
	}

	@Override
	public Optional<Job> find(String id) {
		return store().inspector().job(id, now());
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
		Instant begin = now();
		return changeAll(dead, (job) -> job.trail().end() == null || !job.trail().end().at().isAfter(begin),
				Change.Retry::new, changed);
	}

	@Override
	public int deleteAll(JobFilter filter, Consumer<String> changed) {
		Instant begin = now();
		return changeAll(filter, (job) -> !job.createdAt().isAfter(begin), Change.Delete::new, changed);
	}

	/**
	 * Cancel until a whole pass finds nothing more to cancel: a job may change its state
	 * and pass from what is still to be read to what was read.
	 */
	@Override
	public int cancelAll(JobFilter filter, Consumer<String> changed) {
		JobFilter live = filter.inStates(filter.states().isEmpty() ? LIVE : filter.states());
		Instant begin = now();
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
	 * Change all jobs of a selection, page by page.
	 */
	private int changeAll(JobFilter filter, Predicate<Job> wanted, Function<String, Change> change,
			Consumer<String> told) {
		JobStore store = store();
		PageRequest request = PageRequest.oldestFirst(CHUNK);
		int changed = 0;
		@Nullable String cursor = null;
		do {
			JobPage page = store.inspector().page(filter, request.after(cursor), now());
			List<String> ids = page.jobs().stream().filter(wanted).map(Job::id).toList();
			List<Changed> done = store.change(ids.stream().map(change).toList(), now());
			for (int i = 0; i < ids.size(); i++) {
				if (done.get(i) == Changed.DONE) {
					changed++;
					told.accept(ids.get(i));
				}
			}
			cursor = page.next();
		}
		while (cursor != null);
		return changed;
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
		return store().change(List.of(change), now()).get(0);
	}

	/**
	 * Return the time from which delays count. It is the store's, or the enqueue fails.
	 * Only what the outbox may take goes by the machine's clock if it must, since that
	 * works while the store is out of reach.
	 */
	private Instant enqueueTime() {
		if (this.outbox != null && this.gate.isClosed()) {
			return now();
		}
		this.clock.require(this::store);
		return this.clock.now();
	}

	/**
	 * Return the present. A process that only enqueues hears the store's time by no
	 * beats, so it asks.
	 */
	private Instant now() {
		this.clock.askNowAndThen(this::store);
		return this.clock.now();
	}

	// --- closing

	/**
	 * Refuse enqueues from now on and release those who wait for room.
	 */
	void close() {
		this.writer.close();
	}

	boolean isClosed() {
		return this.writer.isClosed();
	}

	void open() {
		this.writer.open();
	}

}
