package dev.jobs.store.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Finds the calling thread's transaction on a data source. Transaction managers for JDBC
 * and JPA bind its connection to the thread.
 */
public final class CallerTransaction {

	private final DataSource target;

	public CallerTransaction(DataSource dataSource) {
		this.target = target(dataSource);
	}

	/**
	 * Return a data source that provides separate connections even within a transaction.
	 */
	static DataSource withoutProxy(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? withoutProxy(proxy.getTargetDataSource()) : dataSource;
	}

	/**
	 * Return the data source under which the transaction's connection is bound: the given
	 * one, or one that wraps it.
	 * @return the data source, or {@code null} if it has no transaction or a read-only
	 * one
	 */
	public @Nullable DataSource find() {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			return null;
		}
		for (Map.Entry<Object, Object> bound : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (bound.getKey() instanceof DataSource dataSource && bound.getValue() instanceof ConnectionHolder
					&& target(dataSource) == this.target && takesPart(dataSource) && !isCommitted()) {
				return dataSource;
			}
		}
		return null;
	}

	private static DataSource target(DataSource dataSource) {
		return (dataSource instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null)
				? target(wrapper.getTargetDataSource()) : dataSource;
	}

	/**
	 * Return whether the bound connection waits for a commit. It may also be bound only
	 * because it was used while another data source has the transaction.
	 */
	private static boolean takesPart(DataSource dataSource) {
		Connection connection = null;
		try {
			connection = DataSourceUtils.getConnection(dataSource);
			return !connection.getAutoCommit();
		}
		catch (CannotGetJdbcConnectionException | SQLException ex) {
			throw JobStoreException.refused("The connection of the transaction failed: " + ex.getMessage(), ex, true);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, dataSource);
		}
	}

	/**
	 * Return whether this is a callback after the commit. The transaction still looks
	 * active then, but writes would no longer be committed.
	 */
	private static boolean isCommitted() {
		String type = TransactionSynchronizationUtils.class.getName();
		return StackWalker.getInstance()
			.walk((frames) -> frames.anyMatch(
					(frame) -> frame.getMethodName().equals("invokeAfterCommit") && frame.getClassName().equals(type)));
	}

}
