package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.postgres.PostgresChannel;
import dev.jobs.store.jdbc.sql.SqlFault;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Tries whether a pooler between here and PostgreSQL mixes up prepared statements. These
 * include the statements that begin and commit transactions: with such a pooler an
 * enqueue may be acknowledged but never committed. Two clients prepare a statement each,
 * and one of them keeps the server connection that the other has used.
 */
public final class PoolerTrial {

	private static final Logger logger = LoggerFactory.getLogger(PoolerTrial.class);

	/** Enough to make a lucky result unlikely while others take and leave connections. */
	private static final int ROUNDS = 50;

	/** A trial may end early if the machine or the pooler is slow. */
	private static final int TRIALS = 2;

	/** A pooler may have a single server connection for both. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private PoolerTrial() {
	}

	/**
	 * Return whether statements are mixed up. Without a pooler this takes one statement.
	 * @param engine where the engine gets its connections
	 * @param application where the application gets its own, which may be the same
	 * @throws CannotGetJdbcConnectionException if the database cannot be reached
	 */
	public static boolean mixesUpStatements(DataSource engine, DataSource application) {
		if (!PostgresChannel.hasDriver()) {
			return false;
		}
		Boolean found = null;
		for (int trial = 0; trial < TRIALS && found == null; trial++) {
			try (Connection first = engine.getConnection()) {
				found = isPooled(first) ? mixesUp(first, application) : Boolean.FALSE;
			}
			catch (SQLException ex) {
				// A connection that cannot be returned fails here, too.
				found = isMixUp(ex) ? Boolean.TRUE : found;
				if (found == null) {
					throw new CannotGetJdbcConnectionException("The database cannot be asked for a pooler", ex);
				}
			}
		}
		if (found == null) {
			logger
				.warn("It is not known whether the pooler before PostgreSQL mixes up prepared statements, since trying "
						+ "it failed, as the level DEBUG shows. If it does, acknowledged jobs may be lost; "
						+ "prepareThreshold=0 in the URL rules that out");
		}
		return Boolean.TRUE.equals(found);
	}

	/**
	 * Return whether something failed because a pooler gave prepared statements to the
	 * wrong connections.
	 * @param thrown what was thrown
	 */
	public static boolean isMixUp(Throwable thrown) {
		return SqlFault.of(thrown) == SqlFault.POOLED;
	}

	/**
	 * Return whether statements get names and the replying server process is not the one
	 * that the connection was opened to.
	 */
	private static boolean isPooled(Connection connection) throws SQLException {
		if (!connection.isWrapperFor(PGConnection.class)) {
			return false;
		}
		PGConnection driver = connection.unwrap(PGConnection.class);
		if (driver.getPrepareThreshold() == 0) {
			return false;
		}
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
			return row.next() && row.getInt(1) != driver.getBackendPID();
		}
	}

	/**
	 * Return whether statements are mixed up, or {@code null} if the trial ended before
	 * it was known.
	 */
	private static @Nullable Boolean mixesUp(Connection first, DataSource application) {
		try (Connection second = application.getConnection();
				Client one = new Client(first);
				Client other = new Client(second)) {
			for (int round = 0; round < ROUNDS; round++) {
				int before = one.ask();
				one.commit();
				other.ask();
				int after = one.ask();
				one.commit();
				other.commit();
				if (after != before) {
					return false;
				}
			}
			return false;
		}
		catch (MixedUpException ex) {
			return true;
		}
		catch (SQLException ex) {
			logger.debug("The trial of a pooler ended early", ErrorText.loggable(ex));
			return isMixUp(ex) ? Boolean.TRUE : null;
		}
	}

	/**
	 * A client whose statement has a name from its first run on, and a number that no
	 * earlier client has left in a connection of the pooler.
	 */
	private static final class Client implements AutoCloseable {

		private final Connection connection;

		private final int number;

		private final int timeout;

		private final boolean autoCommit;

		private final PreparedStatement statement;

		private Client(Connection connection) throws SQLException {
			this.connection = connection;
			this.number = connection.unwrap(PGConnection.class).getBackendPID();
			this.timeout = connection.getNetworkTimeout();
			this.autoCommit = connection.getAutoCommit();
			connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
			connection.setAutoCommit(false);
			this.statement = connection.prepareStatement("select pg_backend_pid(), " + this.number);
			this.statement.unwrap(PGStatement.class).setPrepareThreshold(1);
		}

		/**
		 * Return the server process that replies, in a transaction that stays open.
		 * Outside a transaction the driver repeats what failed.
		 */
		private int ask() throws SQLException, MixedUpException {
			try (ResultSet row = this.statement.executeQuery()) {
				if (row.getMetaData().getColumnCount() != 2 || !row.next() || row.getInt(2) != this.number) {
					throw new MixedUpException();
				}
				return row.getInt(1);
			}
		}

		private void commit() throws SQLException {
			this.connection.commit();
		}

		/** A fault here does not matter: the connection is closed or returned next. */
		@Override
		public void close() {
			attempt(this.statement::close);
			attempt(this.connection::rollback);
			attempt(() -> this.connection.setAutoCommit(this.autoCommit));
			attempt(() -> this.connection.setNetworkTimeout(Runnable::run, this.timeout));
		}

		private static void attempt(Step step) {
			try {
				step.run();
			}
			catch (SQLException ex) {
				logger.debug("A connection could not be restored", ErrorText.loggable(ex));
			}
		}

	}

	@FunctionalInterface
	private interface Step {

		void run() throws SQLException;

	}

	@SuppressWarnings("serial")
	private static final class MixedUpException extends Exception {

		MixedUpException() {
			super("The reply was that of another statement");
		}

	}

}
