package dev.jobs.engine.run;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The transactions of handlers whose writes are committed together with the end of their
 * jobs. Safe for use by many threads.
 */
@FunctionalInterface
public interface HandlerTransactions {

	/**
	 * Run work in a new transaction, on the calling thread.
	 * @param work the work, which throws nothing and returns whether to commit
	 * @return how the transaction ended
	 * @throws RuntimeException if no transaction could be begun; the work was not run
	 * then
	 */
	End run(BooleanSupplier work);

	/**
	 * How a transaction ended.
	 *
	 * @param fate what became of it
	 * @param cause why it was not committed although it should have been, or {@code null}
	 * if there was no fault
	 */
	record End(Fate fate, @Nullable Throwable cause) {

	}

	/**
	 * The fates of a transaction.
	 */
	enum Fate {

		/** It was committed. */
		COMMITTED,

		/** It was rolled back. */
		ROLLED_BACK,

		/** It was to be committed, and nobody knows whether it was. */
		UNKNOWN

	}

}
