package dev.jobs.benchmarks;

import java.sql.SQLException;

/**
 * The database did not do what a floor asked for.
 */
final class UncheckedSqlException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	UncheckedSqlException(SQLException cause) {
		super(cause);
	}

}
