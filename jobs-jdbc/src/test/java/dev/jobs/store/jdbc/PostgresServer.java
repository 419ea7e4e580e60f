package dev.jobs.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import dev.jobs.store.contract.process.ServerClock;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A server that a test may kill and start again with its data, with default durability.
 */
final class PostgresServer implements AutoCloseable {

	/** Its programs may have to be unpacked on a busy machine. */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Path directory;

	private final @Nullable ServerClock clock;

	private EmbeddedPostgres running;

	private int port;

	/**
	 * Start a server.
	 * @param directory where its data is kept
	 */
	PostgresServer(Path directory) {
		this(directory, null);
	}

	/**
	 * Start a server.
	 * @param directory where its data is kept, with its programs beside it
	 * @param clock the clock that it sees; {@code null} for that of the machine
	 */
	PostgresServer(Path directory, @Nullable ServerClock clock) {
		this.directory = directory;
		this.clock = clock;
		start();
		if (clock != null) {
			close();
			clock.wrap(programs(), Path.of("bin", "postgres"));
			start();
		}
	}

	private Path programs() {
		return this.directory.resolveSibling("programs");
	}

	/**
	 * Start the server again after it was killed.
	 */
	void start() {
		Awaitility.await("the start of the server")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptions()
			.until(() -> {
				this.running = open();
				return true;
			});
		this.port = this.running.getPort();
	}

	private EmbeddedPostgres open() throws IOException {
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
		if (this.clock != null) {
			// Programs of its own.
			builder.setPgBinaryResolver(DefaultPostgresBinaryResolver.INSTANCE::getPgBinary)
				.setOverrideWorkingDirectory(programs().toFile());
		}
		return builder.setDataDirectory(this.directory)
			.setCleanDataDirectory(false)
			.setPort(this.port)
			.setPGStartupWait(PATIENCE)
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
