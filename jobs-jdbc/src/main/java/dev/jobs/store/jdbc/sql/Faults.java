package dev.jobs.store.jdbc.sql;

import java.sql.SQLException;

import dev.jobs.JobStoreException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;

/**
 * Turns what Spring throws into a {@link JobStoreException}.
 */
final class Faults {

	/** How PostgreSQL says that a process was silent for too long in a transaction. */
	private static final String IDLE_IN_TRANSACTION = "25P03";

	private static final String POOLED = "A pooler between here and the database mixes up prepared statements; "
			+ "add prepareThreshold=0 to the URL, or let PgBouncer 1.21 or later keep them "
			+ "(max_prepared_statements): ";

	private static final String READ_ONLY = "The database cannot be written to for now, since it is read-only or a standby: ";

	private Faults() {
	}

	/**
	 * Return what to throw instead of an exception, which is that itself unless it is one
	 * of the database.
	 */
	static RuntimeException translated(RuntimeException thrown) {
		if (thrown instanceof TransactionSystemException ex) {
			Throwable first = ex.getApplicationException();
			return (first != null) ? JobStoreException.refused("The database failed: " + messageOf(first), first, true)
					: new JobStoreException("It is unknown whether the database committed: "
							+ ((SqlFault.of(ex) == SqlFault.POOLED) ? POOLED : "") + messageOf(ex), ex, true);
		}
		if (thrown instanceof CannotCreateTransactionException) {
			return JobStoreException.refused("No connection to the database: " + messageOf(thrown), thrown, true);
		}
		if (thrown instanceof TransactionException) {
			return JobStoreException.refused("The database failed: " + messageOf(thrown), thrown, true);
		}
		return (thrown instanceof DataAccessException ex) ? refused(ex) : thrown;
	}

	private static JobStoreException refused(DataAccessException ex) {
		return switch (SqlFault.of(ex)) {
			case MISSING -> JobStoreException.refused(
					"Something is missing in the tables of the jobs; set "
							+ "jobs.jdbc.initialize-schema=always to have it added, or add it: " + messageOf(ex),
					ex, false);
			case REFUSED -> JobStoreException.refused(
					"The database user may not do what the jobs need; grant it to that user: " + messageOf(ex), ex,
					false);
			case POOLED -> JobStoreException.refused(POOLED + messageOf(ex), ex, true);
			case READ_ONLY -> JobStoreException.refused(READ_ONLY + messageOf(ex), ex, true);
			case BUSY, OTHER -> JobStoreException.refused("The database failed: " + messageOf(ex), ex, isTemporary(ex));
		};
	}

	private static boolean isTemporary(DataAccessException ex) {
		return ex instanceof TransientDataAccessException || ex instanceof RecoverableDataAccessException
				|| ex instanceof DataAccessResourceFailureException || ex instanceof DuplicateKeyException
				|| !(NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql) || sql.getSQLState() == null
				|| !sql.getSQLState().startsWith("2") || sql.getSQLState().equals(IDLE_IN_TRANSACTION);
	}

	/**
	 * Return what happened to a statement that commits itself. If the connection broke,
	 * nobody knows whether it was committed.
	 */
	static RuntimeException ofAutoCommit(DataAccessException ex) {
		return isAnswer(ex) ? ex : new TransactionSystemException(messageOf(ex), ex);
	}

	/**
	 * Return whether a fault is the database's answer, so that nothing was done, and not
	 * the loss of the connection, as the classes 08 and 57P mean.
	 */
	private static boolean isAnswer(DataAccessException ex) {
		return NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql && sql.getSQLState() != null
				&& !sql.getSQLState().startsWith("08") && !sql.getSQLState().startsWith("57P");
	}

	private static String messageOf(Throwable ex) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
	}

}
