package dev.jobs.autoconfigure.redis;

import java.nio.file.Path;
import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.redis.RedisJobStore;
import dev.jobs.store.redis.check.ServerCheck;
import dev.jobs.store.redis.check.ServerReport.Finding;
import dev.jobs.store.redis.check.ServerReport.Problem;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the ways in which an application says where its Redis is and how to get in.
 */
class RedisConnectionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static Redis server;

	private static RedisClient client;

	private static RedisCommands<String, String> commands;

	@TempDir
	private Path directory;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
				JobsAutoConfiguration.class))
		.withUserConfiguration(Greeter.class)
		.withPropertyValues("spring.application.name=shop", "spring.data.redis.timeout=2s", "jobs.shutdown.grace=0s");

	@BeforeAll
	static void startServer() {
		server = Redis.start();
		client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		commands = client.connect().sync();
		commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8),
				new CommandArgs<>(StringCodec.UTF8).add("SETUSER")
					.add("shop")
					.add("on")
					.add(">secret")
					.add("~{*}:*")
					.add("&*")
					.add("+@all")
					.add("-@admin"));
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	private static void assertThatJobsRun(AssertableApplicationContext context) throws InterruptedException {
		assertThat(context).hasNotFailed().getBean(JobStore.class).isInstanceOf(RedisJobStore.class);
		context.getBean(JobClient.class).enqueue("greet", "Ada");
		assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
	}

	@Test
	void credentialsOfAUserWithNoMoreRightsThanItsKeysAreEnough() {
		this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
					"spring.data.redis.username=shop", "spring.data.redis.password=secret")
			.run(RedisConnectionTests::assertThatJobsRun);
	}

	@Test
	void wrongPasswordOfAUserFailsTheStart() {
		this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
					"spring.data.redis.username=shop", "spring.data.redis.password=wrong")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("WRONGPASS")
				.contains("spring.data.redis.username"));
	}

	@Test
	void tlsAndCredentialsAreThoseOfTheApplication() throws Exception {
		try (TlsEntrance tls = new TlsEntrance(this.directory, server.port())) {
			this.runner
				.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + tls.port(),
						"spring.data.redis.username=shop", "spring.data.redis.password=secret",
						"spring.data.redis.ssl.bundle=redis",
						"spring.ssl.bundle.jks.redis.truststore.location=file:" + tls.keys(),
						"spring.ssl.bundle.jks.redis.truststore.password=" + TlsEntrance.PASSWORD)
				.run(RedisConnectionTests::assertThatJobsRun);
		}
	}

	@Test
	void serverWithAnUnknownCertificateIsNotTalkedTo() throws Exception {
		try (TlsEntrance tls = new TlsEntrance(this.directory, server.port())) {
			this.runner
				.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + tls.port(),
						"spring.data.redis.ssl.enabled=true")
				.run((context) -> assertThatExceptionOfType(JobStoreException.class)
					.isThrownBy(() -> Contexts.client(context).enqueue("greet", "Ada"))
					.matches(JobStoreException::isRefused));
		}
	}

	@Test
	void markedConnectionIsTakenBeforeTheOneOfTheApplication() {
		this.runner.withUserConfiguration(Marked.class)
			.withPropertyValues("jobs-port=" + server.port(), "jobs.namespace=marked")
			.run((context) -> {
				assertThatJobsRun(context);
				assertThat(commands.exists("{marked:0}:token")).isEqualTo(1);
				assertThat(context.getBean(LettuceConnectionFactory.class).getPort()).isNotEqualTo(server.port());
			});
	}

	@Test
	void serverIsCheckedThoughEverythingElseIsLazy() {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
					"jobs.redis.durability=replicated", "jobs.redis.replicas=2")
			.run((context) -> {
				assertThat(context.getBeanFactory().containsSingleton("jobServerCheck")).isTrue();
				ServerCheck check = context.getBean(ServerCheck.class);
				Awaitility.await().atMost(PATIENCE).until(() -> check.report().isPresent());
				assertThat(check.report().orElseThrow().servers()).singleElement()
					.satisfies((found) -> assertThat(found.findings()).extracting(Finding::problem)
						.contains(Problem.NO_APPEND_ONLY_FILE, Problem.TOO_FEW_REPLICAS));
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Marked {

		@Bean
		LettuceConnectionFactory ofTheApplication() {
			return new LettuceConnectionFactory("127.0.0.1", Ports.reserve());
		}

		@Bean(defaultCandidate = false)
		@JobsConnectionFactory
		LettuceConnectionFactory ofJobs(Environment environment) {
			return new LettuceConnectionFactory("127.0.0.1",
					environment.getRequiredProperty("jobs-port", Integer.class));
		}

	}

}
