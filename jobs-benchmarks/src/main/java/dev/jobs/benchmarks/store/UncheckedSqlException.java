package dev.jobs.benchmarks.store;

import java.sql.SQLException;

/**
 * The database did not do what a floor asked for.
 */
public final class UncheckedSqlException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public UncheckedSqlException(SQLException cause) {
		super(cause);
	}

}
