package dev.jobs.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.jobs.store.contract.process.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * A process under test as the lab sees it, with its own network.
 */
final class Subject implements AutoCloseable {

	private final String name;

	private final Process process;

	private final Path ledger;

	private final Path output;

	private final @Nullable TcpProxy network;

	private long clock;

	private Subject(String name, Process process, Path directory, @Nullable TcpProxy network) {
		this.name = name;
		this.process = process;
		this.ledger = directory.resolve(name + ".ledger");
		this.output = directory.resolve(name + ".out");
		this.network = network;
	}

	/**
	 * Start a process.
	 * @param name its name
	 * @param directory where its ledger and its output are kept
	 * @param servers the servers
	 * @param arguments the other arguments, see {@link SubjectMain}
	 */
	static Subject start(String name, Path directory, Servers servers, List<String> arguments) {
		TcpProxy network = (servers.port() > 0) ? new TcpProxy(servers.port()) : null;
		String server = (network != null) ? servers.through(network.port()) : servers.direct();
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m", "-Xss256k",
				"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", SubjectMain.class.getName(),
				"name=" + name, "directory=" + directory, "server=" + server, "namespace=" + servers.namespace()));
		command.addAll(arguments);
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(directory.resolve(name + ".out").toFile());
			builder.environment()
				.put("CLASSPATH",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
			return new Subject(name, builder.start(), directory, network);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String name() {
		return this.name;
	}

	/**
	 * Return its network.
	 */
	TcpProxy network() {
		if (this.network == null) {
			throw new IllegalStateException("The servers announce their own addresses");
		}
		return this.network;
	}

	/**
	 * Return whether it is ready.
	 * @throws IllegalStateException if it has ended, with what it said
	 */
	boolean isUp() {
		try {
			if (!this.process.isAlive()) {
				throw new IllegalStateException(this.name + " has ended: " + Files.readString(this.output));
			}
			return Files.exists(this.ledger) && Files.readString(this.ledger).contains(" UP\n");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return whether the process runs.
	 */
	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Return how far off its clock was set, in milliseconds.
	 */
	long clock() {
		return this.clock;
	}

	void setClock(long offsetMillis) {
		this.clock = offsetMillis;
		try {
			this.process.getOutputStream().write(("clock " + offsetMillis + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void freeze() {
		Signals.send(this.process.toHandle(), "STOP");
	}

	void thaw() {
		Signals.send(this.process.toHandle(), "CONT");
	}

	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
		closeNetwork();
	}

	/**
	 * Ask the process to end.
	 * @return whether it did so in time
	 */
	boolean stop() {
		// Process.destroy() would close the input of the process, too, which ends it at
		// once.
		Signals.send(this.process.toHandle(), "TERM");
		try {
			boolean ended = this.process.waitFor(30, TimeUnit.SECONDS);
			kill();
			return ended;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			kill();
			return false;
		}
	}

	private void closeNetwork() {
		if (this.network != null) {
			this.network.close();
		}
	}

	@Override
	public void close() {
		kill();
	}

}
