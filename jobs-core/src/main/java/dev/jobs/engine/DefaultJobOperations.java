package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.BulkStatus;
import dev.jobs.Job;
import dev.jobs.JobCalendar;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PoolStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.SavedStep;
import dev.jobs.ScheduleStatus;
import dev.jobs.Signal;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.UnknownNameException;
import dev.jobs.Urgency;
import dev.jobs.WaitReason;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.bulk.StoredBulk;
import dev.jobs.engine.result.SignalSender;
import dev.jobs.engine.result.Waits;
import dev.jobs.engine.schedule.ScheduleFaults;
import dev.jobs.engine.settings.OperatorSettings;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.operations.BulkOperations;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.PoolOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.operations.SingleJobOperations;
import dev.jobs.operations.StoreOperations;
import dev.jobs.operations.WorkerOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WaitReasonView;
import dev.jobs.store.view.WantedWorkersView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * What operators see and do. It reads with the store's {@link JobInspector} and acts with
 * {@link Change}s.
 */
record DefaultJobOperations(StoredJobs stored, DefaultJobClient client, Refusals refusals,
		List<RecurringJob> recurringJobs, Map<String, JobCalendar> calendars, ScheduleFaults scheduleFaults,
		@Nullable String operator) implements JobOperations {

	private static final int LONGEST_NAME = 100;

	@Override
	public JobOperations by(String operator) {
		return new DefaultJobOperations(this.stored, this.client, this.refusals, this.recurringJobs, this.calendars,
				this.scheduleFaults, ErrorText.clean(operator, LONGEST_NAME));
	}

	@Override
	public List<QueueStatus> queues() {
		Instant now = this.stored.now();
		SortedMap<String, QueueView> queues = new TreeMap<>();
		QueueView.served(this.stored.inspector().workers(now)).forEach((queue) -> queues.put(queue.name(), queue));
		this.stored.inspector().queues(now).forEach((queue) -> queues.put(queue.name(), queue));
		OperatorSettings settings = this.stored.settings();
		return queues.values().stream().<QueueStatus>map((queue) -> this.stored.with(queue, settings)).toList();
	}

	@Override
	public QueueOperations queue(String name) {
		return new StoredQueue(name, this.operator, this.stored);
	}

	@Override
	public List<WorkerStatus> workers() {
		return this.stored.workers();
	}

	@Override
	public WorkerOperations worker(String id) {
		return new StoredWorker(id, this.operator, this.stored);
	}

	@Override
	public List<PoolStatus> pools() {
		return StoredPool.all(this.stored);
	}

	@Override
	public PoolOperations pool(String name) {
		return new StoredPool(name, this.operator, this.stored);
	}

	@Override
	public List<WantedWorkers> wantedWorkers(Function<String, Duration> target) {
		Instant now = this.stored.now();
		JobInspector inspector = this.stored.inspector();
		return List.copyOf(WantedWorkersView.of(inspector, inspector.queues(now), target, now));
	}

	@Override
	public List<ScheduleStatus> schedules() {
		Instant now = this.stored.now();
		Map<String, String> faults = this.scheduleFaults.all(now);
		return this.stored.inspector()
			.schedules()
			.stream()
			.<ScheduleStatus>map((view) -> StoredSchedule.Listed.of(view, definition(view.name()) != null,
					faults.get(view.name()), now))
			.toList();
	}

	@Override
	public ScheduleOperations schedule(String name) {
		return new StoredSchedule(name, definition(name), this.stored, this.calendars, this.scheduleFaults,
				this.client::enqueueOwn);
	}

	private @Nullable RecurringJob definition(String schedule) {
		return this.recurringJobs.stream()
			.filter((recurring) -> recurring.name().equals(schedule))
			.findFirst()
			.orElse(null);
	}

	@Override
	public SelectionOperations jobs(JobFilter filter) {
		return new SelectedJobs(filter, this.operator, this.stored);
	}

	@Override
	public SingleJobOperations job(String id) {
		return new SingleJob(id, this.stored, this.client.signals());
	}

	@Override
	public boolean forgetSignal(String name, Object subject) {
		String thing = Waits.SIGNAL + Signal.of(name, Object.class).about(subject);
		return this.stored.change(new Change.KeepEnd(thing, null)) == Changed.DONE;
	}

	@Override
	public List<BulkStatus> bulkActions() {
		return StoredBulk.all(this.stored.store());
	}

	@Override
	public BulkOperations bulkAction(String id) {
		return new StoredBulk(id, this.stored::store, this.stored::now);
	}

	@Override
	public WaitReason waitReason(Job job) {
		return WaitReasonView.of(job, this.stored.inspector(), this.stored.now())
			.among(job.name(), this.stored::workers);
	}

	@Override
	public StoreOperations store() {
		return new Store(this.stored, this.refusals);
	}

	/**
	 * A live worker.
	 *
	 * @param id its id
	 * @param by who changes it, or {@code null} if that is not known
	 * @param stored reads and changes its settings
	 */
	private record StoredWorker(String id, @Nullable String by, StoredJobs stored) implements WorkerOperations {

		@Override
		public Optional<WorkerStatus> status() {
			return this.stored.workers().stream().filter((worker) -> worker.id().equals(this.id)).findFirst();
		}

		@Override
		public void quiet() {
			change(Kind.QUIET.set(this.id, 1, this.by));
		}

		@Override
		public void resume() {
			change(Kind.QUIET.remove(this.id));
		}

		private void change(Change change) {
			if (status().isEmpty()) {
				throw new UnknownNameException("There is no live worker '" + this.id + "'"
						+ StoredJobs.near(this.id, this.stored.workers(), WorkerStatus::id));
			}
			this.stored.change(change);
		}

	}

	/**
	 * A job of the store.
	 *
	 * @param id its id
	 * @param stored reads and changes it
	 * @param signals sends signals
	 */
	private record SingleJob(String id, StoredJobs stored, SignalSender signals) implements SingleJobOperations {

		@Override
		public Optional<Job> find() {
			return this.stored.find(this.id);
		}

		@Override
		public boolean retry() {
			return this.stored.change(new Change.Retry(this.id)) == Changed.DONE;
		}

		@Override
		public boolean cancel() {
			return this.stored.cancel(this.id);
		}

		@Override
		public boolean delete() {
			return this.stored.change(new Change.Delete(this.id)) == Changed.DONE;
		}

		@Override
		public boolean reschedule(Instant dueAt) {
			return this.stored.reschedule(this.id, dueAt);
		}

		@Override
		public boolean replacePayload(@Nullable Object payload) {
			return this.stored.replacePayload(this.id, payload);
		}

		@Override
		public boolean setUrgency(Urgency urgency) {
			Objects.requireNonNull(urgency, "'urgency' must not be null");
			return this.stored.change(Change.SetStanding.urgency(this.id, urgency)) == Changed.DONE;
		}

		@Override
		public boolean moveTo(@Nullable String lane) {
			return this.stored.change(Change.SetStanding.lane(this.id, lane)) == Changed.DONE;
		}

		@Override
		public List<SavedStep> steps() {
			return find().map((job) -> List.<SavedStep>copyOf(this.stored.inspector().saved(job.name(), this.id)))
				.orElse(List.of());
		}

		@Override
		public boolean forgetStep(String name) {
			return this.stored.forgetStep(this.id, name);
		}

		@Override
		public Signal.Sent send(@Nullable Object value) {
			Trail.Wait wait = find().filter((job) -> job.state() == JobState.WAITING)
				.map((job) -> job.trail().waitsFor())
				.orElse(null);
			String signal = (wait != null) ? wait.signal() : null;
			if (signal == null) {
				throw new IllegalStateException("Job '" + this.id + "' waits for no signal");
			}
			return this.signals.send(signal, value);
		}

	}

	/**
	 * The store.
	 *
	 * @param stored reads and changes its contents
	 * @param refusals what it has refused this process
	 */
	private record Store(StoredJobs stored, Refusals refusals) implements StoreOperations {

		@Override
		public StoreStatus status() {
			return this.stored.inspector().store();
		}

		@Override
		public List<StoreStatus.Fault> faults() {
			return Stream.<StoreStatus.Fault>concat(this.stored.inspector().faults().stream(),
					this.refusals.faults().stream())
				.toList();
		}

		@Override
		public List<QueueStatistics> statistics(Instant from, Instant to, Duration step) {
			return List.copyOf(this.stored.inspector().statistics(Set.of(), new Period(from, to, step)));
		}

		@Override
		public List<Note> notes() {
			return this.stored.inspector().notes();
		}

		@Override
		public void note(String text) {
			this.stored.change(new Change.KeepNote(UUID.randomUUID().toString(), ErrorText.clean(text, Note.LONGEST)));
		}

		@Override
		public void purge() {
			this.stored.change(new Change.Purge());
		}

	}

}
