package dev.jobs.autoconfigure.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the tables of an application that keeps its jobs in PostgreSQL.
 */
class JobTablesTests {

	private static Postgres server;

	private JdbcTemplate jdbc;

	private ApplicationContextRunner runner;

	private String url;

	@BeforeAll
	static void startServer() {
		server = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void createDatabase() {
		String url = server.createDatabase();
		this.url = url;
		this.jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + url,
					"jobs.shutdown.grace=0s");
	}

	private void assertThatJobsRun(ApplicationContextRunner runner) {
		runner.run((context) -> {
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
		});
	}

	private List<String> tables() {
		return this.jdbc.queryForList("select schemaname || '.' || tablename from pg_tables "
				+ "where schemaname not in ('pg_catalog', 'information_schema') order by 1", String.class);
	}

	@Test
	void missingTablesOfAServerFailTheStartUnlessTheyAreWanted() {
		this.runner.run((context) -> assertThat(Contexts.analysis(context)).contains("POSTGRESQL")
			.contains("table jobs_job")
			.contains("sequence jobs_place")
			.contains("jobs.jdbc.initialize-schema=always")
			.contains("dev/jobs/store/jdbc/migration/postgresql")
			.contains("jobs.store"));
		assertThat(tables()).isEmpty();
		assertThatJobsRun(this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs_", "public.work_" })
	void startOnAnEmptyDatabaseRunsNoStatementThatFails(String prefix) {
		FaultyStatements faulty = new FaultyStatements(this.jdbc.getDataSource());
		ApplicationContextRunner shop = this.runner.withBean(DataSource.class, () -> faulty)
			.withPropertyValues("jobs.jdbc.initialize-schema=always", "jobs.jdbc.table-prefix=" + prefix);
		assertThatJobsRun(shop);
		assertThat(faulty.messages).isEmpty();
		assertThatJobsRun(shop);
		this.jdbc.execute("drop table " + prefix + "tally");
		assertThatJobsRun(shop);
		assertThat(faulty.messages).isNotEmpty().allMatch((message) -> message.contains("tally"));
	}

	@Test
	void tablesAreNeverCreatedIfThatIsSaid() {
		ApplicationContextRunner shop = this.runner.withPropertyValues("jobs.jdbc.initialize-schema=never");
		shop.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.jdbc.initialize-schema=always"));
		assertThat(tables()).isEmpty();
		this.jdbc.execute(JdbcSchema.of(Database.POSTGRESQL, "jobs_"));
		assertThatJobsRun(shop);
	}

	@Test
	void tablesThatAreThereStayAsTheyAre() {
		ApplicationContextRunner shop = this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always");
		shop.withPropertyValues("jobs.worker.enabled=false")
			.run((context) -> Contexts.client(context).enqueue("greet", "Ada"));
		shop.run((context) -> assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada"));
	}

	@Test
	void tablesThatAreThereAreNotLockedByTheStart() throws Exception {
		ApplicationContextRunner shop = this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always");
		assertThatJobsRun(shop);
		try (var writer = this.jdbc.getDataSource().getConnection(); var statement = writer.createStatement()) {
			writer.setAutoCommit(false);
			statement.execute("lock table jobs_job in row exclusive mode");
			assertThatJobsRun(shop);
			writer.rollback();
		}
	}

	@Test
	void tablesHaveTheConfiguredPrefixAndSchema() {
		this.jdbc.execute("create schema work");
		assertThatJobsRun(this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always",
				"jobs.jdbc.table-prefix=work.shop_"));
		assertThat(tables()).contains("work.shop_job", "work.shop_schedule")
			.allMatch((name) -> name.startsWith("work.shop_"));
	}

	@Test
	void prefixWithASchemaThatDoesNotExistIsExplained() {
		this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always", "jobs.jdbc.table-prefix=nope.jobs_")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("with the prefix nope.jobs_")
				.contains("schema \"nope\" does not exist")
				.contains("If the schema does not exist, create it, or correct jobs.jdbc.table-prefix."));
	}

	@Test
	void tablesAreCreatedInTheSchemaOfTheApplicationsPool() {
		this.jdbc.execute("create schema shop");
		assertThatJobsRun(this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always",
				"spring.datasource.hikari.schema=shop"));
		assertThat(tables()).contains("shop.jobs_job").allMatch((name) -> name.startsWith("shop.jobs_"));
	}

	@Test
	void tablesMayBeCreatedByAnotherInitializer() {
		assertThatJobsRun(this.runner.withUserConfiguration(Migration.class));
	}

	@Test
	void rightThatIsMissingIsExplained() {
		this.jdbc.execute("create role shop login");
		this.runner
			.withPropertyValues("jobs.jdbc.initialize-schema=always",
					"spring.datasource.hikari.connection-init-sql=set role shop")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("could not be created")
				.contains("permission denied for schema public")
				.contains("jobs.jdbc.initialize-schema=never"));
		this.jdbc.execute("drop role shop");
	}

	@Test
	void whateverIsMissingIsNamedAndAddedIfThatIsWanted() {
		ApplicationContextRunner wanted = this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always");
		assertThatJobsRun(wanted);
		this.jdbc.execute("drop table jobs_tally");
		this.jdbc.execute("drop sequence jobs_token");
		this.runner.run((context) -> assertThat(Contexts.analysis(context)).contains("table jobs_tally",
				"sequence jobs_token", "jobs.jdbc.initialize-schema=always"));
		assertThatJobsRun(wanted);
		this.jdbc.execute("delete from jobs_schema");
		this.runner.run((context) -> assertThat(Contexts.analysis(context)).contains("version " + JdbcSchema.VERSION,
				"jobs.jdbc.initialize-schema=always"));
		assertThatJobsRun(wanted);
		assertThatJobsRun(this.runner);
	}

	@ParameterizedTest
	@ValueSource(strings = { "always", "never" })
	void columnThatIsMissingIsNamedByTheDatabase(String initializeSchema) {
		assertThatJobsRun(this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always"));
		this.jdbc.execute("alter table jobs_queue drop column low_place");
		this.jdbc.execute("alter table jobs_tally drop column c51");
		this.runner.withPropertyValues("jobs.jdbc.initialize-schema=" + initializeSchema)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("a column of table jobs_queue (ERROR: column \"low_place\" does not exist)")
				.contains("a column of table jobs_tally (ERROR: column \"c51\" does not exist)")
				.contains("A column is always added by hand")
				.contains("dev/jobs/store/jdbc/migration/postgresql"));
	}

	@Test
	void eachRightThatIsMissingIsNamed() {
		assertThatJobsRun(this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always"));
		this.jdbc.execute("create role clerk login");
		this.jdbc.execute("grant select, insert, update, delete on all tables in schema public to clerk");
		this.jdbc.execute("grant usage, select on all sequences in schema public to clerk");
		ApplicationContextRunner clerk = this.runner
			.withPropertyValues("spring.datasource.hikari.connection-init-sql=set role clerk");
		assertThatJobsRun(clerk);
		List<String> rights = List.of("insert on table jobs_job", "update on table jobs_worker",
				"delete on table jobs_delivery", "select on table jobs_tally", "usage on sequence jobs_place",
				"select on sequence jobs_token");
		rights.forEach((right) -> this.jdbc.execute("revoke " + right + " from clerk"));
		clerk.run((context) -> assertThat(Contexts.analysis(context)).contains(rights).contains("grant"));
		rights.forEach((right) -> this.jdbc.execute("grant " + right + " to clerk"));
		this.jdbc.execute("revoke select on table jobs_schema from clerk");
		clerk.run((context) -> assertThat(Contexts.analysis(context)).contains("select on table jobs_schema", "grant"));
		this.jdbc.execute("drop owned by clerk");
		this.jdbc.execute("drop role clerk");
	}

	@Test
	void wrongUserAndDatabaseAreNamedForWhatTheyAre() {
		String url = this.url;
		ApplicationContextRunner impatient = this.runner.withPropertyValues("jobs.jdbc.timeout=1s");
		impatient.withPropertyValues("spring.datasource.url=" + url.replaceFirst("/[^/?]+\\?", "/nowhere?"))
			.run((context) -> assertThat(Contexts.analysis(context)).contains("has no such database")
				.contains("nowhere")
				.contains("spring.datasource.url"));
		impatient
			.withPropertyValues("spring.datasource.username=nobody",
					"spring.datasource.url=" + url.replaceFirst("user=[^&]*&?", ""))
			.run((context) -> assertThat(Contexts.analysis(context)).contains("refuses the user")
				.contains("nobody")
				.contains("spring.datasource.password"));
	}

	@Test
	void plainInsertOfAnotherProgramEnqueues() {
		this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always").run((context) -> {
			assertThat(context).hasNotFailed();
			this.jdbc.execute("insert into jobs_job (id, queue, payload) "
					+ "values (gen_random_uuid()::text, 'greet', convert_to('\"Ada\"', 'UTF8'))");
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
			this.jdbc.execute("insert into jobs_queue (name) values ('greet') on conflict do nothing");
			this.jdbc.execute("insert into jobs_job (id, queue, payload, state, due_at) values ('later', 'greet', "
					+ "convert_to('\"Bob\"', 'UTF8'), 0, (extract(epoch from now() + interval '1 second') * 1000)::bigint)");
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Bob");
		});
	}

	@Test
	void severalProcessesMayStartAtOnce() throws Exception {
		int processes = 6;
		ApplicationContextRunner shop = this.runner.withPropertyValues("jobs.jdbc.initialize-schema=always",
				"jobs.jdbc.pool-size=1", "jobs.worker.enabled=false");
		CyclicBarrier together = new CyclicBarrier(processes);
		ExecutorService threads = Executors.newFixedThreadPool(processes);
		try {
			Callable<Boolean> start = () -> {
				boolean[] started = new boolean[1];
				together.await();
				shop.run((context) -> {
					Contexts.client(context).enqueue("greet", "Ada");
					started[0] = true;
				});
				return started[0];
			};
			for (Future<Boolean> started : threads
				.invokeAll(IntStream.range(0, processes).mapToObj((i) -> start).toList())) {
				assertThat(started.get()).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.jdbc.queryForObject("select count(*) from jobs_job", Integer.class)).isEqualTo(processes);
	}

	@Configuration(proxyBeanMethods = false)
	static class Migration {

		@Bean
		DataSourceScriptDatabaseInitializer migration(DataSource dataSource) {
			DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
			settings.setMode(DatabaseInitializationMode.ALWAYS);
			settings.setSchemaLocations(List.of("classpath:" + Database.POSTGRESQL.schemaLocation() + "/*.sql"));
			return new DataSourceScriptDatabaseInitializer(dataSource, settings);
		}

	}

	/**
	 * Notes which statements failed.
	 */
	private static final class FaultyStatements extends DelegatingDataSource {

		private final List<String> messages = new CopyOnWriteArrayList<>();

		FaultyStatements(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		public Connection getConnection() throws SQLException {
			return watched(Connection.class, super.getConnection());
		}

		private <T> T watched(Class<T> type, Object target) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						try {
							Object result = method.invoke(target, arguments);
							return (result instanceof Statement) ? watched(method.getReturnType(), result) : result;
						}
						catch (InvocationTargetException ex) {
							this.messages.add(ex.getTargetException().getMessage());
							throw ex.getTargetException();
						}
					}));
		}

	}

}
