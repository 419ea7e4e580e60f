package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.Unique.Scope;
import dev.jobs.store.memory.Listing.Listed;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.End;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.EndView;
import dev.jobs.store.support.Gate;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SavedView;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.StoreView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * Reads the contents of the store. A page is made of references copied under the lock,
 * queue by queue, so that workers don't wait while an operator's filter searches a
 * million jobs.
 */
record InMemoryJobInspector(Contents contents, ReentrantLock lock) implements JobInspector {

	@Override
	public List<QueueView> queues(Instant now) {
		return locked(() -> this.contents.queues.values().stream().map((queue) -> view(queue, now)).toList());
	}

	@Override
	public Optional<QueueView> queue(String name, Instant now) {
		return locked(() -> Optional.ofNullable(this.contents.queues.get(name)).map((queue) -> view(queue, now)));
	}

	@Override
	public List<LaneView> lanes(String queue, String after, int limit, Instant now) {
		return locked(() -> {
			Queue found = this.contents.queues.get(queue);
			return (found != null)
					? found.lanes.names(after).limit(limit).map((lane) -> view(found, lane, now)).toList() : List.of();
		});
	}

	@Override
	public LaneView lane(String queue, String lane, Instant now) {
		return locked(() -> view(this.contents.queues.getOrDefault(queue, new Queue(queue, this.contents.signals)),
				lane, now));
	}

	private static LaneView view(Queue queue, String lane, Instant now) {
		StoredJob first = queue.lanes.first(lane);
		return new LaneView(lane, JobCount.exactly(queue.lanes.size(lane)), JobCount.exactly(queue.runningInLane(lane)),
				(first != null) ? first.since() : null)
			.blockedBy(queue.keeperOf(lane).orElse(null), gate(queue, lane, now));
	}

	@Override
	public SortedMap<String, LaneSettingsView> laneSettings(String queue) {
		return locked(() -> {
			Queue found = this.contents.queues.get(queue);
			return (found != null) ? new TreeMap<>(found.laneSettings()) : new TreeMap<>();
		});
	}

	@Override
	public List<SavedView> saved(String queue, String job) {
		return locked(() -> {
			StoredJob found = this.contents.jobs.get(job);
			return (found == null || found.saved == null) ? List.of()
					: found.saved.values().stream().sorted(Comparator.comparing(SavedView::savedAt)).toList();
		});
	}

	@Override
	public List<WorkerView> workers(Instant now) {
		return locked(() -> this.contents.workers.values()
			.stream()
			.filter((worker) -> worker.isAlive(now))
			.map(Worker::view)
			.toList());
	}

	@Override
	public List<ScheduleView> schedules() {
		return locked(this.contents.schedules::views);
	}

	@Override
	public Optional<ScheduleView> schedule(String name) {
		return locked(() -> this.contents.schedules.view(name));
	}

	@Override
	public DueSchedules dueSchedules(Instant now, DueSchedules.@Nullable Place after, int limit) {
		return locked(() -> this.contents.schedules.due(now, after, limit));
	}

	@Override
	public Optional<Job> job(String id, Instant now) {
		return locked(() -> Optional.ofNullable(this.contents.jobs.get(id)).map((job) -> job.seenAt(now)));
	}

	@Override
	public Map<String, EndView> ends(Collection<String> jobs, Instant now) {
		return locked(() -> {
			Map<String, EndView> found = new HashMap<>();
			for (String id : jobs) {
				StoredJob job = this.contents.jobs.get(id);
				End end = this.contents.ends.of(id, now);
				if (job != null) {
					JobState state = job.seenAt(now).state();
					byte[] value = (end != null && state == JobState.SUCCEEDED) ? end.value() : null;
					found.put(id, new EndView(state, job.job().trail(), value));
				}
				else if (end != null) {
					found.put(id, new EndView(end.state(), end.trail(), end.value()));
				}
			}
			return found;
		});
	}

	@Override
	public JobPage page(JobFilter filter, PageRequest request, Instant now) {
		if (filter.getUniqueKey() != null) {
			return ListedJob.page(owners(filter.getUniqueKey(), filter.getName(), now), filter,
					ListedJob.containing(filter), request);
		}
		return new Listing(list(filter, now), filter, request).page();
	}

	@Override
	public JobCount count(JobFilter filter, int bound, Instant now) {
		if (filter.getUniqueKey() != null) {
			return ListedJob.count(owners(filter.getUniqueKey(), filter.getName(), now), filter,
					ListedJob.containing(filter), bound);
		}
		return new Listing(list(filter, now), filter, PageRequest.newestFirst(1)).count(bound);
	}

	/**
	 * Return the jobs that a filter may select, queue by queue.
	 */
	private List<Listed> list(JobFilter filter, Instant now) {
		return ((filter.getName() != null) ? List.of(filter.getName()) : names()).stream()
			.flatMap((name) -> locked(() -> copy(name, filter.getStates(), now)).stream())
			.toList();
	}

	private List<ListedJob> owners(String key, @Nullable String name, Instant now) {
		List<String> names = (name != null) ? List.of(name) : names();
		List<ListedJob> owners = new ArrayList<>();
		for (String queue : names) {
			addOwner(owners, queue, UniqueKeyDigest.of(Scope.HANDLER, queue, key), now);
		}
		addOwner(owners, null, UniqueKeyDigest.of(Scope.NAMESPACE, "", key), now);
		return owners;
	}

	private void addOwner(List<ListedJob> owners, @Nullable String queue, String digest, Instant now) {
		locked(() -> Optional.ofNullable(this.contents.keys.owner(queue, digest, now))
			.map((owner) -> new ListedJob(owner.seenAt(now), owner.since()))).ifPresent(owners::add);
	}

	@Override
	public List<Tally> statistics(Set<String> queues, Period period) {
		return locked(() -> this.contents.statistics.of(queues, period));
	}

	@Override
	public List<Note> notes() {
		List<Note> notes = locked(() -> new ArrayList<>(this.contents.notes.values()));
		Collections.reverse(notes);
		notes.sort(Comparator.comparing(Note::at).reversed());
		return notes;
	}

	@Override
	public GateView gate(String queue, String lane, Instant now) {
		return locked(() -> {
			Queue found = this.contents.queues.get(queue);
			return (found != null) ? gate(found, lane, now) : GateView.OPEN;
		});
	}

	private static GateView gate(Queue queue, String lane, Instant now) {
		Gate gate = queue.gates.get(lane);
		return (gate != null) ? GateView.of(gate.heldUntil(), gate.permitAt(), now) : GateView.OPEN;
	}

	@Override
	public List<OperatorSetting> operatorSettings() {
		return locked(() -> List.copyOf(this.contents.settings.values()));
	}

	@Override
	public List<StoreFault> faults() {
		return List.of();
	}

	@Override
	public StoreView store() {
		return new StoreView("memory", false, "until this process ends", Map.of());
	}

	private List<String> names() {
		return locked(() -> List.copyOf(this.contents.queues.keySet()));
	}

	private QueueView view(Queue queue, Instant now) {
		StoredJob marker = StoredJob.markerAfter(now);
		int due = queue.scheduled.countBefore(marker);
		return QueueView.of(queue.name(), this.contents.isServed(queue, now))
			.withJobs(queue.readyNow() + due + queue.scheduled.countParkedBefore(marker), queue.scheduled.size() - due,
					queue.scheduled.countRetryingAfter(marker), queue.running.size(), queue.dead.size(),
					queue.history.size())
			.withParked(queue.scheduled.countParkedAfter(marker))
			.withOldestReady(oldestReady(queue, now))
			.with(queue.settings());
	}

	private @Nullable Instant oldestReady(Queue queue, Instant now) {
		return Stream
			.of(Optional.ofNullable(queue.ready.first()), Optional.ofNullable(queue.lanes.first()),
					Optional.ofNullable(queue.scheduled.first()))
			.flatMap(Optional::stream)
			.filter((job) -> job.isDue(now))
			.map(StoredJob::since)
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	private List<Listed> copy(String name, Set<JobState> states, Instant now) {
		Queue queue = this.contents.queues.get(name);
		if (queue == null) {
			return List.of();
		}
		List<Listed> listed = new ArrayList<>();
		queue.forEach(states, (job) -> listed.add(new Listed(new ListedJob(job.seenAt(now), job.since()),
				(job.state() == JobState.READY && job.lane() == null) ? job.place : null)));
		return listed;
	}

	private <T> T locked(Supplier<T> read) {
		this.lock.lock();
		try {
			return read.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}
