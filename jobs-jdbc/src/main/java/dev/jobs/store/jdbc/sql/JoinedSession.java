package dev.jobs.store.jdbc.sql;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A session whose calls are a part of the transactions of the threads that call, which
 * have bound a connection of its data source. Nothing is tried twice here: only the
 * caller can repeat its transaction.
 */
public final class JoinedSession implements Session {

	private static final Logger logger = LoggerFactory.getLogger(JoinedSession.class);

	private final Statements statements;

	private final Dialect dialect;

	private final Consumer<Set<Signal>> publisher;

	private final Session own;

	private final UnitOfWork.@Nullable Outside outside;

	/**
	 * Create a session.
	 * @param own runs what other transactions must not wait for, unless only one
	 * transaction can write
	 */
	public JoinedSession(DataSource dataSource, Dialect dialect, Tables tables, int timeoutSeconds,
			Consumer<Set<Signal>> publisher, Session own) {
		this.statements = Statements.of(dataSource, tables, dialect.valueLists(), timeoutSeconds, false);
		this.dialect = dialect;
		this.publisher = publisher;
		this.own = own;
		this.outside = dialect.transactions(timeoutSeconds).oneWriter() ? null : this::writeOutside;
	}

	private void writeOutside(Consumer<UnitOfWork> change) {
		this.own.write((work) -> {
			change.accept(work);
			return work;
		});
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
					finish(work);
				}

			});
		}
		return reply;
	}

	/**
	 * Run a part of the transaction, which cannot be committed if this fails. A fault
	 * that a retry of the whole transaction may avoid stays what the caller's own
	 * statements would throw.
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

	/**
	 * Do what was left for after the commit. The transaction cannot fail any more, so
	 * neither may this.
	 */
	private void finish(UnitOfWork work) {
		this.publisher.accept(work.signals());
		for (Consumer<UnitOfWork> rest : work.rest()) {
			try {
				writeOutside(rest);
			}
			catch (JobStoreException ex) {
				logger.error("Not done after the commit of the transaction: {}",
						ErrorText.clean(String.valueOf(ex.getMessage())), ErrorText.loggable(ex));
			}
		}
	}

}
