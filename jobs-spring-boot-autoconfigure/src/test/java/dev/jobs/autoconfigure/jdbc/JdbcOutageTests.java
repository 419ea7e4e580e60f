package dev.jobs.autoconfigure.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Received;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an application whose database is down or whose connections are all in use.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcOutageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static Postgres server;

	private static ApplicationContextRunner runner(String url) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + url,
					"jobs.jdbc.initialize-schema=always", "jobs.jdbc.timeout=2s", "jobs.shutdown.grace=0s",
					"jobs.worker.poll=200ms");
	}

	@BeforeAll
	static void startServer() {
		server = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Test
	void applicationStartsWithItsDatabaseDownAndWorksOnceItIsUp(CapturedOutput output) throws IOException {
		int port = Ports.reserve();
		runner("jdbc:postgresql://localhost:" + port + "/postgres?user=postgres").withUserConfiguration(Greeter.class)
			.run((context) -> {
				JobClient client = Contexts.client(context);
				assertThat(context.getBean(JobEngine.class).isRunning()).isTrue();
				assertThat(output).contains("The database of the jobs cannot be reached")
					.contains("spring.datasource.url, is jdbc:postgresql://localhost:" + port);
				assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("greet", "Ada"))
					.matches(JobStoreException::isTemporary)
					.matches(JobStoreException::isRefused);
				try (Postgres late = Postgres.startOn(port)) {
					Awaitility.await()
						.atMost(PATIENCE)
						.ignoreExceptionsInstanceOf(JobStoreException.class)
						.until(() -> client.enqueue("greet", "Bob").isNew());
					assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Bob");
				}
			});
	}

	/** The poll would find the job an hour later. */
	@Test
	void processesWakeEachOther() {
		ApplicationContextRunner slow = runner(server.createDatabase()).withPropertyValues("jobs.worker.poll=1h");
		slow.withUserConfiguration(Greeter.class)
			.run((context) -> slow.withPropertyValues("jobs.worker.enabled=false").run((producer) -> {
				Contexts.client(producer).enqueue("greet", "Ada");
				assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
			}));
	}

	/** Handlers that hold all connections of the application wait for another job. */
	@Test
	void engineWorksWhileHandlersHoldAllConnections() {
		runner(server.createDatabase()).withUserConfiguration(Hoarder.class)
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=2", "jobs.worker.lease=3s",
					"jobs.worker.beat=1s")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				Hoarder hoarder = context.getBean(Hoarder.class);
				client.enqueue("hoard", "1");
				client.enqueue("hoard", "2");
				assertThat(hoarder.holding.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
				HikariDataSource pool = context.getBean(HikariDataSource.class);
				assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isZero();
				for (int i = 0; i < 20; i++) {
					client.enqueue("greet", "Ada");
					assertThat(hoarder.greeted.next()).isEqualTo("Ada");
				}
				assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(2);
				hoarder.enough.countDown();
			});
	}

	@Test
	void silentConnectionsOfTheEngineAreGivenUp() {
		String url = server.createDatabase();
		runner(url).withUserConfiguration(Greeter.class).run((context) -> {
			HikariDataSource engine = JdbcStoreTests.engine(context);
			assertThat(networkTimeout(engine)).isEqualTo(Duration.ofSeconds(7));
			assertThat(engine.getDataSourceProperties()).containsEntry("tcpKeepAlive", "true");
			assertThat(engine.getConnectionTimeout()).isEqualTo(2000);
			assertThat(networkTimeout(context.getBean(DataSource.class))).isZero();
		});
		runner(url + "&socketTimeout=60").withUserConfiguration(Greeter.class)
			.run((context) -> assertThat(networkTimeout(JdbcStoreTests.engine(context)))
				.isEqualTo(Duration.ofSeconds(60)));
		runner(url).withPropertyValues("spring.datasource.hikari.data-source-properties.socketTimeout=50")
			.withUserConfiguration(Greeter.class)
			.run((context) -> assertThat(networkTimeout(JdbcStoreTests.engine(context)))
				.isEqualTo(Duration.ofSeconds(50)));
	}

	private static Duration networkTimeout(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection()) {
			return Duration.ofMillis(connection.getNetworkTimeout());
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Hoarder {

		private final DataSource dataSource;

		private final Semaphore holding = new Semaphore(0);

		private final CountDownLatch enough = new CountDownLatch(1);

		private final Received greeted = new Received();

		Hoarder(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		@JobHandler("hoard")
		void hoard(String number) throws Exception {
			try (Connection connection = this.dataSource.getConnection()) {
				this.holding.release();
				this.enough.await();
			}
		}

		@JobHandler("greet")
		void greet(String name) {
			this.greeted.add(name);
		}

	}

}
