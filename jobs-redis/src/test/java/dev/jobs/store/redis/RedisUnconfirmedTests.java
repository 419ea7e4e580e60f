package dev.jobs.store.redis;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.NewJob;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the exception of an enqueue when Redis, a separate server, does not answer or
 * refuses it.
 */
class RedisUnconfirmedTests {

	private final int port = Ports.reserve();

	private final RedisServer server = TestRedis.start(this.port, List.of("save \"\"", "appendonly no"));

	private final ReplyProxy proxy = new ReplyProxy(this.port);

	private final LettuceConnectionFactory factory = connect(this.proxy.port());

	private final RedisJobStore store = new RedisJobStore(this.factory, "unconfirmed");

	private final JobClient client = new JobEngineBuilder(this.store).build().client();

	@AfterEach
	void stop() throws IOException {
		this.store.close();
		TestRedis.destroy(this.factory);
		this.proxy.close();
		TestRedis.stop(this.server);
	}

	private static LettuceConnectionFactory connect(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(1)).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	@Test
	void enqueueWithoutAnswerIsUnconfirmedAndItsIdTellsLater() {
		enqueueOnceConnected();
		this.proxy.swallow(true);
		assertThatExceptionOfType(EnqueueUnconfirmedException.class).isThrownBy(() -> this.client.enqueue("work"))
			.withMessageContaining("did not answer")
			.satisfies((ex) -> {
				assertThat(ex.getIds()).hasSize(1);
				try (RedisJobStore direct = new RedisJobStore(TestRedis.connect(uri()), "unconfirmed")) {
					assertThat(new JobEngineBuilder(direct).build().client().find(ex.getIds().get(0))).isPresent();
				}
			});
	}

	@Test
	void enqueueThatAFullServerRefusesIsNotInDoubt() {
		enqueueOnceConnected();
		configure("maxmemory", "1");
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.client.enqueue("work"))
			.withMessageContaining("OOM")
			.matches(JobStoreException::isRefused)
			.matches(JobStoreException::isTemporary);
	}

	@Test
	void callIsInDoubtIfOnlyALaterPartOfItWasRefused() {
		enqueueOnceConnected();
		configure("maxmemory", "24mb");
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		List<NewJob> jobs = IntStream.range(0, 40)
			.mapToObj((i) -> NewJob.of("00" + i, "large", new byte[1 << 20], now))
			.toList();
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.enqueue(jobs, now))
			.withMessageContaining("OOM")
			.matches((ex) -> !ex.isRefused());
		assertThat(this.store.inspector().queues(now)).filteredOn((queue) -> queue.name().equals("large"))
			.singleElement()
			.satisfies((queue) -> assertThat(queue.ready()).isBetween(1L, 39L));
	}

	@Test
	void enqueueThatAReplicaRefusesIsNotInDoubt() {
		enqueueOnceConnected();
		configure("replica-serve-stale-data", "yes");
		try (StatefulRedisConnection<String, String> connection = direct()) {
			connection.sync().replicaof("127.0.0.1", Ports.reserve());
		}
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.client.enqueue("work"))
			.withMessageContaining("READONLY")
			.matches(JobStoreException::isRefused);
	}

	@Test
	void enqueueWithoutAServerIsNotInDoubt() {
		LettuceConnectionFactory nowhere = connect(Ports.reserve());
		try (RedisJobStore lonely = new RedisJobStore(nowhere, "unconfirmed")) {
			JobClient client = new JobEngineBuilder(lonely).build().client();
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("work"))
				.matches(JobStoreException::isRefused);
		}
		finally {
			TestRedis.destroy(nowhere);
		}
	}

	private URI uri() {
		return URI.create("redis://127.0.0.1:" + this.port);
	}

	private void enqueueOnceConnected() {
		Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
			this.client.enqueue("work");
			return true;
		});
	}

	private void configure(String name, String value) {
		try (StatefulRedisConnection<String, String> connection = direct()) {
			connection.sync().configSet(name, value);
		}
	}

	private StatefulRedisConnection<String, String> direct() {
		return ((RedisClient) this.factory.getRequiredNativeClient()).connect();
	}

}
