package dev.jobs.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import dev.jobs.JobHandler;
import dev.jobs.WorkerStatus;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.types.RedisClientInfo;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an application that is stopped and started again, as before a checkpoint of
 * its process and after the process was restored, beside another one that looks on.
 */
class StopAndStartTests {

	private static final String STOPPED = "stopped";

	private static Redis redis;

	private static Postgres postgres;

	@BeforeAll
	static void startServers() {
		redis = Redis.start();
		postgres = Postgres.start();
	}

	@AfterAll
	static void stopServers() {
		redis.close();
		postgres.close();
	}

	@Test
	void workerIsAnotherOneAfterwardsInMemory() {
		InMemoryJobStore store = new InMemoryJobStore();
		ApplicationContextRunner runner = Contexts.runner().withBean(JobStore.class, () -> store);
		runner.withPropertyValues("jobs.worker.enabled=false")
			.run((onlooker) -> workerIsAnotherOneAfterwards(runner, onlooker, () -> 0L));
	}

	@Test
	void workerIsAnotherOneAfterwardsInRedisAndNoConnectionStaysOpenMeanwhile() {
		ApplicationContextRunner runner = runner().withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
		runner.withPropertyValues("jobs.worker.enabled=false").run((onlooker) -> {
			StringRedisTemplate template = new StringRedisTemplate(onlooker.getBean(RedisConnectionFactory.class));
			workerIsAnotherOneAfterwards(runner.withPropertyValues("spring.data.redis.client-name=" + STOPPED),
					onlooker,
					() -> template.getClientList()
						.stream()
						.map(RedisClientInfo::getName)
						.filter(STOPPED::equals)
						.count());
		});
	}

	@Test
	void workerIsAnotherOneAfterwardsInPostgresAndNoConnectionStaysOpenMeanwhile() {
		String url = postgres.createDatabase();
		ApplicationContextRunner runner = runner().withPropertyValues("jobs.jdbc.initialize-schema=always",
				"spring.datasource.hikari.minimum-idle=0");
		runner.withPropertyValues("jobs.worker.enabled=false", "spring.datasource.url=" + url).run((onlooker) -> {
			JdbcTemplate template = onlooker.getBean(JdbcTemplate.class);
			workerIsAnotherOneAfterwards(
					runner.withPropertyValues("spring.datasource.url=" + url + "&ApplicationName=" + STOPPED), onlooker,
					() -> template.queryForObject("select count(*) from pg_stat_activity where application_name = ?",
							Long.class, STOPPED));
		});
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
							JdbcTemplateAutoConfiguration.class, JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.shutdown.grace=1s");
	}

	private static void workerIsAnotherOneAfterwards(ApplicationContextRunner runner,
			AssertableApplicationContext onlooker, Supplier<Long> connections) {
		JobOperations operations = onlooker.getBean(JobOperations.class);
		runner.withBean(Received.class).withBean(Worker.class).run((context) -> {
			Received received = context.getBean(Received.class);
			Contexts.client(onlooker).enqueue("work", 1);
			assertThat(received.next()).isEqualTo(1);
			List<String> before = workers(operations);
			assertThat(before).hasSize(1);
			context.stop();
			assertThat(workers(operations)).isEmpty();
			Awaitility.await("the end of all connections")
				.atMost(Duration.ofSeconds(20))
				.until(() -> connections.get() == 0);
			Contexts.client(onlooker).enqueue("work", 2);
			context.start();
			assertThat(received.next()).isEqualTo(2);
			assertThat(workers(operations)).hasSize(1).doesNotContainAnyElementsOf(before);
		});
	}

	private static List<String> workers(JobOperations operations) {
		return operations.workers().stream().map(WorkerStatus::id).toList();
	}

	static class Worker {

		private final Received received;

		Worker(Received received) {
			this.received = received;
		}

		@JobHandler("work")
		void work(Integer number) {
			this.received.add(number);
		}

	}

}
