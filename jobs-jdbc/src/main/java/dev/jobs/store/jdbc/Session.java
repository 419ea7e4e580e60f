package dev.jobs.store.jdbc;

import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs verbs, each in a transaction of its own or, joined, in that of the calling thread.
 * What they have to tell is told after the commit. All faults become a
 * {@link JobStoreException}.
 */
final class Session {

	/** How PostgreSQL says that a process was silent for too long in a transaction. */
	private static final String IDLE_IN_TRANSACTION = "25P03";

	private static final String POOLED = "A pooler between here and the database mixes up prepared statements; "
			+ "add prepareThreshold=0 to the URL, or let PgBouncer 1.21 or later keep them "
			+ "(max_prepared_statements): ";

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private static final int TRIES = 5;

	/** How often to wait for other processes, each time as long as the driver does. */
	private static final int TRIES_WHILE_BUSY = 20;

	private final Statements statements;

	private final @Nullable TransactionTemplate transactions;

	/**
	 * What keeps a transaction of the calling thread away from those here, if need be.
	 */
	private final Supplier<Optional<TransactionTemplate>> apart;

	/** Where single statements are their own transactions, if anywhere. */
	private final @Nullable TransactionTemplate single;

	/** Where several statements see all at one moment. */
	private final @Nullable TransactionTemplate snapshots;

	private final Consumer<Set<Signal>> teller;

	/** Where only one transaction can write, others wait here and not in the database. */
	private final @Nullable ReentrantLock writing;

	/** Where a joined verb does what others must not wait for. */
	private final @Nullable Session outside;

	private Session(Statements statements, @Nullable TransactionTemplate transactions,
			Supplier<Optional<TransactionTemplate>> apart, @Nullable TransactionTemplate single,
			@Nullable TransactionTemplate snapshots, Consumer<Set<Signal>> teller, @Nullable ReentrantLock writing,
			@Nullable Session outside) {
		this.statements = statements;
		this.transactions = transactions;
		this.apart = apart;
		this.single = single;
		this.snapshots = snapshots;
		this.teller = teller;
		this.writing = writing;
		this.outside = outside;
	}

	/**
	 * Return a session whose verbs have nothing to do with any transaction of the calling
	 * thread. These find their connections by the data source; so this one has a data
	 * source to itself. JTA finds them by the thread, so there it must be suspended.
	 */
	static Session own(DataSource dataSource, Database database, Tables tables, int timeoutSeconds,
			Consumer<Set<Signal>> teller, Supplier<@Nullable PlatformTransactionManager> suspended) {
		AutoCommitTransactions.Source apart = new AutoCommitTransactions.Source(
				CallerTransaction.withoutProxy(dataSource));
		Transactions manager = new Transactions(apart);
		TransactionTemplate transactions = template(manager, database.isolation());
		TransactionTemplate single = (database == Database.POSTGRESQL)
				? template(new AutoCommitTransactions(apart), database.isolation()) : null;
		ReentrantLock writing = database.hasOneWriter() ? new ReentrantLock() : null;
		return new Session(statements(apart, database, tables, timeoutSeconds, true), transactions,
				SingletonSupplier.of(() -> Optional.ofNullable(suspended.get()).map(Session::suspending)), single,
				template(manager, database.isolationOfSnapshots()), teller, writing, null);
	}

	/**
	 * Prepare the database.
	 * @return this session
	 */
	Session open() {
		guarded(() -> {
			this.statements.dialect().open(this.statements);
			return this;
		});
		return this;
	}

	private static TransactionTemplate suspending(PlatformTransactionManager manager) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		return template;
	}

	private static TransactionTemplate template(PlatformTransactionManager manager, int isolation) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		template.setIsolationLevel(isolation);
		return template;
	}

	/**
	 * Return a session whose verbs are a part of the transactions of the threads that
	 * call them, which have bound a connection of the data source. Where only one
	 * transaction can write, nothing can be done outside of it.
	 */
	static Session joined(DataSource dataSource, Database database, Tables tables, int timeoutSeconds,
			Consumer<Set<Signal>> teller, Session own) {
		return new Session(statements(dataSource, database, tables, timeoutSeconds, false), null, Optional::empty, null,
				null, teller, null, database.hasOneWriter() ? null : own);
	}

	private static Statements statements(DataSource dataSource, Database database, Tables tables, int timeoutSeconds,
			boolean alone) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.setQueryTimeout(timeoutSeconds);
		return new Statements(jdbc, tables, database.newDialect(), alone);
	}

	/**
	 * Run a verb that reads, seeing all at one moment or not.
	 */
	<T> T read(Function<Statements, T> verb) {
		return guarded(() -> (this.transactions != null) ? patiently(() -> verb.apply(this.statements))
				: orLost(() -> verb.apply(this.statements)));
	}

	/**
	 * Run a verb that reads with several statements, seeing all at one moment. In a
	 * transaction of the caller it sees what that does.
	 */
	<T> T readAtOnce(Function<Statements, T> verb) {
		TransactionTemplate snapshots = this.snapshots;
		return (snapshots == null) ? read(verb)
				: guarded(() -> patiently(() -> Objects.requireNonNull(snapshots.execute((status) -> {
					this.statements.dialect().beginSnapshot(this.statements);
					return verb.apply(this.statements);
				}))));
	}

	/**
	 * Run a verb that writes, all of it or nothing. It is run again if another
	 * transaction was in its way.
	 */
	<T> T write(Function<UnitOfWork, T> verb) {
		return run((work) -> () -> verb.apply(work), null);
	}

	/**
	 * Run statements that write and never look first, all of them or none, without any
	 * table but theirs. It is no part of the caller's transaction.
	 */
	void writeOnly(Consumer<Statements> verb) {
		TransactionTemplate apart = Objects.requireNonNull(this.transactions);
		guarded(() -> patiently(() -> whole(() -> {
			verb.accept(this.statements);
			return verb;
		}, apart)));
	}

	/**
	 * Run a verb that may do without a transaction.
	 * @param verb makes the verb, anew for each try
	 */
	<T> T run(Function<UnitOfWork, AutoCommitOperation<T>> verb) {
		return run(verb, this.single);
	}

	private <T> T run(Function<UnitOfWork, AutoCommitOperation<T>> verb, @Nullable TransactionTemplate single) {
		return guarded(
				() -> (this.transactions != null) ? writeAlone(verb, single, this.transactions) : writeJoined(verb));
	}

	private <T> T writeJoined(Function<UnitOfWork, AutoCommitOperation<T>> verb) {
		UnitOfWork work = new UnitOfWork(this.statements, this.outside);
		T reply = orLost(() -> verb.apply(work).run());
		if (!work.news().isEmpty() || !work.rest().isEmpty()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Session.this.committed(work);
				}

			});
		}
		return reply;
	}

	private static <T> T orLost(Supplier<T> joined) {
		try {
			return joined.get();
		}
		catch (RuntimeException ex) {
			TransactionSynchronizationManager.registerSynchronization(new LostTransaction(ex));
			throw ex;
		}
	}

	/**
	 * Do what was left for after the commit. The transaction cannot fail any more, so
	 * neither may this.
	 */
	private void committed(UnitOfWork work) {
		this.teller.accept(work.news());
		for (Consumer<UnitOfWork> rest : work.rest()) {
			try {
				Objects.requireNonNull(this.outside).write((own) -> {
					rest.accept(own);
					return own;
				});
			}
			catch (JobStoreException ex) {
				logger.error("Not done after the commit of the transaction: {}",
						ErrorText.clean(String.valueOf(ex.getMessage())), ErrorText.loggable(ex));
			}
		}
	}

	private <T> T writeAlone(Function<UnitOfWork, AutoCommitOperation<T>> verb, @Nullable TransactionTemplate single,
			TransactionTemplate transactions) {
		TransactionTemplate first = single;
		for (int left = TRIES - 1;; left--) {
			TransactionTemplate tried = first;
			try {
				return patiently(() -> writeOnce(verb, tried, transactions));
			}
			catch (ConcurrencyFailureException | DuplicateKeyException ex) {
				if (left == 0) {
					throw ex;
				}
				// Only a transaction has an isolation that is not the role's or the
				// pool's.
				first = null;
			}
		}
	}

	private <T> T writeOnce(Function<UnitOfWork, AutoCommitOperation<T>> begun, @Nullable TransactionTemplate single,
			TransactionTemplate transactions) {
		UnitOfWork work = new UnitOfWork(this.statements, null);
		AutoCommitOperation<T> verb = begun.apply(work);
		T reply = (single != null) ? runSingle(verb, single) : null;
		if (reply == null) {
			reply = runWhole(verb, transactions);
		}
		if (!work.news().isEmpty()) {
			this.teller.accept(work.news());
		}
		return reply;
	}

	/**
	 * Try whether single statements will do. If the connection breaks, nobody knows
	 * whether one of them was committed.
	 */
	@SuppressWarnings("NullAway") // there may be no reply
	private static <T> @Nullable T runSingle(AutoCommitOperation<T> verb, TransactionTemplate single) {
		try {
			return single.<@Nullable T>execute((status) -> verb.runSingle());
		}
		catch (DataAccessException ex) {
			throw isAnswer(ex) ? ex : new TransactionSystemException(cause(ex), ex);
		}
	}

	/**
	 * Tell whether a fault is the database's answer, so that nothing was done, and not
	 * the loss of the connection, as the classes 08 and 57P mean.
	 */
	private static boolean isAnswer(DataAccessException ex) {
		return NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql && sql.getSQLState() != null
				&& !sql.getSQLState().startsWith("08") && !sql.getSQLState().startsWith("57P");
	}

	private <T> T runWhole(AutoCommitOperation<T> verb, TransactionTemplate transactions) {
		return whole(() -> {
			this.statements.dialect().begin(this.statements);
			return verb.run();
		}, transactions);
	}

	@SuppressWarnings("NullAway") // the reply of a verb is never null
	private <T> T whole(Supplier<T> body, TransactionTemplate transactions) {
		if (this.writing != null) {
			this.writing.lock();
		}
		try {
			return transactions.execute((status) -> body.get());
		}
		finally {
			if (this.writing != null) {
				this.writing.unlock();
			}
		}
	}

	/**
	 * Run something again that failed since another process writes. Waiting processes
	 * have no order in SQLite, so one may be out of luck for longer than its driver
	 * waits.
	 */
	private <T> T patiently(Supplier<T> verb) {
		for (int left = TRIES_WHILE_BUSY - 1;; left--) {
			try {
				return verb.get();
			}
			catch (UncategorizedSQLException ex) {
				if (left == 0 || this.writing == null || SqlFault.of(ex) != SqlFault.BUSY) {
					throw ex;
				}
			}
		}
	}

	@SuppressWarnings("NullAway") // the reply of a verb is never null
	private <T> T guarded(Supplier<T> verb) {
		TransactionTemplate apart = this.apart.get().orElse(null);
		return (apart != null) ? apart.execute((status) -> translated(verb)) : translated(verb);
	}

	private <T> T translated(Supplier<T> verb) {
		try {
			return verb.get();
		}
		catch (CannotCreateTransactionException ex) {
			throw JobStoreException.refused("No connection to the database: " + cause(ex), ex, true);
		}
		catch (TransactionSystemException ex) {
			Throwable first = ex.getApplicationException();
			throw (first != null) ? JobStoreException.refused("The database failed: " + cause(first), first, true)
					: new JobStoreException("It is unknown whether the database committed: "
							+ ((SqlFault.of(ex) == SqlFault.POOLED) ? POOLED : "") + cause(ex), ex, true);
		}
		catch (DataAccessException ex) {
			if (this.transactions == null && ex instanceof ConcurrencyFailureException) {
				throw ex;
			}
			throw switch (SqlFault.of(ex)) {
				case MISSING -> JobStoreException.refused(
						"Something is missing in the tables of the jobs; set "
								+ "jobs.jdbc.initialize-schema=always to have it added, or add it: " + cause(ex),
						ex, false);
				case REFUSED -> JobStoreException.refused(
						"The database user may not do what the jobs need; grant it to that user: " + cause(ex), ex,
						false);
				case POOLED -> JobStoreException.refused(POOLED + cause(ex), ex, true);
				case BUSY, OTHER -> JobStoreException.refused("The database failed: " + cause(ex), ex, isTemporary(ex));
			};
		}
		catch (TransactionException ex) {
			throw JobStoreException.refused("The database failed: " + cause(ex), ex, true);
		}
	}

	private static boolean isTemporary(DataAccessException ex) {
		return ex instanceof TransientDataAccessException || ex instanceof RecoverableDataAccessException
				|| ex instanceof DataAccessResourceFailureException || ex instanceof DuplicateKeyException
				|| !(NestedExceptionUtils.getRootCause(ex) instanceof SQLException sql) || sql.getSQLState() == null
				|| !sql.getSQLState().startsWith("2") || sql.getSQLState().equals(IDLE_IN_TRANSACTION);
	}

	private static String cause(Throwable ex) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		return String.valueOf(cause.getMessage());
	}

	/**
	 * Transactions that are over when their connection is: what broke it is thrown, and
	 * nobody hears that there was nothing left to roll back.
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
