package dev.jobs.store.redis;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.build.Ports;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.ReplicatedEnqueued;
import dev.jobs.store.WorkerBeat;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for enqueues that wait for replicas.
 */
class RedisDurabilityTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final Duration SHORT = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofSeconds(5);

	private final List<RedisServer> servers = new ArrayList<>();

	private final int master = start();

	private final int replica = start();

	private final LettuceConnectionFactory factory = TestRedis.connect(URI.create("redis://127.0.0.1:" + this.master));

	@BeforeEach
	void replicate() {
		commands(this.replica, (server) -> server.sync().replicaof("127.0.0.1", this.master));
		TestRedisCluster.await("replication", () -> {
			List<Boolean> up = new ArrayList<>();
			commands(this.replica,
					(server) -> up.add(server.sync().info("replication").contains("master_link_status:up")));
			return up.get(0);
		});
	}

	@AfterEach
	void stop() {
		TestRedis.destroy(this.factory);
		this.servers.forEach(TestRedis::stop);
	}

	private int start() {
		int port = Ports.reserve();
		this.servers
			.add(TestRedis.start(port, List.of("save \"\"", "repl-diskless-sync yes", "repl-diskless-sync-delay 0")));
		return port;
	}

	private static void commands(int port, Consumer<StatefulRedisConnection<String, String>> action) {
		try (RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			action.accept(connection);
		}
	}

	private static NewJob job(String id, String queue) {
		return NewJob.of(id, queue, new byte[] { 1 }, NOW);
	}

	private static Enqueued enqueue(RedisJobStore store, String id, String queue) {
		return store.enqueue(List.of(job(id, queue)), NOW).get(0);
	}

	/**
	 * Enqueue a job and return how many replicas have it.
	 */
	private static int replicas(RedisJobStore store, String id, String queue) {
		return ((ReplicatedEnqueued) enqueue(store, id, queue)).replicas();
	}

	@Test
	void withoutItNobodyIsWaitedFor() {
		try (RedisJobStore store = new RedisJobStore(this.factory, "jobs")) {
			assertThat(enqueue(store, "a", "q")).isNotInstanceOf(ReplicatedEnqueued.class);
		}
	}

	@Test
	void tellsHowManyReplicasHaveTheJob() {
		try (RedisJobStore store = new RedisJobStore(this.factory, "jobs", RedisDurability.replicated(1, LONG))) {
			assertThat(replicas(store, "a", "q")).isEqualTo(1);
			commands(this.replica, (server) -> assertThat(server.sync().hexists("{jobs:0}:jobs", "a")).isTrue());
		}
	}

	@Test
	void waitsNoLongerThanItMay() {
		try (RedisJobStore store = new RedisJobStore(this.factory, "jobs", RedisDurability.replicated(2, SHORT))) {
			AtomicInteger last = new AtomicInteger();
			TestRedisCluster.await("the replica", () -> replicas(store, "a" + last.incrementAndGet(), "q") == 1);
			commands(this.replica, (server) -> server.sync().replicaofNoOne());
			TestRedisCluster.await("the end of the replica",
					() -> replicas(store, "b" + last.incrementAndGet(), "q") == 0);
			assertThat(store.inspector().job("b" + last, NOW)).isPresent();
		}
	}

	@Test
	void claimsDoNotWaitBehindIt() {
		try (RedisJobStore store = new RedisJobStore(this.factory, "jobs", RedisDurability.replicated(2, LONG))) {
			store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
			Thread caller = new Thread(() -> enqueue(store, "a", "q"));
			caller.start();
			TestRedisCluster.await("the job", () -> store.inspector().job("a", NOW).isPresent());
			assertThat(store.claim(new ClaimRequest("w", List.of(Quota.of("q", 1)), 1, NOW)).claims()).hasSize(1);
			assertThat(caller.isAlive()).isTrue();
			commands(this.master, (server) -> server.sync().clientKill(KillArgs.Builder.typeNormal().skipme()));
		}
	}

	@Test
	void onAClusterTheMasterOfTheQueueIsAsked() {
		try (TestRedisCluster cluster = new TestRedisCluster(3, 1)) {
			LettuceConnectionFactory connections = cluster.connect(LettuceClientConfiguration.defaultConfiguration());
			try (RedisJobStore store = new RedisJobStore(connections, "jobs",
					RedisDurability.replicated(1, Duration.ofSeconds(1)))) {
				for (int i = 0; i < 24; i++) {
					enqueue(store, "job-" + i, "queue-" + i);
				}
				Map<Integer, List<String>> homes = cluster.keys("{jobs:*}:queues");
				homes.forEach((port, keys) -> {
					List<String> queues = keys.stream()
						.flatMap((key) -> cluster.node(port).hkeys(key).stream())
						.toList();
					int expected = port.equals(cluster.masters().get(0)) ? 1 : 0;
					assertThat(queues).isNotEmpty()
						.allSatisfy((queue) -> assertThat(replicas(store, "new-" + queue, queue)).isEqualTo(expected));
				});
			}
			finally {
				TestRedis.destroy(connections);
			}
		}
	}

}
