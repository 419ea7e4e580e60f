package dev.jobs.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobClient;
import dev.jobs.build.Ports;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the dashboards of two applications that share a server.
 */
@ExpectsFaults("failing with")
class NamespacesTests {

	@Test
	void dashboardShowsAndChangesJobsOfItsOwnNamespaceOnly() throws IOException {
		int port = Ports.reserve();
		RedisServer redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").onShutdownForceStop(true).build();
		redis.start();
		try (Server shop = start("shop", port); Server warehouse = start("warehouse", port)) {
			Consumer<EnqueueOptions.Builder> later = (set) -> set.delay(Duration.ofHours(1)).tags("tagged");
			List<String> ids = List.of(shop.bean(JobClient.class).enqueue("nightly", later).id(),
					shop.bean(JobClient.class).enqueue("nightly", later).id());
			String other = warehouse.bean(JobClient.class).enqueue("nightly", later).id();
			assertThat(scheduled(shop)).isEqualTo(2);
			assertThat(scheduled(warehouse)).isOne();
			assertThat(warehouse.json("/api/jobs?tag=tagged").path("jobs").valueStream())
				.extracting((job) -> job.path("id").asString())
				.containsExactly(other);
			assertThat(warehouse.get("/api/job?id=" + ids.get(0)).statusCode()).isEqualTo(404);
			assertThat(warehouse.act("delete", "{\"ids\":[\"" + ids.get(0) + "\"]}").statusCode()).isEqualTo(404);
			assertThat(Server.json(warehouse.act("delete", "{\"filter\":{\"state\":\"scheduled\"}}"))
				.path("count")
				.asInt()).isOne();
			assertThat(warehouse.act("pause", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(200);
			assertThat(scheduled(shop)).isEqualTo(2);
			assertThat(nightly(shop).path("paused").asBoolean()).isFalse();
		}
		finally {
			redis.stop();
		}
	}

	private static Server start(String name, int port) {
		return Server.start(WebApplicationType.SERVLET, ChromiumRedisTests.Application.class, "jobs.store=redis",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port, "jobs.dashboard.access=operate",
				"jobs.namespace=" + name);
	}

	private static JsonNode nightly(Server server) {
		return server.json("/api/queues?name=nightly").path("queues").path(0);
	}

	private static long scheduled(Server server) {
		assertThat(server.json("/api/jobs").path("count").path("number").asLong())
			.isEqualTo(nightly(server).path("scheduled").asLong());
		return nightly(server).path("scheduled").asLong();
	}

}
