package dev.jobs.test.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.store.JobStoreException;
import dev.jobs.store.redis.RedisJobStore;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} on a cluster that loses a master or moves a slot. The
 * client is set up as Spring Boot does it by default.
 */
class RedisClusterFaultTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final List<String> QUEUES = IntStream.range(0, 24).mapToObj((i) -> "queue-" + i).toList();

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void closeAll() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
	}

	private TestRedisCluster start(int replicas) {
		TestRedisCluster cluster = new TestRedisCluster(3, replicas);
		this.open.add(cluster);
		return cluster;
	}

	private LettuceConnectionFactory connect(TestRedisCluster cluster) {
		ClusterClientOptions options = ClusterClientOptions.builder()
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(true).build())
			.timeoutOptions(TimeoutOptions.enabled())
			.build();
		LettuceConnectionFactory factory = cluster
			.connect(LettuceClientConfiguration.builder().clientOptions(options).build());
		this.open.add(factory::destroy);
		return factory;
	}

	private RedisJobStore store(LettuceConnectionFactory factory, String namespace) {
		RedisJobStore store = new RedisJobStore(factory, namespace);
		this.open.add(store);
		return store;
	}

	/**
	 * Return a namespace whose first partition is on the first master.
	 */
	private static String namespaceOnFirstMaster() {
		return Stream.generate(() -> "fault-" + UUID.randomUUID())
			.filter((name) -> slot(name) < SlotHash.SLOT_COUNT / 3)
			.findFirst()
			.orElseThrow();
	}

	private static int slot(String namespace) {
		return SlotHash.getSlot("{" + namespace + ":0}");
	}

	/** G48, G66. */
	@Test
	void engineGoesOnAloneAfterAReplicaReplacedItsMaster() throws InterruptedException {
		TestRedisCluster cluster = start(1);
		String namespace = namespaceOnFirstMaster();
		RedisCommands<String, String> node = cluster.node(cluster.masters().get(0));
		try (Load load = new Load(store(connect(cluster), namespace), QUEUES,
				() -> Load.isReplicated(() -> node, "{" + namespace + ":0}marker"))) {
			load.start();
			cluster.kill(cluster.masters().get(0));
			TestRedisCluster.await("the failover", () -> cluster.serves(cluster.replicas().get(0)));
			load.finish();
		}
	}

	/** G48, G66. */
	@Test
	void storeFindsTheNewMasterThoughItNeverReachedTheOldOne() {
		TestRedisCluster cluster = start(1);
		LettuceConnectionFactory factory = connect(cluster);
		RedisJobStore store = store(factory, namespaceOnFirstMaster());
		assertThat(((RedisClusterClient) factory.getRequiredNativeClient()).getPartitions()).hasSize(4);
		cluster.kill(cluster.masters().get(0));
		TestRedisCluster.await("the failover", () -> cluster.serves(cluster.replicas().get(0)));
		TestRedisCluster.await("a call that succeeds", () -> {
			store.inspector().queues(NOW);
			return true;
		});
	}

	@Test
	void queuesOfOtherMastersGoOnWhileOneIsGone() {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		try (Load load = new Load(store(connect(cluster), namespace), QUEUES, () -> true)) {
			load.start();
			QUEUES.forEach(load::runOne);
			Map<Integer, List<String>> homes = homes(cluster, namespace);
			int gone = cluster.masters().get(1);
			cluster.kill(gone);
			homes.forEach((port, queues) -> {
				assertThat(queues).as("queues of a master").isNotEmpty();
				if (port != gone) {
					queues.forEach(load::runOne);
				}
			});
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> load.enqueueOne(homes.get(gone).get(0)))
				.matches(JobStoreException::isTemporary);
		}
	}

	private static Map<Integer, List<String>> homes(TestRedisCluster cluster, String namespace) {
		Map<Integer, List<String>> homes = cluster.keys("{" + namespace + ":*}:queues");
		homes.replaceAll(
				(port, keys) -> keys.stream().flatMap((key) -> cluster.node(port).hkeys(key).stream()).toList());
		return homes;
	}

	/** G48, G66. */
	@Test
	void movedSlotLosesNothing() throws InterruptedException {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		try (Load load = new Load(store(connect(cluster), namespace), QUEUES, () -> true)) {
			load.start();
			for (int to : new int[] { 1, 0, 1, 0 }) {
				move(cluster, slot(namespace), cluster.masters().get(1 - to), cluster.masters().get(to));
				load.awaitSafe(200);
			}
			load.finish();
		}
	}

	/**
	 * Move a slot as the tools do it: tell both nodes, move its keys, a few at a time,
	 * and tell all nodes.
	 */
	private static void move(TestRedisCluster cluster, int slot, int from, int to) {
		String target = cluster.id(to);
		cluster.node(to).clusterSetSlotImporting(slot, cluster.id(from));
		cluster.node(from).clusterSetSlotMigrating(slot, target);
		List<String> keys = cluster.node(from).clusterGetKeysInSlot(slot, 1);
		while (!keys.isEmpty()) {
			cluster.node(from).migrate("127.0.0.1", to, 0, 5000, MigrateArgs.Builder.keys(keys));
			keys = cluster.node(from).clusterGetKeysInSlot(slot, 1);
		}
		cluster.node(to).clusterSetSlotNode(slot, target);
		cluster.node(from).clusterSetSlotNode(slot, target);
		cluster.masters().forEach((port) -> cluster.node(port).clusterSetSlotNode(slot, target));
	}

}
