package dev.jobs.autoconfigure.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.loop.LoopStatus;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import redis.embedded.RedisServer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what an application logs while its Redis is down.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisOutageLogTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	/** More than the lines that they may bring; they soon come once in a second only. */
	private static final int FAULTS = 20;

	private final Logger engineLogger = (Logger) LoggerFactory.getLogger("dev.jobs.engine");

	private final List<RedisServer> servers = new ArrayList<>();

	private int port;

	@BeforeEach
	void prepare() throws IOException {
		this.engineLogger.setLevel(Level.INFO);
		this.engineLogger.setAdditive(true);
		this.port = Ports.reserve();
	}

	@AfterEach
	void cleanUp() throws IOException {
		this.engineLogger.setLevel(Level.WARN);
		this.engineLogger.setAdditive(false);
		for (RedisServer server : this.servers) {
			server.stop();
		}
	}

	private RedisServer startServer() throws IOException {
		RedisServer server = RedisServer.newRedisServer()
			.port(this.port)
			.bind("127.0.0.1")
			.onShutdownForceStop(true)
			.build();
		server.start();
		this.servers.add(server);
		return server;
	}

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.application.name=shop", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + this.port, "spring.data.redis.timeout=1s", "jobs.worker.poll=100ms",
					"jobs.shutdown.grace=0s");
	}

	private static int faults(JobEngine engine) {
		return engine.status().loops().stream().mapToInt(LoopStatus::faults).sum();
	}

	@Test
	void outageIsLoggedInFewLinesAndEndsByItself(CapturedOutput output) throws IOException {
		RedisServer server = startServer();
		runner().run((context) -> {
			JobClient client = Contexts.client(context);
			Greeter greeter = context.getBean(Greeter.class);
			client.enqueue("greet", "Ada");
			assertThat(greeter.greeted.next()).isEqualTo("Ada");
			long before = output.getAll().lines().count();
			server.stop();
			JobEngine engine = context.getBean(JobEngine.class);
			Awaitility.await().atMost(PATIENCE).until(() -> faults(engine) >= FAULTS);
			assertThat(output.getAll().lines().count() - before).isPositive().isLessThan(FAULTS);
			startServer();
			Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> client.enqueue("greet", "Bob").isNew());
			assertThat(greeter.greeted.next()).isEqualTo("Bob");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void startOnAReplicaWaitsAndJobsRunOnceItIsTheMaster(boolean used, CapturedOutput output) {
		try (Redis master = Redis.start(); Redis replica = Redis.startOn(this.port)) {
			if (used) {
				runner().run((context) -> Contexts.client(context).enqueue("greet", "Eve"));
			}
			replica.replicate(master);
			long before = output.getAll().lines().count();
			runner().run((context) -> {
				assertThat(output.getAll().lines().skip(before).filter((line) -> line.contains("RedisEntry")))
					.singleElement()
					.asString()
					.contains("Redis at 127.0.0.1:" + this.port + " takes no writes for now (READONLY ")
					.contains("and continue by themselves");
				JobClient client = Contexts.client(context);
				assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("greet", "Ada"))
					.matches(JobStoreException::isTemporary)
					.matches(JobStoreException::isRefused);
				JobEngine engine = context.getBean(JobEngine.class);
				Awaitility.await().atMost(PATIENCE).until(() -> faults(engine) >= FAULTS);
				assertThat(output.getAll().lines().skip(before).count()).isLessThan(FAULTS);
				replica.promote();
				Awaitility.await()
					.atMost(PATIENCE)
					.ignoreExceptionsInstanceOf(JobStoreException.class)
					.until(() -> client.enqueue("greet", "Bob").isNew());
				assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Bob");
			});
		}
	}

	@Test
	void startWithoutAServerIsLoggedInFewLines(CapturedOutput output) {
		runner().run((context) -> {
			JobEngine engine = context.getBean(JobEngine.class);
			Awaitility.await().atMost(PATIENCE).until(() -> faults(engine) >= FAULTS);
			assertThat(output.getAll().lines().filter((line) -> line.contains("WARN")))
				.filteredOn((line) -> line.contains("cannot be reached"))
				.hasSize(2)
				.allMatch((line) -> line.contains("Redis at 127.0.0.1:" + this.port + " cannot be reached"))
				.anyMatch((line) -> line.contains("spring.data.redis.host and spring.data.redis.port say where it is"));
			assertThat(output.getAll().lines().count()).isLessThan(FAULTS);
		});
	}

}
