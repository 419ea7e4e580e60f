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
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import dev.jobs.JobStoreException;
import dev.jobs.build.Ports;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisServer;

/**
 * A Redis Cluster of its own processes, each with an equal share of the slots. The shared
 * one is for tests that break nothing.
 */
final class TestRedisCluster implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private final Path directory = createDirectory();

	private final RedisClient client = TestRedis.nodeClient();

	private final Map<Integer, RedisServer> servers = new TreeMap<>();

	private final Map<Integer, StatefulRedisConnection<String, String>> connections = new TreeMap<>();

	private final List<Integer> masters;

	private final List<Integer> replicas;

	/**
	 * Start a cluster and wait until all its nodes agree.
	 * @param masters how many masters
	 * @param replicas how many replicas in all; the first belongs to the first master
	 */
	TestRedisCluster(int masters, int replicas) {
		this.masters = IntStream.range(0, masters).mapToObj((i) -> startNode()).toList();
		this.replicas = IntStream.range(0, replicas).mapToObj((i) -> startNode()).toList();
		int slots = SlotHash.SLOT_COUNT;
		for (int i = 0; i < masters; i++) {
			RedisCommands<String, String> node = node(this.masters.get(i));
			node.clusterSetConfigEpoch(i + 1);
			node.clusterAddSlots(IntStream.range(i * slots / masters, (i + 1) * slots / masters).toArray());
		}
		int first = this.masters.get(0);
		this.servers.keySet().forEach((port) -> node(first).clusterMeet("127.0.0.1", port));
		awaitNodes("ok");
		for (int i = 0; i < replicas; i++) {
			String master = id(this.masters.get(i));
			RedisCommands<String, String> replica = node(this.replicas.get(i));
			// Refused until the news of its master has come.
			Awaitility.await()
				.atMost(PATIENCE)
				.ignoreExceptionsInstanceOf(RedisException.class)
				.until(() -> replica.clusterReplicate(master).equals("OK"));
			await("replication", () -> replica.info("replication").contains("master_link_status:up"));
		}
		this.servers.keySet()
			.forEach((port) -> await("all replicas to be known",
					() -> node(port).clusterNodes()
						.lines()
						.filter((line) -> line.contains("slave "))
						.count() == replicas));
	}

	/**
	 * Return the cluster that tests share, started at the first use.
	 */
	static TestRedisCluster shared() {
		return Shared.CLUSTER;
	}

	private static Path createDirectory() {
		try {
			return Files.createTempDirectory("jobs-redis-cluster");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private int startNode() {
		int port = Ports.reserveTwo(TestRedis.BUS_OFFSET);
		startNode(port);
		return port;
	}

	private void startNode(int port) {
		this.servers.put(port,
				TestRedis.start(port,
						List.of("save \"\"", "appendonly no", "cluster-enabled yes", "cluster-node-timeout 2000",
								"cluster-replica-validity-factor 0", "cluster-require-full-coverage no",
								"repl-diskless-sync-delay 0", "repl-ping-replica-period 1", "dir " + this.directory,
								"cluster-config-file nodes-" + port + ".conf")));
	}

	private void awaitNodes(String state) {
		for (int port : this.servers.keySet()) {
			await("node " + port, () -> {
				String info = node(port).clusterInfo();
				return info.contains("cluster_state:" + state)
						&& info.contains("cluster_known_nodes:" + this.servers.size());
			});
		}
	}

	/**
	 * Wait until something is so. Faults of servers count as if it was not.
	 */
	static void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what)
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptionsMatching((ex) -> ex instanceof RedisException || ex instanceof JobStoreException)
			.until(condition);
	}

	/**
	 * Return a new connection factory that knows all nodes.
	 * @param configuration how the client works
	 */
	LettuceConnectionFactory connect(LettuceClientConfiguration configuration) {
		List<String> nodes = this.servers.keySet().stream().map((port) -> "127.0.0.1:" + port).toList();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(new RedisClusterConfiguration(nodes),
				configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Return the ports of the first masters, whatever became of them.
	 */
	List<Integer> masters() {
		return this.masters;
	}

	/**
	 * Return the ports of the first replicas.
	 */
	List<Integer> replicas() {
		return this.replicas;
	}

	/**
	 * Return the commands of one node.
	 */
	synchronized RedisCommands<String, String> node(int port) {
		// A server that changes its role may close all connections.
		return this.connections.compute(port, (key, known) -> (known != null && known.isOpen()) ? known
				: this.client.connect(RedisURI.create("127.0.0.1", key)))
			.sync();
	}

	String id(int port) {
		return node(port).clusterMyId();
	}

	/**
	 * Return the keys that match a pattern on each of the first masters.
	 */
	Map<Integer, List<String>> keys(String pattern) {
		Map<Integer, List<String>> keys = new TreeMap<>();
		this.masters.forEach((port) -> keys.put(port, node(port).keys(pattern)));
		return keys;
	}

	/**
	 * Kill a node as by {@code kill -9}.
	 */
	void kill(int port) {
		TestRedis.stop(this.servers.get(port));
	}

	/**
	 * Start a killed node again, without what it held, and wait until all nodes agree.
	 */
	void restart(int port) {
		startNode(port);
		awaitNodes("ok");
	}

	/**
	 * Return whether a node is a master that serves slots.
	 */
	boolean serves(int port) {
		return node(port).clusterNodes()
			.lines()
			.anyMatch((line) -> line.contains("myself,master") && line.split(" ").length > 8);
	}

	@Override
	public void close() {
		this.connections.values().forEach(StatefulRedisConnection::closeAsync);
		new ArrayList<>(this.servers.values()).forEach(TestRedis::stop);
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class Shared {

		private static final TestRedisCluster CLUSTER = start();

		private static TestRedisCluster start() {
			TestRedisCluster cluster = new TestRedisCluster(3, 0);
			Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
			return cluster;
		}

	}

}
