package dev.jobs.store.jdbc.sql;

import java.util.function.Function;

import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;

/**
 * Runs the calls of a store, each in a transaction of its own or in that of the calling
 * thread. Signals are sent after the commit. Every fault of the database becomes a
 * {@link dev.jobs.JobStoreException}.
 */
public interface Session {

	/**
	 * Return what differs on this database.
	 */
	Dialect dialect();

	/**
	 * Read by statements each of which sees what is committed when it begins.
	 */
	<T> T read(Function<Statements, T> query);

	/**
	 * Read by statements that all see the same moment, except in a transaction of the
	 * caller, where each sees what has been written so far.
	 */
	<T> T readSnapshot(Function<Statements, T> query);

	/**
	 * Write, all of it or nothing. In a transaction of its own it is run again if another
	 * one was in its way.
	 */
	<T> T write(Function<UnitOfWork, T> change);

	/**
	 * Write as by {@link #write}, and get past rows that the database refuses to change:
	 * if it fails for such a row, and while there are such, rows are changed one by one.
	 * @param refused the rows
	 */
	<T> T writePast(RefusedRows refused, Function<UnitOfWork, T> change);

	/**
	 * Run an operation without a transaction if it can and that is cheaper.
	 * @param operation makes the operation, once for each try
	 */
	<T> T run(Function<UnitOfWork, AutoCommitOperation<T>> operation);

	/**
	 * Run an operation as by {@link #run}, and get past rows that the database refuses to
	 * change.
	 * @param refused the rows
	 */
	<T> T runPast(RefusedRows refused, Function<UnitOfWork, AutoCommitOperation<T>> operation);

}
