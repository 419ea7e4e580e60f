package dev.jobs.autoconfigure.transaction;

import java.sql.SQLException;
import java.util.Set;
import java.util.function.BooleanSupplier;

import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.HeuristicCompletionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionUsageException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs handlers in transactions of a transaction manager.
 */
class SpringHandlerTransactions implements HandlerTransactions {

	private static final Logger logger = LoggerFactory.getLogger(SpringHandlerTransactions.class);

	/** Classes of SQL states that a database returns only if it has not committed. */
	private static final Set<String> REFUSALS = Set.of("21", "22", "23", "25", "40", "42", "44");

	private final PlatformTransactionManager manager;

	SpringHandlerTransactions(PlatformTransactionManager manager) {
		this.manager = manager;
	}

	@Override
	public End run(BooleanSupplier work) {
		TransactionStatus status;
		try {
			status = this.manager
				.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		}
		catch (TransactionUsageException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			return new End(Fate.NOT_BEGUN, ex);
		}
		boolean wanted = false;
		try {
			wanted = work.getAsBoolean();
		}
		finally {
			if (!wanted) {
				rollback(status);
			}
		}
		return wanted ? commit(status) : new End(Fate.ROLLED_BACK, null);
	}

	private void rollback(TransactionStatus status) {
		try {
			this.manager.rollback(status);
		}
		catch (RuntimeException ex) {
			logger.warn("The rollback of a handler's transaction failed: {}", ErrorText.of(ex));
			logger.debug("The rollback of a handler's transaction failed", ErrorText.loggable(ex));
		}
	}

	private End commit(TransactionStatus status) {
		Completion completion = new Completion();
		try {
			TransactionSynchronizationManager.registerSynchronization(completion);
			this.manager.commit(status);
			return new End(completion.committed ? Fate.COMMITTED : Fate.ROLLED_BACK, null);
		}
		catch (RuntimeException | Error ex) {
			if (completion.committed) {
				logger.error("A callback after the commit of a handler's transaction failed", ErrorText.loggable(ex));
				return new End(Fate.COMMITTED, null);
			}
			return new End(isInDoubt(ex) ? Fate.UNKNOWN : Fate.ROLLED_BACK, ex);
		}
	}

	/**
	 * Return whether the database may have committed in spite of a fault. The manager's
	 * word is not enough: some report a rollback although the connection got lost.
	 */
	private static boolean isInDoubt(Throwable fault) {
		if (fault instanceof UnexpectedRollbackException) {
			return false;
		}
		SQLException cause = sqlException(fault);
		String state = (cause != null) ? cause.getSQLState() : null;
		if (state == null) {
			return cause != null || fault instanceof HeuristicCompletionException || fault instanceof Error;
		}
		return state.equals("40003") || REFUSALS.stream().noneMatch(state::startsWith);
	}

	private static @Nullable SQLException sqlException(Throwable fault) {
		for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException found) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Detects a commit.
	 */
	private static final class Completion implements TransactionSynchronization {

		private boolean committed;

		@Override
		public void afterCompletion(int status) {
			this.committed = status == STATUS_COMMITTED;
		}

	}

}
