package dev.jobs.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.support.Gate;
import dev.jobs.store.support.Standing;
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

	/** Those of normal urgency that have no lane. */
	final JobList ready = new JobList();

	final ReadyLanes lanes = new ReadyLanes();

	final ScheduledJobs scheduled = new ScheduledJobs();

	final JobList running = new JobList();

	/** Those of each lane that run, or are not ready and keep its place. */
	private final Map<String, Set<StoredJob>> occupied = new HashMap<>();

	final NavigableSet<StoredJob> dead = new TreeSet<>(StoredJob.BY_TIME);

	final NavigableSet<StoredJob> history = new TreeSet<>(StoredJob.BY_TIME);

	/** By key, the jobs that keep others out for a time. */
	final Map<String, Window> windows = new HashMap<>();

	/** By lane; that of the whole queue has an empty name. */
	final Map<String, Gate> gates = new HashMap<>();

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

	SettingsView settings() {
		return this.settings;
	}

	void pause(@Nullable String by, Instant now) {
		set(new Value<>(true, now, by), this.settings.limit());
		this.signals.restricted(this.name);
	}

	void resume(Instant now) {
		set(null, this.settings.limit());
		this.gates.values().forEach(Gate::letGo);
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
	 * Hold back everything, or a lane.
	 */
	void holdBack(@Nullable String lane, Instant until) {
		gate(Objects.requireNonNullElse(lane, "")).holdUntil(until.toEpochMilli());
		this.signals.restricted(this.name);
	}

	private Gate gate(String lane) {
		return this.gates.computeIfAbsent(lane, (added) -> Gate.open());
	}

	/**
	 * Return how many jobs may start now by the rate of the queue.
	 */
	int permits(@Nullable Rates rates, Instant now) {
		return permits("", (rates != null) ? rates.ofQueue() : null, rates, now);
	}

	private int permits(String lane, @Nullable Rate rate, @Nullable Rates rates, Instant now) {
		Gate gate = this.gates.get(lane);
		if (gate == null) {
			return (rate != null) ? rate.getBurst() : Integer.MAX_VALUE;
		}
		return gate.room(rate, (rates != null) ? rates.patience() : Duration.ZERO, now.toEpochMilli());
	}

	/**
	 * Count starts for the rates.
	 */
	void started(String lane, int count, Rates rates, Instant now) {
		if (rates.ofQueue() != null) {
			gate("").start(count, rates.ofQueue(), rates.patience(), now.toEpochMilli());
		}
		if (rates.ofLane() != null && !lane.isEmpty()) {
			gate(lane).start(count, rates.ofLane(), rates.patience(), now.toEpochMilli());
		}
	}

	/**
	 * Forget gates that are open for good.
	 */
	void forgetGates(Instant now) {
		this.gates.values().removeIf((gate) -> gate.keptUntil() <= now.toEpochMilli());
	}

	/**
	 * Return how many more jobs of a lane may run now; those without a lane have no
	 * limit.
	 */
	int roomInLane(String lane, Quota quota, Instant now) {
		if (lane.isEmpty()) {
			return Integer.MAX_VALUE;
		}
		int most = this.laneSettings.getOrDefault(lane, LaneSettingsView.NONE).most(quota.maxInLane());
		int room = (most != 0) ? most - this.occupied.getOrDefault(lane, Set.of()).size() : Integer.MAX_VALUE;
		Rates rates = quota.rates();
		return Math.min(room, permits(lane, (rates != null) ? rates.ofLane() : null, rates, now));
	}

	int runningInLane(String lane) {
		return (int) this.occupied.getOrDefault(lane, Set.of())
			.stream()
			.filter((job) -> job.state() == JobState.RUNNING)
			.count();
	}

	/**
	 * Return the job that keeps the place of a lane and is not ready.
	 */
	Optional<String> keeperOf(String lane) {
		return this.occupied.getOrDefault(lane, Set.of())
			.stream()
			.filter((job) -> job.state() != JobState.RUNNING)
			.map(StoredJob::id)
			.min(Comparator.naturalOrder());
	}

	/**
	 * Return the lanes that may give jobs now, from the one behind another on.
	 * @param most how many are wanted at most
	 */
	List<String> openLanes(String after, int most, Quota quota, Instant now) {
		return this.lanes.namesBehind(after, this.ready.size() > 0)
			.filter((lane) -> roomInLane(lane, quota, now) > 0)
			.limit(most)
			.toList();
	}

	/**
	 * Return the job that a lane gives next.
	 * @param lane the lane; empty for the jobs without one
	 * @param turn how many jobs the lane gave before, by which a less urgent one has its
	 * turn
	 */
	@Nullable StoredJob first(String lane, int turn) {
		if (lane.isEmpty() && this.lanes.size() == 0) {
			return this.ready.first();
		}
		StoredJob first = this.lanes.keeper(lane);
		if (first != null) {
			return first;
		}
		for (Urgency urgency : Urgency.values()) {
			StoredJob next = (lane.isEmpty() && urgency == Urgency.NORMAL) ? this.ready.first()
					: this.lanes.first(lane, urgency);
			if (next != null && (first == null || Standing.turns(urgency, turn, 1) > 0)) {
				first = next;
			}
		}
		return first;
	}

	/**
	 * Return whether another claim would get a job, and remember if only the running
	 * limit prevents it.
	 */
	boolean hasMore(Quota quota, Instant now) {
		if (!isWaiting(now)) {
			return false;
		}
		int room = room(quota.maxRunning());
		boolean permitted = permits(quota.rates(), now) > 0;
		boolean more = room > 0 && permitted
				&& (this.ready.size() > 0 || isDue(now) || !openLanes("", 1, quota, now).isEmpty());
		this.limitReached = this.limitReached || (!more && !isPaused() && (permitted || room <= 0));
		return more;
	}

	private boolean isWaiting(Instant now) {
		return readyNow() > 0 || isDue(now);
	}

	private boolean isDue(Instant now) {
		StoredJob next = this.scheduled.first();
		return next != null && next.isDue(now);
	}

	/**
	 * Return when the next job is due or, if gates keep jobs from starting, when the next
	 * of these opens.
	 * @param more whether there is a job that may start now
	 */
	@Nullable Instant nextDue(boolean more, Instant now) {
		StoredJob next = this.scheduled.firstAfter(StoredJob.markerAfter(now));
		Instant due = (next != null) ? next.since() : null;
		Instant opens = opensAt("", now);
		if (opens != null) {
			return isWaiting(now) ? opens : (due != null && due.isBefore(opens)) ? opens : due;
		}
		return (this.gates.isEmpty()
				|| more) ? due
						: Stream
							.concat(Stream.ofNullable(due),
									this.lanes.namesBehind("", false)
										.flatMap((lane) -> Stream.ofNullable(opensAt(lane, now))))
							.min(Comparator.naturalOrder())
							.orElse(null);
	}

	/**
	 * Return when a gate opens.
	 * @return the instant, or {@code null} if it is open
	 */
	@Nullable Instant opensAt(String lane, Instant now) {
		Gate gate = this.gates.get(lane);
		return (gate != null && gate.opensAt() > now.toEpochMilli()) ? Instant.ofEpochMilli(gate.opensAt()) : null;
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
			vacate(next);
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
			case SCHEDULED, WAITING -> addScheduled(job);
			case RUNNING -> this.running.addLast(job);
			case DEAD -> this.dead.add(job);
			case SUCCEEDED, CANCELLED -> this.history.add(job);
		}
		if (occupies(job)) {
			this.occupied.computeIfAbsent(String.valueOf(job.lane()), (lane) -> new HashSet<>()).add(job);
		}
	}

	private static boolean occupies(StoredJob job) {
		return job.lane() != null
				&& (job.state() == JobState.RUNNING || (job.keepsLane && (job.state() == JobState.SCHEDULED
						|| job.state() == JobState.WAITING || job.state() == JobState.DEAD)));
	}

	private void vacate(StoredJob job) {
		String lane = job.lane();
		if (lane != null) {
			this.occupied.computeIfPresent(lane, (key, those) -> {
				those.remove(job);
				return those.isEmpty() ? null : those;
			});
		}
	}

	void addFirst(StoredJob job, Instant now) {
		if (job.lane() != null) {
			this.lanes.add(job);
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
			case SCHEDULED, WAITING -> this.scheduled.remove(job);
			case RUNNING -> this.running.remove(job);
			case DEAD -> this.dead.remove(job);
			case SUCCEEDED, CANCELLED -> this.history.remove(job);
		}
		vacate(job);
		signalRoom(job, now);
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
		if (wanted.test(JobState.READY) || wanted.test(JobState.SCHEDULED) || wanted.test(JobState.WAITING)) {
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
			return this.lanes.add(job);
		}
		this.ready.addLast(job);
		return this.ready.size() == 1;
	}

	private void removeReady(StoredJob job) {
		if (job.lane() != null) {
			this.lanes.remove(job);
		}
		else {
			this.ready.remove(job);
		}
	}

	private void addScheduled(StoredJob job) {
		StoredJob first = this.scheduled.first();
		if (first == null || job.since().isBefore(first.since())) {
			this.signals.ready(this.name, job.since());
		}
		this.scheduled.add(job);
	}

	private void signalRoom(StoredJob job, Instant now) {
		if ((job.state() == JobState.RUNNING || job.keepsLane) && this.limitReached) {
			this.limitReached = false;
			this.signals.ready(this.name, now);
		}
		if (job.state().isWaiting() && waiting() < this.lengthReached) {
			this.lengthReached = 0;
			this.signals.room(this.name);
		}
	}

	/**
	 * The time in which a job keeps others out.
	 *
	 * @param job the id of the job, which may be gone
	 * @param until when the time is over
	 */
	record Window(String job, Instant until) {

	}

}
