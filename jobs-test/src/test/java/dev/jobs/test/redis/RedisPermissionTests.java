package dev.jobs.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.EngineSettings;
import dev.jobs.engine.HandlerDefinition;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStoreException;
import dev.jobs.store.redis.RedisDurability;
import dev.jobs.store.redis.RedisJobStore;
import dev.jobs.store.redis.ServerCheck;
import dev.jobs.test.JobStoreContract;
import dev.jobs.test.engine.RunSuite;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} as a user that may do just what the documentation says.
 */
class RedisPermissionTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final Path DOCS = Path.of("..", "docs", "stores", "redis.md");

	private static RedisServer server;

	private static RedisClient admin;

	private static StatefulRedisConnection<String, String> connection;

	private static LettuceConnectionFactory factory;

	private final String namespace = TestRedis.newNamespace();

	@BeforeAll
	static void startServer() {
		int port = TestRedis.freePort();
		server = TestRedis.start(port, List.of("save \"\"", "appendonly no"));
		admin = RedisClient.create(RedisURI.create("127.0.0.1", port));
		connection = admin.connect();
		allowWhatIsDocumented();
		RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("127.0.0.1", port);
		place.setUsername("jobs");
		place.setPassword("secret");
		factory = new LettuceConnectionFactory(place);
		factory.afterPropertiesSet();
		factory.start();
	}

	@AfterAll
	static void stopServer() {
		TestRedis.destroy(factory);
		connection.close();
		admin.shutdown();
		TestRedis.stop(server);
	}

	@AfterEach
	void allowAgain() {
		allowWhatIsDocumented();
	}

	/**
	 * Let the user do what the documentation says, in the namespaces of the tests.
	 */
	private static void allowWhatIsDocumented() {
		try {
			Matcher documented = Pattern.compile("(?m)^ACL SETUSER jobs (.*)$").matcher(Files.readString(DOCS));
			assertThat(documented.find()).isTrue();
			setUser("reset " + documented.group(1).replace("jobs:", "test-*:"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void setUser(String rules) {
		CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("jobs");
		List.of(rules.split(" ")).forEach(arguments::add);
		connection.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
	}

	private static RedisJobStore newStore() {
		return new RedisJobStore(factory, TestRedis.newNamespace());
	}

	@ParameterizedTest
	@ValueSource(strings = { "evalsha", "llen", "hexists", "hsetnx", "rpush", "hset", "hmget", "get" })
	void enqueueWithoutAPermissionIsRefusedAndNamesTheCommand(String command) {
		try (RedisJobStore store = new RedisJobStore(factory, this.namespace)) {
			setUser("-" + command);
			JobEngine engine = JobEngine.builder(store)
				.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> JobResult.done()))
				.build();
			Runnable enqueue = command.equals("hmget")
					? () -> engine.client()
						.enqueueAll(List.of(JobRequest.of("work", null), JobRequest.of("work", null)))
					: () -> engine.client().enqueue("work");
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(enqueue::run)
				.matches(JobStoreException::isRefused)
				.satisfies((ex) -> assertThat(ex.getMessage()).containsIgnoringCase(command));
			assertThat(connection.sync().hlen("{" + this.namespace + ":0}:jobs")).isZero();
			allowWhatIsDocumented();
			enqueue.run();
			engine.closeClient();
		}
	}

	@Test
	void jobsRunWithoutThePermissionToSignal() {
		setUser("-publish");
		CountDownLatch ran = new CountDownLatch(1);
		try (RedisJobStore store = new RedisJobStore(factory, this.namespace)) {
			JobEngine engine = JobEngine.builder(store)
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

	@Nested
	class Contract extends JobStoreContract {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	class Run extends RunSuite {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

}
