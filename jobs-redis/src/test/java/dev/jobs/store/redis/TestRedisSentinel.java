package dev.jobs.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.build.Ports;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;

/**
 * A master, its replica and a sentinel that watches them. The shared ones are for tests
 * that break nothing.
 */
final class TestRedisSentinel implements AutoCloseable {

	private static final String NAME = "jobs";

	private final Path directory = createDirectory();

	private final RedisClient client = TestRedis.nodeClient();

	private final Map<Integer, RedisServer> servers = new TreeMap<>();

	private final Map<Integer, StatefulRedisConnection<String, String>> connections = new TreeMap<>();

	private final int master;

	private final int replica;

	private final int port;

	private final RedisSentinel sentinel;

	private final StatefulRedisSentinelConnection<String, String> connection;

	/**
	 * Start all and wait until the sentinel knows of the replica.
	 * @param settings settings of both servers
	 */
	TestRedisSentinel(String... settings) {
		this.master = startServer(settings);
		this.replica = startServer(settings);
		node(this.replica).replicaof("127.0.0.1", this.master);
		TestRedisCluster.await("replication",
				() -> node(this.replica).info("replication").contains("master_link_status:up"));
		this.port = Ports.reserve();
		this.sentinel = startSentinel();
		this.connection = this.client.connectSentinel(RedisURI.create("127.0.0.1", this.port));
		TestRedisCluster.await("the sentinel",
				() -> sentinel().replicas(NAME)
					.stream()
					.anyMatch((replica) -> "ok".equals(replica.get("master-link-status"))));
	}

	/**
	 * Return the ones that tests share, started at the first use.
	 */
	static TestRedisSentinel shared() {
		return Shared.SENTINEL;
	}

	private static Path createDirectory() {
		try {
			return Files.createTempDirectory("jobs-redis-sentinel");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private int startServer(String... settings) {
		int port = Ports.reserve();
		List<String> all = new ArrayList<>(List.of(settings));
		all.addAll(List.of("save \"\"", "appendonly no", "repl-diskless-sync yes", "repl-diskless-sync-delay 0",
				"repl-ping-replica-period 1", "dir " + this.directory));
		this.servers.put(port, TestRedis.start(port, all));
		return port;
	}

	private RedisSentinel startSentinel() {
		RedisSentinel sentinel = RedisSentinel.newRedisSentinel()
			.executableProvider(TestRedis.executable())
			.bind("127.0.0.1")
			.port(this.port)
			.masterName(NAME)
			.masterPort(this.master)
			.quorumSize(1)
			.downAfterMilliseconds(1000)
			.failOverTimeout(10_000)
			.parallelSyncs(1)
			.onShutdownForceStop(true)
			.build();
		try {
			sentinel.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return sentinel;
	}

	/**
	 * Return a new connection factory that asks the sentinel.
	 */
	LettuceConnectionFactory connect() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(NAME)
			.sentinel("127.0.0.1", this.port);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Return the port of the first master, whatever became of it.
	 */
	int master() {
		return this.master;
	}

	/**
	 * Return the port of the first replica.
	 */
	int replica() {
		return this.replica;
	}

	synchronized RedisCommands<String, String> node(int port) {
		// A server that changes its role may close all connections.
		return this.connections.compute(port, (key, known) -> (known != null && known.isOpen()) ? known
				: this.client.connect(RedisURI.create("127.0.0.1", key)))
			.sync();
	}

	RedisSentinelCommands<String, String> sentinel() {
		return this.connection.sync();
	}

	/**
	 * Have the sentinel make the replica the master.
	 */
	void failOver() {
		sentinel().failover(NAME);
	}

	/**
	 * Have the replica receive nothing more, while the sentinel still deems it fit.
	 */
	void cutReplication() {
		// The master has no password, so it refuses this one and with it the replica.
		node(this.replica).configSet("masterauth", "wrong");
		node(this.master).clientKill(KillArgs.Builder.typeSlave());
		TestRedisCluster.await("the cut",
				() -> node(this.replica).info("replication").contains("master_link_status:down"));
	}

	/**
	 * Kill the first master as by {@code kill -9}.
	 */
	void killMaster() {
		TestRedis.stop(this.servers.get(this.master));
	}

	/**
	 * Wait until the first replica is the master.
	 */
	void awaitFailover() {
		TestRedisCluster.await("the failover", () -> node(this.replica).info("replication").contains("role:master"));
	}

	@Override
	public void close() {
		try {
			this.connection.closeAsync();
			this.connections.values().forEach(StatefulRedisConnection::closeAsync);
			this.sentinel.stop();
			this.servers.values().forEach(TestRedis::stop);
			this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Shared {

		private static final TestRedisSentinel SENTINEL = start();

		private static TestRedisSentinel start() {
			TestRedisSentinel sentinel = new TestRedisSentinel();
			Runtime.getRuntime().addShutdownHook(new Thread(sentinel::close));
			return sentinel;
		}

	}

}
