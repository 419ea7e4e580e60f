package dev.jobs.store.memory;

import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The jobs of a queue that wait for their time, the earliest due first, then by id. Jobs
 * that failed before are kept apart, so that counting them does not visit all jobs.
 */
final class ScheduledJobs {

	private final NavigableSet<StoredJob> fresh = new TreeSet<>(StoredJob.BY_TIME);

	private final NavigableSet<StoredJob> retrying = new TreeSet<>(StoredJob.BY_TIME);

	int size() {
		return this.fresh.size() + this.retrying.size();
	}

	void add(StoredJob job) {
		setOf(job).add(job);
	}

	void remove(StoredJob job) {
		setOf(job).remove(job);
	}

	@Nullable StoredJob first() {
		return earlier(this.fresh.isEmpty() ? null : this.fresh.first(),
				this.retrying.isEmpty() ? null : this.retrying.first());
	}

	@Nullable StoredJob firstAfter(StoredJob marker) {
		return earlier(this.fresh.higher(marker), this.retrying.higher(marker));
	}

	int countBefore(StoredJob marker) {
		return this.fresh.headSet(marker).size() + countRetryingBefore(marker);
	}

	int countRetryingAfter(StoredJob marker) {
		return this.retrying.size() - countRetryingBefore(marker);
	}

	void forEach(Consumer<StoredJob> action) {
		this.fresh.forEach(action);
		this.retrying.forEach(action);
	}

	private int countRetryingBefore(StoredJob marker) {
		return this.retrying.headSet(marker).size();
	}

	private NavigableSet<StoredJob> setOf(StoredJob job) {
		return (job.job().attempt() > 1) ? this.retrying : this.fresh;
	}

	private static @Nullable StoredJob earlier(@Nullable StoredJob one, @Nullable StoredJob other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (StoredJob.BY_TIME.compare(one, other) <= 0) ? one : other;
	}

}
