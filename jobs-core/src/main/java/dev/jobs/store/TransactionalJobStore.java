package dev.jobs.store;

import java.util.Optional;

/**
 * What a {@link JobStore} can do {@linkplain JobStore#as as well} if it shares a database
 * with the application: become a part of the application's transactions.
 */
@FunctionalInterface
public interface TransactionalJobStore {

	/**
	 * Return the store as a part of the calling thread's transaction, so that what its
	 * verbs do is done and undone with it. It sees what the transaction has done, and is
	 * to be used by this thread and within this transaction only. Its signals go out
	 * after the commit. A fault of a verb reaches the caller at once, and the
	 * transaction, or the part of it since a savepoint, cannot be committed any more.
	 * @return the joined store, or empty if there is no transaction it could join
	 */
	Optional<JobStore> joined();

	/**
	 * Return a store as a part of the calling thread's transaction.
	 * @return the joined store, or empty if there is no transaction or the store joins
	 * none
	 */
	static Optional<JobStore> join(JobStore store) {
		return store.as(TransactionalJobStore.class).flatMap(TransactionalJobStore::joined);
	}

}
