package dev.jobs.store.jdbc.sql;

import org.jspecify.annotations.Nullable;

/**
 * A call of the store that may do without a transaction.
 *
 * @param <T> what it returns
 */
public interface AutoCommitOperation<T> {

	/**
	 * Run by statements that commit themselves, if that will do.
	 * @return the reply, or {@code null} if nothing was done and a transaction is needed
	 */
	@Nullable T runWithoutTransaction();

	/**
	 * Run in a transaction.
	 * @return the reply
	 */
	T run();

}
