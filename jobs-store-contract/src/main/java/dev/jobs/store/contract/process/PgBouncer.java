package dev.jobs.store.contract.process;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * A PgBouncer in front of a PostgreSQL of this machine. The environment variable
 * {@code JOBS_TEST_PGBOUNCER} is its executable.
 */
public final class PgBouncer implements AutoCloseable {

	private final Process process;

	private final Socket reserved;

	private PgBouncer(Process process, Socket reserved) {
		this.process = process;
		this.reserved = reserved;
	}

	/**
	 * Start one and wait until it listens.
	 * @param directory where its files may be
	 * @param server the port of the server
	 * @param mode its {@code pool_mode}
	 * @param connections how many connections to the server it opens
	 */
	public static PgBouncer start(Path directory, int server, String mode, int connections) throws IOException {
		Socket reserved = TcpProxy.reserve();
		int port = reserved.getLocalPort();
		Path configuration = directory.resolve("pgbouncer.ini");
		Files.writeString(configuration, """
				[databases]
				* = host=127.0.0.1 port=%d user=postgres
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = any
				pool_mode = %s
				default_pool_size = %d
				ignore_startup_parameters = extra_float_digits
				""".formatted(server, port, mode, connections));
		directory.toFile().setExecutable(true, false);
		directory.toFile().setReadable(true, false);
		List<String> command = new ArrayList<>(List.of(System.getenv("JOBS_TEST_PGBOUNCER")));
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(List.of("-u", "nobody"));
		}
		command.add(configuration.toString());
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve("log").toFile())
			.start();
		Awaitility.await("the pooler").atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
			new Socket("127.0.0.1", port).close();
			return true;
		});
		return new PgBouncer(process, reserved);
	}

	/**
	 * Return the URL of a database behind it.
	 * @param database the name of the database
	 * @param parameters further parameters, each with an ampersand before it
	 */
	public String url(String database, String parameters) {
		return "jdbc:postgresql://127.0.0.1:" + this.reserved.getLocalPort() + "/" + database + "?user=postgres"
				+ parameters;
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
		TcpProxy.close(this.reserved);
	}

}
