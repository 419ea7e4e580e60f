package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.redis.check.ServerCheck;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} as a user with exactly the documented permissions.
 */
class RedisPermissionTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static TestRedisUser user;

	private static LettuceConnectionFactory factory;

	private final String namespace = TestRedis.newNamespace();

	@BeforeAll
	static void startServer() {
		user = new TestRedisUser();
		factory = user.connect();
	}

	@AfterAll
	static void stopServer() {
		TestRedis.destroy(factory);
		user.close();
	}

	@AfterEach
	void allowAgain() {
		user.allowWhatIsDocumented();
	}

	private static RedisJobStore newStore() {
		return new RedisJobStore(factory, TestRedis.newNamespace());
	}

	@ParameterizedTest
	@ValueSource(strings = { "evalsha", "llen", "hexists", "hsetnx", "rpush", "hset", "hmget", "get" })
	void enqueueWithoutAPermissionIsRefusedAndNamesTheCommand(String command) {
		try (RedisJobStore store = new RedisJobStore(factory, this.namespace)) {
			user.allow("-" + command);
			JobEngine engine = new JobEngineBuilder(store)
				.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> JobResult.done()))
				.build();
			Runnable enqueue = command.equals("hmget")
					? () -> engine.client().enqueueAll(List.of(JobRequest.named("work"), JobRequest.named("work")))
					: () -> engine.client().enqueue("work");
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(enqueue::run)
				.matches(JobStoreException::isRefused)
				.satisfies((ex) -> assertThat(ex.getMessage()).containsIgnoringCase(command));
			assertThat(user.commands().hlen("{" + this.namespace + ":0}:jobs")).isZero();
			user.allowWhatIsDocumented();
			enqueue.run();
			engine.closeClient();
		}
	}

	@Test
	void jobsRunWithoutThePermissionToSignal() {
		user.allow("-publish");
		CountDownLatch ran = new CountDownLatch(1);
		try (RedisJobStore store = new RedisJobStore(factory, this.namespace)) {
			JobEngine engine = new JobEngineBuilder(store)
				.settings(EngineSettings.defaults().withPoll(Duration.ofMillis(100)))
				.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
					ran.countDown();
					return JobResult.done();
				}))
				.build();
			engine.start();
			engine.client().enqueue("work");
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> ran.await(0, TimeUnit.SECONDS));
			engine.stop(Duration.ofSeconds(5));
		}
	}

	@Test
	void serverIsCheckedAndLookedAt() {
		try (RedisJobStore store = newStore();
				ServerCheck check = new ServerCheck(factory, RedisDurability.ofServer())) {
			check.start();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> check.report().isPresent());
			assertThat(check.report().orElseThrow().servers().get(0).unchecked()).isEmpty();
			assertThat(store.inspector().faults()).isEmpty();
			assertThat(new ArrayList<>(store.inspector().queues(NOW))).isEmpty();
		}
	}

}
