package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Deaths;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.QueueHistory;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.StoreStatus;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.TickRun;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.schedule.CronTicker;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Period;
import dev.jobs.store.JobStore;
import dev.jobs.store.QueueView;
import dev.jobs.store.Refusals;
import dev.jobs.store.WaitReasonView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators see and do. It reads by the store's {@link JobInspector} and acts by
 * {@link Change}s.
 */
final class DefaultJobOperations implements JobOperations {

	private static final Logger logger = LoggerFactory.getLogger(DefaultJobOperations.class);

	private static final int CHUNK = 500;

	private static final Set<JobState> LIVE = Set.of(JobState.SCHEDULED, JobState.READY, JobState.RUNNING);

	private final StoredJobs stored;

	private final DefaultJobClient client;

	private final StoreClock clock;

	private final Refusals refusals;

	private final List<RecurringJob> recurringJobs;

	DefaultJobOperations(StoredJobs stored, DefaultJobClient client, StoreClock clock, Refusals refusals,
			List<RecurringJob> recurringJobs) {
		this.stored = stored;
		this.client = client;
		this.clock = clock;
		this.refusals = refusals;
		this.recurringJobs = List.copyOf(recurringJobs);
	}

	// --- what there is

	@Override
	public List<QueueStatus> queues() {
		Instant now = this.stored.now();
		SortedMap<String, QueueStatus> queues = new TreeMap<>();
		inspector().workers(now)
			.stream()
			.map(WorkerStatus::info)
			.filter(Objects::nonNull)
			.flatMap((worker) -> worker.pools().stream())
			.flatMap((pool) -> pool.queues().stream())
			.forEach((queue) -> queues.put(queue, QueueView.served(queue)));
		inspector().queues(now).forEach((queue) -> queues.put(queue.name(), queue));
		return List.copyOf(queues.values());
	}

	@Override
	public List<WorkerStatus> workers() {
		return List.copyOf(inspector().workers(this.stored.now()));
	}

	@Override
	public List<ScheduleStatus> schedules() {
		Instant now = this.stored.now();
		return inspector().schedules()
			.stream()
			.<ScheduleStatus>map((view) -> ListedSchedule.of(view, isDefinedHere(view.name()), now))
			.toList();
	}

	private boolean isDefinedHere(String schedule) {
		return this.recurringJobs.stream().anyMatch((recurring) -> recurring.name().equals(schedule));
	}

	@Override
	public List<ScheduleStatus.Run> runs(String schedule) {
		return inspector().schedules()
			.stream()
			.filter((view) -> view.name().equals(schedule))
			.findFirst()
			.map((view) -> List.<ScheduleStatus.Run>copyOf(TickRun.of(view, inspector(), this.stored.now())))
			.orElse(List.of());
	}

	@Override
	public StoreStatus store() {
		return inspector().store();
	}

	@Override
	public List<StoreStatus.Fault> faults() {
		return Stream.<StoreStatus.Fault>concat(inspector().faults().stream(), this.refusals.faults().stream())
			.toList();
	}

	@Override
	public List<QueueHistory> history(Set<String> queues, Instant from, Instant to, Duration step) {
		return List.copyOf(inspector().history(queues, new Period(from, to, step)));
	}

	private JobInspector inspector() {
		return this.stored.store().inspector();
	}

	// --- jobs

	@Override
	public Optional<Job> find(String id) {
		return this.stored.find(id);
	}

	@Override
	public WaitReason waitReason(Job job) {
		Instant now = this.stored.now();
		QueueView queue = inspector().queues(now)
			.stream()
			.filter((each) -> each.name().equals(job.name()))
			.findFirst()
			.orElse(null);
		return WaitReasonView.of(job, queue, inspector().workers(now), now);
	}

	@Override
	public JobPage page(JobFilter filter, PageRequest request) {
		return this.stored.page(filter, request);
	}

	@Override
	public JobCount count(JobFilter filter, int bound) {
		return inspector().count(filter, bound, this.stored.now());
	}

	@Override
	public Deaths deaths(JobFilter filter) {
		return inspector().deaths(filter, this.stored.now());
	}

	@Override
	public boolean cancel(String id) {
		return this.stored.cancel(id);
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return this.stored.reschedule(id, dueAt);
	}

	@Override
	public boolean delete(String id) {
		return this.stored.change(new Change.Delete(id)) == Changed.DONE;
	}

	@Override
	public boolean retry(String id) {
		return this.stored.change(new Change.Retry(id)) == Changed.DONE;
	}

	@Override
	public int retryAll(JobFilter filter, Consumer<String> changed) {
		requireSome(filter, Set.of(JobState.DEAD), "Only dead jobs are retried");
		JobFilter dead = filter.with((jobs) -> jobs.states(JobState.DEAD));
		Instant begin = this.stored.now();
		return changeAll(dead, (job) -> job.trail().end() == null || !job.trail().end().at().isAfter(begin),
				Change.Retry::new, changed);
	}

	@Override
	public int deleteAll(JobFilter filter, Consumer<String> changed) {
		if (filter.getStates().isEmpty()) {
			throw new IllegalArgumentException("A filter of jobs to be deleted must name their states, such as DEAD");
		}
		Instant begin = this.stored.now();
		return changeAll(filter, (job) -> !job.createdAt().isAfter(begin), Change.Delete::new, changed);
	}

	/**
	 * Cancel until a whole pass finds nothing more to cancel: a job may change its state
	 * and pass from what is still to be read to what was read.
	 */
	@Override
	public int cancelAll(JobFilter filter, Consumer<String> changed) {
		if (filter.equals(JobFilter.all())) {
			throw new IllegalArgumentException(
					"A filter must select the jobs to be cancelled, such as those of a name");
		}
		requireSome(filter, LIVE, "Only jobs that wait or run are cancelled");
		JobFilter live = filter.getStates().isEmpty() ? filter.with((jobs) -> jobs.states(LIVE)) : filter;
		Instant begin = this.stored.now();
		int cancelled = 0;
		int last;
		do {
			last = changeAll(live, (job) -> !job.createdAt().isAfter(begin) && !isAskedToEnd(job), Change.Cancel::new,
					changed);
			cancelled += last;
		}
		while (last > 0);
		return cancelled;
	}

	private static void requireSome(JobFilter filter, Set<JobState> states, String rule) {
		if (!filter.getStates().isEmpty() && Collections.disjoint(filter.getStates(), states)) {
			throw new IllegalArgumentException("%s, but the filter selects only those that are %s; leave its states out"
				.formatted(rule, new TreeSet<>(filter.getStates())));
		}
	}

	private static boolean isAskedToEnd(Job job) {
		return job.run() != null && job.run().cancelRequested();
	}

	/**
	 * Change all jobs of a selection, page by page.
	 */
	private int changeAll(JobFilter filter, Predicate<Job> wanted, Function<String, Change> change,
			Consumer<String> report) {
		JobStore store = this.stored.store();
		PageRequest request = PageRequest.oldestFirst(CHUNK);
		int changed = 0;
		@Nullable String cursor = null;
		do {
			JobPage page = store.inspector().page(filter, request.after(cursor), this.stored.now());
			List<Job> jobs = page.jobs().stream().filter(wanted).toList();
			List<String> done = new ArrayList<>();
			Refusals.divide(jobs, (part) -> {
				List<Changed> replies = store.change(part.stream().map((job) -> change.apply(job.id())).toList(),
						this.stored.now());
				for (int i = 0; i < part.size(); i++) {
					if (replies.get(i) == Changed.DONE) {
						done.add(part.get(i).id());
					}
				}
			}, (job, fault) -> logger.warn("The store refuses to change job '{}' {}: {}", job.name(), job.id(),
					ErrorText.of(fault)));
			done.forEach(report);
			changed += done.size();
			cursor = page.next();
		}
		while (cursor != null);
		return changed;
	}

	// --- queues

	@Override
	public void pause(String name) {
		this.stored.change(new Change.Pause(HandlerDefinition.requireValidName(name)));
	}

	@Override
	public void resume(String name) {
		this.stored.change(new Change.Resume(HandlerDefinition.requireValidName(name)));
	}

	@Override
	public void limit(String name, int maxRunning) {
		if (maxRunning < 1) {
			throw new IllegalArgumentException(
					"'maxRunning' must be at least 1 but was " + maxRunning + "; to start no jobs, pause them");
		}
		this.stored.change(new Change.Limit(HandlerDefinition.requireValidName(name), maxRunning));
	}

	@Override
	public void removeLimit(String name) {
		this.stored.change(new Change.Limit(HandlerDefinition.requireValidName(name), -1));
	}

	// --- schedules

	@Override
	public void pauseSchedule(String schedule) {
		this.stored.change(new Change.PauseSchedule(HandlerDefinition.requireValidName(schedule)));
	}

	@Override
	public void resumeSchedule(String schedule) {
		this.stored.change(new Change.ResumeSchedule(HandlerDefinition.requireValidName(schedule)));
	}

	@Override
	public Optional<Enqueued> trigger(String schedule) {
		return this.recurringJobs.stream()
			.filter((recurring) -> recurring.name().equals(schedule))
			.findFirst()
			.map((recurring) -> this.client.enqueueOwn(CronTicker.request(recurring, this.clock.now())));
	}

	// --- everything

	@Override
	public void purge() {
		this.stored.change(new Change.Purge());
	}

}
