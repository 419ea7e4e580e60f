package dev.jobs.sample;

import java.net.http.HttpResponse;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.redis.RedisJobStore;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the shop while its Redis is down.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.data.redis.host=127.0.0.1", "jobs.shutdown.grace=0s" })
@ActiveProfiles("redis")
@DirtiesContext
class RedisDownTests extends StoreDownSuite {

	@DynamicPropertySource
	static void noServer(DynamicPropertyRegistry properties) {
		int unused = Ports.reserve();
		properties.add("spring.data.redis.port", () -> unused);
	}

	@Override
	Class<? extends JobStore> expectedStore() {
		return RedisJobStore.class;
	}

	@Test
	void healthCoversRedisAndJobs() throws Exception {
		HttpResponse<String> health = send(request("/actuator/health"));
		assertThat(health.statusCode()).isEqualTo(503);
		JsonNode parts = JsonMapper.shared().readTree(health.body()).path("components");
		assertThat(parts.at("/redis/status").asString()).isEqualTo("DOWN");
		assertThat(parts.at("/jobs/status").asString()).isEqualTo("DOWN");
	}

}
