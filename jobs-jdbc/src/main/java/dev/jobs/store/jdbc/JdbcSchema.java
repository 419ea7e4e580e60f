package dev.jobs.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import dev.jobs.store.jdbc.sql.Tables;

import org.springframework.core.io.ClassPathResource;

/**
 * The statements that create the tables and bring them from one version to the next. Each
 * version is a file; its last statement records the version in {@code jobs_schema}.
 */
public final class JdbcSchema {

	/** The files in the order of their versions, the first is version 1. */
	private static final List<String> FILES = List.of("V1__jobs.sql", "V2__pages.sql");

	/** The version of the tables that this version of Jobs needs. */
	public static final int VERSION = FILES.size();

	private JdbcSchema() {
	}

	/**
	 * Return all statements for a database, each ended by a semicolon.
	 * @param database the database
	 * @param tablePrefix what the names of the tables begin with
	 * @return the statements
	 */
	public static String of(Database database, String tablePrefix) {
		return since(0, database, tablePrefix);
	}

	/**
	 * Return the statements that bring tables of a version to the one needed.
	 * @param version the version that the tables have, 0 for none
	 * @param database the database
	 * @param tablePrefix what the names of the tables begin with
	 * @return the statements; none if the tables have the version needed or a later one
	 */
	public static String since(int version, Database database, String tablePrefix) {
		return FILES.stream()
			.skip(version)
			.map((file) -> read(database.schemaLocation() + "/" + file, tablePrefix))
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Return the statements for the table of an outbox.
	 * @param database the database
	 * @param tablePrefix what the names of the tables begin with
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
	 * Check what the names of tables shall begin with. It becomes part of statements, so
	 * that nothing but names is let in.
	 * @param tablePrefix the prefix
	 * @throws IllegalArgumentException if it is not valid
	 */
	public static void requireValidPrefix(String tablePrefix) {
		new Tables(tablePrefix);
	}

}
