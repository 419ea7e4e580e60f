package dev.jobs.engine.run;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import dev.jobs.Unique.Scope;
import dev.jobs.engine.run.HandlerTransactions.End;
import dev.jobs.store.Claim;
import dev.jobs.store.JobStore;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StepMarks;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.SavedView;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of steps whose effect is committed together with what shows that they
 * are done: their value in the store, if it shares the database of the application, or
 * else a mark in a table there. With jobs in memory, which end with the process, the
 * commit is enough.
 *
 * @param store the store
 * @param transactions begins and ends them, or {@code null} if the application has none
 * @param marks the table, or {@code null} if there is none
 */
public record StepTransactions(JobStore store, @Nullable HandlerTransactions transactions, @Nullable StepMarks marks) {

	/**
	 * Return whether the value of a step is committed together with its effect.
	 */
	boolean joinsStore() {
		return this.marks == null && this.store.as(TransactionalJobStore.class).isPresent();
	}

	/**
	 * Run work in a transaction.
	 * @param work the work, which throws nothing and returns whether to commit
	 * @return how the transaction ended
	 */
	End run(BooleanSupplier work) {
		if (this.transactions == null) {
			throw new IllegalStateException(
					"A transactional step needs a transaction manager, and the application has no such bean");
		}
		if (this.marks == null && !joinsStore() && this.store.inspector().store().lasting()) {
			throw new IllegalStateException("A transactional step needs a place for its mark beside the data of the "
					+ "application; set 'jobs.outbox.enabled=true', or keep the jobs in the same database");
		}
		return this.transactions.run(work);
	}

	/**
	 * Fail unless the calling thread has a transaction that fits. In another one, what
	 * the step writes would be committed by itself.
	 */
	void requireTransaction() {
		boolean fits = (this.marks != null) ? this.marks.inTransaction()
				: !joinsStore() || TransactionalJobStore.join(this.store).isPresent();
		if (!fits) {
			throw new IllegalStateException("The transaction manager of job handlers does not manage the data source "
					+ "in which the jobs, or the marks of their steps, are kept");
		}
	}

	/**
	 * Note in the transaction of the calling thread that a step is done.
	 * @return whether the job is still held, as far as that can be seen here
	 */
	boolean note(Save save, Claim claim, Instant now) {
		if (this.marks != null) {
			this.marks.write(save, payload(claim), now);
			return true;
		}
		return TransactionalJobStore.join(this.store)
			.map((joined) -> joined.save(List.of(save), now).get(0) == Settled.APPLIED)
			.orElse(!joinsStore());
	}

	/**
	 * Read the values that were committed, perhaps by a run that could not learn of it.
	 * @return the values by the names of the steps
	 */
	Map<String, byte[]> committed(Claim claim) {
		String id = claim.job().id();
		return (this.marks != null) ? this.marks.find(id, payload(claim))
				: this.store.inspector()
					.saved(claim.job().name(), id)
					.stream()
					.collect(Collectors.toMap(SavedView::name, SavedView::value));
	}

	private static String payload(Claim claim) {
		return UniqueKeyDigest.ofPayload(Scope.HANDLER, claim.job().name(), claim.job().payload());
	}

}
