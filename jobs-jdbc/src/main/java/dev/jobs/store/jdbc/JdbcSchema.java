package dev.jobs.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import dev.jobs.store.jdbc.sql.Tables;

import org.springframework.core.io.ClassPathResource;

/**
 * The statements that create the tables. The last one records their version in
 * {@code jobs_schema}.
 */
public final class JdbcSchema {

	/** The version of the tables that this version of Jobs needs. */
	public static final int VERSION = 1;

	private JdbcSchema() {
	}

	/**
	 * Return the statements for a database, each ended by a semicolon.
	 * @param database the database
	 * @param tablePrefix the prefix of the tables
	 * @return the statements
	 */
	public static String of(Database database, String tablePrefix) {
		return read(database.schemaLocation() + "/V1__jobs.sql", tablePrefix);
	}

	/**
	 * Return the statements for the tables of an outbox: its jobs, and the marks of
	 * steps.
	 * @param database the database
	 * @param tablePrefix the prefix of the tables
	 * @return the statements
	 */
	public static String ofOutbox(Database database, String tablePrefix) {
		return read(database.outboxResource(), tablePrefix);
	}

	private static String read(String name, String tablePrefix) {
		Tables tables = new Tables(tablePrefix);
		try {
			ClassPathResource resource = new ClassPathResource(name, JdbcSchema.class.getClassLoader());
			return tables.inSchema(resource.getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Check a prefix of tables. It becomes part of statements, so only names are allowed.
	 * @param tablePrefix the prefix
	 * @throws IllegalArgumentException if it is not valid
	 */
	public static void requireValidPrefix(String tablePrefix) {
		new Tables(tablePrefix);
	}

}
