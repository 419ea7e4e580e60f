package dev.jobs.autoconfigure.jdbc;

import java.nio.file.Path;
import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.test.ExpectsFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an application that starts while its database refuses to be written to.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReadOnlyServerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static Postgres server;

	private static ApplicationContextRunner runner(String url, String initializeSchema) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + url,
					"jobs.jdbc.initialize-schema=" + initializeSchema, "jobs.jdbc.timeout=2s", "jobs.shutdown.grace=0s",
					"jobs.worker.poll=200ms");
	}

	private static void createTables(String url) {
		runner(url, "always").withPropertyValues("jobs.worker.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static void expectToWaitAndThenWork(String url, String initializeSchema, CapturedOutput output,
			Runnable writable) {
		runner(url, initializeSchema).run((context) -> {
			JobClient client = Contexts.client(context);
			assertThat(output.getAll().lines().filter((line) -> line.contains("JobTables"))).singleElement()
				.asString()
				.contains("The database of the jobs cannot be written to for now")
				.containsAnyOf("in a read-only transaction", "the server is read-only")
				.contains("jobs run as soon as it can be")
				.contains("spring.datasource.url, is " + url.substring(0, url.indexOf('?')));
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("greet", "Ada"))
				.matches(JobStoreException::isTemporary)
				.matches(JobStoreException::isRefused);
			writable.run();
			Awaitility.await()
				.atMost(PATIENCE)
				.ignoreExceptionsInstanceOf(JobStoreException.class)
				.until(() -> client.enqueue("greet", "Bob").isNew());
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Bob");
		});
	}

	@BeforeAll
	static void startServer() {
		server = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void endReadOnly() {
		server.readOnly(false);
	}

	@ParameterizedTest
	@CsvSource({ "always, true", "always, false", "embedded, true", "never, true" })
	void startOnAReadOnlyServerWaitsAndJobsRunOnceItCanBeWrittenTo(String initializeSchema, boolean tables,
			CapturedOutput output) {
		String url = server.createDatabase();
		if (tables) {
			createTables(url);
		}
		server.readOnly(true);
		expectToWaitAndThenWork(url, initializeSchema, output, () -> server.readOnly(false));
	}

	/** It may be a standby that is still to receive them. */
	@Test
	@ExpectsFaults("does not exist")
	void startOnAReadOnlyServerWithoutTablesWaitsToo(CapturedOutput output) {
		String url = server.createDatabase();
		server.readOnly(true);
		runner(url, "never").run((context) -> {
			JobClient client = Contexts.client(context);
			assertThat(output).contains("cannot be written to for now").contains("the server is read-only");
			server.readOnly(false);
			createTables(url);
			assertThat(client.enqueue("greet", "Ada").isNew()).isTrue();
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
		});
	}

	@Test
	void startOnAStandbyWaitsAndJobsRunOnceItIsThePrimary(@TempDir Path directory, CapturedOutput output) {
		try (Postgres before = Postgres.startIn(directory)) {
			createTables(before.url("postgres"));
		}
		try (Postgres standby = Postgres.startStandby(directory)) {
			expectToWaitAndThenWork(standby.url("postgres"), "never", output, standby::promote);
		}
	}

}
