package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files that create the tables and bring them from version to version, run
 * by the tools that applications run them with.
 */
class MigrationTests {

	private static final String PREFIX = "jobs_";

	/**
	 * A database of its own for a test.
	 */
	private static DataSource empty(TestDatabase server) {
		String name = "m" + UUID.randomUUID().toString().replace("-", "");
		if (server == TestDatabase.POSTGRESQL) {
			new JdbcTemplate(server.dataSource()).execute("create database " + name);
			return new DriverManagerDataSource(server.connectionUrl().replaceFirst("/[^/?]+\\?", "/" + name + "?"));
		}
		return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
	}

	private static Database database(TestDatabase server) {
		return Database.valueOf(server.name());
	}

	private static void assertThatJobsCanBeKept(TestDatabase server, DataSource dataSource) {
		SchemaCheck check = SchemaCheck.of(dataSource, database(server), PREFIX);
		assertThat(check.missing()).isEmpty();
		assertThat(check.missingIndexes()).isEmpty();
		assertThat(check.version()).isEqualTo(JdbcSchema.VERSION);
		try (JdbcJobStore store = JdbcJobStore.builder(dataSource).build()) {
			enqueue(store, "a");
			assertThat(store.inspector().job("a", Instant.EPOCH)).isPresent();
		}
	}

	private static void enqueue(JobStore store, String id) {
		store.enqueue(List.of(new NewJob(id, "mail", new byte[0], Map.of(), Instant.EPOCH, Instant.EPOCH, null, 0)),
				Instant.EPOCH);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void flywayCreatesTheTablesFromTheFiles(TestDatabase server) {
		DataSource dataSource = empty(server);
		Flyway.configure()
			.dataSource(dataSource)
			.locations("classpath:" + database(server).schemaLocation())
			.table("jobs_flyway")
			.load()
			.migrate();
		assertThatJobsCanBeKept(server, dataSource);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void liquibaseCreatesTheTablesFromTheChangelog(TestDatabase server) throws Exception {
		DataSource dataSource = empty(server);
		SpringLiquibase liquibase = new SpringLiquibase();
		liquibase.setDataSource(dataSource);
		liquibase.setResourceLoader(new DefaultResourceLoader());
		liquibase.setChangeLog("classpath:dev/jobs/store/jdbc/migration/changelog.yaml");
		liquibase.afterPropertiesSet();
		assertThatJobsCanBeKept(server, dataSource);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void filesCreateTheTablesOneAfterTheOther(TestDatabase server) {
		DataSource dataSource = empty(server);
		for (int version = 0; version < JdbcSchema.VERSION; version++) {
			assertThat(SchemaCheck.of(dataSource, database(server), PREFIX).version()).isEqualTo(version);
			run(JdbcSchema.since(version, database(server), PREFIX), dataSource);
		}
		assertThatJobsCanBeKept(server, dataSource);
	}

	private static void run(String statements, DataSource dataSource) {
		new ResourceDatabasePopulator(new ByteArrayResource(statements.getBytes())).execute(dataSource);
	}

}
