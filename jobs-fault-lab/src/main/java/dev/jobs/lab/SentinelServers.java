package dev.jobs.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.build.Ports;
import dev.jobs.store.contract.process.ServerClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;

/**
 * A Redis and its replica, watched by a sentinel.
 */
final class SentinelServers implements Servers {

	private static final Duration LONG = Duration.ofSeconds(40);

	private final Path directory;

	private final @Nullable ServerClock clock;

	private final Map<Integer, RedisServer> servers = new HashMap<>();

	private final RedisClient client = RedisClient.create();

	private final int port = Ports.reserve();

	private final RedisSentinel sentinel;

	private final StatefulRedisSentinelConnection<String, String> connection;

	private volatile ProcessHandle frozen = ProcessHandle.current();

	SentinelServers(Path directory, @Nullable ServerClock clock) {
		this.directory = directory;
		this.clock = clock;
		int master = start(Ports.reserve());
		int replica = start(Ports.reserve());
		RedisServers.ask(replica, (commands) -> commands.replicaof("127.0.0.1", master));
		try {
			this.sentinel = RedisSentinel.newRedisSentinel()
				.executableProvider(RedisServers.executable())
				.bind("127.0.0.1")
				.port(this.port)
				.masterName(Stores.SENTINEL_NAME)
				.masterPort(master)
				.quorumSize(1)
				.downAfterMilliseconds(2500)
				.failOverTimeout(3000)
				.parallelSyncs(1)
				.onShutdownForceStop(true)
				.build();
			this.sentinel.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.connection = this.client.connectSentinel(RedisURI.create("127.0.0.1", this.port));
		awaitReplica();
	}

	private int start(int port) {
		this.servers.put(port, RedisServers.start(port,
				List.of("save \"\"", "appendonly yes", "appendfilename node-" + port + ".aof",
						"dbfilename node-" + port + ".rdb", "repl-diskless-sync yes", "repl-diskless-sync-delay 0",
						"repl-ping-replica-period 1", "dir " + this.directory),
				this.clock));
		return port;
	}

	private int master() {
		return Integer.parseInt(this.connection.sync().master(Stores.SENTINEL_NAME).get("port"));
	}

	private int other(int master) {
		return this.servers.keySet().stream().filter((port) -> port != master).findFirst().orElseThrow();
	}

	/**
	 * Wait until the other server has all that the master has and the sentinel knows so.
	 */
	private void awaitReplica() {
		Patience.await("the replica", LONG,
				() -> this.connection.sync()
					.replicas(Stores.SENTINEL_NAME)
					.stream()
					.anyMatch((replica) -> "ok".equals(replica.get("master-link-status"))
							&& "slave".equals(replica.get("flags"))));
	}

	private void awaitMaster(int port) {
		Patience.await("the new master", LONG, () -> RedisServers.isMaster(port) && master() == port);
	}

	@Override
	public String direct() {
		return "sentinel://127.0.0.1:" + this.port;
	}

	@Override
	public String version() {
		return RedisServers.version(master());
	}

	@Override
	public void inject(Fault fault) {
		int master = master();
		switch (fault) {
			case FAIL_OVER -> {
				this.connection.sync().failover(Stores.SENTINEL_NAME);
				awaitMaster(other(master));
			}
			case KILL_MASTER -> {
				RedisServers.stop(Objects.requireNonNull(this.servers.get(master)));
				awaitMaster(other(master));
				start(master);
			}
			case FREEZE_SERVER -> {
				this.frozen = RedisServers.process(master);
				Signals.send(this.frozen, "STOP");
				awaitMaster(other(master));
			}
			case DROP_CONNECTIONS -> RedisServers.drop(master);
			case FORGET_SCRIPTS -> RedisServers.ask(master, RedisCommands::scriptFlush);
			default -> throw new IllegalArgumentException(fault.name());
		}
	}

	@Override
	public void heal(Fault fault) {
		switch (fault) {
			case FAIL_OVER, KILL_MASTER -> awaitReplica();
			case FREEZE_SERVER -> {
				// It takes writes as a master until the sentinel makes it a replica.
				Signals.send(this.frozen, "CONT");
				awaitReplica();
			}
			default -> {
			}
		}
	}

	@Override
	public void close() {
		this.connection.closeAsync();
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		try {
			this.sentinel.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.servers.values().forEach(RedisServers::stop);
		}
	}

}
