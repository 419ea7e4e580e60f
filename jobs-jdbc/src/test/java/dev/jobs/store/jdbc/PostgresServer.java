package dev.jobs.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;

/**
 * A server that a test may kill and start again with what it had, as durable as servers
 * are by default.
 */
final class PostgresServer implements AutoCloseable {

	private final Path directory;

	private EmbeddedPostgres running;

	private int port;

	/**
	 * Start a server.
	 * @param directory where its data is kept
	 */
	PostgresServer(Path directory) {
		this.directory = directory;
		start();
	}

	/**
	 * Start the server again after it was killed.
	 */
	void start() {
		Awaitility.await("the start of the server")
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptions()
			.until(() -> {
				this.running = open();
				return true;
			});
		this.port = this.running.getPort();
	}

	private EmbeddedPostgres open() throws IOException {
		return EmbeddedPostgres.builder()
			.setDataDirectory(this.directory)
			.setCleanDataDirectory(false)
			.setPort(this.port)
			.setServerConfig("max_connections", "60")
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.start();
	}

	/**
	 * Kill the server, which has no time for anything.
	 */
	void kill() {
		ProcessHandle postmaster = ProcessHandle.of(pid()).orElseThrow();
		postmaster.destroyForcibly();
		postmaster.onExit().join();
		close();
	}

	private long pid() {
		try {
			return Long.parseLong(Files.readAllLines(this.directory.resolve("postmaster.pid")).get(0).trim());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.port;
	}

	static String url(int port) {
		return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres&connectTimeout=2&loginTimeout=2";
	}

	@Override
	public void close() {
		try {
			this.running.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
