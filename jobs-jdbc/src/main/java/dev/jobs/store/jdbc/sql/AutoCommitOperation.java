package dev.jobs.store.jdbc.sql;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A call of the store that may do without a transaction.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
public interface AutoCommitOperation<T> {

	/**
	 * Return an operation that does the same in a transaction and without one.
	 * @param alone whether it may do without
	 * @param call what it does
	 */
	static <T> AutoCommitOperation<T> of(boolean alone, Supplier<T> call) {
		return new AutoCommitOperation<>() {

			@Override
			public @Nullable T runWithoutTransaction() {
				return alone ? call.get() : null;
			}

			@Override
			public T run() {
				return call.get();
			}

		};
	}

	/**
	 * Run by statements that commit themselves, if that will do.
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
