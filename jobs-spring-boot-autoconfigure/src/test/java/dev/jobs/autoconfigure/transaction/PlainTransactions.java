package dev.jobs.autoconfigure.transaction;

import java.util.ArrayDeque;
import java.util.Deque;

import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.SmartTransactionObject;

/**
 * Spring's transactions with nothing behind them: all rules of propagation, savepoints
 * and synchronization hold, but there is no resource.
 */
final class PlainTransactions extends AbstractPlatformTransactionManager {

	private final ThreadLocal<Deque<Transaction>> current = ThreadLocal.withInitial(ArrayDeque::new);

	private boolean commitsFail;

	PlainTransactions() {
		setNestedTransactionAllowed(true);
	}

	/**
	 * Let commits fail in a way that leaves their outcome open.
	 */
	void failCommits(boolean commitsFail) {
		this.commitsFail = commitsFail;
	}

	@Override
	protected Object doGetTransaction() {
		Transaction running = this.current.get().peek();
		return (running != null) ? running : new Transaction();
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return this.current.get().peek() == transaction;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		this.current.get().push((Transaction) transaction);
	}

	@Override
	protected Object doSuspend(Object transaction) {
		return this.current.get().pop();
	}

	@Override
	protected void doResume(Object transaction, Object suspended) {
		this.current.get().push((Transaction) suspended);
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		if (this.commitsFail) {
			throw new TransactionSystemException("The connection broke");
		}
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
	}

	@Override
	protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		((Transaction) status.getTransaction()).rollbackOnly = true;
	}

	@Override
	protected void doCleanupAfterCompletion(Object transaction) {
		this.current.get().remove(transaction);
	}

	private static final class Transaction implements SavepointManager, SmartTransactionObject {

		private boolean rollbackOnly;

		@Override
		public Object createSavepoint() {
			return new Object();
		}

		@Override
		public void rollbackToSavepoint(Object savepoint) {
		}

		@Override
		public void releaseSavepoint(Object savepoint) {
		}

		@Override
		public boolean isRollbackOnly() {
			return this.rollbackOnly;
		}

	}

}
