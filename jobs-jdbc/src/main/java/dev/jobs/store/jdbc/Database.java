package dev.jobs.store.jdbc;

import java.util.Locale;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.plain.PlainCalls;
import dev.jobs.store.jdbc.plain.PlainDialect;
import dev.jobs.store.jdbc.postgres.PostgresCalls;
import dev.jobs.store.jdbc.postgres.PostgresDialect;
import dev.jobs.store.jdbc.sql.Dialect;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * The databases that can keep jobs.
 */
public enum Database {

	/** PostgreSQL 13 or later. */
	POSTGRESQL(new PostgresDialect()),

	/** H2 2.2 or later. */
	H2(PlainDialect.h2()),

	/** SQLite 3.37 or later. */
	SQLITE(PlainDialect.sqlite()),

	/** MariaDB 10.6 or later. */
	MARIADB(PlainDialect.mariadb());

	private final Dialect dialect;

	Database(Dialect dialect) {
		this.dialect = dialect;
	}

	/**
	 * Find out the database of a data source. The drivers of MariaDB and MySQL reach
	 * servers of both, so the version decides.
	 * @param dataSource the data source, whose database must be up
	 * @return the database
	 * @throws IllegalArgumentException if it cannot keep jobs
	 */
	public static Database of(DataSource dataSource) {
		String product;
		try {
			product = JdbcUtils.extractDatabaseMetaData(dataSource,
					(data) -> data.getDatabaseProductVersion().contains("MariaDB") ? "MariaDB"
							: data.getDatabaseProductName());
		}
		catch (MetaDataAccessException ex) {
			throw JobStoreException.refused("The database cannot be reached: " + ex.getMessage(), ex, true);
		}
		return named(product);
	}

	/**
	 * Find a database by its name in the driver or the URL.
	 * @param name the name
	 * @return the database
	 * @throws IllegalArgumentException if it cannot keep jobs
	 */
	public static Database named(String name) {
		return switch (name.toLowerCase(Locale.ROOT)) {
			case "postgresql" -> POSTGRESQL;
			case "h2" -> H2;
			case "sqlite" -> SQLITE;
			case "mariadb" -> MARIADB;
			default -> throw new IllegalArgumentException(
					"Jobs cannot be kept in " + name + ", only in PostgreSQL, MariaDB, H2 and SQLite");
		};
	}

	/**
	 * Return the dialect of this database.
	 */
	Dialect dialect() {
		return this.dialect;
	}

	/**
	 * Return the calls of a store on this database.
	 */
	DatabaseCalls calls() {
		return (this == POSTGRESQL) ? new PostgresCalls() : new PlainCalls();
	}

	/**
	 * Return the folder of the files that create the tables, one for each version.
	 * @return the folder on the classpath, without a slash at its end
	 */
	public String schemaLocation() {
		return "dev/jobs/store/jdbc/migration/" + name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the file with the statements that create the tables of an outbox.
	 * @return the name of a resource on the classpath
	 */
	public String outboxResource() {
		return "dev/jobs/store/jdbc/outbox-" + name().toLowerCase(Locale.ROOT) + ".sql";
	}

}
