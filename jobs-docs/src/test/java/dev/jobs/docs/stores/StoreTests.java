package dev.jobs.docs.stores;

import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.memory.InMemoryJobStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.DataSourceBuilder;
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
		assertThat(from.operations().count(JobFilter.all(), 10)).isEqualTo(JobCount.exactly(0));
		assertThat(to.operations().page(JobFilter.all().name("a"), PageRequest.oldestFirst(10)).jobs()).singleElement()
			.satisfies((moved) -> {
				assertThat(moved.payload()).isEqualTo(job.payload());
				assertThat(moved.dueAt()).isEqualTo(job.dueAt());
				assertThat(moved.tags()).containsExactly("customer:42");
				assertThat(moved.headers()).isEqualTo(job.headers());
			});
	}

	@Test
	void flywayCreatesTheTables() throws Exception {
		try (EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("fsync", "off")
			.start();
				HikariDataSource pool = DataSourceBuilder.create()
					.type(HikariDataSource.class)
					.url(server.getJdbcUrl("postgres", "postgres"))
					.build()) {
			StoreExamples.migrate(pool);
			assertThat(new JdbcTemplate(pool).queryForObject("select max(version) from jobs_schema", Integer.class))
				.isPositive();
		}
	}

	@Test
	void statementsAreThoseOfTheFirstVersionAndThenTheOthers() {
		assertThat(StoreExamples.statements()).contains("shop.jobs_job");
	}

}
