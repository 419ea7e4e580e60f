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
 * A session whose calls have nothing to do with any transaction of the calling thread.
 * These find their connections by the data source, so this one has a data source to
 * itself. JTA finds them by the thread, so its transactions are suspended.
 */
public final class OwnSession implements Session {

	private static final int TRIES = 5;

	/** How often to wait for other processes, each time as long as the driver does. */
	private static final int TRIES_WHILE_BUSY = 20;

	private final Statements statements;

	private final Dialect dialect;

	private final TransactionSettings settings;

	private final TransactionTemplate transactions;

	private final TransactionTemplate snapshots;

	/** Where each statement commits itself, if that is cheaper. */
	private final @Nullable TransactionTemplate autoCommit;

	private final Consumer<Set<Signal>> publisher;

	/** What suspends a transaction of the calling thread, if need be. */
	private final Supplier<Optional<TransactionTemplate>> suspension;

	/** Where only one transaction can write, others wait here and not in the database. */
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
		this.autoCommit = this.settings.autoCommit()
				? template(new AutoCommitTransactions(apart), this.settings.isolation()) : null;
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
		return write(null, change);
	}

	private <T> T write(@Nullable RefusedRows refused, Function<UnitOfWork, T> change) {
		return apart(() -> repeatedly((first) -> {
			UnitOfWork work = new UnitOfWork(this.statements, this.dialect, null, refused);
			return published(work, inTransaction(() -> change.apply(work)));
		}));
	}

	@Override
	public <T> T writePast(RefusedRows refused, Function<UnitOfWork, T> change) {
		return past(refused, () -> write(change), () -> write(refused, change));
	}

	@Override
	public <T> T runPast(RefusedRows refused, Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return past(refused, () -> run(operation), () -> write(refused, (work) -> operation.apply(work).run()));
	}

	private static <T> T past(RefusedRows refused, Supplier<T> together, Supplier<T> oneByOne) {
		if (!refused.ids().isEmpty()) {
			return oneByOne.get();
		}
		try {
			return together.get();
		}
		catch (JobStoreException ex) {
			if (!(ex.getCause() instanceof DataAccessException cause) || !Faults.isOfRow(cause)) {
				throw ex;
			}
			return oneByOne.get();
		}
	}

	@Override
	public <T> T run(Function<UnitOfWork, AutoCommitOperation<T>> operation) {
		return apart(() -> repeatedly((first) -> {
			UnitOfWork work = new UnitOfWork(this.statements, this.dialect, null, null);
			AutoCommitOperation<T> tried = operation.apply(work);
			// Only a transaction has an isolation that is not the role's or the pool's.
			T reply = first ? withoutTransaction(tried) : null;
			return published(work, (reply != null) ? reply : inTransaction(tried::run));
		}));
	}

	/**
	 * Write by statements that never read first and concern no table but theirs, and get
	 * past rows that the database refuses to change.
	 */
	public void writeOnlyPast(RefusedRows refused, Consumer<UnitOfWork> change) {
		past(refused, () -> writeOnly(null, change), () -> writeOnly(refused, change));
	}

	@SuppressWarnings("NullAway") // the reply is never null
	private Consumer<UnitOfWork> writeOnly(@Nullable RefusedRows refused, Consumer<UnitOfWork> change) {
		return apart(() -> whileBusy(() -> locked(() -> this.transactions.execute((status) -> {
			change.accept(new UnitOfWork(this.statements, this.dialect, null, refused));
			return change;
		}))));
	}

	private <T> T published(UnitOfWork work, T reply) {
		if (!work.signals().isEmpty()) {
			this.publisher.accept(work.signals());
		}
		return reply;
	}

	@SuppressWarnings("NullAway") // there may be no reply
	private <T> @Nullable T withoutTransaction(AutoCommitOperation<T> operation) {
		if (this.autoCommit == null) {
			return null;
		}
		try {
			return this.autoCommit.<@Nullable T>execute((status) -> operation.runWithoutTransaction());
		}
		catch (DataAccessException ex) {
			throw Faults.ofAutoCommit(ex);
		}
	}

	@SuppressWarnings("NullAway") // a reply is never null
	private <T> T inTransaction(Supplier<T> change) {
		return locked(() -> this.transactions.execute((status) -> {
			begin(this.settings.first());
			return change.get();
		}));
	}

	private void begin(@Nullable String first) {
		if (first != null) {
			this.statements.execute(first);
		}
	}

	private <T> T locked(Supplier<T> transaction) {
		if (this.writing == null) {
			return transaction.get();
		}
		this.writing.lock();
		try {
			return transaction.get();
		}
		finally {
			this.writing.unlock();
		}
	}

	/**
	 * Try something again if another transaction was in its way.
	 * @param change is asked to run, with whether it is for the first time
	 */
	private <T> T repeatedly(Function<Boolean, T> change) {
		for (int left = TRIES - 1;; left--) {
			boolean first = left == TRIES - 1;
			try {
				return whileBusy(() -> change.apply(first));
			}
			catch (ConcurrencyFailureException | DuplicateKeyException ex) {
				if (left == 0) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Try something again that failed since another process writes. Waiting processes
	 * have no order in SQLite, so one may be out of luck for longer than its driver
	 * waits.
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
	 * Transactions that are over when their connection is: what broke it is thrown, and
	 * not that there was nothing left to roll back.
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
