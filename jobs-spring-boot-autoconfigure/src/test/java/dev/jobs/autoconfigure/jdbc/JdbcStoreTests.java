package dev.jobs.autoconfigure.jdbc;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.redis.RedisJobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the choice of the store in a database, and for applications that use it.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcStoreTests {

	@TempDir
	private Path directory;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
		.withUserConfiguration(Greeter.class)
		.withPropertyValues("spring.application.name=shop", "jobs.shutdown.grace=0s");

	private String h2File() {
		return "jdbc:h2:file:" + this.directory.resolve("shop");
	}

	private String sqliteFile() {
		return "jdbc:sqlite:" + this.directory.resolve("shop.db");
	}

	private static void assertThatJobsRun(AssertableApplicationContext context) throws InterruptedException {
		assertThat(context).hasNotFailed().getBean(JobStore.class).isInstanceOf(JdbcJobStore.class);
		Contexts.client(context).enqueue("greet", "Ada");
		assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
	}

	private static void assertThatMemoryIsUsed(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed().getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class);
	}

	@Test
	void databaseInAFileIsTakenAndGetsItsTables() {
		this.runner.withPropertyValues("spring.datasource.url=" + h2File()).run(JdbcStoreTests::assertThatJobsRun);
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:sqlite:, jdbc:sqlite::memory:", "jdbc:h2:file:, jdbc:h2:mem:" })
	void fileThatCannotBeOpenedFailsTheStart(String prefix, String inMemory) throws SQLException {
		// Loads the driver, which on a busy machine takes longer than the start waits.
		DriverManager.getConnection(inMemory).close();
		this.runner.withPropertyValues("spring.datasource.url=" + prefix + "/proc/nope/x")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("The file of the database of the jobs cannot be opened")
				.contains("spring.datasource.url, which is " + prefix + "/proc/nope/x"));
	}

	@Test
	void fileOfH2ThatAnotherProcessHasOpenIsWaitedFor(CapturedOutput output) throws IOException {
		Process other = Holder.start(h2File());
		try {
			this.runner
				.withPropertyValues("spring.datasource.url=" + h2File(), "jobs.jdbc.timeout=2s",
						"jobs.worker.poll=200ms")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(output).contains("The database of the jobs cannot be reached")
						.contains("The file is locked");
					JobClient client = Contexts.client(context);
					assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("greet", "Ada"))
						.matches(JobStoreException::isTemporary);
					other.getOutputStream().close();
					Awaitility.await()
						.atMost(Duration.ofSeconds(60))
						.ignoreExceptionsInstanceOf(JobStoreException.class)
						.until(() -> client.enqueue("greet", "Bob").isNew());
					assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Bob");
				});
		}
		finally {
			other.destroyForcibly();
		}
	}

	@Test
	void urlThatNoDriverAcceptsFailsTheStart() {
		this.runner
			.withPropertyValues("jobs.store=jdbc", "spring.datasource.url=jdbc:postgres://localhost/shop",
					"spring.datasource.driver-class-name=org.postgresql.Driver")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jdbc:postgres://localhost/shop")
				.contains("Correct spring.datasource.url, which begins with jdbc:postgresql: for PostgreSQL"));
	}

	@Test
	void platformThatContradictsTheUrlFailsTheStart() {
		this.runner.withPropertyValues("jobs.jdbc.platform=postgresql", "spring.datasource.url=" + h2File())
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("jobs.jdbc.platform is postgresql, but the URL of the database leads to H2")
				.contains("Remove jobs.jdbc.platform"));
	}

	@Test
	void startOnADatabaseLogsNoNamespace(CapturedOutput output) {
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		logging.setLogLevel("dev.jobs.autoconfigure", LogLevel.INFO);
		try {
			this.runner.withPropertyValues("spring.datasource.url=" + h2File())
				.run((context) -> assertThat(context).hasNotFailed());
		}
		finally {
			logging.setLogLevel("dev.jobs.autoconfigure", null);
		}
		assertThat(output).contains("Jobs in JdbcJobStore, pools ").doesNotContain("namespace 'shop'");
	}

	@Test
	void jobsOfADatabaseInAFileOutliveTheApplication() {
		ApplicationContextRunner shop = this.runner.withPropertyValues("spring.datasource.url=" + sqliteFile());
		shop.withPropertyValues("jobs.worker.enabled=false")
			.run((context) -> Contexts.client(context).enqueue("greet", "Ada"));
		shop.run((context) -> assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:h2:mem:shop", "jdbc:h2:mem:lasting;DB_CLOSE_DELAY=-1", "jdbc:h2:mem:",
			"jdbc:sqlite::memory:" })
	void databaseInMemoryIsTakenOnlyIfItIsAskedFor(String url) {
		ApplicationContextRunner shop = this.runner.withPropertyValues("spring.datasource.url=" + url,
				"spring.datasource.hikari.maximum-pool-size=1");
		shop.run(JdbcStoreTests::assertThatMemoryIsUsed);
		shop.withPropertyValues("jobs.store=jdbc").run(JdbcStoreTests::assertThatJobsRun);
	}

	@Test
	void databaseThatBootEmbedsIsNotTaken(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThatMemoryIsUsed(context);
			assertThat(context).hasSingleBean(DataSource.class);
		});
		assertThat(output).contains("spring.datasource.*").contains("@JobsDataSource");
	}

	@Test
	void databaseOfAServiceConnectionIsTaken() {
		this.runner.withBean(JdbcConnectionDetails.class, () -> new Service(h2File()))
			.run(JdbcStoreTests::assertThatJobsRun);
	}

	@Test
	void dataSourceOfTheApplicationsOwnIsTaken() {
		this.runner.withBean(DataSource.class, () -> new DriverManagerDataSource(h2File() + ";DB_CLOSE_DELAY=-1"))
			.run(JdbcStoreTests::assertThatJobsRun);
	}

	@Test
	void embeddedDatabaseOfTheApplicationsOwnIsNotTaken() {
		this.runner.withUserConfiguration(OwnEmbedded.class).run(JdbcStoreTests::assertThatMemoryIsUsed);
	}

	@Test
	void redisAndADatabaseEndTheStartUnlessOneIsAskedFor() {
		ApplicationContextRunner shop = this.runner.withPropertyValues("spring.datasource.url=" + h2File(),
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1");
		shop.run((context) -> assertThat(Contexts.analysis(context))
			.contains("Both a Redis and a database are configured")
			.contains("Set jobs.store=jdbc")
			.contains("or jobs.store=redis"));
		shop.withPropertyValues("jobs.store=redis")
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class));
		shop.withPropertyValues("jobs.store=jdbc").run(JdbcStoreTests::assertThatJobsRun);
	}

	@Test
	void redisIsTakenBesideADatabaseInMemory() {
		this.runner
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:shop", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=1")
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "spring.datasource.url=jdbc:h2:mem:shop" })
	void databaseInMemoryThatIsAskedForIsWarnedAbout(String property, CapturedOutput output) {
		this.runner.withPropertyValues("jobs.store=jdbc")
			.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("jobs.store=jdbc keeps jobs in a database in memory")
			.contains("Set spring.datasource.url to one that lasts");
	}

	@Test
	void databaseThatLastsIsNotWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.store=jdbc", "spring.datasource.url=" + h2File())
			.run(JdbcStoreTests::assertThatJobsRun);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void databaseMarkedForJobsIsTakenBeforeRedis() {
		this.runner.withUserConfiguration(Several.class, Marked.class)
			.withPropertyValues("place=" + this.directory, "spring.data.redis.host=127.0.0.1")
			.run((context) -> {
				assertThatJobsRun(context);
				JdbcTemplate jobs = new JdbcTemplate(context.getBean("ofJobs", DataSource.class));
				assertThat(jobs.queryForObject("select count(*) from jobs_worker", Integer.class)).isPositive();
			});
	}

	@Test
	void severalDataSourcesAreNoReasonToLeaveRedis() {
		this.runner.withUserConfiguration(Several.class)
			.withPropertyValues("place=" + this.directory, "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=1")
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(RedisJobStore.class));
	}

	@Test
	void severalDataSourcesAreLeftAloneIfMemoryIsAskedFor() {
		this.runner.withUserConfiguration(Several.class)
			.withPropertyValues("place=" + this.directory, "jobs.store=memory")
			.run(JdbcStoreTests::assertThatMemoryIsUsed);
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "auto" })
	void severalDataSourcesFailTheStart(String store) {
		this.runner.withUserConfiguration(Several.class)
			.withPropertyValues("place=" + this.directory, "jobs.store=" + store)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("several of which none is primary")
				.contains("@JobsDataSource")
				.contains("jobs.store=memory"));
	}

	@Test
	void primaryOfSeveralDataSourcesIsTaken() {
		this.runner.withUserConfiguration(Several.class, PrimarySource.class)
			.withPropertyValues("place=" + this.directory)
			.run((context) -> {
				assertThatJobsRun(context);
				JdbcTemplate primary = new JdbcTemplate(context.getBean("primary", DataSource.class));
				assertThat(primary.queryForObject("select count(*) from jobs_worker", Integer.class)).isPositive();
			});
	}

	@Test
	void databaseWithoutItsLibraryFailsTheStart() {
		this.runner.withClassLoader(new FilteredClassLoader(JdbcTemplate.class))
			.withPropertyValues("jobs.store=jdbc", "spring.datasource.url=" + h2File())
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.store")
				.contains("spring-boot-starter-jdbc"));
	}

	@Test
	void memoryIsTakenWithoutAnyLibraryOfDatabases() {
		this.runner
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc",
					"org.springframework.boot.sql", "com.zaxxer"))
			.run(JdbcStoreTests::assertThatMemoryIsUsed);
	}

	@Test
	void databaseNeedsNoRedisOnTheClasspath() {
		this.runner
			.withClassLoader(
					new FilteredClassLoader("io.lettuce", "org.springframework.data", "org.springframework.boot.data"))
			.withPropertyValues("spring.datasource.url=" + h2File())
			.run(JdbcStoreTests::assertThatJobsRun);
	}

	@ParameterizedTest
	@CsvSource({ "auto, oracle:thin:@//localhost:1521/shop, oracle", "jdbc, oracle:thin:@//localhost:1521/shop, oracle",
			"auto, mysql://localhost:1/shop, mysql", "jdbc, mysql://localhost:1/shop, mysql" })
	void databaseThatCannotKeepJobsFailsTheStart(String store, String url, String database) {
		this.runner.withBean(DataSource.class, DriverManagerDataSource::new)
			.withBean(JdbcConnectionDetails.class, () -> new Service("jdbc:" + url))
			.withPropertyValues("jobs.store=" + store)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("Jobs cannot be kept in " + database + ", only in PostgreSQL, MariaDB, H2 and SQLite")
				.contains("Set jobs.store=memory")
				.contains("jobs.jdbc.platform"));
	}

	@Test
	void serverThatIsNoMariadbFailsTheStart() {
		this.runner.withBean(DataSource.class, () -> new DriverManagerDataSource(h2File()))
			.withPropertyValues("jobs.store=jdbc", "jobs.jdbc.platform=mariadb")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("jobs.jdbc.platform is mariadb, but the database is H2")
				.contains("Remove jobs.jdbc.platform"));
	}

	@Test
	void everythingLazyStillGetsItsTables() {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("spring.datasource.url=" + h2File())
			.run(JdbcStoreTests::assertThatJobsRun);
	}

	@Test
	void poolOfTheEngineIsBehindAProxyAndNoBean() {
		this.runner.withBean(DataSource.class, () -> new LazyConnectionDataSourceProxy(hikari(sqliteFile())))
			.run((context) -> {
				assertThatJobsRun(context);
				assertThat(context).hasSingleBean(DataSource.class);
				assertThat(engine(context).getPoolName()).isEqualTo("jobs");
				assertThat(engine(context).getMaximumPoolSize()).isEqualTo(4);
			});
	}

	@Test
	void poolOfTheEngineEndsWithTheApplication() {
		HikariDataSource[] pool = new HikariDataSource[1];
		this.runner.withPropertyValues("spring.datasource.url=" + h2File()).run((context) -> pool[0] = engine(context));
		assertThat(pool[0].isClosed()).isTrue();
	}

	@Test
	void poolOfTheApplicationIsUsedIfTheEngineShallHaveNone() {
		this.runner.withPropertyValues("spring.datasource.url=" + h2File(), "jobs.jdbc.pool-size=0").run((context) -> {
			assertThatJobsRun(context);
			assertThat(context.getBean(JobConnections.class).engine()).isSameAs(context.getBean(DataSource.class));
		});
	}

	@Test
	void tablesHaveTheConfiguredPrefix() {
		this.runner.withPropertyValues("spring.datasource.url=" + h2File(), "jobs.jdbc.table-prefix=shop_work_")
			.run((context) -> {
				assertThatJobsRun(context);
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				assertThat(jdbc.queryForObject("select count(*) from shop_work_worker", Integer.class)).isPositive();
			});
	}

	static HikariDataSource engine(AssertableApplicationContext context) {
		return (HikariDataSource) context.getBean(JobConnections.class).engine();
	}

	private static HikariDataSource hikari(String url) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		return dataSource;
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnEmbedded {

		@Bean
		EmbeddedDatabase dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Several {

		@Bean
		DataSource one(Environment environment) {
			return hikari("jdbc:h2:file:" + environment.getProperty("place") + "/one");
		}

		@Bean
		DataSource two(Environment environment) {
			return hikari("jdbc:h2:file:" + environment.getProperty("place") + "/two");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimarySource {

		@Bean
		@Primary
		DataSource primary(Environment environment) {
			return hikari("jdbc:h2:file:" + environment.getProperty("place") + "/primary");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Marked {

		@Bean(defaultCandidate = false)
		@JobsDataSource
		DataSource ofJobs(Environment environment) {
			return hikari("jdbc:sqlite:" + environment.getProperty("place") + "/jobs.db");
		}

	}

	record Service(String getJdbcUrl) implements JdbcConnectionDetails {

		@Override
		public String getUsername() {
			return "sa";
		}

		@Override
		public String getPassword() {
			return "";
		}

	}

	/**
	 * A process that keeps a database open until its input ends.
	 */
	static final class Holder {

		private Holder() {
		}

		static Process start(String url) throws IOException {
			ProcessBuilder builder = new ProcessBuilder(
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
					"-XX:TieredStopAtLevel=1", Holder.class.getName(), url)
				.redirectError(ProcessBuilder.Redirect.INHERIT);
			builder.environment()
				.put("CLASSPATH",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
			Process process = builder.start();
			assertThat(process.getInputStream().read()).isEqualTo('o');
			return process;
		}

		public static void main(String[] arguments) throws Exception {
			try (Connection connection = DriverManager.getConnection(arguments[0])) {
				System.out.println(connection.isValid(1) ? "open" : "closed");
				System.in.transferTo(OutputStream.nullOutputStream());
			}
		}

	}

}
