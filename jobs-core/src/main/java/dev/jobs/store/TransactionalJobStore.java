package dev.jobs.store;

import java.util.Optional;

/**
 * An {@linkplain JobStore#as ability} of a {@link JobStore} that shares a database with
 * the application: it becomes a part of the application's transactions.
 */
@FunctionalInterface
public interface TransactionalJobStore {

	/**
	 * Return the store as a part of the calling thread's transaction, so that the effects
	 * of its verbs are committed and rolled back with it. It sees the changes of the
	 * transaction. Use it on this thread and within this transaction only. Its signals go
	 * out after the commit. A fault of a verb reaches the caller at once, and the
	 * transaction, or the part of it since a savepoint, can no longer be committed.
	 * @return the joined store, or empty without a transaction that it can join
	 */
	Optional<JobStore> joined();

	/**
	 * Return a store as a part of the calling thread's transaction.
	 * @return the joined store, or empty if there is no transaction or the store cannot
	 * join it
	 */
	static Optional<JobStore> join(JobStore store) {
		return store.as(TransactionalJobStore.class).flatMap(TransactionalJobStore::joined);
	}

}
