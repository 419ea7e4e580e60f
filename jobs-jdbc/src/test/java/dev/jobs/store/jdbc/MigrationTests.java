package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.store.Change;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerInfo;
import dev.jobs.store.jdbc.row.StateColumn;
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

	private static final Instant NOW = Instant.ofEpochMilli(10);

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
			run(file(version + 1, server), dataSource);
		}
		assertThatJobsCanBeKept(server, dataSource);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void jobsOfVersion1AreThereAfterTheUpgradeAndRun(TestDatabase server) {
		DataSource dataSource = empty(server);
		run(file(1, server), dataSource);
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		List<String> ids = List.of("scheduled", "ready", "running", "dead", "Succeeded", "cancelled");
		for (int state = 0; state < ids.size(); state++) {
			jdbc.update(
					"insert into jobs_job (id, queue, state, place, due_at, since, created_at, token, payload) "
							+ "values (?, 'mail', ?, ?, 5, 5, 5, ?, ?)",
					ids.get(state), state, state, (state == StateColumn.RUNNING) ? 7 : null, new byte[] { 1 });
		}
		jdbc.update(
				"insert into jobs_delivery (queue, token, worker, started_at, owner) values ('mail', 7, 'w', 5, 'w')");
		run(JdbcSchema.since(1, database(server), PREFIX), dataSource);
		assertThat(SchemaCheck.of(dataSource, database(server), PREFIX).version()).isEqualTo(JdbcSchema.VERSION);
		try (JdbcJobStore store = JdbcJobStore.builder(dataSource).build()) {
			assertThat(store.inspector().page(JobFilter.all(), PageRequest.oldestFirst(10), NOW).jobs())
				.extracting(Job::id)
				.containsExactly("ready", "Succeeded", "cancelled", "dead", "running", "scheduled");
			store.change(List.of(new Change.Retry("dead")), NOW);
			beat(store);
			assertThat(claimed(store)).containsExactlyInAnyOrder("ready", "scheduled", "dead");
		}
	}

	/**
	 * Return the statements of one version.
	 */
	private static String file(int version, TestDatabase server) {
		String later = JdbcSchema.since(version, database(server), PREFIX);
		String withIt = JdbcSchema.since(version - 1, database(server), PREFIX);
		return withIt.substring(0, withIt.length() - later.length());
	}

	private static void beat(JobStore store) {
		WorkerInfo info = new WorkerInfo("host", 1, "1", NOW, List.of(new WorkerInfo.Pool("p", 9, 0, List.of("mail"))),
				List.of());
		store.beat(new WorkerBeat("w", Duration.ofSeconds(30), info, List.of(), false, NOW));
	}

	private static List<String> claimed(JobStore store) {
		return store.claim(new ClaimRequest("w", List.of(new Quota("mail", 9, 9, 0)), 9, NOW))
			.claims()
			.stream()
			.map((claim) -> claim.job().id())
			.toList();
	}

	private static void run(String statements, DataSource dataSource) {
		new ResourceDatabasePopulator(new ByteArrayResource(statements.getBytes())).execute(dataSource);
	}

}
