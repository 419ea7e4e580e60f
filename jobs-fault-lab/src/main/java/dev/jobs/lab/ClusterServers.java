package dev.jobs.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.build.Ports;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import redis.embedded.RedisServer;

/**
 * A Redis Cluster of three masters, each with a replica.
 */
final class ClusterServers implements Servers {

	private static final int MASTERS = 3;

	/** How far the port for other nodes is from that for clients. */
	private static final int BUS_OFFSET = 10_000;

	private static final Duration LONG = Duration.ofSeconds(60);

	private final Path directory;

	private final Map<Integer, RedisServer> servers = new TreeMap<>();

	private final Random random = new Random(1);

	private volatile int broken;

	private volatile ProcessHandle frozen = ProcessHandle.current();

	ClusterServers(Path directory) {
		this.directory = directory;
		List<Integer> ports = IntStream.range(0, 2 * MASTERS).map((i) -> Ports.reserveTwo(BUS_OFFSET)).boxed().toList();
		ports.forEach(this::start);
		for (int i = 0; i < MASTERS; i++) {
			int[] slots = IntStream.range(i * SlotHash.SLOT_COUNT / MASTERS, (i + 1) * SlotHash.SLOT_COUNT / MASTERS)
				.toArray();
			int epoch = i + 1;
			RedisServers.ask(ports.get(i), (node) -> node.clusterSetConfigEpoch(epoch) + node.clusterAddSlots(slots));
		}
		ports.forEach((port) -> RedisServers.ask(ports.get(0), (node) -> node.clusterMeet("127.0.0.1", port)));
		ports.forEach(
				(port) -> Patience.await("node " + port, LONG, () -> RedisServers.ask(port, RedisCommands::clusterInfo)
					.contains("cluster_known_nodes:" + ports.size())));
		for (int i = 0; i < MASTERS; i++) {
			String master = RedisServers.ask(ports.get(i), RedisCommands::clusterMyId);
			int replica = ports.get(MASTERS + i);
			Patience.await("a replica", LONG,
					() -> RedisServers.ask(replica, (node) -> node.clusterReplicate(master)).equals("OK"));
		}
		awaitReplicas();
	}

	private void start(int port) {
		this.servers.put(port,
				RedisServers.start(port, List.of("save \"\"", "appendonly yes", "appendfilename node-" + port + ".aof",
						"dbfilename node-" + port + ".rdb", "repl-diskless-sync yes", "repl-diskless-sync-delay 0",
						"repl-ping-replica-period 1", "cluster-enabled yes", "cluster-node-timeout 3000",
						"cluster-replica-validity-factor 0", "cluster-require-full-coverage no",
						"cluster-config-file nodes-" + port + ".conf", "dir " + this.directory), null));
	}

	/**
	 * Wait until each master has a replica that has all it has, and all nodes know so.
	 */
	private void awaitReplicas() {
		for (int port : this.servers.keySet()) {
			Patience.await("the replicas", LONG, () -> {
				String replication = RedisServers.ask(port, (node) -> node.info("replication"));
				String nodes = RedisServers.ask(port, RedisCommands::clusterNodes);
				return (replication.contains("master_link_status:up") || replication.contains("state=online"))
						&& nodes.lines().filter((line) -> line.contains("master")).count() == MASTERS
						&& nodes.lines().noneMatch((line) -> line.contains("fail") || line.contains("handshake"))
						&& RedisServers.ask(port, RedisCommands::clusterInfo).contains("cluster_state:ok");
			});
		}
	}

	private int someMaster() {
		List<Integer> masters = this.servers.keySet().stream().filter(RedisServers::isMaster).toList();
		return masters.get(this.random.nextInt(masters.size()));
	}

	private int replicaOf(int master) {
		String id = RedisServers.ask(master, RedisCommands::clusterMyId);
		return RedisServers.ask(master, RedisCommands::clusterNodes)
			.lines()
			.filter((line) -> line.contains("slave " + id))
			.map((line) -> line.substring(line.indexOf(':') + 1, line.indexOf('@')))
			.map(Integer::valueOf)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Break a master, and wait until its replica has taken over.
	 */
	private void replace(BiConsumer<Integer, Integer> fault) {
		int master = someMaster();
		int replica = replicaOf(master);
		this.broken = master;
		fault.accept(master, replica);
		Patience.await("the new master", LONG, () -> RedisServers.isMaster(replica)
				&& RedisServers.ask(replica, RedisCommands::clusterInfo).contains("cluster_state:ok"));
	}

	@Override
	public String direct() {
		return this.servers.keySet()
			.stream()
			.map((port) -> "127.0.0.1:" + port)
			.collect(Collectors.joining(",", Stores.CLUSTER, ""));
	}

	@Override
	public String version() {
		return RedisServers.version(someMaster());
	}

	@Override
	public void inject(Fault fault) {
		switch (fault) {
			case FAIL_OVER ->
				replace((master, replica) -> RedisServers.ask(replica, (node) -> node.clusterFailover(false)));
			case KILL_MASTER ->
				replace((master, replica) -> RedisServers.stop(Objects.requireNonNull(this.servers.get(master))));
			case FREEZE_SERVER -> replace((master, replica) -> {
				this.frozen = RedisServers.process(master);
				Signals.send(this.frozen, "STOP");
			});
			case DROP_CONNECTIONS -> this.servers.keySet().forEach(RedisServers::drop);
			case FORGET_SCRIPTS ->
				this.servers.keySet().forEach((port) -> RedisServers.ask(port, RedisCommands::scriptFlush));
			default -> throw new IllegalArgumentException(fault.name());
		}
	}

	@Override
	public void heal(Fault fault) {
		switch (fault) {
			case FAIL_OVER -> awaitReplicas();
			case KILL_MASTER -> {
				start(this.broken);
				awaitReplicas();
			}
			case FREEZE_SERVER -> {
				Signals.send(this.frozen, "CONT");
				awaitReplicas();
			}
			default -> {
			}
		}
	}

	@Override
	public void close() {
		this.servers.values().forEach(RedisServers::stop);
	}

}
