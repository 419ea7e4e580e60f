package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * A store that keeps jobs in PostgreSQL, MariaDB, MySQL, H2 or SQLite. Each verb is a
 * transaction of its own, unless the store has {@linkplain #joined() joined} that of the
 * caller.
 * <p>
 * It may be created, and the application may start, while the database is down.
 */
public final class JdbcJobStore implements JobStore, TransactionalJobStore, AutoCloseable {

	/** What the names of the tables begin with unless told otherwise. */
	public static final String DEFAULT_TABLE_PREFIX = "jobs_";

	private final Supplier<Session> session;

	private final Signals signals;

	private final JobInspector inspector;

	private final Supplier<@Nullable JobStore> joining;

	private final OrphanRepair unheld = new OrphanRepair();

	private JdbcJobStore(Supplier<Session> session, Signals signals, Supplier<@Nullable JobStore> joining) {
		this.session = session;
		this.signals = signals;
		this.inspector = new JdbcJobInspector(session);
		this.joining = joining;
	}

	/**
	 * Begin to describe a store.
	 * @param dataSource the application's data source
	 * @return a builder
	 */
	public static Builder builder(DataSource dataSource) {
		return new Builder(dataSource);
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		if (jobs.isEmpty()) {
			return List.of();
		}
		return this.session.get().run((work) -> new EnqueueOperation(work, jobs, now));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.session.get().run((work) -> new ClaimOperation(work, request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.session.get().run((work) -> new TakeOverOperation(work, request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		if (transitions.isEmpty()) {
			return List.of();
		}
		return this.session.get().write((work) -> new SettleOperation(work, transitions, now).run());
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.session.get().run((work) -> new BeatOperation(work, beat));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.session.get().write((work) -> {
			ChangeOperation changing = new ChangeOperation(work, now);
			return changes.stream().map((change) -> change.applyTo(changing)).toList();
		});
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned pruned = this.session.get().write((work) -> new PruneOperation(work, request).run());
		this.unheld.look(this.session.get(), request.now());
		return pruned;
	}

	@Override
	public TickReply fireTick(Tick tick) {
		return this.session.get().write((work) -> new TickOperation(work, tick).run());
	}

	@Override
	public @Nullable Instant time() {
		Long time = this.session.get().read((statements) -> statements.dialect().time(statements));
		return (time != null) ? EpochMillis.instant(time) : null;
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.signals.listen(listener);
	}

	/**
	 * Join a transaction on the application's data source, as Spring's managers of JDBC
	 * and JPA transactions begin it.
	 */
	@Override
	public @Nullable JobStore joined() {
		return this.joining.get();
	}

	@Override
	public JobInspector inspector() {
		return this.inspector;
	}

	/**
	 * Close what the store opened itself; the data sources stay open.
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
		 * Set where the verbs get their connections, so that they need not wait for those
		 * that the application has in use.
		 * @param engine a data source of the same database
		 * @return this builder
		 */
		public Builder engine(DataSource engine) {
			this.engine = engine;
			return this;
		}

		/**
		 * Set which database it is, which is otherwise asked at the first call.
		 * @param database the database
		 * @return this builder
		 */
		public Builder database(Database database) {
			this.database = database;
			return this;
		}

		/**
		 * Set where a connection comes from that is kept open to be woken by other
		 * processes. Only PostgreSQL can do so, with its own driver; a store that is not
		 * told, or cannot, is polled.
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
		 * Set what the names of the tables begin with, perhaps after the name of a schema
		 * and a dot.
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
		 * Set whose transactions are suspended while the store runs its own. Needed only
		 * with JTA, which would take the connections of those for its own.
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
			Sessions sessions = sessions(signals::tell);
			if (this.listening != null && PostgresChannel.hasDriver()) {
				signals.connect(new PostgresChannel(this.listening, this.tablePrefix, sessions::database, sessions::own,
						signals::tellHere));
			}
			return new JdbcJobStore(sessions::own, signals, () -> {
				Session joined = sessions.joined();
				return (joined != null) ? new JdbcJobStore(() -> joined, signals, () -> null) : null;
			});
		}

		/**
		 * Make an outbox instead, which needs no table but its own.
		 * @return the outbox
		 */
		public JdbcOutbox buildOutbox() {
			return new JdbcOutbox(sessions((nobody) -> {
			}));
		}

		private Sessions sessions(Consumer<Set<Signal>> teller) {
			return new Sessions(this.dataSource, this.engine, this.database, new Tables(this.tablePrefix), this.timeout,
					teller, this.suspended);
		}

	}

}
