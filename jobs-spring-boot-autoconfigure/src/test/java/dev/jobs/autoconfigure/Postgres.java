package dev.jobs.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

import dev.jobs.build.Ports;

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
		return start(EmbeddedPostgres.builder().setPort(Ports.reserve()));
	}

	public static Postgres startOn(int port) {
		return start(EmbeddedPostgres.builder().setPort(port));
	}

	/**
	 * Start a standby that has all of another server, which is stopped for that and
	 * leaves its files.
	 * @param directory where the other server keeps its files
	 */
	public static Postgres startStandby(Path directory) {
		try {
			Files.createFile(directory.resolve("standby.signal"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return startIn(directory);
	}

	/**
	 * Start a server that leaves its files behind.
	 */
	public static Postgres startIn(Path directory) {
		return start(EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setDataDirectory(directory)
			.setCleanDataDirectory(false));
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
		admin().execute("create database " + name);
		return url(name);
	}

	public int port() {
		return this.server.getPort();
	}

	/**
	 * Return the URL of a database, with all that is needed to get in.
	 */
	public String url(String database) {
		return this.server.getJdbcUrl("postgres", database);
	}

	/**
	 * Refuse all that writes, as a server does during a failover, or end that.
	 */
	public void readOnly(boolean readOnly) {
		admin().execute("alter system set default_transaction_read_only = " + (readOnly ? "on" : "off"));
		admin().execute("select pg_reload_conf()");
	}

	/**
	 * Make the primary of a standby.
	 */
	public void promote() {
		admin().execute("select pg_promote()");
	}

	private JdbcTemplate admin() {
		return new JdbcTemplate(this.server.getPostgresDatabase());
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
