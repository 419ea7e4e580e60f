package dev.jobs.lab;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import dev.jobs.build.Ports;
import dev.jobs.store.contract.process.ServerClock;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.RedisServerBuilder;

/**
 * One Redis whose log is on the disk before it answers.
 */
final class RedisServers implements Servers {

	private static final RedisClient CLIENT = RedisClient.create();

	private static final File EXECUTABLE = extracted();

	private final Path directory;

	private final int port = Ports.reserve();

	private final @Nullable ServerClock clock;

	private RedisServer server;

	RedisServers(Path directory, @Nullable ServerClock clock) {
		this.directory = directory;
		this.clock = clock;
		this.server = start(this.port, settings(), clock);
	}

	private List<String> settings() {
		return List.of("save \"\"", "appendonly yes", "appendfsync always", "dir " + this.directory);
	}

	/**
	 * Return what servers are started from.
	 */
	/**
	 * Return the program, which is there before any process is started: one that is being
	 * written while another process starts cannot be run.
	 */
	static ExecutableProvider executable() {
		return () -> EXECUTABLE;
	}

	private static File extracted() {
		String external = System.getProperty("jobs.lab.redis");
		try {
			return (external != null) ? new File(external) : ExecutableProvider.newJarResourceProvider().get();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a server.
	 * @param clock the clock that it sees; {@code null} for that of the machine
	 */
	static RedisServer start(int port, List<String> settings, @Nullable ServerClock clock) {
		try {
			RedisServerBuilder builder = RedisServer.newRedisServer()
				.executableProvider((clock != null) ? () -> clock.starting(executable().get()) : executable())
				.port(port)
				.bind("127.0.0.1")
				.onShutdownForceStop(true);
			settings.forEach(builder::setting);
			RedisServer server = builder.build();
			server.start();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void stop(RedisServer server) {
		try {
			server.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ask a server something, on a connection of its own.
	 */
	static <T> T ask(int port, Function<RedisCommands<String, String>, T> question) {
		RedisURI uri = RedisURI.create("127.0.0.1", port);
		uri.setTimeout(Duration.ofSeconds(5));
		try (StatefulRedisConnection<String, String> connection = CLIENT.connect(uri)) {
			return question.apply(connection.sync());
		}
	}

	static boolean isMaster(int port) {
		return ask(port, (commands) -> commands.info("replication")).contains("role:master");
	}

	/**
	 * Return the process of a server.
	 */
	static ProcessHandle process(int port) {
		return ProcessHandle.of(Long.parseLong(fact(port, "process_id"))).orElseThrow();
	}

	/**
	 * Return which server it is, with its version.
	 */
	static String version(int port) {
		return "Redis " + fact(port, "redis_version");
	}

	private static String fact(int port, String name) {
		return ask(port, (commands) -> commands.info("server")).lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1).trim())
			.findFirst()
			.orElseThrow();
	}

	private volatile ProcessHandle frozen = ProcessHandle.current();

	@Override
	public String direct() {
		return through(this.port);
	}

	@Override
	public String version() {
		return version(this.port);
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String through(int port) {
		return "redis://127.0.0.1:" + port;
	}

	@Override
	public void inject(Fault fault) {
		switch (fault) {
			case RESTART_SERVER -> {
				ProcessHandle process = process(this.port);
				process.destroyForcibly();
				process.onExit().join();
				stop(this.server);
			}
			case FREEZE_SERVER -> {
				this.frozen = process(this.port);
				Signals.send(this.frozen, "STOP");
			}
			case DROP_CONNECTIONS -> drop(this.port);
			case FORGET_SCRIPTS -> ask(this.port, RedisCommands::scriptFlush);
			default -> throw new IllegalArgumentException(fault.name());
		}
	}

	/**
	 * Close the connections of all others.
	 */
	static void drop(int port) {
		ask(port, (commands) -> commands.clientKill(KillArgs.Builder.typeNormal().skipme())
				+ commands.clientKill(KillArgs.Builder.typePubsub()));
	}

	@Override
	public void heal(Fault fault) {
		switch (fault) {
			case RESTART_SERVER -> this.server = start(this.port, settings(), this.clock);
			case FREEZE_SERVER -> Signals.send(this.frozen, "CONT");
			default -> {
			}
		}
	}

	@Override
	public void close() {
		stop(this.server);
	}

}
