package dev.jobs.store.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.store.JobStore;
import dev.jobs.store.StepMarks;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.postgres.PostgresChannel;
import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.signal.Signals;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Tables;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * A store that keeps jobs in PostgreSQL, MariaDB, H2 or SQLite. Each call is its own
 * transaction; the store that {@link #joined()} returns is part of the caller's.
 * <p>
 * It may be created, and the application may start, while the database is down: the first
 * call finds out which database it is and how to call it.
 */
public final class JdbcJobStore extends DatabaseStore implements TransactionalJobStore, AutoCloseable {

	/** The default prefix of the tables. */
	public static final String DEFAULT_TABLE_PREFIX = "jobs_";

	private final Supplier<@Nullable JobStore> joined;

	private final Signals signals;

	private JdbcJobStore(Supplier<Session> session, Supplier<DatabaseCalls> calls, Supplier<@Nullable JobStore> joined,
			Signals signals, Refusals refusals, Duration timeout) {
		super(session, calls, signals, refusals, timeout);
		this.joined = joined;
		this.signals = signals;
	}

	/**
	 * Begin to describe a store.
	 * @param dataSource the application's data source
	 * @return a builder
	 */
	public static Builder builder(DataSource dataSource) {
		return new Builder(dataSource);
	}

	/**
	 * Join a transaction on the application's data source that one of Spring's managers
	 * of JDBC and JPA transactions began.
	 */
	@Override
	public Optional<JobStore> joined() {
		return Optional.ofNullable(this.joined.get());
	}

	/**
	 * Close the store's own connections and threads; the data sources stay open.
	 */
	@Override
	public void close() {
		this.signals.close();
	}

	/**
	 * Describes a store.
	 */
	public static final class Builder {

		private final DataSource dataSource;

		private DataSource engine;

		private @Nullable Database database;

		private @Nullable DataSource listening;

		private Supplier<@Nullable PlatformTransactionManager> suspended = () -> null;

		private String tablePrefix = DEFAULT_TABLE_PREFIX;

		private Duration timeout = Duration.ofSeconds(5);

		private Builder(DataSource dataSource) {
			this.dataSource = dataSource;
			this.engine = dataSource;
		}

		/**
		 * Set the data source for the verbs, so that they need not wait for connections
		 * that the application uses.
		 * @param engine a data source of the same database
		 * @return this builder
		 */
		public Builder engine(DataSource engine) {
			this.engine = engine;
			return this;
		}

		/**
		 * Set which database it is. Without this the driver is asked at the first call.
		 * @param database the database
		 * @return this builder
		 */
		public Builder database(Database database) {
			this.database = database;
			return this;
		}

		/**
		 * Set the data source for a connection that stays open so that other processes
		 * can wake this one. This works on PostgreSQL with its own driver; otherwise the
		 * store is polled.
		 * @param listening a data source of the same database without a pool in between,
		 * neither in this process nor in front of the database, and with a time-out for
		 * new connections
		 * @return this builder
		 */
		public Builder listen(DataSource listening) {
			this.listening = listening;
			return this;
		}

		/**
		 * Set the prefix of the tables, which may begin with the name of a schema and a
		 * dot.
		 * @param tablePrefix the prefix
		 * @return this builder
		 */
		public Builder tablePrefix(String tablePrefix) {
			this.tablePrefix = tablePrefix;
			return this;
		}

		/**
		 * Set how long a statement may take.
		 * @param timeout the time, in whole seconds
		 * @return this builder
		 */
		public Builder timeout(Duration timeout) {
			this.timeout = timeout;
			return this;
		}

		/**
		 * Set the manager whose transactions are suspended while the store runs its own.
		 * Needed only with JTA, which would take the store's connections for its own.
		 * @param suspended returns the manager of JTA transactions, if there is one
		 * @return this builder
		 */
		public Builder suspend(Supplier<@Nullable PlatformTransactionManager> suspended) {
			this.suspended = suspended;
			return this;
		}

		/**
		 * Make the store.
		 * @return the store
		 */
		public JdbcJobStore build() {
			Signals signals = new Signals();
			Sessions sessions = sessions(signals::publish);
			BooleanSupplier isPostgres = () -> sessions.database() == Database.POSTGRESQL;
			DataSource listening = PostgresChannel.hasDriver() ? this.listening : null;
			if (listening != null) {
				signals.connect(new PostgresChannel(listening, this.tablePrefix, isPostgres, sessions::own,
						signals::publishHere));
			}
			signals.connect(new ChangePoll(() -> listening == null || !isPostgres.getAsBoolean(), sessions::own,
					signals::publishHere));
			Refusals refusals = new Refusals();
			Map<Session, JobStore> joined = new ConcurrentHashMap<>();
			return new JdbcJobStore(sessions::own, sessions.calls(), () -> {
				Session session = sessions.joined();
				return (session != null) ? joined.computeIfAbsent(session,
						(added) -> new DatabaseStore(() -> added, sessions.calls(), signals, refusals, this.timeout))
						: null;
			}, signals, refusals, this.timeout);
		}

		/**
		 * Make an outbox instead, which needs only its own table.
		 * @return the outbox
		 */
		public JdbcOutbox buildOutbox() {
			return new JdbcOutbox(sessions((signals) -> {
			}));
		}

		/**
		 * Make marks of steps instead, which need only their own table.
		 * @return the marks
		 */
		public StepMarks buildStepMarks() {
			return new JdbcStepMarks(sessions((signals) -> {
			}));
		}

		private Sessions sessions(Consumer<Set<Signal>> publisher) {
			return new Sessions(this.dataSource, this.engine, this.database, new Tables(this.tablePrefix), this.timeout,
					publisher, this.suspended);
		}

	}

}
