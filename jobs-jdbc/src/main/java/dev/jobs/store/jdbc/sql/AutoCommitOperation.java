package dev.jobs.store.jdbc.sql;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A call of the store that may run without a transaction.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
public interface AutoCommitOperation<T> {

	/**
	 * Return an operation that does the same with and without a transaction.
	 * @param alone whether it may run without a transaction
	 * @param call what it does
	 */
	static <T> AutoCommitOperation<T> of(boolean alone, Supplier<T> call) {
		return new AutoCommitOperation<>() {

			@Override
			public boolean mayDoWithoutTransaction() {
				return alone;
			}

			@Override
			public T runWithoutTransaction() {
				return call.get();
			}

			@Override
			public T run() {
				return call.get();
			}

		};
	}

	/**
	 * Return whether it may run without a transaction, so that no connection is taken to
	 * find out.
	 */
	default boolean mayDoWithoutTransaction() {
		return true;
	}

	/**
	 * Run with statements that commit themselves, if these suffice.
	 * @return the reply, or {@code null} if nothing was done and a transaction is needed
	 */
	default @Nullable T runWithoutTransaction() {
		return null;
	}

	/**
	 * Run in a transaction.
	 * @return the reply
	 */
	T run();

}
