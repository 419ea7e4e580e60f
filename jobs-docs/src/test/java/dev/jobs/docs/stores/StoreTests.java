package dev.jobs.docs.stores;

import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobClient;
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
	void waitingJobsMoveWithTheirPayloadTimeAndTags() {
		JobEngine from = new JobEngineBuilder(new InMemoryJobStore()).build();
		JobEngine to = new JobEngineBuilder(new InMemoryJobStore()).build();
		JobClient old = from.client();
		old.enqueue("a", Map.of("n", 1), (options) -> options.delay(Duration.ofDays(3)).tags("customer:42"));
		old.enqueue("b");
		assertThat(StoreExamples.move(from.operations(), to.client())).isEqualTo(2);
		assertThat(to.operations().queues()).hasSize(2);
		assertThat(StoreExamples.move(to.operations(), from.client())).isEqualTo(2);
	}

	@Test
	void flywayCreatesTheTables() throws Exception {
		try (EmbeddedPostgres server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
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
