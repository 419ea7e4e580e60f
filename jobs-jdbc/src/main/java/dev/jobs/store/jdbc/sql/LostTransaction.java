package dev.jobs.store.jdbc.sql;

import java.util.HashSet;
import java.util.Set;

import dev.jobs.JobStoreException;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Keeps a transaction from being committed after a call of the joined store has failed in
 * it, even if the caller caught the fault. Some databases would commit what the call did
 * halfway, and PostgreSQL would roll back without an error. A rollback to a savepoint
 * before the fault repairs the transaction.
 */
final class LostTransaction implements TransactionSynchronization {

	private final RuntimeException fault;

	private final Set<Object> later = new HashSet<>();

	private boolean repaired;

	LostTransaction(RuntimeException fault) {
		this.fault = fault;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.later.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		this.repaired |= !this.later.contains(savepoint);
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!this.repaired && this.fault instanceof ConcurrencyFailureException) {
			throw this.fault;
		}
		if (!this.repaired) {
			throw JobStoreException.refused(
					"The transaction is rolled back, since it failed when it used the jobs: " + this.fault.getMessage(),
					this.fault, false);
		}
	}

}
