package dev.jobs.store.memory;

import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The ready jobs of a queue that have a lane. In each the one that keeps its place is
 * first, then the earliest due, then by id.
 */
final class ReadyLanes {

	private final NavigableMap<String, NavigableSet<StoredJob>> lanes = new TreeMap<>();

	private final NavigableSet<StoredJob> all = new TreeSet<>(StoredJob.BY_TIME);

	int size() {
		return this.all.size();
	}

	/**
	 * Add a job.
	 * @return whether it is the only one of its lane
	 */
	boolean add(StoredJob job, String lane) {
		NavigableSet<StoredJob> jobs = this.lanes.computeIfAbsent(lane, (key) -> new TreeSet<>(StoredJob.IN_LANE));
		jobs.add(job);
		this.all.add(job);
		return jobs.size() == 1;
	}

	void remove(StoredJob job, String lane) {
		this.lanes.computeIfPresent(lane, (key, jobs) -> {
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

	@Nullable StoredJob first(String lane) {
		NavigableSet<StoredJob> jobs = this.lanes.get(lane);
		return (jobs != null) ? jobs.first() : null;
	}

	/**
	 * Return the names of the lanes that have jobs, from the one behind another on, and
	 * around to that one.
	 * @param unnamed whether there are jobs without a lane, whose name is empty
	 */
	Stream<String> namesBehind(String after, boolean unnamed) {
		Stream<String> first = unnamed ? Stream.of("") : Stream.of();
		Stream<String> behind = this.lanes.tailMap(after, false).keySet().stream();
		Stream<String> before = this.lanes.headMap(after, true).keySet().stream();
		return Stream.of(behind, first, before).flatMap((names) -> names);
	}

	void forEach(Consumer<StoredJob> action) {
		this.all.forEach(action);
	}

}
