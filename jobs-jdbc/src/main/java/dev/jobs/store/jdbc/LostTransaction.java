package dev.jobs.store.jdbc;

import java.util.HashSet;
import java.util.Set;

import dev.jobs.JobStoreException;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Keeps a transaction from being committed after a joined verb has failed in it, even if
 * the caller caught the fault. Some databases would commit what the verb did halfway, and
 * PostgreSQL would roll back and say nothing. A rollback to a savepoint before the fault
 * mends it.
 */
final class LostTransaction implements TransactionSynchronization {

	private final RuntimeException fault;

	private final Set<Object> later = new HashSet<>();

	private boolean mended;

	LostTransaction(RuntimeException fault) {
		this.fault = fault;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.later.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		this.mended |= !this.later.contains(savepoint);
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!this.mended && this.fault instanceof ConcurrencyFailureException) {
			throw this.fault;
		}
		if (!this.mended) {
			throw JobStoreException.refused(
					"The transaction is rolled back, since it failed when it used the jobs: " + this.fault.getMessage(),
					this.fault, false);
		}
	}

}
