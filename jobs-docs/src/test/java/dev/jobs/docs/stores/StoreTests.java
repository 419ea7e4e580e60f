package dev.jobs.docs.stores;

import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.memory.InMemoryJobStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the examples about stores.
 */
class StoreTests {

	@Test
	void waitingJobsMoveWithTheirPayloadTimeTagsAndHeaders() {
		JobEngine from = new JobEngineBuilder(new InMemoryJobStore()).build();
		JobEngine to = new JobEngineBuilder(new InMemoryJobStore()).build();
		JobClient old = from.client();
		Job job = old
			.find(old
				.enqueue("a", Map.of("n", 1),
						(options) -> options.delay(Duration.ofDays(3)).tags("customer:42").header("tenant", "acme"))
				.id())
			.orElseThrow();
		old.enqueue("b");
		assertThat(StoreExamples.move(from.operations(), to.client())).isEqualTo(2);
		assertThat(from.operations().jobs(JobFilter.all()).count(10)).isEqualTo(JobCount.exactly(0));
		assertThat(
				to.operations().jobs(JobFilter.of((only) -> only.name("a"))).page(PageRequest.oldestFirst(10)).jobs())
			.singleElement()
			.satisfies((moved) -> {
				assertThat(to.client().find(moved.id()).orElseThrow().payload()).isEqualTo(job.payload());
				assertThat(moved.dueAt()).isEqualTo(job.dueAt());
				assertThat(moved.tags()).containsExactly("customer:42");
				assertThat(moved.headers()).isEqualTo(job.headers());
			});
	}

	@Test
	void migrationsOfJobsAndThoseOfTheApplicationBothRunBeforeTheStoreIsUsed() throws Exception {
		try (EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("fsync", "off")
			.start()) {
			ApplicationContextRunner runner = new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						FlywayAutoConfiguration.class, JobsAutoConfiguration.class))
				.withUserConfiguration(JobsMigration.class)
				.withPropertyValues("spring.application.name=shop",
						"spring.datasource.url=" + server.getJdbcUrl("postgres", "postgres"),
						"spring.flyway.enabled=true", "spring.flyway.locations=classpath:db/shop",
						"jobs.jdbc.initialize-schema=never", "jobs.worker.enabled=false");
			for (int start = 0; start < 2; start++) {
				runner.run((context) -> {
					JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
					assertThat(jdbc.queryForObject("select count(*) from shop_order", Integer.class)).isZero();
					assertThat(jdbc.queryForObject("select max(version) from jobs_schema", Integer.class)).isPositive();
					assertThat(context.getBean(JobClient.class).enqueue("a").isNew()).isTrue();
				});
			}
		}
	}

	@Test
	void statementsAreThoseOfTheFirstVersionAndThenTheOthers() {
		assertThat(StoreExamples.statements()).contains("shop.jobs_job");
	}

}
