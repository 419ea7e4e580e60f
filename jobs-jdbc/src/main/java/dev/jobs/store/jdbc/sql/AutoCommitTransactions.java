package dev.jobs.store.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Provides a connection, other than the calling thread's, on which each statement commits
 * itself. If the pool's connections do not, there is a commit at the end.
 */
@SuppressWarnings("serial")
final class AutoCommitTransactions extends DataSourceTransactionManager {

	private final Source source;

	AutoCommitTransactions(Source source) {
		super(source);
		this.source = source;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		super.doBegin(transaction, definition);
		if (this.source.needsCommit) {
			return;
		}
		try {
			((JdbcTransactionObjectSupport) transaction).getConnectionHolder().getConnection().setAutoCommit(true);
		}
		catch (SQLException ex) {
			doCleanupAfterCompletion(transaction);
			throw new CannotCreateTransactionException("The connection was lost", ex);
		}
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		if (this.source.needsCommit) {
			super.doCommit(status);
		}
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		if (this.source.needsCommit) {
			super.doRollback(status);
		}
	}

	/**
	 * Provides connections outside the application's transactions, and learns whether
	 * they commit each statement.
	 */
	static final class Source extends DelegatingDataSource {

		private volatile boolean needsCommit;

		Source(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			try {
				this.needsCommit = !connection.getAutoCommit();
				return connection;
			}
			catch (SQLException ex) {
				connection.close();
				throw ex;
			}
		}

	}

}
