package dev.jobs.store.jdbc.sql;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;

import org.springframework.core.NestedExceptionUtils;

/**
 * Classifies database faults that Spring does not distinguish.
 */
public enum SqlFault {

	/** A table, a column or a sequence is missing. */
	MISSING,

	/** The user lacks a right. */
	REFUSED,

	/** The server takes no writes for now, as a standby. */
	READ_ONLY,

	/** Others write to a file with one writer at a time. */
	BUSY,

	/** A pooler in between gives prepared statements to the wrong connections. */
	POOLED,

	/** A statement took longer than it may, and was cancelled. */
	LATE,

	/** Anything else. */
	OTHER;

	/** SQLite's code for another writer, in the last byte. */
	private static final Set<Integer> SQLITE_BUSY = Set.of(5, 6);

	/** The state of PostgreSQL and H2. */
	private static final String LATE_STATE = "57014";

	private static final Set<String> MISSING_STATES = Set.of("42P01", "42703", "42704", "42S02", "42S22", "42S04",
			"3F000", "90036");

	private static final String READ_ONLY_STATE = "25006";

	/** MariaDB's messages: a named option, or the engine's mode. */
	private static final int READ_ONLY_OPTION = 1290;

	private static final int READ_ONLY_MODE = 1836;

	private static final Set<String> REFUSED_STATES = Set.of("42501", "90040", "90096");

	/** As MariaDB has it. */
	private static final Set<Integer> REFUSED_CODES = Set.of(1044, 1142, 1143, 1227, 1370);

	/** A prepared statement that is missing or exists already. */
	private static final Set<String> POOLED_STATES = Set.of("26000", "42P05");

	public static SqlFault of(Throwable thrown) {
		if (!(NestedExceptionUtils.getMostSpecificCause(thrown) instanceof SQLException fault)) {
			return OTHER;
		}
		if (fault.getClass().getName().startsWith("org.sqlite.") && SQLITE_BUSY.contains(fault.getErrorCode() & 0xFF)) {
			return BUSY;
		}
		String state = String.valueOf(fault.getSQLState());
		String message = String.valueOf(fault.getMessage());
		if (POOLED_STATES.contains(state) || (state.equals("08P01") && message.contains("prepared statement"))) {
			return POOLED;
		}
		if (state.equals(READ_ONLY_STATE) || fault.getErrorCode() == READ_ONLY_MODE
				|| (fault.getErrorCode() == READ_ONLY_OPTION && message.contains("read-only"))) {
			return READ_ONLY;
		}
		if (state.equals(LATE_STATE) || fault instanceof SQLTimeoutException) {
			return LATE;
		}
		if (REFUSED_STATES.contains(state) || REFUSED_CODES.contains(fault.getErrorCode())) {
			return REFUSED;
		}
		return (MISSING_STATES.contains(state) || message.contains("no such table")
				|| message.contains("no such column")) ? MISSING : OTHER;
	}

}
