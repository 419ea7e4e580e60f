package dev.jobs.engine.run;

import java.util.function.BooleanSupplier;

import dev.jobs.JobResult;
import dev.jobs.text.ErrorText;
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

		/**
		 * Return the result of a run whose transaction was not begun: its job is not at
		 * fault.
		 */
		public JobResult postponed(String what) {
			return JobResult.snooze()
				.message(what + " could not be begun" + ((this.cause != null) ? ": " + ErrorText.of(this.cause) : ""));
		}

	}

	/**
	 * The fates of a transaction.
	 */
	enum Fate {

		/** None could be begun, and the work was not run. */
		NOT_BEGUN,

		/** It was committed. */
		COMMITTED,

		/** It was rolled back. */
		ROLLED_BACK,

		/** It was to be committed, and nobody knows whether it was. */
		UNKNOWN

	}

}
