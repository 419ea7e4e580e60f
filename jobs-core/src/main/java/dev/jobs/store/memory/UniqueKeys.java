package dev.jobs.store.memory;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * The owners of unique keys. A move that ends a job's right to its key frees the key
 * here, so only the end of the window has to be checked.
 */
final class UniqueKeys {

	private final Map<Name, StoredJob> owners = new HashMap<>();

	@Nullable StoredJob owner(String queue, NewJob.@Nullable UniqueKey key, Instant now) {
		StoredJob owner = (key != null) ? this.owners.get(Name.of(queue, key)) : null;
		return counting(owner, now);
	}

	/**
	 * Return the owner of a key within a queue or, without one, across queues.
	 */
	@Nullable StoredJob owner(@Nullable String queue, String digest, Instant now) {
		return counting(this.owners.get(new Name(queue, digest)), now);
	}

	/**
	 * Give a job its key, if it has one that still counts.
	 * @return whether it got the key; {@code false} if another job holds it
	 */
	boolean take(StoredJob job, Instant now) {
		if (job.key == null || !job.key.counts(now)) {
			return true;
		}
		StoredJob owner = owner(job.queue(), job.key, now);
		if (owner != null && owner != job) {
			return false;
		}
		this.owners.put(Name.of(job.queue(), job.key), job);
		return true;
	}

	/**
	 * Free a job's key, if it is still the owner.
	 */
	void free(StoredJob job) {
		if (job.key != null) {
			this.owners.remove(Name.of(job.queue(), job.key), job);
		}
	}

	void freeAll() {
		this.owners.clear();
	}

	private static @Nullable StoredJob counting(@Nullable StoredJob owner, Instant now) {
		return (owner != null && owner.key != null && owner.key.counts(now)) ? owner : null;
	}

	private record Name(@Nullable String queue, String digest) {

		static Name of(String queue, NewJob.UniqueKey key) {
			return new Name((key.scope() == Unique.Scope.HANDLER) ? queue : null, key.digest());
		}

	}

}
