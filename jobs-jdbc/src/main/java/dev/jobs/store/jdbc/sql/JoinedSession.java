package dev.jobs.store.jdbc.sql;

import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A session whose calls are a part of the calling thread's transaction, which has bound a
 * connection of its data source. Nothing is tried twice here: only the caller can repeat
 * its transaction.
 */
public final class JoinedSession implements Session {

	private final Statements statements;

	private final Dialect dialect;

	private final OwnSession own;

	private final @Nullable Consumer<Consumer<UnitOfWork>> outside;

	/**
	 * Create a session.
	 * @param own runs work that other transactions must not wait for, unless only one
	 * transaction can write, and work after the commit
	 */
	public JoinedSession(DataSource dataSource, Dialect dialect, Tables tables, int timeoutSeconds, OwnSession own) {
		this.statements = Statements.of(dataSource, tables, dialect.valueLists(), timeoutSeconds, false);
		this.dialect = dialect;
		this.own = own;
		this.outside = dialect.transactions(timeoutSeconds).oneWriter() ? null : own::writeAlso;
	}

	@Override
	public Dialect dialect() {
		return this.dialect;
	}

	@Override
	public <T> T read(Function<Statements, T> query) {
		return joined(() -> query.apply(this.statements));
	}

	@Override
	public <T> T readSnapshot(Function<Statements, T> query) {
		return read(query);
	}

	@Override
	public <T> T run(Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return write((work) -> operation.apply(work).run());
	}

	@Override
	public <T> T runPast(RefusedRows refused, Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return run(operation);
	}

	@Override
	public <T> T writePast(RefusedRows refused, Function<UnitOfWork, T> change) {
		return write(change);
	}

	@Override
	public <T> T write(Function<UnitOfWork, T> change) {
		UnitOfWork work = new UnitOfWork(this.statements, this.dialect, this.outside, null);
		T reply = joined(() -> change.apply(work));
		if (!work.signals().isEmpty() || !work.rest().isEmpty()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					JoinedSession.this.own.finish(work);
				}

			});
		}
		return reply;
	}

	/**
	 * Run a part of the transaction, which cannot be committed if this fails. A fault
	 * that a retry of the whole transaction may avoid is thrown as the caller's own
	 * statements would throw it.
	 */
	private static <T> T joined(Supplier<T> part) {
		try {
			return part.get();
		}
		catch (RuntimeException ex) {
			RuntimeException fault = (ex instanceof ConcurrencyFailureException) ? ex : Faults.translated(ex);
			TransactionSynchronizationManager.registerSynchronization(new LostTransaction(ex));
			throw fault;
		}
	}

}
