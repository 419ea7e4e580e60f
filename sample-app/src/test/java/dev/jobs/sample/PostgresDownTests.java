package dev.jobs.sample;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * Tests for the shop while its PostgreSQL is down.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "jobs.jdbc.timeout=1s", "jobs.shutdown.grace=0s" })
@ActiveProfiles("postgres")
@DirtiesContext
class PostgresDownTests extends StoreDownSuite {

	@DynamicPropertySource
	static void noServer(DynamicPropertyRegistry properties) {
		int unused = Ports.reserve();
		properties.add("spring.datasource.url", () -> "jdbc:postgresql://127.0.0.1:" + unused + "/shop");
	}

	@Override
	Class<? extends JobStore> expectedStore() {
		return JdbcJobStore.class;
	}

}
