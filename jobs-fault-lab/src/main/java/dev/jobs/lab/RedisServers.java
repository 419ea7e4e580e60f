package dev.jobs.lab;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

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
	static ExecutableProvider executable() {
		String external = System.getProperty("jobs.lab.redis");
		return (external != null) ? () -> new File(external) : ExecutableProvider.newJarResourceProvider();
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
	 * Say something to a server, on a connection of its own.
	 */
	static void say(int port, Consumer<RedisCommands<String, String>> words) {
		RedisURI uri = RedisURI.create("127.0.0.1", port);
		uri.setTimeout(Duration.ofSeconds(5));
		try (RedisClient client = RedisClient.create(uri);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			words.accept(connection.sync());
		}
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
		StringBuilder facts = new StringBuilder();
		say(port, (commands) -> facts.append(commands.info("server")));
		return facts.toString()
			.lines()
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
	public String namespace() {
		return "lab";
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
			case DROP_CONNECTIONS -> say(this.port, RedisServers::drop);
			case FORGET_SCRIPTS -> say(this.port, (commands) -> commands.scriptFlush());
			default -> throw new IllegalArgumentException(fault.name());
		}
	}

	static void drop(RedisCommands<String, String> commands) {
		commands.clientKill(KillArgs.Builder.typeNormal().skipme());
		commands.clientKill(KillArgs.Builder.typePubsub());
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
