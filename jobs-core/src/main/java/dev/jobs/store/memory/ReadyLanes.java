package dev.jobs.store.memory;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.jobs.Urgency;
import dev.jobs.store.support.Standing;
import org.jspecify.annotations.Nullable;

/**
 * The ready jobs of a queue that stand in lanes, in each the one that keeps its place
 * first, then the most urgent, then the earliest due, then by id. Urgent jobs without a
 * lane are in one with an empty name.
 */
final class ReadyLanes {

	private final NavigableMap<String, Map<Urgency, NavigableSet<StoredJob>>> lanes = new TreeMap<>();

	/** The jobs that keep the place of their lane. */
	private final Map<String, NavigableSet<StoredJob>> keepers = new HashMap<>();

	private final NavigableSet<StoredJob> all = new TreeSet<>(StoredJob.BY_TIME);

	int size() {
		return this.all.size();
	}

	/**
	 * Add a job.
	 * @return whether it is the only one of its lane
	 */
	boolean add(StoredJob job) {
		Standing standing = job.standing();
		String name = String.valueOf(standing.lane());
		Map<Urgency, NavigableSet<StoredJob>> lane = this.lanes.computeIfAbsent(name,
				(key) -> new EnumMap<>(Urgency.class));
		boolean first = lane.isEmpty();
		lane.computeIfAbsent(standing.urgency(), (urgency) -> new TreeSet<>(StoredJob.BY_TIME)).add(job);
		if (job.keepsLane && !name.isEmpty()) {
			this.keepers.computeIfAbsent(name, (key) -> new TreeSet<>(StoredJob.BY_TIME)).add(job);
		}
		this.all.add(job);
		return first;
	}

	void remove(StoredJob job) {
		Standing standing = job.standing();
		this.lanes.computeIfPresent(String.valueOf(standing.lane()), (name, lane) -> {
			lane.computeIfPresent(standing.urgency(), (urgency, jobs) -> {
				jobs.remove(job);
				return jobs.isEmpty() ? null : jobs;
			});
			return lane.isEmpty() ? null : lane;
		});
		this.keepers.computeIfPresent(String.valueOf(standing.lane()), (name, jobs) -> {
			jobs.remove(job);
			return jobs.isEmpty() ? null : jobs;
		});
		this.all.remove(job);
	}

	/**
	 * Return the job that is due first, of any lane.
	 */
	@Nullable StoredJob first() {
		return this.all.isEmpty() ? null : this.all.first();
	}

	@Nullable StoredJob keeper(String lane) {
		NavigableSet<StoredJob> jobs = this.keepers.get(lane);
		return (jobs != null) ? jobs.first() : null;
	}

	@Nullable StoredJob first(String lane, Urgency urgency) {
		NavigableSet<StoredJob> jobs = this.lanes.getOrDefault(lane, Map.of()).get(urgency);
		return (jobs != null) ? jobs.first() : null;
	}

	/**
	 * Return the job of a lane that is due first, whatever its urgency.
	 */
	@Nullable StoredJob first(String lane) {
		return this.lanes.getOrDefault(lane, Map.of())
			.values()
			.stream()
			.map(NavigableSet::first)
			.min(StoredJob.BY_TIME)
			.orElse(null);
	}

	int size(String lane) {
		return this.lanes.getOrDefault(lane, Map.of()).values().stream().mapToInt(NavigableSet::size).sum();
	}

	/**
	 * Return the names of the lanes that have jobs, behind a name.
	 */
	Stream<String> names(String after) {
		return this.lanes.tailMap(after, false).keySet().stream();
	}

	/**
	 * Return the names of the lanes that have jobs, from the one behind another on, and
	 * around to that one.
	 * @param unnamed whether jobs without a lane are in line, too
	 */
	Stream<String> namesBehind(String after, boolean unnamed) {
		Stream<String> first = (unnamed || this.lanes.containsKey("")) ? Stream.of("") : Stream.of();
		Stream<String> before = this.lanes.headMap(after, true).tailMap("", false).keySet().stream();
		return Stream.of(names(after), first, before).flatMap((names) -> names);
	}

	void forEach(Consumer<StoredJob> action) {
		this.all.forEach(action);
	}

}
