package dev.jobs.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;

import dev.jobs.build.Ports;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that a test may kill and start again with its data, with default durability.
 * Its programs are those of the system.
 */
final class MariadbServer implements AutoCloseable {

	private static final String USER = System.getProperty("user.name");

	private final Path directory;

	private final Path log;

	private final int port = Ports.reserve();

	private Process running;

	/**
	 * Start a server.
	 * @param directory where its data is kept
	 */
	MariadbServer(Path directory) throws IOException, InterruptedException {
		this.directory = directory;
		this.log = directory.resolve("log");
		Files.writeString(directory.resolve("init.sql"),
				"create database if not exists jobs;\n"
						+ "create user if not exists jobs@'127.0.0.1' identified by 'jobs';\n"
						+ "grant all on jobs.* to jobs@'127.0.0.1';\n");
		assertThat(run("mariadb-install-db", "--skip-test-db").waitFor()).as("see %s", this.log).isZero();
		start();
	}

	/**
	 * Start the server, maybe again after it was killed.
	 */
	void start() throws IOException {
		this.running = run("mariadbd", "--port=" + this.port, "--bind-address=127.0.0.1",
				"--socket=" + this.directory.resolve("socket"), "--pid-file=" + this.directory.resolve("pid"),
				"--init-file=" + this.directory.resolve("init.sql"));
		Awaitility.await("the start of the server")
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptions()
			.until(() -> {
				try (Connection connection = DriverManager.getConnection(url())) {
					return connection.isValid(2);
				}
			});
	}

	private Process run(String program, String... arguments) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(program, "--no-defaults",
				"--datadir=" + this.directory.resolve("data"), "--user=" + USER);
		builder.command().addAll(List.of(arguments));
		return builder.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.log.toFile()))
			.start();
	}

	/**
	 * Kill the server, which has no time for anything.
	 */
	void kill() throws InterruptedException {
		this.running.destroyForcibly().waitFor();
	}

	String url() {
		return "jdbc:mariadb://127.0.0.1:" + this.port + "/jobs?user=jobs&password=jobs&connectTimeout=2000";
	}

	@Override
	public void close() throws InterruptedException {
		kill();
	}

}
