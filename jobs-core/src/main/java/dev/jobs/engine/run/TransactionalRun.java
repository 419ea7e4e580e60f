package dev.jobs.engine.run;

import dev.jobs.JobEvent;
import dev.jobs.engine.run.HandlerTransactions.End;
import dev.jobs.engine.run.HandlerTransactions.Fate;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.store.JobStore;
import dev.jobs.store.TransactionalJobStore;
import org.jspecify.annotations.Nullable;

/**
 * One run of a job within a transaction in which the {@link Settler} also writes its end.
 * Both are committed, or neither. A run that failed or was asked to stop is rolled back,
 * and its end is written like any other.
 */
final class TransactionalRun {

	private final Run run;

	private final Registered registered;

	private final HandlerCall call;

	private final JobStore store;

	private final Settler settler;

	/** How the run ended, if that has not been written yet. */
	private @Nullable Outcome outcome;

	/** The event to publish if the transaction is committed. */
	private @Nullable JobEvent written;

	TransactionalRun(Run run, Registered registered, HandlerCall call, JobStore store, Settler settler) {
		this.run = run;
		this.registered = registered;
		this.call = call;
		this.store = store;
		this.settler = settler;
	}

	/**
	 * Run the job. If no transaction can be begun, the job is not at fault.
	 * @return how it ended, or {@code null} if there is nothing left to be written
	 */
	@Nullable Outcome in(HandlerTransactions transactions) {
		End end = transactions.run(this::work);
		if (end.fate() == Fate.NOT_BEGUN) {
			return this.call.ended(this.run, new Outcome.Returned(end.postponed("its transaction")));
		}
		if (this.written == null) {
			return this.outcome;
		}
		if (end.fate() == Fate.COMMITTED) {
			this.settler.committed(this.run.claim(), this.written);
			return null;
		}
		Throwable cause = (end.cause() != null) ? end.cause()
				: new IllegalStateException("The transaction of the run was rolled back");
		if (end.fate() == Fate.ROLLED_BACK) {
			return new Outcome.Threw(cause);
		}
		this.settler.settleInDoubt(this.run.claim(), this.run.took(), this.run.logged(), this.written, cause);
		return null;
	}

	/**
	 * Do the run and write its end. Nothing interrupts the thread once the run is over.
	 */
	private boolean work() {
		JobStore joined = TransactionalJobStore.join(this.store).orElse(null);
		if (joined == null) {
			this.outcome = new Outcome.Threw(new IllegalStateException("The transaction manager of job handlers does "
					+ "not manage the data source in which the jobs are kept"));
			return false;
		}
		this.outcome = this.call.call(this.run, this.registered);
		if (!(this.outcome instanceof Outcome.Returned)) {
			return false;
		}
		try {
			this.written = this.settler.settleJoined(this.run.claim(), this.outcome, this.run.took(), this.run.logged(),
					joined);
			this.outcome = null;
		}
		catch (RuntimeException ex) {
			this.outcome = new Outcome.Threw(ex);
		}
		return this.written != null;
	}

}
