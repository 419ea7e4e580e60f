package dev.jobs.autoconfigure;

import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.actuate.endpoint.JobValues;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.autoconfigure.ActuatorServer.Answer;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobInspector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.BeanUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.context.annotation.ImportRuntimeHints;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobsEndpoint} on a servlet container, with unrestricted access.
 */
class JobsEndpointTests {

	private static final EnqueueOptions LATER = EnqueueOptions.in(Duration.ofHours(1));

	private static ActuatorServer server;

	@BeforeAll
	static void start() {
		server = ActuatorServer.start(WebApplicationType.SERVLET, "management.endpoint.jobs.access=unrestricted",
				"management.endpoint.jobs.show-values=always");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	/** G50, G51, G55. */
	@Test
	void overviewShowsQueuesPoolsWorkersSchedulesAndStore() {
		client().enqueue("seen", Map.of("a", 1), LATER);
		Answer answer = server.get("/jobs");
		assertThat(answer.status()).isEqualTo(200);
		JsonNode queue = named(answer.at("/queues"), "seen");
		assertThat(queue.at("/scheduled").asInt()).isPositive();
		assertThat(queue.at("/latencySeconds").asDouble()).isZero();
		assertThat(queue.at("/served").asBoolean()).isFalse();
		assertThat(queue.at("/handledHere").asBoolean()).isFalse();
		assertThat(answer.at("/totals/scheduled").asInt()).isPositive();
		Awaitility.await().untilAsserted(() -> {
			JsonNode worker = server.get("/jobs").at("/workers/0");
			assertThat(worker.at("/pid").asLong()).isEqualTo(ProcessHandle.current().pid());
			assertThat(worker.at("/host").asString()).isNotBlank();
			assertThat(Instant.parse(worker.at("/startedAt").asString())).isBefore(Instant.now());
			assertThat(Instant.parse(worker.at("/lastBeat").asString())).isAfter(Instant.now().minusSeconds(30));
			assertThat(worker.at("/pools/0/concurrency").asInt()).isEqualTo(20);
			assertThat(worker.at("/pools/0/queues").valueStream().map(JsonNode::asString)).contains("work", "hang");
		});
		JsonNode schedule = named(answer.at("/schedules"), "report");
		assertThat(schedule.at("/jobName").asString()).isEqualTo("work");
		assertThat(schedule.at("/expression").asString()).isEqualTo("0 0 0 1 1 *");
		assertThat(Instant.parse(schedule.at("/next").asString())).isAfter(Instant.now());
		assertThat(schedule.at("/definedHere").asBoolean()).isTrue();
		assertThat(schedule.has("overdueSince")).isFalse();
		assertThat(answer.at("/store/kind").asString()).isEqualTo("memory");
		assertThat(answer.at("/store/reachable").asBoolean()).isTrue();
		assertThat(answer.at("/engine/running").asBoolean()).isTrue();
		assertThat(answer.at("/engine/loops").valueStream().map((loop) -> loop.path("name").asString()))
			.contains("settle", "beat", "claim-default", "cron");
	}

	/** G51. */
	@Test
	void runningJobIsShownWithWhatItTells() {
		Enqueued enqueued = client().enqueue("hang", Map.of("order", 7));
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode job = server.get("/jobs/workers")
				.at("/workers/0/jobs")
				.valueStream()
				.filter((running) -> running.path("id").asString().equals(enqueued.id()))
				.findFirst()
				.orElseThrow(AssertionError::new);
			assertThat(job.at("/payload/order").asInt()).isEqualTo(7);
			assertThat(job.at("/run/checkIn").asString()).isEqualTo("halfway");
			assertThat(job.at("/run/done").asInt()).isEqualTo(5);
			assertThat(job.at("/run/total").asInt()).isEqualTo(10);
			assertThat(job.at("/run/checkInAt").asString()).isNotBlank();
		});
		assertThat(server.get("/jobs/queues/hang").at("/running").asInt()).isPositive();
		client().cancel(enqueued.id());
	}

	@Test
	void jobIsShownWithItsTimelineItsErrorsAndItsExactPayload() {
		Enqueued enqueued = client().enqueue("break",
				Map.of("big", 12345678901234567L, "text", "\"><img onerror>", "list", List.of(1, "x")));
		awaitState(enqueued.id(), "DEAD");
		Answer answer = server.get("/jobs/job/" + enqueued.id());
		assertThat(answer.text()).contains("12345678901234567");
		assertThat(answer.at("/payload/text").asString()).isEqualTo("\"><img onerror>");
		assertThat(answer.at("/payload/list/1").asString()).isEqualTo("x");
		assertThat(answer.at("/end/reason").asString()).isEqualTo("EXHAUSTED");
		assertThat(answer.at("/attempts/0/error").asString()).contains("<script>alert(1)</script>");
		assertThat(answer.at("/attempts/0/stackTrace").asString()).contains("Handlers.fail");
		assertThat(answer.at("/timeline").valueStream().map((moment) -> moment.path("event").asString()))
			.containsExactly("enqueued", "attempt 1 failed", "died");
	}

	/** G56, L26. */
	@Test
	void jobsAreShownInPagesByStateAndFilter() {
		for (int i = 0; i < 45; i++) {
			client().enqueue("paged", Map.of("n", i), LATER);
		}
		assertThat(page("/jobs/list?state=scheduled&name=paged&page=1&size=20")).hasSize(20);
		assertThat(page("/jobs/list?state=scheduled&name=paged&page=3&size=20")).hasSize(5);
		assertThat(page("/jobs/list?state=scheduled&name=paged&page=9&size=20")).isEmpty();
		assertThat(page("/jobs/list?state=scheduled&name=paged&page=1000000000")).isEmpty();
		assertThat(page("/jobs/list?name=paged&page=0&size=1")).isEqualTo(page("/jobs/list?name=paged&page=1&size=1"))
			.isEqualTo(page("/jobs/list?name=paged&page=-1&size=1"));
		assertThat(page("/jobs/list?name=paged&state=dead,running")).isEmpty();
		assertThat(server.get("/jobs/list?name=paged&size=7").at("/total").asInt()).isEqualTo(45);
		assertThat(page("/jobs/list?name=paged&text=%22n%22:44")).hasSize(1);
		assertThat(page("/jobs/list?name=paged&retrying=true")).isEmpty();
		assertThat(page("/jobs/list?name=paged&size=1&newestFirst=true"))
			.isNotEqualTo(page("/jobs/list?name=paged&size=1&newestFirst=false"));
	}

	/** G65. */
	@ParameterizedTest
	@ValueSource(strings = { "page=abc", "page=1e9", "page=99999999999", "size=0", "size=1001", "size=-1", "size=x",
			"state=alive", "retrying=perhaps", "newestFirst=1", "name=a%20b", "name=..%2F", "text=%00", "name=%00" })
	void badParameterIsRefused(String query) {
		Answer answer = server.get("/jobs/list?" + query);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.at("/error").asString()).isNotBlank();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs/nothing", "/jobs/job/unknown", "/jobs/queues/unknown", "/jobs/schedules/unknown",
			"/jobs/nothing/at-all", "/jobs/job/%22%3E%3Cimg", "/jobs/job/a%20b", "/jobs/job/-" })
	void whatDoesNotExistIsNotFound(String path) {
		Answer answer = server.get(path);
		assertThat(answer.status()).isEqualTo(404);
		assertThat(answer.at("/error").asString()).isNotBlank();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs/job/a%2Fb", "/jobs/job/a%00b", "/jobs/queues/%2e%2e%2f" })
	void oddPathIsNoFaultOfTheServer(String path) {
		assertThat(server.get(path).status()).isBetween(400, 404);
	}

	@ParameterizedTest
	@CsvSource({ "NEVER,true,false", "ALWAYS,false,true", "WHEN_AUTHORIZED,true,true", "WHEN_AUTHORIZED,false,false" })
	void valuesAreShownToThoseWhoMaySeeThem(Show show, boolean inRole, boolean shown) {
		SanitizingFunction hideCards = SanitizingFunction.sanitizeValue().ifKeyEndsWith("card");
		JobsEndpoint endpoint = new JobsEndpoint(server.bean(JobEngine.class), server.bean(JobInspector.class),
				client(), Instant::now, new JobValues(List.of(hideCards), show, Set.of("operator")));
		Enqueued enqueued = client().enqueue("secret", Map.of("name", "ann", "nested", Map.of("card", "4711")),
				LATER.withHeader("who", "ann"));
		SecurityContext asker = new Asker(inRole);
		String one = text(endpoint.one(asker, "job", enqueued.id()).getBody());
		String list = text(endpoint.part(asker, "list", null, "secret", null, null, null, null, null).getBody());
		assertThat(List.of(one, list)).allSatisfy((body) -> {
			assertThat(body).doesNotContain("4711").contains("******");
			assertThat(body.contains("ann")).isEqualTo(shown);
		});
		assertThat(endpoint.part(asker, "list", null, "secret", "4711", null, null, null, null).getStatus())
			.isEqualTo(shown ? 200 : 403);
	}

	@Test
	void bodiesAreKnownToNativeImages() {
		RuntimeHints hints = new RuntimeHints();
		for (Class<? extends RuntimeHintsRegistrar> registrar : JobsEndpoint.class
			.getAnnotation(ImportRuntimeHints.class)
			.value()) {
			BeanUtils.instantiateClass(registrar).registerHints(hints, null);
		}
		assertThat(List.of("Overview", "Queues", "Queue", "Workers", "Worker", "Schedules", "Store", "JobPage",
				"JobBody", "Delivery", "Moment", "Done", "Problem"))
			.allSatisfy((body) -> assertThat(RuntimeHintsPredicates.reflection()
				.onType(Class.forName("dev.jobs.actuate.endpoint.Described$" + body))).accepts(hints));
	}

	private static String text(Object body) {
		return String.valueOf(body);
	}

	private static JobClient client() {
		return server.client();
	}

	private static List<String> page(String path) {
		Answer answer = server.get(path);
		assertThat(answer.status()).isEqualTo(200);
		return answer.at("/jobs").valueStream().map((job) -> job.path("id").asString()).toList();
	}

	private static void awaitState(String id, String state) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.get("/jobs/job/" + id).at("/state").asString()).isEqualTo(state));
	}

	private static JsonNode named(JsonNode list, String name) {
		return list.valueStream()
			.filter((entry) -> entry.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError(name + " is not in " + list));
	}

	private record Asker(boolean inRole) implements SecurityContext {

		@Override
		public Principal getPrincipal() {
			return () -> "ann";
		}

		@Override
		public boolean isUserInRole(String role) {
			return this.inRole && role.equals("operator");
		}

	}

}
