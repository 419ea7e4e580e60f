package dev.jobs.store.memory;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The jobs of a queue that wait for their time, the earliest due first, then by id. Jobs
 * that failed before are kept apart, so that counting them does not visit all jobs, and
 * so are those that wait for a thing.
 */
final class ScheduledJobs {

	private final NavigableSet<StoredJob> fresh = new TreeSet<>(StoredJob.BY_TIME);

	private final NavigableSet<StoredJob> retrying = new TreeSet<>(StoredJob.BY_TIME);

	/** Those that wait for a thing. */
	private final NavigableSet<StoredJob> parked = new TreeSet<>(StoredJob.BY_TIME);

	/** The same by this thing. */
	private final Map<String, NavigableSet<StoredJob>> byThing = new HashMap<>();

	int size() {
		return this.fresh.size() + this.retrying.size();
	}

	void add(StoredJob job) {
		setOf(job).add(job);
		String thing = job.waitsFor();
		if (thing != null) {
			this.byThing.computeIfAbsent(thing, (added) -> new TreeSet<>(StoredJob.BY_TIME)).add(job);
		}
	}

	void remove(StoredJob job) {
		setOf(job).remove(job);
		String thing = job.waitsFor();
		if (thing != null) {
			this.byThing.computeIfPresent(thing, (known, jobs) -> {
				jobs.remove(job);
				return jobs.isEmpty() ? null : jobs;
			});
		}
	}

	/**
	 * Return the jobs that wait for a thing.
	 */
	List<StoredJob> waitingFor(String thing) {
		return List.copyOf(this.byThing.getOrDefault(thing, Collections.emptyNavigableSet()));
	}

	@Nullable StoredJob first() {
		return Stream.of(this.fresh, this.retrying, this.parked)
			.filter((jobs) -> !jobs.isEmpty())
			.map(NavigableSet::first)
			.min(StoredJob.BY_TIME)
			.orElse(null);
	}

	@Nullable StoredJob firstAfter(StoredJob marker) {
		return Stream.of(this.fresh, this.retrying, this.parked)
			.flatMap((jobs) -> Stream.ofNullable(jobs.higher(marker)))
			.min(StoredJob.BY_TIME)
			.orElse(null);
	}

	int countBefore(StoredJob marker) {
		return this.fresh.headSet(marker).size() + countRetryingBefore(marker);
	}

	/**
	 * Count those whose time to wait for a thing is over.
	 */
	int countParkedBefore(StoredJob marker) {
		return this.parked.headSet(marker).size();
	}

	int countParkedAfter(StoredJob marker) {
		return this.parked.size() - countParkedBefore(marker);
	}

	int countRetryingAfter(StoredJob marker) {
		return this.retrying.size() - countRetryingBefore(marker);
	}

	void forEach(Consumer<StoredJob> action) {
		this.fresh.forEach(action);
		this.retrying.forEach(action);
		this.parked.forEach(action);
	}

	private int countRetryingBefore(StoredJob marker) {
		return this.retrying.headSet(marker).size();
	}

	private NavigableSet<StoredJob> setOf(StoredJob job) {
		return (job.waitsFor() != null) ? this.parked : (job.job().attempt() > 1) ? this.retrying : this.fresh;
	}

}
