package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.store.NewJob;
import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files that create the tables, run by the tools of applications.
 */
class MigrationTests {

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
		SchemaCheck check = SchemaCheck.of(dataSource, database(server), "jobs_", false);
		assertThat(check.missing()).isEmpty();
		assertThat(check.version()).isEqualTo(JdbcSchema.VERSION);
		try (JdbcJobStore store = JdbcJobStore.builder(dataSource).build()) {
			Instant later = Instant.ofEpochSecond(100);
			store.enqueue(Stream.of("a", "B", "b", "A")
				.map((id) -> NewJob.of(id, "mail", new byte[0], Instant.EPOCH).withDueAt(later))
				.toList(), Instant.EPOCH);
			assertThat(store.inspector().page(JobFilter.all(), PageRequest.oldestFirst(10), Instant.EPOCH).jobs())
				.as("in the order of bytes")
				.extracting(Job::id)
				.containsExactly("A", "B", "a", "b");
		}
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

}
