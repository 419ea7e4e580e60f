package dev.jobs.autoconfigure.actuate;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.autoconfigure.ActuatorServer;
import dev.jobs.autoconfigure.ActuatorServer.Answer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobsEndpoint} on other servers than a servlet container's own port,
 * with the access and the values that it has by default.
 */
class JobsEndpointServersTests {

	private static final Consumer<EnqueueOptions.Builder> LATER = (set) -> set.delay(Duration.ofHours(1));

	@Test
	void reactiveServerShowsJobsAndHidesTheirValues() {
		try (ActuatorServer server = ActuatorServer.start(WebApplicationType.REACTIVE)) {
			isReadOnlyAndHidesValues(server);
		}
	}

	@Test
	void managementPortShowsJobsAndHidesTheirValues() {
		try (ActuatorServer server = ActuatorServer.start(WebApplicationType.SERVLET, "management.server.port=0")) {
			isReadOnlyAndHidesValues(server);
		}
	}

	@Test
	void reactiveServerRefusesAMistypedFilter() {
		try (ActuatorServer server = ActuatorServer.start(WebApplicationType.REACTIVE,
				"management.endpoint.jobs.access=unrestricted")) {
			Enqueued enqueued = server.client().enqueue("work", Map.of(), LATER);
			assertThat(
					server.post("/jobs/list", Map.of("action", "delete-all", "state", "scheduled", "handler", "other"))
						.status())
				.isEqualTo(400);
			assertThat(server.client().find(enqueued.id())).isPresent();
			assertThat(server.post("/jobs/list", Map.of("action", "delete-all", "state", "scheduled", "name", "work"))
				.at("/changed")
				.asInt()).isOne();
		}
	}

	private static void isReadOnlyAndHidesValues(ActuatorServer server) {
		Enqueued enqueued = server.client()
			.enqueue("work", Map.of("card", "4711"), LATER.andThen((set) -> set.header("who", "ann")));
		assertThat(server.get("/jobs").at("/store/reachable").asBoolean()).isTrue();
		Answer job = server.get("/jobs/job/" + enqueued.id());
		assertThat(job.at("/payload").asString()).isEqualTo("******");
		assertThat(job.at("/headers/who").asString()).isEqualTo("******");
		assertThat(server.get("/jobs/list?state=scheduled").at("/count/number").asInt()).isEqualTo(1);
		assertThat(server.get("/jobs/list?text=4711").status()).isEqualTo(403);
		Answer bad = server.get("/jobs/list?limit=abc");
		assertThat(bad.status()).isEqualTo(400);
		assertThat(bad.at("/error").asString()).contains("limit");
		assertThat(server.get("/jobs/job/unknown").at("/error").asString()).contains("no such job");
		assertThat(server.post("/jobs/queues/work", Map.of("action", "pause")).status()).isEqualTo(405);
		assertThat(server.post("/jobs/job/" + enqueued.id(), Map.of("action", "delete")).status()).isEqualTo(405);
		assertThat(server.get("/jobs/queues/work").at("/paused").asBoolean()).isFalse();
		assertThat(server.client().find(enqueued.id())).isPresent();
	}

}
