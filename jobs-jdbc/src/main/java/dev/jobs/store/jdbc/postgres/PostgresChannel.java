package dev.jobs.store.jdbc.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.signal.SignalChannel;
import dev.jobs.store.jdbc.signal.SignalSender;
import dev.jobs.store.jdbc.signal.SignalTexts;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.SqlFault;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.ClassUtils;
import org.springframework.util.StopWatch;

/**
 * Carries signals between processes by {@code NOTIFY} and {@code LISTEN} of PostgreSQL.
 * They are received while there are listeners, on a separate connection and thread; a
 * lost connection is soon replaced.
 */
public final class PostgresChannel implements SignalChannel {

	private static final Logger logger = LoggerFactory.getLogger(PostgresChannel.class);

	/** The longest channel name; the rest of a longer one is replaced by a digest. */
	private static final int LONGEST_NAME = 50;

	private static final Duration LOOK = Duration.ofMillis(500);

	private static final int LOOKS_PER_CHECK = 10;

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

	private final DataSource dataSource;

	private final String name;

	/** By this a process recognizes its own signals. */
	private final String sender = UUID.randomUUID().toString();

	private final BooleanSupplier isPostgres;

	private final Supplier<Session> session;

	private final Consumer<Collection<Signal>> receiver;

	private final SignalSender outgoing = new SignalSender(this::notifyOthers);

	private @Nullable Reception reception;

	/**
	 * Create a channel.
	 * @param dataSource opens its connection
	 * @param tablePrefix names the channel
	 * @param isPostgres returns whether the database is PostgreSQL
	 * @param session returns a session of the same database
	 * @param receiver receives the signals of others
	 */
	public PostgresChannel(DataSource dataSource, String tablePrefix, BooleanSupplier isPostgres,
			Supplier<Session> session, Consumer<Collection<Signal>> receiver) {
		this.dataSource = dataSource;
		this.name = name(tablePrefix);
		this.isPostgres = isPostgres;
		this.session = session;
		this.receiver = receiver;
	}

	/**
	 * Return whether the driver is present; this class needs it.
	 */
	public static boolean hasDriver() {
		return ClassUtils.isPresent("org.postgresql.PGConnection", PostgresChannel.class.getClassLoader());
	}

	static String name(String tablePrefix) {
		String name = tablePrefix.toLowerCase(Locale.ROOT);
		if (name.length() > LONGEST_NAME) {
			name = name.substring(0, LONGEST_NAME - 9) + "_" + Integer.toHexString(name.hashCode());
		}
		return name + "signals";
	}

	@Override
	public void send(Collection<Signal> signals) {
		if (this.isPostgres.getAsBoolean()) {
			this.outgoing.send(signals);
		}
	}

	private void notifyOthers(Collection<Signal> signals) {
		List<String> texts = SignalTexts.written(this.sender, signals);
		// They are sent with a commit, and not all connections commit by themselves.
		this.session.get()
			.run((work) -> AutoCommitOperation.of(true,
					() -> work.statements()
						.query("select pg_notify(?, text) from unnest(?) as text", (row, n) -> Boolean.TRUE, this.name,
								texts.toArray(String[]::new))
						.size()));
	}

	@Override
	public synchronized void open() {
		if (this.reception == null) {
			this.reception = new Reception();
			Thread thread = new Thread(this.reception, "jobs-postgres-signals");
			thread.setDaemon(true);
			thread.start();
		}
	}

	@Override
	public synchronized void close() {
		if (this.reception != null) {
			this.reception.stopped.countDown();
			this.reception = null;
		}
	}

	@Override
	public void end() {
		close();
		this.outgoing.close();
	}

	/**
	 * The reception of signals from the first subscription to the end of the last one.
	 */
	private final class Reception implements Runnable {

		private final CountDownLatch stopped = new CountDownLatch(1);

		private Duration pause = FIRST_PAUSE;

		private @Nullable StopWatch sinceLogged;

		private int unlogged;

		private boolean faultLogged;

		@Override
		public void run() {
			while (!isStopped()) {
				try {
					if (!PostgresChannel.this.isPostgres.getAsBoolean()) {
						return;
					}
					connect();
				}
				catch (SQLException | RuntimeException ex) {
					failed(ex);
				}
			}
		}

		private void connect() throws SQLException {
			try (Connection connection = PostgresChannel.this.dataSource.getConnection()) {
				if (connection.isWrapperFor(PGConnection.class)) {
					receive(connection);
					return;
				}
			}
			this.stopped.countDown();
			logger.info("Other processes cannot wake this one, since the driver is not that of PostgreSQL; "
					+ "the store is polled");
		}

		private boolean isStopped() {
			return this.stopped.getCount() == 0;
		}

		private void receive(Connection connection) throws SQLException {
			connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
			connection.setAutoCommit(true);
			try (Statement statement = connection.createStatement()) {
				statement.execute("listen \"" + PostgresChannel.this.name + "\"");
			}
			recovered();
			signalAllQueues();
			PGConnection notifying = connection.unwrap(PGConnection.class);
			for (int look = 1; !isStopped(); look++) {
				receive(notifying.getNotifications((int) LOOK.toMillis()));
				if (look % LOOKS_PER_CHECK == 0 && !connection.isValid((int) PATIENCE.toSeconds())) {
					throw new SQLException("The connection no longer answers");
				}
			}
		}

		private void receive(PGNotification @Nullable [] notifications) {
			if (notifications != null) {
				for (PGNotification notification : notifications) {
					PostgresChannel.this.receiver
						.accept(SignalTexts.read(PostgresChannel.this.sender, notification.getParameter()));
				}
			}
		}

		/**
		 * Make up for signals missed before the connection was opened, or while it was
		 * lost.
		 */
		private void signalAllQueues() {
			List<String> queues = PostgresChannel.this.session.get()
				.read((statements) -> statements.query("select name from {queue}", (row, n) -> row.getString(1)));
			PostgresChannel.this.receiver.accept(queues.stream().map((queue) -> Signal.ready(queue, 0)).toList());
		}

		private void recovered() {
			if (this.faultLogged) {
				logger.info("Signals of other processes are received again");
			}
			this.faultLogged = false;
			this.pause = FIRST_PAUSE;
		}

		/**
		 * Return whether no connection can be opened, or the server is a standby, which
		 * every user of the store notices.
		 */
		private static boolean isOutage(Exception fault) {
			return SqlFault.of(fault) == SqlFault.READ_ONLY || (fault instanceof SQLException refused
					&& String.valueOf(refused.getSQLState()).startsWith("08"));
		}

		/**
		 * Log a fault, and its end, once within an interval. Further faults are counted.
		 */
		private void log(Exception fault) {
			if (isOutage(fault) || wasLogged()) {
				this.unlogged++;
				logger.debug("Signals of other processes cannot be received for now: {}", ErrorText.of(fault));
				return;
			}
			logger.warn("Signals of other processes cannot be received for now{}: {}",
					(this.unlogged > 0) ? " (" + this.unlogged + " faults since the last such line)" : "",
					ErrorText.of(fault));
			this.sinceLogged = new StopWatch();
			this.sinceLogged.start();
			this.unlogged = 0;
			this.faultLogged = true;
		}

		private boolean wasLogged() {
			StopWatch watch = this.sinceLogged;
			if (watch == null) {
				return false;
			}
			watch.stop();
			boolean recently = watch.getTotalTimeMillis() < LOG_INTERVAL.toMillis();
			watch.start();
			return recently;
		}

		private void failed(Exception fault) {
			log(fault);
			try {
				if (!this.stopped.await(this.pause.toMillis(), TimeUnit.MILLISECONDS)) {
					Duration next = this.pause.multipliedBy(2);
					this.pause = (next.compareTo(LONGEST_PAUSE) < 0) ? next : LONGEST_PAUSE;
				}
			}
			catch (InterruptedException ex) {
				this.stopped.countDown();
			}
		}

	}

}
