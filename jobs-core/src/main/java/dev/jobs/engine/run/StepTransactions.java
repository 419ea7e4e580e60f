package dev.jobs.engine.run;

import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;

import dev.jobs.engine.run.HandlerTransactions.Fate;
import dev.jobs.store.JobStore;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StepMarks;
import dev.jobs.store.TransactionalJobStore;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of steps whose effect and mark are committed together: in the store,
 * if it shares the database of the application, or else in a table of marks there.
 *
 * @param store the store
 * @param transactions begins and ends them, or {@code null} if the application has none
 * @param marks the table, or {@code null} if there is none
 */
public record StepTransactions(JobStore store, @Nullable HandlerTransactions transactions, @Nullable StepMarks marks) {

	/**
	 * Return the value of a step that is marked in the table.
	 * @return the value, or {@code null} if it is not
	 */
	byte @Nullable [] find(String job, String step) {
		return (this.marks != null) ? this.marks.find(job, step) : null;
	}

	/**
	 * Run work in a transaction.
	 * @param work the work, which returns whether to commit
	 * @return whether it was committed
	 * @throws IllegalStateException if nobody knows whether it was committed, or it could
	 * not be although it should have been
	 */
	boolean run(BooleanSupplier work) {
		if (this.transactions == null
				|| (this.marks == null && !this.store.as(TransactionalJobStore.class).isPresent())) {
			throw new IllegalStateException("A transactional step needs a transaction manager, and the jobs in its "
					+ "database or, with jobs in Redis, the table of marks: set 'jobs.steps.table'");
		}
		HandlerTransactions.End end = this.transactions.run(work);
		if (end.fate() == Fate.UNKNOWN || (end.cause() != null && end.fate() == Fate.ROLLED_BACK)) {
			throw new IllegalStateException((end.fate() == Fate.UNKNOWN)
					? "It is unknown whether the transaction of the step was committed; the next attempt finds out"
					: "The transaction of the step was not committed", end.cause());
		}
		return end.fate() == Fate.COMMITTED;
	}

	/**
	 * Mark a step in the transaction of the calling thread.
	 * @return whether the job is still held and nobody else has marked it
	 */
	boolean mark(Save save, Instant now) {
		return (this.marks != null) ? this.marks.write(save.job(), save.name(), save.value(), now)
				: TransactionalJobStore.join(this.store)
					.orElseThrow(
							() -> new IllegalStateException("The transaction manager of job handlers does not manage "
									+ "the data source in which the jobs are kept"))
					.save(List.of(save), now)
					.get(0) == Settled.APPLIED;
	}

}
