package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.QueueView;
import io.lettuce.core.KillArgs;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/**
 * Tests for {@link RedisJobStore} on a cluster that loses a master or moves a slot. The
 * client is set up as Spring Boot does it by default.
 */
class RedisClusterFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final Duration LEASE = Duration.ofSeconds(15);

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
		this.open.add(() -> TestRedis.destroy(factory));
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

	@Test
	void engineContinuesAloneAfterAReplicaReplacedItsMaster() throws InterruptedException {
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

	/**
	 * The driver sends it again on the next connection, and it may have run on both.
	 */
	@Test
	void callWhoseConnectionIsLostIsInDoubt() throws InterruptedException {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		RedisJobStore store = store(connect(cluster), namespace);
		store.enqueue(List.of(job("before")), NOW);
		List<RedisCommands<String, String>> nodes = cluster.masters().stream().map(cluster::node).toList();
		nodes.forEach(RedisClusterFaultTests::pauseScripts);
		CompletableFuture<List<Enqueued>> caller = CompletableFuture
			.supplyAsync(() -> store.enqueue(List.of(job("after")), NOW));
		TestRedisCluster.await("a call that is held up",
				() -> nodes.stream().anyMatch(RedisClusterFaultTests::isHolding));
		nodes.forEach((node) -> node.clientKill(KillArgs.Builder.typeNormal().skipme()));
		nodes.forEach(RedisClusterFaultTests::resumeScripts);
		assertThat(caller).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(JobStoreException.class, (ex) -> {
				assertThat(ex.isTemporary()).isTrue();
				assertThat(ex.isRefused()).isFalse();
			});
		TestRedisCluster.await("the same call again", () -> store.enqueue(List.of(job("after")), NOW).get(0).isNew());
		assertThat(store.inspector().queues(NOW)).extracting(QueueView::ready).containsExactly(2L);
	}

	private static NewJob job(String id) {
		return NewJob.of(id, "queue", new byte[] { 1 }, NOW);
	}

	private static void pauseScripts(RedisCommands<String, String> node) {
		client(node, "PAUSE", "30000", "WRITE");
	}

	private static void resumeScripts(RedisCommands<String, String> node) {
		client(node, "UNPAUSE");
	}

	private static void client(RedisCommands<String, String> node, String... arguments) {
		CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
		for (String argument : arguments) {
			all.add(argument);
		}
		node.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), all);
	}

	private static boolean isHolding(RedisCommands<String, String> node) {
		return node.clientList()
			.lines()
			.anyMatch((client) -> client.contains("flags=b") && client.contains("cmd=eval"));
	}

	@Test
	void queuesOfOtherMastersContinueWhileOneIsGone() {
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

	@Test
	void queuesContinueOnceTheirMasterIsBack() {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		try (Load load = new Load(store(connect(cluster), namespace), QUEUES, () -> true)) {
			load.start();
			Map<Integer, List<String>> homes = homes(cluster, namespace);
			int gone = cluster.masters().get(1);
			cluster.kill(gone);
			load.runOne(homes.get(cluster.masters().get(0)).get(0));
			cluster.restart(gone);
			QUEUES.forEach(load::runOne);
		}
	}

	@Test
	void verbsContinueForTheOtherMastersWhileOneIsGone() {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		RedisJobStore store = store(connect(cluster), namespace);
		beat(store, NOW);
		store.enqueue(QUEUES.stream().map((queue) -> job("1-" + queue, queue)).toList(), NOW);
		List<Claim> claims = claim(store).claims();
		assertThat(claims).hasSize(QUEUES.size());
		Map<Integer, List<String>> homes = homes(cluster, namespace);
		Set<String> lost = Set.copyOf(homes.get(cluster.masters().get(1)));
		List<String> others = QUEUES.stream().filter((queue) -> !lost.contains(queue)).toList();
		assertThat(lost).isNotEmpty();

		cluster.kill(cluster.masters().get(1));

		assertThat(beat(store, NOW.plus(LEASE))).isEqualTo(tokens(claims, QUEUES));
		assertThat(beat(store, NOW.plus(LEASE).plusMillis(1))).isEqualTo(tokens(claims, others));
		assertThat(store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW))
			.isEqualTo(claims.stream()
				.map((claim) -> lost.contains(claim.job().name()) ? Settled.UNDECIDED : Settled.APPLIED)
				.toList());
		store.enqueue(others.stream().map((queue) -> job("2-" + queue, queue)).toList(), NOW);
		ClaimReply reply = claim(store);
		assertThat(reply.claims()).extracting((claim) -> claim.job().name())
			.containsExactlyInAnyOrderElementsOf(others);
		assertThat(reply.queues()).filteredOn((left) -> lost.contains(left.queue()))
			.hasSameSizeAs(lost)
			.allMatch((left) -> !left.more() && left.nextDue() == null);
		Map<Long, Set<String>> strays = new HashMap<>();
		tokens(reply.claims(), others).forEach((token) -> strays.put(token, Set.of()));
		assertThat(store.takeOver(new TakeOver("w", Set.copyOf(QUEUES), strays, 100, NOW)).claims())
			.hasSameSizeAs(others);
		store.prune(new PruneRequest(NOW, 0, NOW, 0, null, null, 100, NOW));
		assertThat(store
			.fireTicks(List
				.of(Tick.of(new NewSchedule("schedule", "definition", others.get(0)), NOW, job("3", others.get(0)))),
					NOW)
			.get(0)
			.enqueued()).isNotNull();
	}

	@Test
	void masterThatIsGoneCostsNoTime() {
		TestRedisCluster cluster = start(0);
		RedisJobStore store = store(connect(cluster), namespaceOnFirstMaster());
		beat(store, NOW);
		store.enqueue(QUEUES.stream().map((queue) -> job("1-" + queue, queue)).toList(), NOW);
		cluster.kill(cluster.masters().get(1));
		Instant later = NOW.plus(LEASE);
		beat(store, later);
		assertTimeout(Duration.ofSeconds(15), () -> {
			for (int i = 0; i < 100; i++) {
				beat(store, later);
				claim(store);
				store.settle(QUEUES.stream().map(RedisClusterFaultTests::end).toList(), NOW);
				assertThatExceptionOfType(JobStoreException.class)
					.isThrownBy(
							() -> store.enqueue(QUEUES.stream().map((queue) -> job("2-" + queue, queue)).toList(), NOW))
					.matches(JobStoreException::isTemporary)
					.matches(JobStoreException::isRefused);
			}
		});
	}

	@Test
	void actOfAnOperatorDoesNotWaitForAMasterThatIsGone() {
		TestRedisCluster cluster = start(0);
		RedisJobStore store = store(connect(cluster), namespaceOnFirstMaster());
		beat(store, NOW);
		cluster.kill(cluster.masters().get(0));
		beat(store, NOW.plus(LEASE));
		assertTimeout(Duration.ofSeconds(15), () -> {
			for (int i = 0; i < 100; i++) {
				String id = "note " + i;
				assertThatExceptionOfType(JobStoreException.class)
					.isThrownBy(() -> store.change(List.of(new Change.KeepNote(id, "text")), NOW))
					.matches(JobStoreException::isTemporary)
					.matches(JobStoreException::isRefused);
			}
		});
	}

	@Test
	void workersWhoseBeatsAMasterDidNotAnswerAreNotTakenForDead() {
		TestRedisCluster cluster = start(0);
		String namespace = namespaceOnFirstMaster();
		RedisJobStore store = store(connect(cluster), namespace);
		store.enqueue(QUEUES.stream().map((queue) -> job("1-" + queue, queue)).toList(), NOW);
		int slow = cluster.masters().get(1);
		String queue = homes(cluster, namespace).get(slow).get(0);
		beat(store, "busy", NOW);
		assertThat(claim(store, "busy", queue, NOW)).hasSize(1);
		store.enqueue(List.of(job("2-" + queue, queue)), NOW);
		beat(store, "other", NOW);

		cluster.node(slow).clientPause(3000);
		beat(store, "other", NOW.plusSeconds(10));
		Instant back = NOW.plusSeconds(20);
		TestRedisCluster.await("an answer", () -> {
			beat(store, "other", back);
			return !claim(store, "other", queue, back).isEmpty();
		});
		// the pause may have ended between the two: the beat has to be answered too
		beat(store, "other", back);

		assertThat(takeOver(store, "other", queue, back)).isEmpty();
		// a beat on a busy machine may have no answer in time, and then the lease begins
		// again
		AtomicReference<Instant> steady = new AtomicReference<>(back);
		List<Claim> taken = new ArrayList<>();
		TestRedisCluster.await("the job is taken over", () -> {
			beat(store, "other", steady.updateAndGet((time) -> time.plus(LEASE)));
			return taken.addAll(takeOver(store, "other", queue, steady.get()));
		});
		assertThat(taken).extracting((claim) -> claim.job().id()).containsExactly("1-" + queue);
	}

	@Test
	void callsFailOnceAllMastersAreGone() {
		TestRedisCluster cluster = start(0);
		RedisJobStore store = store(connect(cluster), namespaceOnFirstMaster());
		beat(store, NOW);
		cluster.masters().forEach(cluster::kill);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> beat(store, NOW))
			.matches(JobStoreException::isTemporary);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> claim(store))
			.matches(JobStoreException::isTemporary);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> store.settle(List.of(end(QUEUES.get(0))), NOW))
			.matches(JobStoreException::isTemporary);
	}

	private static NewJob job(String id, String queue) {
		return NewJob.of(id, queue, new byte[] { 1 }, NOW);
	}

	private static Transition end(String queue) {
		return Transition.of("1-" + queue, queue, 1, Transition.To.REMOVED, NOW, Trail.EMPTY);
	}

	private static Set<Long> beat(RedisJobStore store, Instant now) {
		return beat(store, "w", now);
	}

	private static Set<Long> beat(RedisJobStore store, String worker, Instant now) {
		return store.beat(new WorkerBeat(worker, LEASE, null, List.of(), false, now)).openTokens();
	}

	private static List<Claim> claim(RedisJobStore store, String worker, String queue, Instant now) {
		return store.claim(new ClaimRequest(worker, List.of(Quota.of(queue, 1)), 1, now)).claims();
	}

	private static List<Claim> takeOver(RedisJobStore store, String worker, String queue, Instant now) {
		return store.takeOver(new TakeOver(worker, Set.of(queue), Map.of(), 10, now)).claims();
	}

	private static ClaimReply claim(RedisJobStore store) {
		List<Quota> quotas = QUEUES.stream().map((queue) -> Quota.of(queue, 100).withShare(1)).toList();
		return store.claim(new ClaimRequest("w", quotas, 100, NOW));
	}

	private static Set<Long> tokens(List<Claim> claims, List<String> queues) {
		return claims.stream()
			.filter((claim) -> queues.contains(claim.job().name()))
			.map(Claim::token)
			.collect(Collectors.toSet());
	}

	private static Map<Integer, List<String>> homes(TestRedisCluster cluster, String namespace) {
		Map<Integer, List<String>> homes = cluster.keys("{" + namespace + ":*}:queues");
		homes.replaceAll(
				(port, keys) -> keys.stream().flatMap((key) -> cluster.node(port).hkeys(key).stream()).toList());
		return homes;
	}

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
