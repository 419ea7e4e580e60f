package dev.jobs.store.memory;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one name, each in the structure for its state. All counts are the sizes of
 * these structures.
 */
final class Queue {

	private final String name;

	private final Signals signals;

	/** Those that have no lane. */
	final JobList ready = new JobList();

	final ReadyLanes lanes = new ReadyLanes();

	final ScheduledJobs scheduled = new ScheduledJobs();

	final JobList running = new JobList();

	/** Those of each lane that run. */
	private final Map<String, Set<StoredJob>> runningInLanes = new HashMap<>();

	final NavigableSet<StoredJob> dead = new TreeSet<>(StoredJob.BY_TIME);

	final NavigableSet<StoredJob> history = new TreeSet<>(StoredJob.BY_TIME);

	private SettingsView settings = SettingsView.NONE;

	/** What operators have set for lanes, by name. */
	private final SortedMap<String, LaneSettingsView> laneSettings = new TreeMap<>();

	/**
	 * Whether the running limit kept jobs from a claim since room was last signalled.
	 */
	private boolean limitReached;

	/** The greatest length at which a job was refused since room was last signalled. */
	private int lengthReached;

	Queue(String name, Signals signals) {
		this.name = name;
		this.signals = signals;
	}

	String name() {
		return this.name;
	}

	int readyNow() {
		return this.ready.size() + this.lanes.size();
	}

	int waiting() {
		return readyNow() + this.scheduled.size();
	}

	boolean isEmpty() {
		return waiting() + this.running.size() + this.dead.size() + this.history.size() == 0;
	}

	SettingsView settings() {
		return this.settings;
	}

	void pause(@Nullable String by, Instant now) {
		set(new Value<>(true, now, by), this.settings.limit());
		this.signals.restricted(this.name);
	}

	void resume(Instant now) {
		set(null, this.settings.limit());
		this.signals.ready(this.name, now);
	}

	void limit(int limit, @Nullable String by, Instant now) {
		set(this.settings.paused(), (limit != Change.Limit.OF_WORKERS) ? new Value<>(limit, now, by) : null);
		this.signals.restricted(this.name);
		this.signals.ready(this.name, now);
	}

	SortedMap<String, LaneSettingsView> laneSettings() {
		return this.laneSettings;
	}

	/**
	 * Set or remove what holds for a lane.
	 * @return whether anything was set or removed
	 */
	boolean setLane(Change.SetLane set, Instant now) {
		LaneSettingsView before = this.laneSettings.getOrDefault(set.lane(), LaneSettingsView.NONE);
		if (set.value() == null && !before.has(set.rule())) {
			return false;
		}
		LaneSettingsView after = before.with(set.rule(),
				(set.value() != null) ? new Value<>(set.value(), now, set.by()) : null);
		this.laneSettings.put(set.lane(), after);
		this.laneSettings.values().remove(LaneSettingsView.NONE);
		this.signals.restricted(this.name);
		this.signals.ready(this.name, now);
		return true;
	}

	private void set(@Nullable Value<Boolean> paused, @Nullable Value<Integer> limit) {
		this.settings = new SettingsView(this.settings.version() + 1, paused, limit);
	}

	/**
	 * Return whether the queue is too long for another job, and remember that it was.
	 */
	boolean refuses(int maxWaiting) {
		if (maxWaiting <= 0 || waiting() < maxWaiting) {
			return false;
		}
		this.lengthReached = Math.max(this.lengthReached, maxWaiting);
		return true;
	}

	/**
	 * Return whether a lane is too long for another job, and remember to signal room with
	 * the next job that leaves the queue.
	 */
	boolean refusesInLane(@Nullable String lane, int maxInLane) {
		if (lane == null || maxInLane <= 0 || this.lanes.size(lane) < maxInLane) {
			return false;
		}
		this.lengthReached = Integer.MAX_VALUE;
		return true;
	}

	/**
	 * Return how many more jobs may run now.
	 */
	int room(int limitOfWorkers) {
		if (isPaused()) {
			return 0;
		}
		Value<Integer> limit = this.settings.limit();
		int max = (limit != null) ? limit.value() : limitOfWorkers;
		return (max > 0) ? Math.max(max - this.running.size(), 0) : Integer.MAX_VALUE;
	}

	private boolean isPaused() {
		return this.settings.paused() != null;
	}

	/**
	 * Return how many more jobs of a lane may run now.
	 */
	int roomInLane(String lane, int maxInLane) {
		int most = lane.isEmpty() ? 0 : this.laneSettings.getOrDefault(lane, LaneSettingsView.NONE).most(maxInLane);
		return (most != 0) ? most - runningInLane(lane) : Integer.MAX_VALUE;
	}

	int runningInLane(String lane) {
		return this.runningInLanes.getOrDefault(lane, Set.of()).size();
	}

	/**
	 * Return the lanes that may give jobs now, from the one behind another on.
	 * @param most how many are wanted at most
	 */
	List<String> openLanes(String after, int most, int maxInLane) {
		return this.lanes.namesBehind(after, this.ready.size() > 0)
			.filter((lane) -> roomInLane(lane, maxInLane) > 0)
			.limit(most)
			.toList();
	}

	/**
	 * Return the job that a lane gives next.
	 * @param lane the lane; empty for the jobs without one
	 */
	@Nullable StoredJob first(String lane) {
		return lane.isEmpty() ? this.ready.first() : this.lanes.first(lane);
	}

	/**
	 * Return whether another claim would get a job, and remember if only the running
	 * limit prevents it.
	 */
	boolean hasMore(int limitOfWorkers, int maxInLane, Instant now) {
		StoredJob next = this.scheduled.first();
		boolean due = next != null && next.isDue(now);
		if (readyNow() == 0 && !due) {
			return false;
		}
		boolean more = room(limitOfWorkers) > 0 && (due || !openLanes("", 1, maxInLane).isEmpty());
		this.limitReached = this.limitReached || (!more && !isPaused());
		return more;
	}

	@Nullable Instant nextDue(Instant now) {
		StoredJob next = this.scheduled.firstAfter(StoredJob.markerAfter(now));
		return (next != null) ? next.since() : null;
	}

	/**
	 * Make due jobs ready, without signalling anyone.
	 */
	void promote(int max, Instant now) {
		for (int i = 0; i < max; i++) {
			StoredJob next = this.scheduled.first();
			if (next == null || !next.isDue(now)) {
				return;
			}
			this.scheduled.remove(next);
			next.waitUntil(next.since(), next.job().trail(), now);
			addReady(next);
		}
	}

	/**
	 * Put a job, new or taken out before, into the structure for its state.
	 */
	void add(StoredJob job, Instant now) {
		switch (job.state()) {
			case READY -> {
				if (addReady(job)) {
					this.signals.ready(this.name, now);
				}
			}
			case SCHEDULED -> addScheduled(job);
			case RUNNING -> addRunning(job);
			case DEAD -> this.dead.add(job);
			case SUCCEEDED, CANCELLED -> this.history.add(job);
			case WAITING -> throw unheardOf(job);
		}
	}

	void addFirst(StoredJob job, Instant now) {
		if (job.lane() != null) {
			this.lanes.add(job, job.lane());
		}
		else {
			this.ready.addFirst(job);
		}
		this.signals.ready(this.name, now);
	}

	/**
	 * Take a job out; call this before its state changes.
	 */
	void remove(StoredJob job, Instant now) {
		switch (job.state()) {
			case READY -> removeReady(job);
			case SCHEDULED -> this.scheduled.remove(job);
			case RUNNING -> removeRunning(job);
			case DEAD -> this.dead.remove(job);
			case SUCCEEDED, CANCELLED -> this.history.remove(job);
			case WAITING -> throw unheardOf(job);
		}
		signalRoom(job.state(), now);
	}

	private static IllegalStateException unheardOf(StoredJob job) {
		return new IllegalStateException(job.job() + " waits for something else than its time and a worker");
	}

	/**
	 * Visit the jobs that may be in one of the states; all jobs if empty.
	 */
	void forEach(Set<JobState> states, Consumer<StoredJob> action) {
		Predicate<JobState> wanted = (state) -> states.isEmpty() || states.contains(state);
		if (wanted.test(JobState.READY)) {
			this.ready.forEach(action);
			this.lanes.forEach(action);
		}
		if (wanted.test(JobState.READY) || wanted.test(JobState.SCHEDULED)) {
			this.scheduled.forEach(action);
		}
		if (wanted.test(JobState.RUNNING)) {
			this.running.forEach(action);
		}
		if (wanted.test(JobState.DEAD)) {
			this.dead.forEach(action);
		}
		if (wanted.test(JobState.SUCCEEDED) || wanted.test(JobState.CANCELLED)) {
			this.history.forEach(action);
		}
	}

	/**
	 * Signal to waiting producers that nothing is left that could refuse their jobs.
	 */
	void signalEnd() {
		if (this.lengthReached > 0) {
			this.signals.room(this.name);
		}
	}

	/**
	 * Add a job to its lane or behind those that have none.
	 * @return whether it is the only one there
	 */
	private boolean addReady(StoredJob job) {
		if (job.lane() != null) {
			return this.lanes.add(job, job.lane());
		}
		this.ready.addLast(job);
		return this.ready.size() == 1;
	}

	private void removeReady(StoredJob job) {
		if (job.lane() != null) {
			this.lanes.remove(job, job.lane());
		}
		else {
			this.ready.remove(job);
		}
	}

	private void addRunning(StoredJob job) {
		this.running.addLast(job);
		if (job.lane() != null) {
			this.runningInLanes.computeIfAbsent(job.lane(), (lane) -> new HashSet<>()).add(job);
		}
	}

	private void removeRunning(StoredJob job) {
		this.running.remove(job);
		this.runningInLanes.computeIfPresent(String.valueOf(job.lane()), (lane, those) -> {
			those.remove(job);
			return those.isEmpty() ? null : those;
		});
	}

	private void addScheduled(StoredJob job) {
		StoredJob first = this.scheduled.first();
		if (first == null || job.since().isBefore(first.since())) {
			this.signals.ready(this.name, job.since());
		}
		this.scheduled.add(job);
	}

	private void signalRoom(JobState left, Instant now) {
		if (left == JobState.RUNNING && this.limitReached) {
			this.limitReached = false;
			this.signals.ready(this.name, now);
		}
		if (left.isWaiting() && waiting() < this.lengthReached) {
			this.lengthReached = 0;
			this.signals.room(this.name);
		}
	}

}
