package dev.jobs.store.redis;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.build.Ports;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tokens after a replica took over that lacks the latest ones and whose clock is behind.
 */
class RedisTokenTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final int masterPort = Ports.reserve();

	private final int replicaPort = Ports.reserve();

	private final RedisServer master = TestRedis.start(this.masterPort, List.of("save \"\""));

	private final RedisServer replica = TestRedis.start(this.replicaPort, List.of("save \"\""));

	private final RedisClient client = TestRedis.nodeClient();

	private final RedisCommands<String, String> onMaster = connect(this.masterPort);

	private final RedisCommands<String, String> onReplica = connect(this.replicaPort);

	private RedisCommands<String, String> connect(int port) {
		return this.client.connect(RedisURI.create("127.0.0.1", port)).sync();
	}

	@AfterEach
	void stop() {
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		TestRedis.stop(this.replica);
		TestRedis.stop(this.master);
	}

	private static JobStore store(int port) {
		return new RedisJobStore(TestRedis.connect(URI.create("redis://127.0.0.1:" + port)), "tokens");
	}

	private static long claim(JobStore store, Instant now) {
		store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, now));
		String id = "00" + now.toEpochMilli();
		store.enqueue(List.of(NewJob.of(id, "q", new byte[0], now)), now);
		List<Claim> claims = store.claim(new ClaimRequest("w", List.of(Quota.of("q", 1)), 1, now)).claims();
		assertThat(claims).hasSize(1);
		return claims.get(0).token();
	}

	@Test
	void tokensGrowThoughTheNewMasterLacksTheLatestAndItsClockIsBehind() {
		this.onReplica.replicaof("127.0.0.1", this.masterPort);
		JobStore before = store(this.masterPort);
		long replicated = claim(before, NOW);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.onMaster.get("{tokens:0}:token").equals(this.onReplica.get("{tokens:0}:token")));
		this.onReplica.replicaofNoOne();
		long lost = claim(before, NOW.plusSeconds(20));
		JobStore after = store(this.replicaPort);
		long first = claim(after, NOW.minusSeconds(30));
		assertThat(lost).isGreaterThan(replicated);
		assertThat(first).isGreaterThan(lost);
		long next = claim(after, NOW.minusSeconds(29));
		assertThat(next).as("no leap while the server is the same").isBetween(first + 1, first + 1000);
	}

}
