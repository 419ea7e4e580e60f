package dev.jobs.store.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * What a call of the store does.
 *
 * @param <T> what it replies
 */
@FunctionalInterface
interface AutoCommitOperation<T> {

	/**
	 * Do it by single statements, each a transaction of its own, if that will do. It is
	 * tried first where a transaction costs more than its statements.
	 * @return the reply, or {@code null} if nothing was done and a transaction is needed
	 */
	default @Nullable T runSingle() {
		return null;
	}

	/**
	 * Do it in a transaction.
	 * @return the reply
	 */
	T run();

}
