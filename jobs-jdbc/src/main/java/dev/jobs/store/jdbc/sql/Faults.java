package dev.jobs.store.jdbc.sql;

import java.sql.SQLException;
import java.util.Set;

import dev.jobs.JobStoreException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;

/**
 * Turns exceptions of Spring into a {@link JobStoreException}.
 */
public final class Faults {

	/**
	 * The classes of SQL states that blame a statement or its values, not the server or
	 * the moment, besides class 2, values and constraints: errors raised by a trigger
	 * (27, 38, 39, 44, 45, P0), values too long for an index (54), missing objects or
	 * rights (42).
	 */
	private static final Set<String> LASTING = Set.of("27", "38", "39", "44", "45", "P0", "54", "42");

	/** The state of a transaction, for example a read-only one. */
	private static final String TRANSACTION = "25";

	/** Unlike the others of its class, which triggers raise, it is temporary. */
	private static final String LOCKED = "55P03";

	/** SQLite's code for a violated constraint, in the last byte. */
	private static final int SQLITE_CONSTRAINT = 19;

	private static final String POOLED = "A pooler between here and the database mixes up prepared statements; "
			+ "add prepareThreshold=0 to the URL, or let PgBouncer 1.21 or later keep them "
			+ "(max_prepared_statements): ";

	private static final String READ_ONLY = "The database cannot be written to for now, since it is read-only or a standby: ";

	private Faults() {
	}

	/**
	 * Return the exception to throw instead: a fault of the store for one of the
	 * database, otherwise the same.
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
			case LATE -> JobStoreException
				.late("A statement took longer than jobs.jdbc.timeout, or the database, allows: " + messageOf(ex), ex);
			case BUSY, OTHER -> JobStoreException.refused("The database failed: " + messageOf(ex), ex, isTemporary(ex));
		};
	}

	/**
	 * Return whether the same call may succeed later. Drivers disagree, as MariaDB's does
	 * on errors raised by triggers, so the SQL state counts first.
	 */
	private static boolean isTemporary(DataAccessException ex) {
		return ex instanceof DuplicateKeyException
				|| !(NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql) || !isLasting(sql);
	}

	private static boolean isLasting(SQLException fault) {
		String state = fault.getSQLState();
		if (state == null || state.length() < 2) {
			return fault.getClass().getName().startsWith("org.sqlite.")
					&& (fault.getErrorCode() & 0xFF) == SQLITE_CONSTRAINT;
		}
		String kind = state.substring(0, 2);
		return LASTING.contains(kind) || (state.startsWith("2") && !kind.equals(TRANSACTION));
	}

	/**
	 * Return whether the database may refuse just this change of a row and accept others.
	 */
	public static boolean isOfRow(DataAccessException ex) {
		return SqlFault.of(ex) == SqlFault.OTHER
				&& (ex instanceof DuplicateKeyException || !isTemporary(ex) || isOfValues(ex));
	}

	private static boolean isOfValues(DataAccessException ex) {
		return NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql && sql.getSQLState() != null
				&& !sql.getSQLState().equals(LOCKED)
				&& (sql.getSQLState().startsWith("55") || sql.getSQLState().startsWith("XX"));
	}

	/**
	 * Return the fault of a statement that commits itself. If the connection broke,
	 * nobody knows whether it was committed.
	 */
	static RuntimeException ofAutoCommit(DataAccessException ex) {
		return isAnswer(ex) ? ex : new TransactionSystemException(messageOf(ex), ex);
	}

	/**
	 * Return whether a fault is the database's answer, so that nothing was done, rather
	 * than a lost connection (classes 08 and 57P).
	 */
	private static boolean isAnswer(DataAccessException ex) {
		return NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql && sql.getSQLState() != null
				&& !sql.getSQLState().startsWith("08") && !sql.getSQLState().startsWith("57P");
	}

	private static String messageOf(Throwable ex) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
	}

}
