package dev.jobs.autoconfigure.redis;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.redis.RedisJobStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the choice of the store in Redis, and for an application that uses it.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisStoreTests {

	private static Redis server;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop");

	@BeforeAll
	static void startServer() {
		server = Redis.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Test
	void redisIsTakenIfTheApplicationSaysWhereItIs() {
		this.runner.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port())
			.run((context) -> {
				assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class);
				context.getBean(JobEngine.class).start();
				context.getBean(JobClient.class).enqueue("greet", "Ada");
				assertThat(context.getBean(Greeter.class).greeted.poll(30, TimeUnit.SECONDS)).isEqualTo("Ada");
			});
	}

	@Test
	void missingNamespaceIsWarnedAbout(CapturedOutput output) {
		this.runner
			.withPropertyValues("spring.application.name=", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + server.port())
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("the namespace of the jobs is 'application'");
	}

	@Test
	void redisOfAServiceConnectionIsTaken() {
		this.runner.withUserConfiguration(Greeter.class)
			.withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of("127.0.0.1", server.port());
				}

			})
			.run((context) -> {
				assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class);
				context.getBean(JobClient.class).enqueue("greet", "Grace");
				assertThat(context.getBean(Greeter.class).greeted.poll(30, TimeUnit.SECONDS)).isEqualTo("Grace");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "port=1", "username=jobs", "password=secret", "database=1", "ssl.enabled=false",
			"cluster.nodes[0]=127.0.0.1:1", "url=redis://127.0.0.1:1" })
	void redisIsTakenIfAnyPropertySaysWhereItIsOrHowToGetIn(String property) {
		this.runner.withPropertyValues("spring.data.redis." + property, "jobs.shutdown.grace=0s")
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "repositories.enabled=false", "timeout=3s", "lettuce.pool.enabled=false" })
	void memoryIsTakenIfPropertiesOfRedisNameNoServer(String property) {
		this.runner.withPropertyValues("spring.data.redis." + property)
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class));
	}

	@Test
	void memoryIsTakenIfRedisIsOnlyOnTheClasspath() {
		this.runner.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class));
	}

	@Test
	void memoryIsTakenIfItIsAskedFor() {
		this.runner.withPropertyValues("jobs.store=memory", "spring.data.redis.host=127.0.0.1")
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class));
	}

	@Test
	void applicationStartsWithRedisDown() throws IOException {
		this.runner.withUserConfiguration(Greeter.class)
			.withPropertyValues("jobs.store=redis", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + Ports.reserve(), "jobs.shutdown.grace=0s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class);
				assertThat(context.getBean(JobEngine.class).isRunning()).isTrue();
			});
	}

	@Test
	void redisThatRefusesThePasswordFailsTheStart() {
		try (Redis locked = Redis.start()) {
			locked.requirePassword("right");
			this.runner
				.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + locked.port(),
						"spring.data.redis.password=wrong")
				.run((context) -> assertThat(Contexts.analysis(context))
					.contains("Redis at 127.0.0.1:" + locked.port() + " refuses the connection: WRONGPASS")
					.contains("Correct spring.data.redis.username and spring.data.redis.password"));
		}
	}

	@Test
	void redisThatMissesThePasswordFailsTheStart() {
		try (Redis locked = Redis.start()) {
			locked.requirePassword("right");
			this.runner
				.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + locked.port())
				.run((context) -> assertThat(Contexts.analysis(context)).contains("refuses the connection: NOAUTH")
					.contains("Correct spring.data.redis.username and spring.data.redis.password"));
		}
	}

	@Test
	void redisWithoutTheDatabaseFailsTheStart() {
		this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
					"spring.data.redis.database=99")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("DB index is out of range")
				.contains("Correct spring.data.redis.database"));
	}

	@Test
	void enqueueSaysWhyRedisCannotBeReached() {
		int port = Ports.reserve();
		this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port,
					"jobs.shutdown.grace=0s")
			.run((context) -> assertThatExceptionOfType(JobStoreException.class)
				.isThrownBy(() -> Contexts.client(context).enqueue("greet", "Ada"))
				.withMessage("The job was not stored: Redis at 127.0.0.1:" + port
						+ " cannot be reached: Connection refused"));
	}

	@Test
	void redisNeedsNoDatabaseOnTheClasspath() {
		this.runner
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc",
					"org.springframework.boot.sql", "com.zaxxer"))
			.withPropertyValues("spring.data.redis.port=" + server.port())
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class));
	}

	@Test
	void redisWithoutItsLibraryFailsTheStart() {
		this.runner.withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class))
			.withPropertyValues("jobs.store=redis")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("spring-boot-starter-data-redis"));
	}

	@Test
	void redisWithoutAConnectionFactoryFailsTheStart() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.store=redis")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("LettuceConnectionFactory")
				.contains("spring.data.redis"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Greeter {

		private final BlockingQueue<String> greeted = new LinkedBlockingQueue<>();

		@JobHandler("greet")
		void greet(String name) {
			this.greeted.add(name);
		}

	}

}
