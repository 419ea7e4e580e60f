package dev.jobs.engine;

import java.util.function.Function;
import java.util.function.Supplier;

import dev.jobs.JobResult;
import dev.jobs.engine.HandlerTransactions.End;
import dev.jobs.engine.HandlerTransactions.Fate;
import dev.jobs.engine.Run.Stop;
import dev.jobs.store.ErrorText;
import dev.jobs.store.JobStore;
import dev.jobs.store.TransactionalJobStore;
import org.jspecify.annotations.Nullable;

/**
 * One run of a job within a transaction, in which the {@link Settler} writes its end too.
 * Both are committed or neither. A run that failed or was told to end is rolled back, and
 * its end is written like any other.
 */
final class TransactionalRun {

	private final Run run;

	private final JobStore store;

	private final Settler settler;

	private final Supplier<Outcome> attempt;

	private final Function<Stop, @Nullable Outcome> stopped;

	/** How the run ended if that is not written yet. */
	private @Nullable Outcome outcome;

	/** What the transaction has written. */
	private @Nullable Ending ending;

	TransactionalRun(Run run, JobStore store, Settler settler, Supplier<Outcome> attempt,
			Function<Stop, @Nullable Outcome> stopped) {
		this.run = run;
		this.store = store;
		this.settler = settler;
		this.attempt = attempt;
		this.stopped = stopped;
	}

	/**
	 * Run the job. If no transaction can be begun, that is no fault of the job.
	 * @return how it ended, or {@code null} if there is nothing left to be written
	 */
	@Nullable Outcome in(HandlerTransactions transactions) {
		End end;
		try {
			end = transactions.run(this::work);
		}
		catch (RuntimeException ex) {
			Stop stop = this.run.end();
			return (stop != null) ? this.stopped.apply(stop) : new Outcome.Returned(
					JobResult.snooze().message("its transaction could not be begun: " + ErrorText.of(ex)));
		}
		if (this.ending == null) {
			return this.outcome;
		}
		if (end.fate() == Fate.COMMITTED) {
			this.settler.committed(this.ending);
			return null;
		}
		Throwable cause = (end.cause() != null) ? end.cause()
				: new IllegalStateException("The transaction of the run was rolled back");
		if (end.fate() == Fate.ROLLED_BACK) {
			return new Outcome.Threw(cause);
		}
		this.settler.settleInDoubt(this.run, this.ending, cause);
		return null;
	}

	/**
	 * Do the run and write its end. Nothing interrupts the thread once the run is over.
	 */
	private boolean work() {
		JobStore joined = TransactionalJobStore.join(this.store);
		if (joined == null) {
			this.outcome = new Outcome.Threw(new IllegalStateException("The transaction manager of job handlers does "
					+ "not manage the data source in which the jobs are kept"));
			return false;
		}
		Outcome attempted = this.attempt.get();
		Stop stop = this.run.end();
		this.outcome = (stop != null) ? this.stopped.apply(stop) : attempted;
		if (!(this.outcome instanceof Outcome.Returned)) {
			return false;
		}
		try {
			this.ending = this.settler.settleJoined(this.run, this.outcome, joined);
			this.outcome = null;
		}
		catch (RuntimeException ex) {
			this.outcome = new Outcome.Threw(ex);
		}
		return this.ending != null;
	}

}
