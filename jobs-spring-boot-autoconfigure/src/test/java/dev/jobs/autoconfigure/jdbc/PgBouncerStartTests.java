package dev.jobs.autoconfigure.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.store.contract.process.PgBouncer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the start behind a PgBouncer that knows nothing of prepared statements, as
 * those before 1.21. They are part of the build where {@code JOBS_TEST_PGBOUNCER} is set.
 */
class PgBouncerStartTests {

	private static final int CONNECTIONS = 4;

	/** One in some 70 was lucky once. */
	private static final int STARTS = 40;

	private static Postgres server;

	@TempDir
	private Path directory;

	private static ApplicationContextRunner runner(String url) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + url,
					"jobs.jdbc.initialize-schema=always", "jobs.jdbc.listen=off", "jobs.shutdown.grace=0s",
					"jobs.worker.poll=200ms");
	}

	private static String name(String url) {
		return url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
	}

	private PgBouncer pooler(String mode) throws IOException {
		return PgBouncer.start(this.directory, server.port(), mode, CONNECTIONS);
	}

	@BeforeAll
	static void startServer() {
		server = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@ParameterizedTest
	@CsvSource({ "always, 4", "never, 4", "always, 1", "always, 0" })
	void startBehindAPoolerThatMixesUpPreparedStatementsEndsWithTheRemedy(String initializeSchema, int poolSize)
			throws IOException {
		String url = server.createDatabase();
		try (PgBouncer pooler = pooler("transaction")) {
			runner(pooler.url(name(url), ""))
				.withPropertyValues("jobs.jdbc.initialize-schema=" + initializeSchema,
						"jobs.jdbc.pool-size=" + poolSize)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(InvalidJobsConfigurationException.class)
					.hasMessageContaining("mixes up prepared statements")
					.extracting("action")
					.asString()
					.contains("prepareThreshold=0")
					.contains("max_prepared_statements"));
		}
	}

	/** The trial must find it out although others take and leave connections. */
	@Test
	void noStartIsLuckyWhileOthersUseThePooler() throws Exception {
		String database = name(server.createDatabase());
		AtomicBoolean done = new AtomicBoolean();
		try (PgBouncer pooler = pooler("transaction")) {
			JdbcTemplate jdbc = new JdbcTemplate(
					new DriverManagerDataSource(pooler.url(database, "&prepareThreshold=0")));
			Thread other = new Thread(() -> {
				while (!done.get()) {
					jdbc.execute("select pg_sleep(0.001)");
				}
			});
			other.start();
			try {
				for (int start = 0; start < STARTS; start++) {
					runner(pooler.url(database, "")).run((context) -> assertThat(context).getFailure()
						.hasStackTraceContaining("mixes up prepared statements"));
				}
			}
			finally {
				done.set(true);
				other.join();
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "transaction, &prepareThreshold=0", "transaction, &preferQueryMode=simple", "session, ''" })
	void startBehindAPoolerThatCannotMixThemUpIsAsAnyOther(String mode, String parameters) throws IOException {
		String database = name(server.createDatabase());
		try (PgBouncer pooler = pooler(mode)) {
			runner(pooler.url(database, parameters))
				.withPropertyValues("jobs.jdbc.pool-size=2", "spring.datasource.hikari.maximum-pool-size=2")
				.run((context) -> {
					Contexts.client(context).enqueue("greet", "Ada");
					assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
				});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "&prepareThreshold=1" })
	void startWithoutAPoolerIsNotTakenForOneBehindIt(String parameters) {
		runner(server.createDatabase() + parameters).run((context) -> {
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
		});
	}

}
