package dev.jobs.autoconfigure.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobState;
import dev.jobs.ScheduleRequest;
import dev.jobs.Signal;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.actuate.endpoint.JobValues;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.audit.Audit;
import dev.jobs.audit.OperatorActionEvent;
import dev.jobs.audit.OperatorRefusalEvent;
import dev.jobs.autoconfigure.ActuatorServer;
import dev.jobs.autoconfigure.ActuatorServer.Answer;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerInfo;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Tests for {@link JobsEndpoint} on a servlet container, with unrestricted access.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobsEndpointTests {

	private static final Function<String, Duration> TARGET_WAIT = (pool) -> Duration.ofSeconds(30);

	private static final Consumer<EnqueueOptions.Builder> LATER = (set) -> set.delay(Duration.ofHours(1));

	private static ActuatorServer server;

	@BeforeAll
	static void start() {
		server = ActuatorServer.start(WebApplicationType.SERVLET, "management.endpoint.jobs.access=unrestricted",
				"management.endpoint.jobs.show-values=always", "jobs.handlers.work.max-concurrency=7");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

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
		assertThat(queue.at("/atLeast").size()).isZero();
		assertThat(answer.at("/totals/scheduled").asInt()).isPositive();
		Awaitility.await().untilAsserted(() -> {
			JsonNode worker = server.get("/jobs").at("/workers/0");
			assertThat(worker.at("/info/pid").asLong()).isEqualTo(ProcessHandle.current().pid());
			assertThat(worker.at("/info/host").asString()).isNotBlank();
			assertThat(Instant.parse(worker.at("/info/startedAt").asString())).isBefore(Instant.now());
			assertThat(Instant.parse(worker.at("/lastBeat").asString())).isAfter(Instant.now().minusSeconds(5));
			assertThat(worker.at("/info/pools/0/concurrency").asInt()).isEqualTo(20);
			assertThat(worker.at("/info/pools/0/queues").valueStream().map(JsonNode::asString)).contains("work",
					"hang");
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

	@Test
	void queueOfAHandlerIsShownBeforeItsFirstJob() {
		Awaitility.await().untilAsserted(() -> {
			JsonNode queue = named(server.get("/jobs").at("/queues"), "unused");
			assertThat(queue.at("/served").asBoolean()).isTrue();
			assertThat(queue.at("/handledHere").asBoolean()).isTrue();
			assertThat(queue.at("/ready").asInt(-1)).isZero();
			assertThat(queue.at("/paused").asBoolean()).isFalse();
		});
		assertThat(named(server.get("/jobs/queues").at("/queues"), "unused").at("/dead").asInt(-1)).isZero();
		assertThat(server.get("/jobs/queues/unused").status()).isEqualTo(200);
	}

	@Test
	void runningJobIsShownWithWhatItReports() {
		Enqueued enqueued = client().enqueue("hang", Map.of("order", 7));
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode job = server.get("/jobs/workers")
				.at("/workers/0/jobs")
				.valueStream()
				.filter((running) -> running.path("id").asString().equals(enqueued.id()))
				.findFirst()
				.orElseThrow(AssertionError::new);
			assertThat(job.at("/payload/order").asInt()).isEqualTo(7);
			assertThat(job.at("/run/progress/checkIn").asString("")).isEqualTo("halfway");
			assertThat(job.at("/run/progress/done").asInt()).isEqualTo(5);
			assertThat(job.at("/run/progress/total").asInt()).isEqualTo(10);
			assertThat(job.at("/run/progress/at").asString("")).isNotBlank();
		});
		assertThat(server.get("/jobs/queues/hang").at("/running").asInt()).isPositive();
		assertThat(server.post("/jobs/job/" + enqueued.id(), Map.of("action", "cancel")).status()).isEqualTo(200);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.get("/jobs/job/" + enqueued.id()).status()).isEqualTo(404));
	}

	@Test
	void jobIsShownWithItsAttemptsItsErrorsAndItsExactPayload() {
		Enqueued enqueued = client().enqueue("break",
				Map.of("big", 12345678901234567L, "text", "\"><img onerror>", "list", List.of(1, "x")));
		awaitState(enqueued.id(), "DEAD");
		Answer answer = server.get("/jobs/job/" + enqueued.id());
		assertThat(answer.text()).contains("12345678901234567");
		assertThat(answer.at("/payload/text").asString()).isEqualTo("\"><img onerror>");
		assertThat(answer.at("/payload/list/1").asString()).isEqualTo("x");
		assertThat(answer.at("/trail/end/reason").asString()).isEqualTo("EXHAUSTED");
		assertThat(answer.at("/trail/attempts/0/error").asString()).contains("<script>alert(1)</script>");
		assertThat(answer.at("/trail/attempts/0/stackTrace").asString()).contains("Handlers.fail");
		assertThat(answer.at("/trail/attempts/0/log").asString())
			.endsWith("WARN ActuatorServer$Handlers: about to break");
		assertThat(answer.at("/endedAt")).isEqualTo(answer.at("/trail/end/at"));
	}

	@Test
	void waitingJobIsShownWithWhatItWaitsFor() {
		Enqueued later = client().enqueue("work", Map.of(), LATER);
		Answer answer = server.get("/jobs/job/" + later.id());
		assertThat(answer.at("/waitReason/kind").asString()).isEqualTo("NOT_DUE");
		assertThat(answer.at("/waitReason/until")).isEqualTo(answer.at("/dueAt"));
		server.operations().queue("work").pause();
		Enqueued paused = client().enqueue("work", Map.of(), (options) -> options.expiresIn(Duration.ofHours(1)));
		Answer expiring = server.get("/jobs/job/" + paused.id());
		assertThat(expiring.at("/waitReason/kind").asString()).isEqualTo("PAUSED");
		assertThat(expiring.at("/waitReason/expiresAt")).isEqualTo(expiring.at("/expiresAt"));
		assertThat(Instant.parse(expiring.at("/expiresAt").asString())).isAfter(Instant.now());
		server.operations().queue("work").resume();
	}

	@Test
	void keptJobIsShownWithItsLastAttempt() {
		Enqueued enqueued = client().enqueue("keep");
		awaitState(enqueued.id(), "SUCCEEDED");
		Answer answer = server.get("/jobs/job/" + enqueued.id());
		assertThat(answer.at("/attempt").asInt()).isOne();
		assertThat(answer.at("/endedAt")).isEqualTo(answer.at("/trail/attempts/0/endedAt"));
		assertThat(server.get("/jobs/list?name=keep").at("/jobs/0/endedAt")).isEqualTo(answer.at("/endedAt"));
		assertThat(answer.at("/waitReason").isMissingNode()).isTrue();
		assertThat(answer.at("/trail/attempts/0/startedAt").asString()).isNotBlank();
		assertThat(answer.at("/trail/attempts/0/endedAt").asString()).isNotBlank();
		assertThat(answer.at("/trail/attempts/0/worker").asString()).isNotBlank();
		assertThat(answer.at("/trail/attempts/0/error").isMissingNode()).isTrue();
	}

	@Test
	void jobsAreShownInPagesByStateAndFilter() {
		for (int i = 0; i < 45; i++) {
			client().enqueue("paged", Map.of("n", i), LATER);
		}
		Answer first = server.get("/jobs/list?state=scheduled&name=paged&limit=20");
		assertThat(first.at("/jobs").size()).isEqualTo(20);
		assertThat(first.at("/count/number").asInt()).isEqualTo(45);
		assertThat(first.at("/count/exact").asBoolean()).isTrue();
		String next = first.at("/next").asString();
		Answer second = server.get("/jobs/list?state=scheduled&name=paged&limit=40&after=" + next);
		assertThat(second.at("/jobs").size()).isEqualTo(25);
		assertThat(second.at("/next").isMissingNode() || second.at("/next").isNull()).isTrue();
		assertThat(second.at("/jobs/0/id")).isNotEqualTo(first.at("/jobs/19/id"));
		assertThat(server.get("/jobs/list?state=scheduled&limit=20&after=" + next).status()).isEqualTo(400);
		assertThat(page("/jobs/list?name=paged&state=dead,running")).isEmpty();
		assertThat(server.get("/jobs/list?name=paged&limit=7").at("/count/number").asInt()).isEqualTo(45);
		assertThat(page("/jobs/list?name=paged&text=%22n%22:44")).hasSize(1);
		assertThat(page("/jobs/list?name=paged&retrying=true")).isEmpty();
		assertThat(page("/jobs/list?name=paged&state=scheduled&limit=1&newestFirst=true"))
			.isNotEqualTo(page("/jobs/list?name=paged&state=scheduled&limit=1&newestFirst=false"));
	}

	@Test
	void newestJobsComeBeforeThoseThatAreNotDueYet() {
		List<String> later = List.of(client().enqueue("sorted", Map.of(), LATER).id(),
				client().enqueue("sorted", Map.of(), (set) -> set.delay(Duration.ofHours(2))).id());
		String ready = client().enqueue("sorted", Map.of()).id();
		String first = "/jobs/list?name=sorted&newestFirst=true&limit=2";
		assertThat(page(first)).containsExactly(ready, later.get(0));
		String next = server.get(first).at("/next").asString();
		assertThat(page(first + "&after=" + next)).containsExactly(later.get(1));
		assertThat(server.get("/jobs/list?name=sorted&limit=2&after=" + next).status()).isEqualTo(400);
	}

	@Test
	void scheduleThatNobodyUnderstandsIsShownWithItsDefinition() {
		JobStore store = server.bean(JobStore.class);
		for (String date : List.of("2027-01-03", "2027-01-31", "2027-02-28")) {
			Instant tick = Instant.parse(date + "T00:00:00Z");
			store.fireTicks(
					List.of(Tick.of(new NewSchedule("unknown-here", "UTC 0 0 0 L-28 * *", "other"), tick,
							NewJob.of("of-" + date, "other", new byte[0], tick).withDueAt(tick.plusSeconds(3600)))),
					tick);
		}
		Answer answer = server.get("/jobs/schedules/unknown-here");
		assertThat(answer.body().has("expression")).isFalse();
		assertThat(answer.at("/definition").asString()).isEqualTo("UTC 0 0 0 L-28 * *");
		assertThat(answer.at("/runs").size()).isEqualTo(3);
		assertThat(answer.at("/next").isMissingNode()).isTrue();
		assertThat(named(server.get("/jobs").at("/schedules"), "report").has("expression")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "after=abc", "after=1e9", "page=1", "limit=0", "limit=1001", "limit=-1", "limit=x",
			"state=alive", "state=waiting", "retrying=perhaps", "newestFirst=1", "name=a%20b", "name=..%2F", "text=%00",
			"name=%00", "uniqueKey=%00", "since=yesterday", "before=1", "limit=99999999999", "state=dead,alive" })
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

	@Test
	void queueIsPausedAndResumed() {
		Enqueued enqueued = client().enqueue("paused", Map.of(), LATER);
		assertThat(server.post("/jobs/queues/paused", Map.of("action", "pause")).status()).isEqualTo(200);
		Answer paused = server.get("/jobs/queues/paused");
		assertThat(paused.at("/paused").asBoolean()).isTrue();
		assertThat(paused.at("/settings/paused/by").asString()).isEqualTo("somebody");
		assertThat(Instant.parse(paused.at("/settings/paused/at").asString())).isBeforeOrEqualTo(Instant.now());
		assertThat(server.post("/jobs/queues/paused", Map.of("action", "resume")).status()).isEqualTo(200);
		assertThat(server.get("/jobs/queues/paused").at("/paused").asBoolean()).isFalse();
		assertThat(client().find(enqueued.id())).isPresent();
	}

	@Test
	void jobIsRetriedAndDeletedOnce() {
		Enqueued enqueued = client().enqueue("break", Map.of("n", 1));
		awaitState(enqueued.id(), "DEAD");
		assertThat(act("/jobs/job/" + enqueued.id(), "retry")).isEqualTo(200);
		awaitState(enqueued.id(), "DEAD");
		assertThat(act("/jobs/job/" + enqueued.id(), "cancel")).isEqualTo(409);
		assertThat(act("/jobs/job/" + enqueued.id(), "delete")).isEqualTo(200);
		assertThat(act("/jobs/job/" + enqueued.id(), "delete")).isEqualTo(404);
		assertThat(act("/jobs/job/" + enqueued.id(), "retry")).isEqualTo(404);
	}

	@Test
	void whatAJobHasSavedIsShownAndForgotten() {
		List<OperatorActionEvent> acts = server.bean(ActuatorServer.App.class).acts;
		acts.clear();
		String id = client().enqueue("saves", Map.of("cents", 4200)).id();
		awaitState(id, "DEAD");
		Answer answer = server.get("/jobs/job/" + id);
		assertThat(answer.at("/steps")).extracting((step) -> step.path("name").asString())
			.containsExactly("charge", "mail");
		assertThat(answer.at("/steps/0/value/cents").asInt()).isEqualTo(4200);
		assertThat(Instant.parse(answer.at("/steps/0/savedAt").asString())).isBeforeOrEqualTo(Instant.now());
		Map<String, String> forget = Map.of("action", "forget-step", "step", "charge");
		assertThat(server.post("/jobs/job/" + id, forget).at("/step").asString()).isEqualTo("charge");
		assertThat(server.get("/jobs/job/" + id).at("/steps")).extracting((step) -> step.path("name").asString())
			.containsExactly("mail");
		assertThat(server.post("/jobs/job/" + id, forget).status()).isEqualTo(409);
		assertThat(server.post("/jobs/job/none", forget).status()).isEqualTo(404);
		assertThat(server.post("/jobs/job", Map.of("action", "forget-step", "step", "mail", "id", id)).status())
			.isEqualTo(200);
		assertThat(server.get("/jobs/job/" + id).at("/steps").isMissingNode()).isTrue();
		assertThat(act("/jobs/job/" + id, "forget-step")).isEqualTo(400);
		assertThat(server.post("/jobs/job/" + id, Map.of("action", "delete", "step", "mail")).status()).isEqualTo(400);
		assertThat(acts).filteredOn((act) -> !act.jobs().isEmpty())
			.extracting((act) -> act.action() + " " + act.target())
			.containsExactly("forget-step step charge of " + id, "forget-step step mail of " + id);
	}

	@Test
	void signalThatAJobWaitsForIsShownAndSent() {
		ActuatorServer.App app = server.bean(ActuatorServer.App.class);
		app.acts.clear();
		String id = client().enqueue("approval").id();
		awaitState(id, "WAITING");
		Answer answer = server.get("/jobs/job/" + id);
		assertThat(answer.at("/waitsFor/thing").asString()).isEqualTo("signal:approved/7");
		assertThat(Instant.parse(answer.at("/waitsFor/since").asString())).isBeforeOrEqualTo(Instant.now());
		assertThat(Instant.parse(answer.at("/waitsFor/until").asString())).isAfter(Instant.now());
		assertThat(answer.at("/waitReason/kind").asString()).isEqualTo("PARKED");
		assertThat(server.get("/jobs/queues/approval").at("/parked").asInt()).isOne();
		assertThat(server.get("/jobs").at("/totals/parked").asInt()).isOne();
		assertThat(server.get("/jobs/list?state=parked").at("/jobs/0/id").asString()).isEqualTo(id);
		String job = "/jobs/job/" + id;
		assertThat(server.post(job, Map.of("action", "send-signal", "value", "{")).status()).isEqualTo(400);
		assertThat(server.post(job, Map.of("action", "retry", "value", "1")).status()).isEqualTo(400);
		assertThat(server.post("/jobs/list", Map.of("action", "delete-all", "state", "parked", "value", "1")).status())
			.isEqualTo(400);
		assertThat(server.post("/jobs/job/none", Map.of("action", "send-signal")).status()).isEqualTo(404);
		Answer sent = server.post(job, Map.of("action", "send-signal", "value", "{\"by\":\"ann\"}"));
		assertThat(sent.at("/sent").asString()).isEqualTo("SENT");
		Awaitility.await().until(() -> client().find(id).isEmpty());
		String later = client().enqueue("kept", Map.of(), LATER).id();
		assertThat(server.post("/jobs/job/" + later, Map.of("action", "send-signal")).status()).isEqualTo(409);
		assertThat(app.acts).filteredOn((act) -> !act.jobs().isEmpty())
			.extracting((act) -> act.action() + " " + act.target())
			.containsExactly("send-signal signal approved/7 of " + id);
	}

	@Test
	void signalThatIsKeptIsForgotten() {
		ActuatorServer.App app = server.bean(ActuatorServer.App.class);
		Signal<String> paid = Signal.of("paid", String.class);
		client().send(paid, "order 7", "wrong");
		app.acts.clear();
		Map<String, String> forget = Map.of("action", "forget", "name", "paid", "id", "order 7");
		assertThat(server.post("/jobs/signals", Map.of("action", "forget", "name", "paid")).status()).isEqualTo(400);
		assertThat(server.post("/jobs/signals", Map.of("action", "forget", "name", "a/b", "id", "7")).status())
			.isEqualTo(400);
		assertThat(server.post("/jobs/signals", forget).status()).isEqualTo(200);
		assertThat(server.post("/jobs/signals", forget).status()).isEqualTo(404);
		assertThat(client().send(paid, "order 7", "right")).isEqualTo(Signal.Sent.SENT);
		assertThat(app.acts).extracting((act) -> act.action() + " " + act.target())
			.containsExactly("forget-signal signal \"paid/order 7\"");
	}

	@Test
	void allDeadJobsOfASelectionAreRetriedAndDeleted() {
		for (int i = 0; i < 3; i++) {
			awaitState(client().enqueue("break", Map.of("bulk", "b" + i)).id(), "DEAD");
		}
		Answer retried = server.post("/jobs/list", Map.of("action", "retry-all", "name", "break", "text", "\"b1\""));
		assertThat(retried.at("/changed").asInt()).isEqualTo(1);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(page("/jobs/list?state=dead&name=break&text=bulk")).hasSize(3));
		Answer deleted = server.post("/jobs/list",
				Map.of("action", "delete-all", "state", "dead", "name", "break", "text", "bulk"));
		assertThat(deleted.at("/changed").asInt()).isEqualTo(3);
		assertThat(page("/jobs/list?state=dead&name=break&text=bulk")).isEmpty();
	}

	@Test
	void scheduleIsTriggeredWithThePayloadOfItsTicks() {
		assertThat(act("/jobs/queues/work", "pause")).isEqualTo(200);
		Answer answer = server.post("/jobs/schedules/report", Map.of("action", "trigger"));
		assertThat(answer.status()).isEqualTo(200);
		Answer job = server.get("/jobs/job/" + answer.at("/jobId").asString());
		assertThat(job.at("/payload/depth").asInt()).isEqualTo(3);
		assertThat(job.at("/headers/jobs.schedule").asString()).isEqualTo("report");
		assertThat(act("/jobs/queues/work", "resume")).isEqualTo(200);
	}

	@Test
	void scheduleIsPutChangedAndDropped() {
		String path = "/jobs/schedules/report:42";
		Map<String, Object> put = Map.of("action", "put", "cron", "0 0 7 1 1 *", "zone", "Europe/Berlin", "job", "work",
				"payload", "{\"depth\":4}", "overlap", "keep-last", "jitter", "10s", "misfire", "skip");
		assertThat(server.post(path, put).at("/outcome").asString()).isEqualTo("NEW");
		assertThat(server.post(path, put).at("/outcome").asString()).isEqualTo("UNCHANGED");
		assertThat(server.post(path, Map.of("action", "put")).at("/outcome").asString()).isEqualTo("UNCHANGED");
		assertThat(server.post("/jobs/schedules/new", Map.of("action", "put")).status()).isEqualTo(400);
		Answer schedule = server.get(path);
		assertThat(schedule.at("/put").asBoolean()).isTrue();
		assertThat(schedule.at("/expression").asString()).isEqualTo("0 0 7 1 1 *");
		assertThat(schedule.at("/zone").asString()).isEqualTo("Europe/Berlin");
		for (Map<String, Object> odd : List.<Map<String, Object>>of(Map.of("action", "put", "cron", "at noon"),
				Map.of("action", "put", "cron", "@daily", "zone", "Mars"),
				Map.of("action", "put", "cron", "@daily", "until", "soon"),
				Map.of("action", "put", "cron", "@daily", "overlap", "never"),
				Map.of("action", "put", "cron", "@daily", "payload", "{"))) {
			assertThat(server.post(path, odd).status()).as(odd.toString()).isEqualTo(400);
		}
		assertThat(
				server.post(path, Map.of("action", "put", "cron", "@daily", "job", "hang", "payload", "{}")).status())
			.isEqualTo(409);
		assertThat(act(path, "drop")).isEqualTo(200);
		assertThat(server.get(path).status()).isEqualTo(404);
		assertThat(act(path, "drop")).isEqualTo(404);
	}

	@Test
	void scheduleOfTheApplicationIsOverriddenAndReset() {
		String path = "/jobs/schedules/report";
		Map<String, Object> put = Map.of("action", "put", "cron", "0 0 7 1 1 *", "payload", "{\"depth\":4}");
		assertThat(server.post(path, put).status()).isEqualTo(200);
		assertThat(server.get(path).at("/overrides").asString()).isNotEmpty();
		assertThat(act(path, "drop")).isEqualTo(200);
		assertThat(server.get(path).at("/overrides").isMissingNode()).isTrue();
		assertThat(act(path, "drop")).isEqualTo(409);
	}

	@Test
	void limitOfAQueueIsSetAndRemoved() {
		client().enqueue("limited", Map.of(), LATER);
		assertThat(server.post("/jobs/queues/limited", Map.of("action", "limit", "limit", 3)).status()).isEqualTo(200);
		assertThat(server.get("/jobs/queues/limited").at("/limit").asInt()).isEqualTo(3);
		assertThat(server.post("/jobs/queues/limited", Map.of("action", "limit", "limit", -1)).status()).isEqualTo(200);
		assertThat(server.get("/jobs/queues/limited").at("/limit").asInt()).isEqualTo(-1);
	}

	@Test
	void numbersThatOperatorsSetForWorkersAreShownUntilTheyAreRemoved() {
		client().enqueue("work", Map.of(), LATER);
		for (String set : List.of("queues/work weight", "queues/work attempts", "pools/default concurrency")) {
			String action = set.substring(set.indexOf(' ') + 1);
			String path = "/jobs/" + set.substring(0, set.indexOf(' '));
			String value = "/" + (path.contains("pools") ? "pools/0/" : "") + "settings/" + action;
			String shown = path.contains("pools") ? "/jobs/pools" : path;
			assertThat(server.post(path, Map.of("action", action, action, 5)).status()).as(set).isEqualTo(200);
			assertThat(server.get(shown).at(value + "/value").asInt()).as(set).isEqualTo(5);
			assertThat(server.get(shown).at(value + "/configured").isNumber()).as(set).isTrue();
			assertThat(server.get(shown).at(value + "/at").isMissingNode()).as(set).isFalse();
			assertThat(server.post(path, Map.of("action", action, action, -1)).status()).as(set).isEqualTo(200);
			assertThat(server.get(shown).at(value).isMissingNode()).as(set).isTrue();
		}
	}

	@Test
	void bulkActionIsStartedShownStoppedAndResumed() {
		for (int i = 0; i < 3; i++) {
			client().enqueue("work", Map.of(),
					(options) -> options.delay(Duration.ofHours(1)).tags("bulky").urgency(Urgency.LOW));
		}
		server.post("/jobs/queues/work", Map.of("action", "pause"));
		JobEngine engine = server.bean(JobEngine.class);
		engine.stop(Duration.ofSeconds(10));
		Answer started = server.post("/jobs/bulk", Map.of("action", "reschedule", "name", "work", "tag", "bulky",
				"urgency", "low", "dueAt", "2001-01-01T00:00:00Z"));
		assertThat(started.status()).isEqualTo(200);
		String id = started.at("/id").asString();
		String path = "/jobs/bulk/" + id;
		assertThat(server.get(path).at("/state").asString()).isEqualTo("running");
		assertThat(act(path, "stop")).isEqualTo(200);
		assertThat(server.get(path).at("/state").asString()).isEqualTo("stopped");
		assertThat(act(path, "resume")).isEqualTo(200);
		assertThat(server.get(path).at("/state").asString()).isEqualTo("running");
		engine.start();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.get(path).at("/state").asString()).isEqualTo("done"));
		Answer done = server.get(path);
		assertThat(done.at("/done").asInt()).isEqualTo(3);
		assertThat(done.at("/share").asDouble()).isEqualTo(1);
		assertThat(done.at("/filter/name").asString()).isEqualTo("work");
		assertThat(done.at("/filter/urgency").asString()).isEqualTo("low");
		assertThat(server.get("/jobs/bulk").at("/bulk/0/id").asString()).isEqualTo(id);
		server.post("/jobs/queues/work", Map.of("action", "resume"));
	}

	@Test
	void bulkMoveToAnEmptyLaneTakesJobsOutOfTheirs() {
		String id = client().enqueue("work", Map.of(), (options) -> options.delay(Duration.ofHours(1)).lane("left"))
			.id();
		Answer started = server.post("/jobs/bulk",
				Map.of("action", "move", "name", "work", "lane", "left", "toLane", ""));
		assertThat(started.status()).isEqualTo(200);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> client().find(id).orElseThrow().lane() == null);
		client().cancel(id);
	}

	@Test
	void bulkMoveGivesJobsAnotherLane() {
		client().enqueue("work", Map.of(), (options) -> options.delay(Duration.ofHours(1)).lane("old"));
		Answer started = server.post("/jobs/bulk",
				Map.of("action", "move", "name", "work", "lane", "old", "toLane", "new"));
		assertThat(started.at("/toLane").asString()).isEqualTo("new");
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.get("/jobs/list?lane=new").at("/jobs/0/name").asString(""))
				.isEqualTo("work"));
		server.post("/jobs/list", Map.of("action", "cancel-all", "name", "work", "lane", "new"));
	}

	@Test
	void laneIsPausedLimitedAndWeighedUntilThatIsRemoved() {
		client().enqueue("laned", Map.of(), (options) -> options.lane("tenant:1"));
		for (Map<String, Object> action : List.<Map<String, Object>>of(Map.of("action", "pause"),
				Map.of("action", "limit", "limit", 2), Map.of("action", "weight", "weight", 3))) {
			Map<String, Object> onLane = new HashMap<>(action);
			onLane.put("lane", "tenant:1");
			assertThat(server.post("/jobs/queues/laned", onLane).status()).isEqualTo(200);
		}
		Answer lanes = server.get("/jobs/lanes?name=laned");
		JsonNode lane = lanes.at("/lanes/0");
		assertThat(lane.at("/name").asString()).isEqualTo("tenant:1");
		assertThat(lane.at("/waiting/number").asInt()).isEqualTo(1);
		assertThat(lane.at("/paused").asBoolean()).isTrue();
		assertThat(lane.at("/limit").asInt()).isEqualTo(2);
		assertThat(lane.at("/settings/weight/value").asInt()).isEqualTo(3);
		assertThat(lane.at("/settings/limit/at").asString()).isNotEmpty();
		assertThat(lanes.at("/busiest/0")).isEqualTo(lane);
		assertThat(lanes.at("/withSettings/0")).isEqualTo(lane);
		assertThat(server.get("/jobs/lanes?name=laned&limit=1").at("/next").asString()).isEqualTo("tenant:1");
		assertThat(server.get("/jobs/lanes?name=laned&after=tenant:1").at("/lanes")).isEmpty();
		assertThat(server.get("/jobs/lanes").status()).isEqualTo(400);
		for (Map<String, Object> action : List.<Map<String, Object>>of(Map.of("action", "resume"),
				Map.of("action", "limit", "limit", -1), Map.of("action", "weight", "weight", -1))) {
			Map<String, Object> onLane = new HashMap<>(action);
			onLane.put("lane", "tenant:1");
			assertThat(server.post("/jobs/queues/laned", onLane).status()).isEqualTo(200);
		}
		assertThat(server.get("/jobs/lanes?name=laned").at("/withSettings")).isEmpty();
	}

	@Test
	void blockedLaneShowsTheJobThatHoldsItOrUntilWhenItIsHeldBack() {
		String first = client().enqueue("in-order", "discard", (options) -> options.lane("tenant:1")).id();
		client().enqueue("in-order", "done", (options) -> options.lane("tenant:1"));
		client().enqueue("in-order", "hold back", (options) -> options.lane("tenant:2"));
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			Answer lanes = server.get("/jobs/lanes?name=in-order");
			JsonNode held = named(lanes.at("/blocked"), "tenant:1");
			assertThat(held.at("/heldBy").asString()).isEqualTo(first);
			assertThat(named(lanes.at("/lanes"), "tenant:1")).isEqualTo(held);
			assertThat(Instant.parse(named(lanes.at("/blocked"), "tenant:2").at("/heldBackUntil").asString()))
				.isAfter(Instant.now());
		});
		assertThat(server.post("/jobs/list", Map.of("action", "delete-all", "name", "in-order", "state", "dead,ready"))
			.status()).isEqualTo(200);
	}

	@Test
	void poolShowsHowManyWorkersAreWanted() {
		client().enqueue("work", Map.of(), LATER);
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode wanted = server.get("/jobs/pools").at("/pools/0/wanted");
			assertThat(wanted.at("/workers").isNumber()).isTrue();
			assertThat(wanted.at("/slots").isNumber()).isTrue();
			assertThat(wanted.at("/queues/work").isNumber()).isTrue();
		});
	}

	@Test
	void poolIsPausedAndWorkerIsQuietUntilTheyAreResumed() {
		assertThat(act("/jobs/pools/default", "pause")).isEqualTo(200);
		assertThat(server.get("/jobs/pools").at("/pools/0/settings/paused/value").asBoolean()).isTrue();
		assertThat(act("/jobs/pools/default", "resume")).isEqualTo(200);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> !server.get("/jobs/workers").at("/workers/0/id").isMissingNode());
		String id = server.get("/jobs/workers").at("/workers/0/id").asString();
		assertThat(act("/jobs/workers/" + id, "quiet")).isEqualTo(200);
		assertThat(server.get("/jobs/workers").at("/workers/0/quiet/value").asBoolean()).isTrue();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.get("/jobs/job/" + client().enqueue("work", Map.of()).id())
				.at("/waitReason/kind")
				.asString()).isEqualTo("WORKERS_QUIET"));
		assertThat(act("/jobs/workers/" + id, "resume")).isEqualTo(200);
		assertThat(server.get("/jobs/workers").at("/workers/0/quiet").isMissingNode()).isTrue();
	}

	@Test
	void limitOfTheWorkersIsShownUnlessAnotherIsStored() {
		client().enqueue("work", Map.of(), LATER);
		client().enqueue("hang", Map.of(), LATER);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(
					() -> assertThat(server.get("/jobs/queues/work").at("/limitAmongWorkers").asInt()).isEqualTo(7));
		assertThat(named(server.get("/jobs").at("/queues"), "work").at("/limitAmongWorkers").asInt()).isEqualTo(7);
		assertThat(server.get("/jobs/queues/hang").at("/limitAmongWorkers").isMissingNode()).isTrue();
		server.post("/jobs/queues/work", Map.of("action", "limit", "limit", 3));
		assertThat(server.get("/jobs/queues/work").at("/limitAmongWorkers").asInt()).isEqualTo(3);
		server.post("/jobs/queues/work", Map.of("action", "limit", "limit", -1));
	}

	@Test
	void loosestLimitOfTheWorkersIsShown() {
		client().enqueue("work", Map.of(), LATER);
		JobStore store = server.bean(JobStore.class);
		List<WorkerInfo.Pool> pools = List.of(new WorkerInfo.Pool("default", 20, 0, List.of("work")));
		WorkerInfo.Limit looser = new WorkerInfo.Limit("work", 9, 0, 0);
		beat(store, new WorkerInfo("elsewhere", 1, "", Instant.now(), pools, List.of(looser)), false);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(
					() -> assertThat(server.get("/jobs/queues/work").at("/limitAmongWorkers").asInt()).isEqualTo(9));
		beat(store, new WorkerInfo("elsewhere", 1, "", Instant.now(), pools, List.of()), false);
		assertThat(server.get("/jobs/queues/work").at("/limitAmongWorkers").isMissingNode()).isTrue();
		beat(store, null, true);
		assertThat(server.get("/jobs/queues/work").at("/limitAmongWorkers").asInt()).isEqualTo(7);
	}

	private static void beat(JobStore store, @Nullable WorkerInfo info, boolean leaves) {
		store.beat(new WorkerBeat("elsewhere", Duration.ofMinutes(1), info, List.of(), leaves, Instant.now()));
	}

	@Test
	void rateOfAQueueIsSetAndRemoved() {
		client().enqueue("work", Map.of(), LATER);
		assertThat(server.post("/jobs/queues/work", Map.of("action", "rate", "rate", "60/1m burst 6")).status())
			.isEqualTo(200);
		assertThat(server.get("/jobs/queues/work").at("/settings/rate/value").asString()).isEqualTo("60/1m burst 6");
		assertThat(server.post("/jobs/queues/work", Map.of("action", "rate", "rate", "-1")).status()).isEqualTo(200);
		assertThat(server.get("/jobs/queues/work").at("/settings/rate/value").isMissingNode()).isTrue();
		assertThat(server.post("/jobs/queues/work", Map.of("action", "lanes-rate", "rate", "5/1s")).status())
			.isEqualTo(200);
		assertThat(server.get("/jobs/queues/work").at("/settings/rateOfLanes/value").asString()).isEqualTo("5/1s");
		assertThat(server.post("/jobs/queues/work", Map.of("action", "lanes-rate", "rate", "-1")).status())
			.isEqualTo(200);
		assertThat(server.get("/jobs/queues/work").at("/settings/rateOfLanes/value").isMissingNode()).isTrue();
	}

	@Test
	void scheduleIsPausedAndItsRunsAreListed() {
		assertThat(act("/jobs/schedules/report", "pause")).isEqualTo(200);
		assertThat(server.get("/jobs/schedules/report").at("/paused").asBoolean()).isTrue();
		assertThat(act("/jobs/schedules/report", "resume")).isEqualTo(200);
		Instant tick = Instant.now().plusSeconds(1).truncatedTo(ChronoUnit.MILLIS);
		server.bean(JobStore.class)
			.fireTicks(
					List.of(Tick.of(new NewSchedule("report", "UTC 0 0 0 1 1 *", "other"), tick,
							NewJob.of("of-a-tick", "other", new byte[0], tick).withDueAt(tick.plusSeconds(3600)))),
					tick);
		Answer answer = server.get("/jobs/schedules/report");
		assertThat(answer.at("/paused").asBoolean()).isFalse();
		assertThat(answer.at("/runs/0/jobId").asString()).isEqualTo("of-a-tick");
		assertThat(answer.at("/runs/0/fate").asString()).isEqualTo("WAITING");
		assertThat(answer.at("/runs/0/tick").asString()).isEqualTo(tick.toString());
		assertThat(server.get("/jobs/schedules").at("/schedules/0").has("runs")).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/jobs/queues/work      | {"action":"explode"}                               | 400
			/jobs/queues/work      | {}                                                 | 400
			/jobs/queues/work      | {"action":"limit"}                                 | 400
			/jobs/queues/work      | {"action":"limit","limit":-2}                      | 400
			/jobs/queues/work      | {"action":"limit","limit":0}                       | 400
			/jobs/queues/work      | {"action":"limit","limit":"many"}                  | 400
			/jobs/queues/unknown   | {"action":"limit","limit":1}                       | 404
			/jobs/queues/work      | {"action":"weight"}                                | 400
			/jobs/queues/work      | {"action":"weight","weight":101,"lane":"a"}         | 400
			/jobs/queues/work      | {"action":"attempts","attempts":1,"lane":"a"}       | 400
			/jobs/queues/work      | {"action":"pause","lane":""}                       | 400
			/jobs/pools/default    | {"action":"pause","lane":"a"}                      | 400
			/jobs/queues/unknown   | {"action":"pause","lane":"a"}                      | 404
			/jobs/queues/work      | {"action":"weight","weight":100001}                | 400
			/jobs/queues/work      | {"action":"attempts","weight":1}                   | 400
			/jobs/queues/work      | {"action":"rate"}                                  | 400
			/jobs/queues/work      | {"action":"lanes-rate"}                            | 400
			/jobs/queues/work      | {"action":"rate","rate":"many"}                    | 400
			/jobs/queues/unknown   | {"action":"rate","rate":"1/1s"}                    | 404
			/jobs/pools/default    | {"action":"concurrency","concurrency":0}           | 400
			/jobs/pools/default    | {"action":"quiet"}                                 | 400
			/jobs/pools/unknown    | {"action":"pause"}                                 | 404
			/jobs/workers/unknown  | {"action":"quiet"}                                 | 404
			/jobs/queues/work      | not json                                           | 400
			/jobs/queues/unknown   | {"action":"pause"}                                 | 404
			/jobs/queues/a%20b     | {"action":"pause"}                                 | 404
			/jobs/job/unknown      | {"action":"retry"}                                 | 404
			/jobs/schedules/report | {"action":"explode"}                               | 400
			/jobs/schedules/none   | {"action":"pause"}                                 | 404
			/jobs/schedules/none   | {"action":"trigger"}                               | 404
			/jobs/workers/x        | {"action":"stop"}                                  | 400
			/jobs/list             | {"action":"delete-all"}                            | 400
			/jobs/list             | {"action":"retry-all","state":"ready"}             | 400
			/jobs/list             | {"action":"retry-all","name":"a b"}                | 400
			/jobs/list             | {"action":"cancel-all"}                            | 400
			/jobs/list             | {"action":"cancel-all","since":"now"}              | 400
			/jobs/list             | {"action":"purge"}                                 | 400
			/jobs/list             | {"action":"cancel-all","name":"x","tag":null}      | 400
			/jobs/list             | {"action":"delete-all","state":"dead","id":"x"}    | 400
			/jobs/bulk             | {"action":"explode","name":"x"}                    | 400
			/jobs/bulk             | {"action":"retry"}                                 | 400
			/jobs/bulk             | {"action":"retry","state":"ready"}                 | 400
			/jobs/bulk             | {"action":"reschedule","name":"x"}                 | 400
			/jobs/bulk             | {"action":"reschedule","name":"x","dueAt":"soon"}  | 400
			/jobs/bulk             | {"action":"delete","state":"dead","id":"x"}        | 400
			/jobs/bulk             | {"action":"move","name":"x"}                       | 400
			/jobs/bulk             | {"action":"move","name":"x","toLane":" x"}         | 400
			/jobs/bulk             | {"action":"retry","name":"x","toLane":"x"}         | 400
			/jobs/list             | {"action":"cancel-all","name":"x","toLane":"x"}    | 400
			/jobs/bulk             | {"action":"retry","name":"x","dueAt":"2030-01-01T00:00:00Z"} | 400
			/jobs/list             | {"action":"retry-all","name":"x","dueAt":"2030-01-01T00:00:00Z"} | 400
			/jobs/bulk/unknown     | {"action":"stop"}                                  | 404
			/jobs/bulk/unknown     | {"action":"explode"}                               | 400
			/jobs/job              | {"action":"delete"}                                | 400
			/jobs/job              | {"action":"delete","id":"x","name":"work"}         | 400
			/jobs/job              | {"action":"delete","id":"none"}                    | 404
			/jobs/queues           | {"action":"pause"}                                 | 404
			""")
	void senselessActionIsRefused(String path, String body, int status) {
		Answer answer = server.post(path, body);
		assertThat(answer.status()).isEqualTo(status);
		assertThat(answer.body().isObject()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiterString = "|", quoteCharacter = '\0', textBlock = """
			/jobs/list             | {"action":"cancel-all","name":"x","tag":null}      | tag
			/jobs/list             | {"action":"delete-all","state":null,"name":"x"}    | state
			/jobs/queues/work      | {"action":"limit","limit":null}                    | limit
			/jobs/schedules/report | {"action":null}                                    | action
			/jobs/job              | {"action":"delete","id":null}                      | id
			""")
	void fieldThatIsNullIsRefusedByItsName(String path, String body, String field) {
		Answer answer = server.post(path, body);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.at("/error").asString()).contains("'" + field + "' is null");
	}

	@ParameterizedTest
	@CsvSource(delimiterString = "|", textBlock = """
			overlap | some | 'overlap' must be allow, skip or keep-last
			until   | noon | 'until' is not understood
			zone    | Mars | Mars
			cron    | x    | Invalid schedule
			misfire | some | misfire
			""", quoteCharacter = '\0')
	void partOfAScheduleThatIsNotUnderstoodIsRefusedInWords(String part, String value, String reason) {
		Map<String, String> put = new HashMap<>(Map.of("action", "put", "cron", "@daily"));
		put.put(part, value);
		Answer answer = server.post("/jobs/schedules/refused", put);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.at("/error").asString()).contains(reason).doesNotContain("dev.jobs");
	}

	@Test
	void schedulesAreListedByPages() {
		JobOperations operations = server.bean(JobOperations.class);
		for (int i = 0; i < 3; i++) {
			operations.schedule("page-" + i).put((schedule) -> schedule.cron("@yearly").job("work", Map.of()));
		}
		int all = operations.schedules().size();
		Answer page = server.get("/jobs/schedules?limit=2&after=page-");
		assertThat(page.at("/schedules").valueStream().map((schedule) -> schedule.path("name").asString()))
			.containsExactly("page-0", "page-1");
		assertThat(page.at("/schedulesInAll").asInt()).isEqualTo(all);
		assertThat(page.at("/next").asString()).isEqualTo("page-1");
		assertThat(server.get("/jobs/schedules?limit=2&after=page-1").at("/schedules/0/name").asString())
			.isEqualTo("page-2");
		for (int i = 0; i < 3; i++) {
			operations.schedule("page-" + i).drop();
		}
	}

	@Test
	void partsOfAScheduleThatAreNotNamedStayAsTheyAre(CapturedOutput output) {
		String path = "/jobs/schedules/kept";
		server.post(path, Map.of("action", "put", "cron", "@daily", "zone", "Asia/Tokyo", "job", "work", "payload",
				"{\"a\":1}", "overlap", "skip"));
		ScheduleRequest before = server.bean(JobOperations.class).schedule("kept").request().orElseThrow();
		Map<String, String> again = Map.of("action", "put", "cron", "@hourly");
		assertThat(server.post(path, again).at("/outcome").asString()).isEqualTo("CHANGED");
		assertThat(output).contains("{\"cron\":\"@hourly\"}");
		ScheduleRequest after = server.bean(JobOperations.class).schedule("kept").request().orElseThrow();
		assertThat(after.getCron()).isEqualTo("@hourly");
		assertThat(after.getZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
		assertThat(after.getOverlap()).isEqualTo(ScheduleRequest.Overlap.SKIP);
		assertThat((byte[]) after.getJob().getPayload()).isEqualTo(before.getJob().getPayload()).isNotEmpty();
		server.bean(JobOperations.class).schedule("kept").drop();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z" })
	void waitSinceAnyTimeIsShownInSeconds(Instant due) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		server.bean(JobStore.class).enqueue(List.of(NewJob.of("of-any-time", "any-time", new byte[0], due)), due);
		double waited = server.get("/jobs/queues/any-time").at("/latencySeconds").asDouble();
		assertThat(waited).isCloseTo(Math.max(0, Duration.between(due, now).getSeconds()), Offset.offset(600.0));
		assertThat(server.get("/jobs/job/of-any-time").at("/dueAt").asString()).isEqualTo(due.toString());
		server.bean(JobOperations.class).job("of-any-time").delete();
	}

	@Test
	void everyActionIsLoggedAndPublishedWithTheJobsItChanged(CapturedOutput output) {
		List<OperatorActionEvent> acts = server.bean(ActuatorServer.App.class).acts;
		acts.clear();
		String id = client().enqueue("audited", Map.of(), LATER).id();
		List<String> more = List.of(client().enqueue("audited", 1, LATER).id(),
				client().enqueue("audited", 2, LATER).id());
		act("/jobs/queues/audited", "pause");
		server.post("/jobs/queues/audited", Map.of("action", "limit", "limit", 2));
		act("/jobs/schedules/report", "pause");
		act("/jobs/schedules/report", "resume");
		act("/jobs/job/" + id, "cancel");
		act("/jobs/job/none", "cancel");
		server.post("/jobs/list", Map.of("action", "delete-all", "state", "scheduled", "name", "audited"));
		act("/jobs/queues/work", "pause");
		String triggered = server.post("/jobs/schedules/report", Map.of("action", "trigger")).at("/jobId").asString();
		act("/jobs/queues/work", "resume");
		assertThat(acts).extracting((act) -> act.action() + " " + act.target())
			.containsExactly("pause queue audited", "limit queue audited to 2", "pause schedule report",
					"resume schedule report", "cancel 1 job by id",
					"delete all jobs of {\"name\":\"audited\",\"state\":\"scheduled\"}", "pause queue work",
					"trigger schedule report", "resume queue work");
		assertThat(acts).extracting(OperatorActionEvent::surface).containsOnly("actuator");
		assertThat(acts.get(4).jobs()).containsExactly(id);
		assertThat(acts.get(5).jobs()).containsExactlyInAnyOrderElementsOf(more);
		assertThat(acts.get(7).jobs()).containsExactly(triggered);
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains(" by somebody: "))
			.hasSize(9)
			.anyMatch((line) -> line.endsWith("Actuator: cancel by somebody: 1 job by id, 1 changed: " + id))
			.anyMatch((line) -> line.endsWith("Actuator: pause by somebody: queue audited"))
			.anyMatch((line) -> line.contains(more.get(0)) && line.contains(more.get(1)));
	}

	@Test
	void userOfAnActionIsPublished() {
		List<Object> events = new ArrayList<>();
		JobsEndpoint endpoint = new JobsEndpoint(server.bean(JobEngine.class), server.bean(JobOperations.class),
				Instant::now, new JobValues(List.of(), Show.NEVER, Set.of()), TARGET_WAIT,
				new Audit(Instant::now, events::add, (note) -> {
				}));
		String id = client().enqueue("audited", Map.of(), LATER).id();
		endpoint.act(new Asker(true), "job", id, "cancel", null, null, null, null, null, null, null, null, null, null,
				null, null, null, null, null, null, null);
		assertThat(events).singleElement(type(OperatorActionEvent.class))
			.returns("ann", OperatorActionEvent::user)
			.returns(List.of(id), OperatorActionEvent::jobs);
	}

	@Test
	void everyRefusedActionIsLogged(CapturedOutput output) {
		try (ActuatorServer own = ActuatorServer.start(WebApplicationType.SERVLET,
				"management.endpoint.jobs.access=unrestricted")) {
			String id = own.client().enqueue("kept", Map.of(), LATER).id();
			assertThat(own
				.post("/jobs/list", Map.of("action", "delete-all", "state", "scheduled", "text", "guess\nforged"))
				.status()).isEqualTo(403);
			assertThat(own.post("/jobs/list", Map.of("action", "delete-all", "stat\nforged", "dead")).status())
				.isEqualTo(400);
			assertThat(own.post("/jobs/queues/kept", Map.of("action", "limit", "limit", 0)).status()).isEqualTo(400);
			assertThat(own.post("/jobs/queues/kept", "{}").status()).isEqualTo(400);
			assertThat(own.post("/jobs/job/none", Map.of("action", "delete")).status()).isEqualTo(404);
			assertThat(own.post("/jobs/job/" + id, Map.of("action", "retry")).status()).isEqualTo(200);
			assertThat(own.get("/jobs/job/none").status()).isEqualTo(404);
			assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("Actuator: refused "))
				.hasSize(5)
				.anyMatch((line) -> line.contains("refused delete-all by somebody on \"list")
						&& line.contains("guess\\\\nforged") && line.contains("not shown to you"))
				.anyMatch((line) -> line.contains("refused delete-all by somebody on") && line.contains("stat?forged")
						&& line.contains("are unknown"))
				.anyMatch((line) -> line
					.contains("refused limit by somebody on \"queues kept {\\\"limit\\\":\\\"0\\\"}\": "))
				.anyMatch((line) -> line.contains("refused nothing by somebody on \"queues kept {}\": "))
				.anyMatch((line) -> line.contains("refused delete by somebody on \"job none {}\": "));
			assertThat(own.bean(ActuatorServer.App.class).refusals).singleElement()
				.returns("actuator", OperatorRefusalEvent::surface)
				.returns("somebody", OperatorRefusalEvent::user)
				.returns("delete-all", OperatorRefusalEvent::action);
		}
	}

	@Test
	void userOfARefusedActionIsPublished() {
		List<Object> events = new ArrayList<>();
		JobsEndpoint endpoint = new JobsEndpoint(server.bean(JobEngine.class), server.bean(JobOperations.class),
				Instant::now, new JobValues(List.of(), Show.NEVER, Set.of()), TARGET_WAIT,
				new Audit(Instant::now, events::add, (note) -> {
				}));
		endpoint.actOnAll(new Asker(true), "list", "delete-all", "dead", null, "guess", null, null, null, null, null,
				null, null, null, null, null, null, null);
		assertThat(events).singleElement(type(OperatorRefusalEvent.class)).returns("ann", OperatorRefusalEvent::user);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a b", "../c", "a%2Fb", "a;b?c#d", "ä" })
	void jobWithAnOddIdIsShownAndActedOn(String id) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		act("/jobs/queues/work", "pause");
		server.bean(JobStore.class)
			.enqueue(List.of(NewJob.of(id, "work", new byte[0], now).withDueAt(now.plusSeconds(3600))), now);
		String query = "/jobs/job?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
		assertThat(server.get(query).at("/id").asString()).isEqualTo(id);
		assertThat(server.post("/jobs/job", Map.of("id", id, "action", "retry")).status()).isEqualTo(200);
		assertThat(client().find(id).orElseThrow().state()).isEqualTo(JobState.READY);
		assertThat(server.post("/jobs/job", Map.of("id", id, "action", "delete")).status()).isEqualTo(200);
		assertThat(server.get(query).status()).isEqualTo(404);
		assertThat(server.get("/jobs/job").status()).isEqualTo(400);
		act("/jobs/queues/work", "resume");
		assertThat(server.get(query + "&name=odd").status()).isEqualTo(400);
		assertThat(server.get("/jobs/list?id=x").status()).isEqualTo(400);
	}

	@Test
	void queueOfANameThatIsNotValidCannotBePaused(CapturedOutput output) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		server.bean(JobStore.class).enqueue(List.of(NewJob.of("of-odd-queue", "odd name", new byte[0], now)), now);
		for (String action : List.of("pause", "resume")) {
			assertThat(server.post("/jobs/queues/odd%20name", Map.of("action", action)).status()).isEqualTo(409);
		}
		assertThat(output.getAll()).doesNotContain("Actuator: pause by");
		server.bean(JobOperations.class).job("of-odd-queue").delete();
	}

	@Test
	void payloadIsShownAsItIs() {
		String id = client()
			.enqueue("odd",
					"{\"n\":null,\"deep\":{\"m\":null,\"l\":[null,{\"k\":null}]},\"d\":1.10,\"e\":\"\"}"
						.getBytes(StandardCharsets.UTF_8),
					LATER)
			.id();
		assertThat(server.get("/jobs/job/" + id).text())
			.contains("\"payload\":{\"n\":null,\"deep\":{\"m\":null,\"l\":[null,{\"k\":null}]},\"d\":1.10,\"e\":\"\"}")
			.doesNotContain("\"end\":null");
		for (int depth : List.of(400, 490, 499, 500, 501, 5000)) {
			String nested = client()
				.enqueue("odd", ("[".repeat(depth) + "]".repeat(depth)).getBytes(StandardCharsets.UTF_8), LATER)
				.id();
			Answer answer = server.get("/jobs/job/" + nested);
			assertThat(answer.status()).as("%s", depth).isEqualTo(200);
			assertThat(answer.text()).contains("[[[[");
		}
	}

	@Test
	void latencyIsHowLongTheLongestWaitingJobHasBeenDue() {
		act("/jobs/queues/work", "pause");
		Instant due = client().find(client().enqueue("work", Map.of()).id()).orElseThrow().dueAt();
		client().enqueue("work", Map.of());
		JobsEndpoint later = new JobsEndpoint(server.bean(JobEngine.class), server.bean(JobOperations.class),
				() -> due.plusMillis(92_500), new JobValues(List.of(), Show.NEVER, Set.of()), TARGET_WAIT,
				new Audit(Instant::now, (event) -> {
				}, (note) -> {
				}));
		assertThat(text(later.one(new Asker(true), "queues", "work").getBody())).contains("\"latencySeconds\":92.5")
			.contains("\"paused\":true");
		Answer queue = server.get("/jobs/queues/work");
		assertThat(queue.at("/ready").asInt()).isEqualTo(2);
		assertThat(queue.at("/oldestReady").asString()).isEqualTo(due.toString());
		assertThat(queue.at("/latencySeconds").asDouble()).isBetween(0.0,
				Duration.between(due, Instant.now()).toMillis() / 1000.0);
		server.post("/jobs/list", Map.of("action", "delete-all", "state", "ready", "name", "work"));
		act("/jobs/queues/work", "resume");
	}

	@Test
	void jobsThatWaitForTheirNextAttemptAreListed() {
		String id = client().enqueue("fails-at-first", Map.of()).id();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(ids("/jobs/list?state=retrying&name=fails-at-first")).containsExactly(id));
		JsonNode job = server.get("/jobs/list?state=retrying&name=fails-at-first").at("/jobs/0");
		assertThat(job.at("/attempt").asInt()).isEqualTo(2);
		assertThat(job.at("/trail/failures").asInt()).isEqualTo(1);
		assertThat(job.at("/error").asString()).contains("not yet");
		assertThat(job.at("/dueAt").asString()).isEqualTo(client().find(id).orElseThrow().dueAt().toString());
		assertThat(ids("/jobs/list?state=scheduled&name=fails-at-first")).isEmpty();
		assertThat(ids("/jobs/list?state=scheduled,retrying&name=fails-at-first")).containsExactly(id);
		JsonNode queue = server.get("/jobs/queues/fails-at-first").body();
		assertThat(queue.at("/retrying").asInt()).isEqualTo(1);
		assertThat(queue.at("/scheduled").asInt()).isZero();
		assertThat(server.post("/jobs/job/" + id, Map.of("action", "delete")).status()).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "handler", "queue", "names", "NAME", "expected", "asker" })
	void mistypedFilterIsRefusedBeforeAnythingIsDone(String mistyped) {
		String kept = client().enqueue("kept", Map.of(), LATER).id();
		Answer answer = server.post("/jobs/list",
				Map.of("action", "delete-all", "state", "scheduled", mistyped, "other"));
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.at("/error").asString()).contains(mistyped);
		assertThat(server.post("/jobs/job/" + kept, Map.of("action", "delete", mistyped, "x")).status()).isEqualTo(400);
		assertThat(server.get("/jobs/list?state=scheduled&" + mistyped + "=other").at("/error").asString()).contains(
				"these parameters are unknown: " + mistyped + ". Known ones: after, before, id, lane, limit, name");
		assertThat(client().find(kept)).isPresent();
	}

	private static int act(String path, String action) {
		return server.post(path, Map.of("action", action)).status();
	}

	@ParameterizedTest
	@CsvSource({ "NEVER,true,false", "ALWAYS,false,true", "WHEN_AUTHORIZED,true,true", "WHEN_AUTHORIZED,false,false" })
	void valuesAreShownToThoseWhoMaySeeThem(Show show, boolean inRole, boolean shown) {
		JobsEndpoint endpoint = endpoint(SanitizingFunction.sanitizeValue().ifKeyEndsWith("card"), show);
		Enqueued enqueued = client().enqueue("secret", Map.of("name", "ann", "nested", Map.of("card", "4711")),
				LATER.andThen((set) -> set.header("who", "ann")));
		SecurityContext asker = new Asker(inRole);
		String one = text(endpoint.one(asker, "job", enqueued.id()).getBody());
		String list = text(list(endpoint, asker, null, null).getBody());
		assertThat(List.of(one, list)).allSatisfy((body) -> {
			assertThat(body).doesNotContain("4711").contains("******");
			assertThat(body.contains("ann")).isEqualTo(shown);
		});
		Enqueued halfJson = client().enqueue("half", "{\"card\":\"4711\"} more".getBytes(StandardCharsets.UTF_8),
				LATER);
		assertThat(text(endpoint.one(asker, "job", halfJson.id()).getBody())).doesNotContain("4711").contains("******");
		Enqueued broken = client().enqueue("break", Map.of());
		awaitState(broken.id(), "DEAD");
		assertThat(text(endpoint.one(asker, "job", broken.id()).getBody()).contains("about to break")).isEqualTo(shown);
		Enqueued saving = client().enqueue("saves", Map.of("name", "ann", "card", "4711"));
		awaitState(saving.id(), "DEAD");
		String saved = text(endpoint.one(asker, "job", saving.id()).getBody()).split("\"steps\"")[1];
		assertThat(saved).contains("\"name\":\"charge\"").doesNotContain("4711").contains("******");
		assertThat(saved.contains("ann")).isEqualTo(shown);
		assertThat(list(endpoint, asker, "4711", null).getStatus()).isEqualTo(shown ? 200 : 403);
		assertThat(list(endpoint, asker, null, "4711").getStatus()).isEqualTo(shown ? 200 : 403);
	}

	private static JobsEndpoint endpoint(SanitizingFunction function, Show show) {
		return new JobsEndpoint(server.bean(JobEngine.class), server.bean(JobOperations.class), Instant::now,
				new JobValues(List.of(function), show, Set.of("operator")), TARGET_WAIT,
				new Audit(Instant::now, (event) -> {
				}, (note) -> {
				}));
	}

	@Test
	void listIsRefusedWhileAnotherIsReadAndNothingElse() throws Exception {
		CountDownLatch reading = new CountDownLatch(1);
		CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
		JobsEndpoint endpoint = slow(reading, mayEnd);
		String id = client().enqueue("secret", Map.of("name", "ann"), LATER).id();
		SecurityContext asker = new Asker(true);
		CompletableFuture<WebEndpointResponse<Object>> first = CompletableFuture
			.supplyAsync(() -> list(endpoint, asker, null, null));
		reading.await();
		WebEndpointResponse<Object> refused = list(endpoint, asker, null, null);
		assertThat(refused.getStatus()).isEqualTo(503);
		assertThat(text(refused.getBody())).contains("Others read lists of jobs", "Ask again in a second");
		assertThat(list(endpoint, asker, "ann", null).getStatus()).isEqualTo(200);
		assertThat(endpoint.one(asker, "job", id).getStatus()).isEqualTo(200);
		mayEnd.complete(true);
		assertThat(first.get().getStatus()).isEqualTo(200);
		assertThat(list(endpoint, asker, null, null).getStatus()).isEqualTo(200);
	}

	@Test
	void jobIsRefusedWhileAnotherIsReadAndNothingElse() throws Exception {
		CountDownLatch reading = new CountDownLatch(1);
		CompletableFuture<Boolean> mayEnd = new CompletableFuture<>();
		JobsEndpoint endpoint = slow(reading, mayEnd);
		String id = client().enqueue("secret", Map.of("name", "ann"), LATER).id();
		SecurityContext asker = new Asker(true);
		CompletableFuture<WebEndpointResponse<Object>> first = CompletableFuture
			.supplyAsync(() -> endpoint.one(asker, "job", id));
		reading.await();
		for (WebEndpointResponse<Object> refused : List.of(endpoint.one(asker, "job", id), byId(endpoint, asker, id))) {
			assertThat(refused.getStatus()).isEqualTo(503);
			assertThat(text(refused.getBody())).contains("Others read details of jobs", "Ask again in a second");
		}
		assertThat(list(endpoint, asker, null, null).getStatus()).isEqualTo(200);
		mayEnd.complete(true);
		assertThat(first.get().getStatus()).isEqualTo(200);
		assertThat(byId(endpoint, asker, id).getStatus()).isEqualTo(200);
	}

	/** What is shown of the first job waits. */
	private JobsEndpoint slow(CountDownLatch reading, CompletableFuture<Boolean> mayEnd) {
		return endpoint((data) -> {
			if (reading.getCount() > 0) {
				reading.countDown();
				mayEnd.join();
			}
			return data;
		}, Show.ALWAYS);
	}

	private static WebEndpointResponse<Object> list(JobsEndpoint endpoint, SecurityContext asker, @Nullable String text,
			@Nullable String key) {
		return endpoint.part(asker, "list", null, "secret", text, null, null, null, null, null, null, key, null, null,
				null, null);
	}

	private static WebEndpointResponse<Object> byId(JobsEndpoint endpoint, SecurityContext asker, String id) {
		return endpoint.part(asker, "job", null, null, null, null, null, null, null, null, null, null, null, null, null,
				id);
	}

	@Test
	void jobsAreFoundByTheirUrgencyWhichIsShown() {
		String low = client().enqueue("urgency", 1, LATER.andThen((set) -> set.urgency(Urgency.LOW))).id();
		String normal = client().enqueue("urgency", 2, LATER).id();
		assertThat(ids("/jobs/list?name=urgency&urgency=low")).containsExactly(low);
		assertThat(ids("/jobs/list?name=urgency&urgency=NORMAL")).containsExactly(normal);
		assertThat(server.get("/jobs/job/" + low).at("/urgency").asString()).isEqualTo("LOW");
		assertThat(server.get("/jobs/list?urgency=now").at("/error").asString())
			.contains("'urgency' must be urgent, high, normal or low");
	}

	@Test
	void jobsAreFoundByTheirKeyTheirTagAndTheirTime() {
		Consumer<EnqueueOptions.Builder> options = LATER.andThen((set) -> set.tags("customer:42", "urgent"));
		String keyed = client().enqueue("keyed", 1, options.andThen((set) -> set.unique(Unique.byKey("order 7")))).id();
		String across = client()
			.enqueue("other", 2, LATER.andThen((set) -> set.unique("order 7", (rule) -> rule.acrossHandlers())))
			.id();
		assertThat(ids("/jobs/list?uniqueKey=order%207")).containsExactlyInAnyOrder(keyed, across);
		assertThat(ids("/jobs/list?uniqueKey=order%207&name=keyed")).containsExactly(keyed);
		assertThat(ids("/jobs/list?uniqueKey=order%207&state=dead")).isEmpty();
		assertThat(ids("/jobs/list?uniqueKey=order")).isEmpty();
		assertThat(ids("/jobs/list?tag=customer:42")).containsExactly(keyed);
		assertThat(ids("/jobs/list?tag=customer:4")).isEmpty();
		assertThat(server.get("/jobs/job/" + keyed).at("/tags").valueStream().map(JsonNode::asString))
			.containsExactly("customer:42", "urgent");
		Instant due = client().find(keyed).orElseThrow().dueAt();
		assertThat(ids("/jobs/list?name=keyed&since=" + due)).containsExactly(keyed);
		assertThat(ids("/jobs/list?name=keyed&before=" + due)).isEmpty();
		Answer tagged = server.get("/jobs/list?name=keyed&tag=urgent");
		assertThat(tagged.at("/count/number").asInt()).isOne();
		assertThat(ids("/jobs/list?name=keyed&state=retrying")).isEmpty();
		assertThat(
				server.post("/jobs/list", Map.of("action", "cancel-all", "tag", "customer:42")).at("/changed").asInt())
			.isOne();
		assertThat(client().find(keyed)).isEmpty();
		assertThat(server.post("/jobs/list", Map.of("action", "cancel-all", "uniqueKey", "order 7"))
			.at("/changed")
			.asInt()).isOne();
		assertThat(client().find(across)).isEmpty();
	}

	private static List<String> ids(String path) {
		Answer answer = server.get(path);
		assertThat(answer.status()).as(path).isEqualTo(200);
		return answer.at("/jobs").valueStream().map((job) -> job.path("id").asString()).toList();
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
