package dev.jobs.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.view.JobInspector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for the passwords of stores: no line that is logged here has one, at any level,
 * and no error.
 */
@ExtendWith(OutputCaptureExtension.class)
class CredentialsTests {

	private static final String PASSWORD = "s3cr3t4711";

	/** Faults are awaited. */
	private static final String[] FAST_BEATS = { "jobs.worker.lease=3s", "jobs.worker.beat=200ms" };

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs");

	private final Logger engineLogger = (Logger) LoggerFactory.getLogger("dev.jobs.engine");

	@TempDir
	private Path directory;

	@BeforeEach
	void logEverything() {
		this.logger.setLevel(Level.TRACE);
		this.engineLogger.setLevel(Level.TRACE);
		this.engineLogger.setAdditive(true);
	}

	@AfterEach
	void logAsBefore() {
		this.logger.setLevel(null);
		this.engineLogger.setLevel(Level.WARN);
		this.engineLogger.setAdditive(false);
	}

	private static ApplicationContextRunner redis(String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.shutdown.grace=0s",
					"spring.data.redis.timeout=1s")
			.withPropertyValues(FAST_BEATS)
			.withPropertyValues(properties);
	}

	private static ApplicationContextRunner jdbc(String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.shutdown.grace=0s",
					"jobs.jdbc.initialize-schema=always")
			.withPropertyValues(FAST_BEATS)
			.withPropertyValues(properties);
	}

	private static String stack(Throwable thrown) {
		StringWriter stack = new StringWriter();
		thrown.printStackTrace(new PrintWriter(stack));
		return stack.toString();
	}

	/** The application starts, but neither it nor its engine gets anywhere. */
	private static void assertThatFaultsHideThePassword(AssertableApplicationContext context) {
		JobClient client = Contexts.client(context);
		JobEngine engine = context.getBean(JobEngine.class);
		JobStoreException fault = catchThrowableOfType(JobStoreException.class, () -> client.enqueue("greet", "Ada"));
		assertThat(fault.toString()).doesNotContain(PASSWORD);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> engine.status()
				.loops()
				.stream()
				.filter((loop) -> loop.name().equals("beat"))
				.allMatch((loop) -> loop.faults() > 0));
		assertThat(context.getBean(JobInspector.class).store().toString()).doesNotContain(PASSWORD);
	}

	private static void assertThatTheStartFailsAndHidesThePassword(AssertableApplicationContext context) {
		assertThat(Contexts.analysis(context)).doesNotContain(PASSWORD);
		assertThat(stack(context.getStartupFailure())).doesNotContain(PASSWORD);
	}

	private static void assertThatNothingFails(AssertableApplicationContext context) {
		assertThat(Contexts.client(context).enqueue("greet", "Ada").isNew()).isTrue();
	}

	@Test
	void passwordOfARedisThatIsDownIsHidden(CapturedOutput output) {
		redis("spring.data.redis.url=redis://default:" + PASSWORD + "@127.0.0.1:" + Ports.reserve()).run((context) -> {
			assertThatFaultsHideThePassword(context);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> output.getAll().contains("cannot be reached"));
		});
		assertThat(output).doesNotContain(PASSWORD);
	}

	@ParameterizedTest
	@ValueSource(strings = { PASSWORD, "right" })
	void passwordOfARedisIsHiddenWhetherItIsRightOrNot(String required, CapturedOutput output) {
		try (Redis server = Redis.start()) {
			server.requirePassword(required);
			redis("spring.data.redis.url=redis://default:" + PASSWORD + "@127.0.0.1:" + server.port())
				.run(required.equals(PASSWORD) ? CredentialsTests::assertThatNothingFails
						: CredentialsTests::assertThatTheStartFailsAndHidesThePassword);
		}
		assertThat(output).contains("Jobs in RedisJobStore").doesNotContain(PASSWORD);
	}

	@Test
	void passwordOfADatabaseThatIsDownIsHidden(CapturedOutput output) {
		jdbc("jobs.jdbc.timeout=1s", "spring.datasource.url=jdbc:postgresql://127.0.0.1:" + Ports.reserve()
				+ "/shop?user=shop&password=" + PASSWORD)
			.run(CredentialsTests::assertThatFaultsHideThePassword);
		assertThat(output).contains("The database of the jobs cannot be reached").doesNotContain(PASSWORD);
	}

	@Test
	void passwordThatADatabaseRefusesIsHidden(CapturedOutput output) throws SQLException {
		String url = "jdbc:h2:file:" + this.directory.resolve("jobs");
		DriverManager.getConnection(url, "shop", "right").close();
		jdbc("spring.datasource.url=" + url, "spring.datasource.username=shop",
				"spring.datasource.password=" + PASSWORD)
			.run(CredentialsTests::assertThatTheStartFailsAndHidesThePassword);
		jdbc("spring.datasource.url=" + url + ";USER=shop;PASSWORD=" + PASSWORD)
			.run(CredentialsTests::assertThatTheStartFailsAndHidesThePassword);
		assertThat(output).doesNotContain(PASSWORD);
	}

	@Test
	void passwordOfADatabaseThatWorksIsHidden(CapturedOutput output) {
		jdbc("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("jobs") + ";USER=shop;PASSWORD=" + PASSWORD)
			.run(CredentialsTests::assertThatNothingFails);
		assertThat(output).contains("Jobs are kept in").doesNotContain(PASSWORD);
	}

	/** This driver shows the URL in its errors, and so does the next. */
	@Test
	void passwordInAUrlThatLeadsNowhereIsHidden(CapturedOutput output) {
		jdbc("jobs.store=jdbc", "jobs.jdbc.timeout=1s",
				"spring.datasource.url=jdbc:postgresql://shop:" + PASSWORD + "@127.0.0.1:1/shop")
			.run(CredentialsTests::assertThatFaultsHideThePassword);
		assertThat(output).contains("***").doesNotContain(PASSWORD);
	}

	@Test
	void passwordInAUrlOfAFileThatCannotBeOpenedIsHidden(CapturedOutput output) {
		jdbc("jobs.store=jdbc", "spring.datasource.url=jdbc:h2:nowhere;USER=shop;PASSWORD=" + PASSWORD)
			.run(CredentialsTests::assertThatTheStartFailsAndHidesThePassword);
		assertThat(output).doesNotContain(PASSWORD);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:postgresql://127.0.0.1:port/shop?user=shop&password=" + PASSWORD,
			"jdbc:nosuch:shop;password=" + PASSWORD })
	void passwordInAUrlThatIsNoneIsHidden(String url, CapturedOutput output) {
		jdbc("jobs.store=jdbc", "spring.datasource.url=" + url).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(stack(context.getStartupFailure())).doesNotContain(PASSWORD);
		});
		assertThat(output).doesNotContain(PASSWORD);
	}

}
