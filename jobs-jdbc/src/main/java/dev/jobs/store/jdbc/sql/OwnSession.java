package dev.jobs.store.jdbc.sql;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
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
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * A session whose calls are independent of the calling thread's transactions. Those find
 * their connections by the data source, so this session has its own. JTA finds them by
 * the thread, so its transactions are suspended.
 */
public final class OwnSession implements Session {

	private static final Logger logger = LoggerFactory.getLogger(OwnSession.class);

	private static final int TRIES = 5;

	/** How often to wait for other processes, each time as long as the driver waits. */
	private static final int TRIES_WHILE_BUSY = 20;

	private final Statements statements;

	private final Dialect dialect;

	private final TransactionSettings settings;

	private final TransactionTemplate transactions;

	private final TransactionTemplate snapshots;

	/** Transactions in which each statement commits itself. */
	private final TransactionTemplate autoCommit;

	private final Consumer<Set<Signal>> publisher;

	/** Suspends a transaction of the calling thread, if necessary. */
	private final Supplier<Optional<TransactionTemplate>> suspension;

	/** If only one transaction can write, others wait here and not in the database. */
	private final @Nullable ReentrantLock writing;

	/**
	 * Create a session.
	 * @param suspended returns the manager of JTA transactions, if there is one
	 */
	public OwnSession(DataSource dataSource, Dialect dialect, Tables tables, int timeoutSeconds,
			Consumer<Set<Signal>> publisher, Supplier<@Nullable PlatformTransactionManager> suspended) {
		AutoCommitTransactions.Source apart = new AutoCommitTransactions.Source(
				CallerTransaction.withoutProxy(dataSource));
		Transactions manager = new Transactions(apart);
		this.statements = Statements.of(apart, tables, dialect.valueLists(), timeoutSeconds, true);
		this.dialect = dialect;
		this.settings = dialect.transactions(timeoutSeconds);
		this.transactions = template(manager, this.settings.isolation());
		this.snapshots = template(manager, this.settings.snapshotIsolation());
		this.autoCommit = template(new AutoCommitTransactions(apart), this.settings.isolation());
		this.publisher = publisher;
		this.suspension = SingletonSupplier.of(() -> Optional.ofNullable(suspended.get()).map(OwnSession::suspending));
		this.writing = this.settings.oneWriter() ? new ReentrantLock() : null;
	}

	private static TransactionTemplate template(PlatformTransactionManager manager, int isolation) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		template.setIsolationLevel(isolation);
		return template;
	}

	private static TransactionTemplate suspending(PlatformTransactionManager manager) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		return template;
	}

	@Override
	public Dialect dialect() {
		return this.dialect;
	}

	@Override
	public <T> T read(Function<Statements, T> query) {
		return apart(() -> whileBusy(() -> query.apply(this.statements)));
	}

	@Override
	public <T> T readSnapshot(Function<Statements, T> query) {
		return apart(() -> whileBusy(() -> Objects.requireNonNull(this.snapshots.execute((status) -> {
			begin(this.settings.firstOfSnapshot());
			return query.apply(this.statements);
		}))));
	}

	@Override
	public <T> T write(Function<UnitOfWork, T> change) {
		return writing(change).run();
	}

	@Override
	public <T> T writePast(RefusedRows refused, Function<UnitOfWork, T> change) {
		return writing(change).runPast(refused);
	}

	private <T> Attempts<T> writing(Function<UnitOfWork, T> change) {
		return new Attempts<>((work) -> () -> change.apply(work), this.settings.first(), false);
	}

	/**
	 * Write with statements that never read first and touch only their own table.
	 */
	public <T> T writeOnly(Function<UnitOfWork, T> change) {
		return new Attempts<>((work) -> () -> change.apply(work), null, false).run();
	}

	/**
	 * Write as {@link #writeOnly} does, and skip rows that the database refuses to
	 * change.
	 */
	public void writeOnlyPast(RefusedRows refused, Consumer<UnitOfWork> change) {
		new Attempts<>((work) -> () -> {
			change.accept(work);
			return work;
		}, null, false).runPast(refused);
	}

	@Override
	public <T> T run(Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return new Attempts<>(operation, this.settings.first(), this.settings.autoCommit()).run();
	}

	@Override
	public <T> T runPast(RefusedRows refused, Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return new Attempts<>(operation, this.settings.first(), this.settings.autoCommit()).runPast(refused);
	}

	/**
	 * Publish the signals of a call, and do its work after the commit. The call has
	 * succeeded, so this must not fail.
	 */
	void finish(UnitOfWork work) {
		if (!work.signals().isEmpty()) {
			this.publisher.accept(work.signals());
		}
		for (Consumer<UnitOfWork> rest : work.rest()) {
			try {
				writeAlso(rest);
			}
			catch (JobStoreException ex) {
				// A call of this session leaves only signals, and workers that miss one
				// poll.
				if (!work.mayLock() || !ex.isTemporary()) {
					logger.error("Not done after the commit of the transaction: {}",
							ErrorText.clean(String.valueOf(ex.getMessage())), ErrorText.loggable(ex));
				}
			}
		}
	}

	/**
	 * Write on behalf of another call.
	 */
	void writeAlso(Consumer<UnitOfWork> change) {
		write((work) -> {
			change.accept(work);
			return work;
		});
	}

	private void begin(@Nullable String first) {
		if (first != null) {
			this.statements.execute(first);
		}
	}

	/**
	 * Try again after a failure because another process writes. SQLite does not queue
	 * waiting processes, so one may have to wait longer than its driver does.
	 */
	private <T> T whileBusy(Supplier<T> call) {
		for (int left = TRIES_WHILE_BUSY - 1;; left--) {
			try {
				return call.get();
			}
			catch (UncategorizedSQLException ex) {
				if (left == 0 || !this.settings.oneWriter() || SqlFault.of(ex) != SqlFault.BUSY) {
					throw ex;
				}
			}
		}
	}

	@SuppressWarnings("NullAway") // a reply is never null
	private <T> T apart(Supplier<T> call) {
		TransactionTemplate suspending = this.suspension.get().orElse(null);
		return (suspending != null) ? suspending.execute((status) -> translated(call)) : translated(call);
	}

	private static <T> T translated(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			throw Faults.translated(ex);
		}
	}

	/**
	 * A call that writes, from its first try to its last.
	 *
	 * @param <T> what it returns
	 */
	private final class Attempts<T> {

		private final Function<UnitOfWork, AutoCommitOperation<T>> operation;

		/** The first statement of its transactions. */
		private final @Nullable String first;

		/** Whether the next try may run without a transaction. */
		private boolean mayAutoCommit;

		private @Nullable RefusedRows refused;

		Attempts(Function<UnitOfWork, AutoCommitOperation<T>> operation, @Nullable String first,
				boolean mayAutoCommit) {
			this.operation = operation;
			this.first = first;
			this.mayAutoCommit = mayAutoCommit;
		}

		T run() {
			return apart(this::tryRepeatedly);
		}

		T runPast(RefusedRows refused) {
			if (refused.ids().isEmpty()) {
				try {
					return run();
				}
				catch (JobStoreException ex) {
					if (!(ex.getCause() instanceof DataAccessException cause) || !Faults.isOfRow(cause)) {
						throw ex;
					}
				}
			}
			this.refused = refused;
			this.mayAutoCommit = false;
			return run();
		}

		/**
		 * Try again, in a transaction, if another one was in the way. Only a transaction
		 * can set its isolation; otherwise it is the role's or the pool's.
		 */
		private T tryRepeatedly() {
			for (int left = TRIES - 1;; left--) {
				try {
					return whileBusy(this::tryOnce);
				}
				catch (ConcurrencyFailureException | DuplicateKeyException ex) {
					if (left == 0) {
						throw ex;
					}
					this.mayAutoCommit = false;
				}
			}
		}

		private T tryOnce() {
			UnitOfWork work = new UnitOfWork(OwnSession.this.statements, OwnSession.this.dialect, null, this.refused);
			AutoCommitOperation<T> tried = this.operation.apply(work);
			T reply = withoutTransaction(tried);
			if (reply == null) {
				reply = inTransaction(tried);
			}
			finish(work);
			return reply;
		}

		@SuppressWarnings("NullAway") // there may be no reply
		private @Nullable T withoutTransaction(AutoCommitOperation<T> tried) {
			if (!this.mayAutoCommit || !tried.mayDoWithoutTransaction()) {
				return null;
			}
			try {
				return OwnSession.this.autoCommit.<@Nullable T>execute((status) -> tried.runWithoutTransaction());
			}
			catch (DataAccessException ex) {
				throw Faults.ofAutoCommit(ex);
			}
		}

		@SuppressWarnings("NullAway") // a reply is never null
		private T inTransaction(AutoCommitOperation<T> tried) {
			ReentrantLock writing = OwnSession.this.writing;
			if (writing != null) {
				writing.lock();
			}
			try {
				return OwnSession.this.transactions.execute((status) -> {
					begin(this.first);
					return tried.run();
				});
			}
			finally {
				if (writing != null) {
					writing.unlock();
				}
			}
		}

	}

	/**
	 * Transactions that end with their connection: the fault that broke it is thrown, not
	 * the failed rollback.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends DataSourceTransactionManager {

		Transactions(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			try {
				super.doRollback(status);
			}
			catch (TransactionException ex) {
				this.logger.debug("A transaction ended with its connection", ErrorText.loggable(ex));
			}
		}

	}

}
