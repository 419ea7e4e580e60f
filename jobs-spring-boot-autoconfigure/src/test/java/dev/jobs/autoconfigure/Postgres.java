package dev.jobs.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * PostgreSQL servers for tests.
 */
public final class Postgres implements AutoCloseable {

	private final EmbeddedPostgres server;

	private Postgres(EmbeddedPostgres server) {
		this.server = server;
	}

	public static Postgres start() {
		return start(EmbeddedPostgres.builder());
	}

	public static Postgres startOn(int port) {
		return start(EmbeddedPostgres.builder().setPort(port));
	}

	private static Postgres start(EmbeddedPostgres.Builder builder) {
		try {
			return new Postgres(builder.setServerConfig("fsync", "off").start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Create a database.
	 * @return its URL, with all that is needed to get in
	 */
	public String createDatabase() {
		String name = "d" + UUID.randomUUID().toString().replace("-", "");
		new JdbcTemplate(this.server.getPostgresDatabase()).execute("create database " + name);
		return this.server.getJdbcUrl("postgres", name);
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
