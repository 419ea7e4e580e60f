package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A long transaction on PostgreSQL that does not concern the jobs.
 */
enum LongTransaction {

	/** Only reads, such as a backup. */
	READS {

		@Override
		void write(Statement statement, String name) throws SQLException {
			statement.execute("select count(*) from " + name + "job");
		}

	},

	/** Has written to another table, such as an import or a migration. */
	HAS_WRITTEN {

		@Override
		void write(Statement statement, String name) throws SQLException {
			statement.execute("insert into " + name + "other values (1)");
		}

	},

	/** Has written to another table and waits for the second phase of its commit. */
	IS_PREPARED {

		@Override
		void write(Statement statement, String name) throws SQLException {
			HAS_WRITTEN.write(statement, name);
			statement.execute("prepare transaction '" + name + "'");
		}

		@Override
		void end(Statement statement, String name) throws SQLException {
			statement.getConnection().setAutoCommit(true);
			statement.execute("rollback prepared '" + name + "'");
		}

	};

	abstract void write(Statement statement, String name) throws SQLException;

	void end(Statement statement, String name) throws SQLException {
		statement.getConnection().rollback();
		statement.getConnection().setAutoCommit(true);
	}

	/**
	 * Begin it.
	 * @param name what the names of its table and of the jobs begin with
	 * @return what ends it
	 */
	AutoCloseable begin(String name) throws SQLException {
		Connection connection = TestDatabase.POSTGRESQL.dataSource().getConnection();
		Statement statement = connection.createStatement();
		statement.execute("create table " + name + "other (number integer)");
		connection.setAutoCommit(false);
		connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		write(statement, name);
		return () -> {
			try (connection; statement) {
				end(statement, name);
				statement.execute("drop table " + name + "other");
			}
		};
	}

}
