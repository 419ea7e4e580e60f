package dev.jobs.store.jdbc.sql;

import java.util.function.Function;

import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;

/**
 * Runs the calls of a store, each in its own transaction or in the calling thread's.
 * Signals are sent after the commit. Every fault of the database becomes a
 * {@link dev.jobs.JobStoreException}.
 */
public interface Session {

	/**
	 * Return the dialect of this database.
	 */
	Dialect dialect();

	/**
	 * Read with statements that each see everything committed before they begin.
	 */
	<T> T read(Function<Statements, T> query);

	/**
	 * Read with statements that all see the same moment, except in a transaction of the
	 * caller, where each sees all writes so far.
	 */
	<T> T readSnapshot(Function<Statements, T> query);

	/**
	 * Write everything or nothing. In its own transaction this is repeated if another one
	 * was in the way.
	 */
	<T> T write(Function<UnitOfWork, T> change);

	/**
	 * Write as {@link #write} does, and skip rows that the database refuses to change:
	 * after a failure for such a row, and while there are such rows, rows are changed one
	 * by one.
	 * @param refused the rows
	 */
	<T> T writePast(RefusedRows refused, Function<UnitOfWork, T> change);

	/**
	 * Run an operation without a transaction if it can and that is cheaper.
	 * @param operation makes the operation, once for each try
	 */
	<T> T run(Function<UnitOfWork, AutoCommitOperation<T>> operation);

	/**
	 * Run an operation as {@link #run} does, and skip rows that the database refuses to
	 * change.
	 * @param refused the rows
	 */
	<T> T runPast(RefusedRows refused, Function<UnitOfWork, AutoCommitOperation<T>> operation);

}
