package dev.jobs.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.BulkStatus;
import dev.jobs.DeadReason;
import dev.jobs.Deaths;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.SavedStep;
import dev.jobs.ScheduleRequest;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.audit.OperatorActionEvent;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

/**
 * The answers of a dashboard that is open to everybody.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
@ExpectsFaults("failing with")
abstract class DashboardSuite {

	private static final String ATTACK = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>";

	private Server server;

	private JobClient client;

	private JobOperations operations;

	private JobInspector inspector;

	abstract WebApplicationType type();

	abstract Class<?> application();

	abstract String prefixProperty();

	@BeforeAll
	void start() {
		this.server = Server.start(type(), application(), "jobs.dashboard.access=operate", prefixProperty() + "=/shop",
				"jobs.handlers.fail.max-attempts=1", "jobs.dashboard.refresh=500ms",
				"spring.application.version=3.1.0");
		this.client = this.server.bean(JobClient.class);
		this.operations = this.server.bean(JobOperations.class);
		this.inspector = this.server.bean(JobInspector.class);
	}

	@AfterAll
	void stop() {
		this.server.bean(Applications.Work.class).mayEnd.countDown();
		this.server.close();
	}

	@BeforeEach
	void clear() {
		deleteAll();
		// What the test before left running dies only now.
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.operations.jobs(JobFilter.of((only) -> only.states(JobState.RUNNING).name("fail")))
				.count(1)
				.number() == 0);
		deleteAll();
		this.server.bean(Applications.Work.class).actions.clear();
	}

	private void deleteAll() {
		this.operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD, JobState.SCHEDULED, JobState.READY)))
			.delete();
	}

	private List<String> dead(int count, String error) {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			ids.add(this.client.enqueue("fail", error).id());
		}
		await().atMost(Duration.ofSeconds(30))
			.until(() -> ids.stream()
				.allMatch((id) -> this.client.find(id).filter((job) -> job.state() == JobState.DEAD).isPresent()));
		return ids;
	}

	private String later() {
		return this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
	}

	private static String ids(List<String> ids) {
		return "{\"ids\":[\"" + String.join("\",\"", ids) + "\"]}";
	}

	@Test
	void pageIsFoundBelowTheContextPathAndLeadsNowhereElse() {
		HttpResponse<String> redirect = this.server.get("");
		assertThat(redirect.statusCode()).isEqualTo(302);
		assertThat(redirect.headers().firstValue("Location")).contains("jobs/");
		HttpResponse<String> page = this.server.get("/");
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.body()).doesNotContain("http:", "https:", "href=\"/", "src=\"/", "style=\"", "onload");
		String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
		String nonce = policy.replaceAll("(?s).*script-src 'nonce-([^']+)'.*", "$1");
		assertThat(policy).contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'")
			.doesNotContain("unsafe");
		assertThat(page.body()).contains("nonce=\"" + nonce + "\"");
		assertThat(this.server.get("/").body()).doesNotContain(nonce);
		assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		assertThat(page.headers().firstValue("Referrer-Policy")).contains("no-referrer");
		assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
		assertThat(page.headers().firstValue("Set-Cookie").orElse("HttpOnly; SameSite=Strict")).contains("HttpOnly",
				"SameSite=Strict");
	}

	@Test
	void filesAreSentOnceAndCompressed() {
		HttpResponse<String> script = this.server.get("/assets/app.js");
		assertThat(script.headers().firstValue("Content-Type"))
			.hasValueSatisfying((type) -> assertThat(type).startsWith("text/javascript"));
		String tag = script.headers().firstValue("ETag").orElseThrow();
		assertThat(this.server.get("/assets/app.js", "If-None-Match", tag).statusCode()).isEqualTo(304);
		assertThat(
				this.server.get("/assets/app.js", "Accept-Encoding", "gzip").headers().firstValue("Content-Encoding"))
			.contains("gzip");
		assertThat(this.server.get("/assets/none.js").statusCode()).isEqualTo(404);
		assertThat(this.server.get("/assets/Page.class").statusCode()).isEqualTo(404);
		assertThat(this.server.get("/assets/..%2F..%2Fapplication.yml").statusCode()).isBetween(400, 404);
	}

	@Test
	void overviewEqualsWhatIsThere() {
		dead(2, "no paper");
		later();
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode overview = this.server.json("/api/overview");
			JsonNode queue = overview.path("queues")
				.valueStream()
				.filter((it) -> it.path("name").asString().equals("fail"))
				.findFirst()
				.orElseThrow();
			assertThat(queue.path("dead").asLong()).isEqualTo(2);
			assertThat(queue.path("served").asBoolean()).isTrue();
			assertThat(queue.path("limit").asInt()).isEqualTo(-1);
			JsonNode worker = overview.path("workers").path(0);
			assertThat(worker.path("info").path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
			assertThat(worker.path("info").path("pools").path(0).path("queues").valueStream().map(JsonNode::asString))
				.contains("fail", "long", "nightly");
			assertThat(overview.path("alerts").toString()).contains("2 dead jobs in “fail”");
			assertThat(worker.path("info").path("jvm").path("java").asString()).isEqualTo(Runtime.version().toString());
			assertThat(worker.path("info").path("jvm").path("heapUsed").asLong()).isBetween(1L,
					worker.path("info").path("jvm").path("heapMax").asLong());
			assertThat(worker.path("info").path("jvm").path("threads").asInt()).isPositive();
		});
	}

	@Test
	void queueHasItsSettingsItsSchedulesAndWhatItsNextJobWaitsFor() {
		this.operations.queue("nightly").pause();
		String id = this.client.enqueue("nightly").id();
		try {
			JsonNode details = this.server.json("/api/queue?name=nightly");
			assertThat(details.path("next").path("id").asString()).isEqualTo(id);
			assertThat(details.path("next").path("why").asString()).isEqualTo("Its queue is paused.");
			JsonNode schedule = details.path("schedules").path(0);
			assertThat(schedule.path("expression").asString()).isEqualTo("0 30 2 * * MON-FRI");
			assertThat(Instant.parse(schedule.path("next").asString())).isAfter(Instant.now());
			assertThat(details.path("handler").asString()).contains("Work.nightly()");
			assertThat(details.path("settings").toString()).contains(
					"{\"name\":\"max-attempts\",\"value\":\"12\",\"place\":\"built-in\",\"origin\":null}",
					"{\"name\":\"cron\",\"value\":\"0 30 2 * * MON-FRI\",\"place\":\"annotation\"");
			assertThat(this.server.json("/api/queue?name=fail").path("settings").toString()).contains(
					"{\"name\":\"max-attempts\",\"value\":\"1\",\"place\":\"property\",\"origin\":\"jobs.handlers.fail.max-attempts\"");
		}
		finally {
			this.operations.queue("nightly").resume();
		}
		assertThat(this.server.json("/api/queue?name=none").has("settings")).isFalse();
		assertThat(this.server.get("/api/queue").statusCode()).isEqualTo(400);
	}

	@Test
	void runningJobShowsWhatItReports() {
		String id = this.client.enqueue("long", ATTACK).id();
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode job = this.server.json("/api/job?id=" + id);
			assertThat(job.path("run").path("progress").path("checkIn").asString("")).isEqualTo(ATTACK);
			assertThat(job.path("run").path("progress").path("done").asInt()).isEqualTo(3);
		});
		assertThat(this.server.json("/api/jobs?state=running").path("jobs").path(0).path("id").asString())
			.isEqualTo(id);
		assertThat(this.server.act("cancel", ids(List.of(id))).statusCode()).isEqualTo(200);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.server.get("/api/job?id=" + id).statusCode() == 404);
	}

	@Test
	void pagesFollowTheirCursorsToTheEnd() {
		List<String> dead = dead(45, "no paper");
		List<Integer> sizes = new ArrayList<>();
		Set<String> ids = new HashSet<>();
		String after = "";
		while (after != null) {
			JsonNode page = this.server.json("/api/jobs?state=dead&limit=20" + after);
			assertThat(page.path("count").path("number").asLong(45)).isEqualTo(45);
			assertThat(page.has("count")).isEqualTo(after.isEmpty());
			sizes.add(page.path("jobs").size());
			page.path("jobs").forEach((job) -> ids.add(job.path("id").asString()));
			after = page.has("next") ? "&after=" + page.path("next").asString() : null;
		}
		assertThat(sizes).containsExactly(20, 20, 5);
		assertThat(ids).containsExactlyInAnyOrderElementsOf(dead);
		String next = this.server.json("/api/jobs?state=dead&limit=20").path("next").asString();
		for (String list : List.of("state=dead&after=abc", "state=dead&after=1%22%3E", "after=" + next,
				"state=dead&newestFirst=true&after=" + next)) {
			HttpResponse<String> refused = this.server.get("/api/jobs?" + list);
			assertThat(refused.statusCode()).as(list).isEqualTo(400);
			assertThat(Server.json(refused).path("error").asString()).contains("cursor");
		}
		for (String limit : List.of("abc", "1e9", "99999999999999999999")) {
			assertThat(this.server.get("/api/jobs?state=dead&limit=" + limit).statusCode()).as(limit).isEqualTo(400);
		}
		assertThat(this.server.json("/api/jobs?state=dead&limit=0").path("jobs").size()).isOne();
		assertThat(this.server.get("/api/jobs?state=sleeping").statusCode()).isEqualTo(400);
		assertThat(this.server.get("/api/jobs?newestFirst=sideways").statusCode()).isEqualTo(400);
		assertThat(this.server.get("/api/jobs?since=yesterday").statusCode()).isEqualTo(400);
	}

	@Test
	void newestBeginsWithWhatHappenedAndEndsWithWhatIsDueTheSoonestFirst() {
		String far = later("fail", 3);
		String near = later("fail", 1);
		String middle = later("fail", 2);
		List<String> dead = dead(3, "no paper");
		for (int limit = 1; limit < 8; limit++) {
			List<String> ids = new ArrayList<>();
			String after = "";
			while (after != null) {
				JsonNode page = this.server.json("/api/jobs?queue=fail&newestFirst=true&limit=" + limit + after);
				assertThat(page.path("count").path("number").asLong(6)).isEqualTo(6);
				assertThat(page.has("count")).isEqualTo(after.isEmpty());
				assertThat(page.path("jobs").size()).isBetween(1, limit);
				page.path("jobs").forEach((job) -> ids.add(job.path("id").asString()));
				after = page.has("next") ? "&after=" + page.path("next").asString() : null;
			}
			assertThat(ids.subList(0, 3)).as("limit %s", limit).containsExactlyInAnyOrderElementsOf(dead);
			assertThat(ids.subList(3, ids.size())).as("limit %s", limit).containsExactly(near, middle, far);
		}
		List<String> cursors = new ArrayList<>(List.of("abc", "past..", "AAAAAAAAAAABAAAABHBhc3Q"));
		for (int limit : List.of(2, 3, 4)) {
			cursors
				.add(this.server.json("/api/jobs?queue=fail&newestFirst=true&limit=" + limit).path("next").asString());
		}
		for (String cursor : cursors) {
			HttpResponse<String> refused = this.server.get("/api/jobs?newestFirst=true&after=" + cursor);
			assertThat(refused.statusCode()).as(cursor).isEqualTo(400);
			assertThat(Server.json(refused).path("error").asString()).contains("cursor");
		}
	}

	private String later(String queue, int hours) {
		return this.client.enqueue(queue, "no paper", (options) -> options.delay(Duration.ofHours(hours))).id();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void searchOfErrorsAndACauseHoldNoMoreThanTheirLimit(boolean newestFirst) {
		dead(1, "no ink");
		List<String> wanted = dead(5, "no paper");
		dead(3, "no ink");
		String cause = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		for (String list : List.of("cause=" + cause, "error=No%20Paper")) {
			for (int limit = 1; limit < 6; limit++) {
				List<Integer> sizes = new ArrayList<>();
				List<String> ids = new ArrayList<>();
				String after = "";
				while (after != null) {
					JsonNode page = this.server
						.json("/api/jobs?" + list + "&newestFirst=" + newestFirst + "&limit=" + limit + after);
					sizes.add(page.path("jobs").size());
					page.path("jobs").forEach((job) -> ids.add(job.path("id").asString()));
					after = page.has("next") ? "&after=" + page.path("next").asString() : null;
				}
				assertThat(ids).as("%s, limit %s", list, limit).containsExactlyInAnyOrderElementsOf(wanted);
				assertThat(sizes.subList(0, 5 / limit)).as("%s, limit %s", list, limit).containsOnly(limit);
			}
		}
	}

	@Test
	void jobsAreFoundAndCancelledByTheirKeyAndTag() {
		Consumer<EnqueueOptions.Builder> options = (set) -> set.delay(Duration.ofHours(1));
		String id = this.client
			.enqueue("nightly",
					options.andThen((set) -> set.unique(Unique.byKey("order 7")).tags("urgent", "customer:42")))
			.id();
		later();
		for (String query : List.of("uniqueKey=order%207", "uniqueKey=order%207&queue=nightly", "tag=customer:42",
				"tag=urgent&state=scheduled")) {
			JsonNode jobs = this.server.json("/api/jobs?" + query).path("jobs");
			assertThat(jobs.valueStream().map((job) -> job.path("id").asString())).as(query).containsExactly(id);
		}
		assertThat(this.server.json("/api/jobs?tag=customer:4").path("count").path("number").asInt()).isZero();
		assertThat(this.server.json("/api/jobs?uniqueKey=order").path("count").path("number").asInt()).isZero();
		JsonNode job = this.server.json("/api/job?id=" + id);
		assertThat(job.path("tags").valueStream().map(JsonNode::asString)).containsExactly("customer:42", "urgent");
		assertThat(job.path("headers")).isEmpty();
		assertThat(
				Server.json(this.server.act("cancel", "{\"filter\":{\"tag\":\"customer:4\"}}")).path("count").asInt())
			.isZero();
		assertThat(Server.json(this.server.act("cancel", "{\"filter\":{\"tag\":\"urgent\",\"uniqueKey\":\"order 7\"}}"))
			.path("count")
			.asInt()).isOne();
		assertThat(this.client.find(id)).isEmpty();
	}

	@Test
	void jobWithAnOddIdIsShownRetriedAndDeleted() {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		for (String id : List.of("a/b", "a b", "../c", "a%2Fb", "a;b?c#d&e=f", "ä \"'<b>")) {
			this.server.bean(JobStore.class)
				.enqueue(List.of(NewJob.of(id, "fail", "\"no paper\"".getBytes(StandardCharsets.UTF_8), now)), now);
			awaitDeath(id);
			String body = JsonNodeFactory.instance.objectNode()
				.set("ids", JsonNodeFactory.instance.arrayNode().add(id))
				.toString();
			assertThat(this.server.json("/api/jobs?state=dead").path("jobs").path(0).path("id").asString())
				.isEqualTo(id);
			this.operations.queue("fail").pause();
			assertThat(this.server.act("retry", body).statusCode()).as(id).isEqualTo(200);
			assertThat(this.client.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
			assertThat(this.server.act("delete", body).statusCode()).as(id).isEqualTo(200);
			assertThat(this.client.find(id)).isEmpty();
			this.operations.queue("fail").resume();
		}
	}

	@Test
	void deathAtAnyTimeIsInABar() {
		List<Instant> times = List.of(Instant.parse("0001-01-01T00:00:00Z"), Instant.parse("9999-12-31T23:59:59.999Z"));
		for (int i = 0; i < 2; i++) {
			die("of-any-time-" + i, times.get(i));
			JsonNode groups = this.server.json("/api/dead?queue=unserved").path("causes");
			assertThat(groups.size()).isOne();
			assertThat(groups.path(0).path("lastDied").asString()).isEqualTo(times.get(i).toString());
			JsonNode bars = groups.path(0).path("bars");
			assertThat(bars.path((i == 0) ? 0 : bars.size() - 1).asInt()).isOne();
			this.operations.job("of-any-time-" + i).delete();
		}
	}

	private void die(String id, Instant at) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		JobStore store = this.server.bean(JobStore.class);
		store.enqueue(List.of(NewJob.of(id, "unserved", new byte[0], now)), now);
		store.beat(new WorkerBeat("elsewhere", Duration.ofMinutes(1), null, List.of(), false, now));
		Claim claim = store.claim(new ClaimRequest("elsewhere", List.of(Quota.of("unserved", 1)), 1, now))
			.claims()
			.get(0);
		Transition death = Transition.dead(claim, now,
				TrailBuilder.ended(Trail.EMPTY, Trail.End.of(DeadReason.EXHAUSTED, "error", at)));
		assertThat(store.settle(List.of(death), now)).containsExactly(Settled.APPLIED);
		store.beat(new WorkerBeat("elsewhere", Duration.ofMinutes(1), null, List.of(), true, now));
	}

	private void awaitDeath(String id) {
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode job = this.server.json("/api/job?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8));
			assertThat(job.path("id").asString()).isEqualTo(id);
			assertThat(job.path("state").asString()).isEqualTo("DEAD");
		});
	}

	@Test
	void nothingIsAnEmptyList() {
		assertThat(this.server.get("/api/jobs?state=dead").body()).contains("\"jobs\":[]");
		assertThat(this.server.get("/api/dead").body()).contains("\"causes\":[]");
		assertThat(this.server.get("/api/job?id=none").statusCode()).isEqualTo(404);
		assertThat(this.server.json("/api/job?id=none&optional=true").isEmpty()).isTrue();
		assertThat(this.server.get("/api/job?id=a%2Fb%20c").statusCode()).isEqualTo(404);
		assertThat(this.server.get("/api/job").statusCode()).isEqualTo(400);
		assertThat(this.server.get("/api/none").statusCode()).isEqualTo(404);
		assertThat(Server.json(this.server.get("/api/none")).path("error").asString()).isNotEmpty();
	}

	@Test
	void deadJobShowsTimeAndCauseAndAWaitingOneWhenItIsDue() {
		Instant before = Instant.now().minusMillis(5);
		String id = dead(1, ATTACK).get(0);
		JsonNode job = this.server.json("/api/job?id=" + id);
		assertThat(Instant.parse(job.path("endedAt").asString())).isBetween(before, Instant.now().plusMillis(5));
		assertThat(job.path("error").asString()).contains(ATTACK);
		assertThat(job.path("trail").path("attempts").path(0).path("stackTrace").asString())
			.contains("Applications$Work.fail");
		assertThat(job.path("trail").path("attempts").path(0).path("log").asString())
			.contains("ERROR Applications$Work: failing with ");
		String waiting = later();
		JsonNode scheduled = this.server.json("/api/job?id=" + waiting);
		assertThat(Instant.parse(scheduled.path("dueAt").asString())).isAfter(before.plusSeconds(3500));
		assertThat(scheduled.path("why").asString()).matches("It is due in (60|59) minutes.*");
	}

	@Test
	void payloadIsShownExactly() {
		Enqueued enqueued = this.client.enqueue("nightly", "{\"n\":12345678901234567890}",
				(options) -> options.delay(Duration.ofHours(1)));
		assertThat(this.server.json("/api/job?id=" + enqueued.id()).path("payload").asString())
			.contains("12345678901234567890");
		Enqueued bytes = this.client.enqueue("nightly", new byte[] { (byte) 0xff, 0, 1 },
				(options) -> options.delay(Duration.ofHours(1)));
		assertThat(this.server.json("/api/job?id=" + bytes.id()).path("payloadBase64").asString()).isEqualTo("/wAB");
	}

	@Test
	void largePayloadIsShownInPartAndReadAsAFile() {
		String payload = "\"" + "x".repeat(70_000) + "\"";
		String id = this.client
			.enqueue("nightly", payload.getBytes(StandardCharsets.UTF_8),
					(options) -> options.delay(Duration.ofHours(1)))
			.id();
		JsonNode job = this.server.json("/api/job?id=" + id);
		assertThat(job.path("cut").asBoolean()).isTrue();
		assertThat(payload).startsWith(job.path("payload").asString());
		assertThat(job.path("payload").asString()).hasSize(65_536);
		HttpResponse<String> file = this.server.get("/api/payload?id=" + id);
		assertThat(file.body()).isEqualTo(payload);
		assertThat(file.headers().firstValue("Content-Disposition").orElseThrow()).startsWith("attachment");
		assertThat(this.server.get("/api/payload?id=none").statusCode()).isEqualTo(404);
	}

	@Test
	void whatAJobHasSavedIsShownAndForgotten() {
		String large = "x".repeat(3000);
		String id = this.client.enqueue("saves", large).id();
		awaitDeath(id);
		JsonNode steps = this.server.json("/api/job?id=" + id).path("steps");
		// Those of one millisecond come by name.
		Map<String, JsonNode> byName = new TreeMap<>();
		steps.forEach((step) -> byName.put(step.path("name").asString(), step));
		assertThat(byName).containsOnlyKeys("charge", "line", "mail");
		assertThat(byName.get("line").path("value").asString()).isEqualTo("7");
		assertThat(byName.get("charge").path("value").asString()).hasSize(2000);
		assertThat(byName.get("charge").path("cut").asBoolean()).isTrue();
		String forget = "{\"id\":\"" + id + "\",\"step\":\"charge\"}";
		assertThat(this.server.act("forget-step", forget).statusCode()).isEqualTo(200);
		assertThat(this.operations.job(id).steps()).extracting(SavedStep::name).containsExactly("line", "mail");
		assertThat(this.server.act("forget-step", forget).statusCode()).isEqualTo(409);
		assertThat(this.server.act("forget-step", "{\"id\":\"none\",\"step\":\"charge\"}").statusCode()).isEqualTo(404);
		assertThat(this.server.act("forget-step", "{\"id\":\"" + id + "\"}").statusCode()).isEqualTo(400);
		assertThat(this.server.bean(Applications.Work.class).actions).filteredOn((act) -> !act.jobs().isEmpty())
			.singleElement()
			.returns("forget-step", OperatorActionEvent::action)
			.returns("step charge of " + id, OperatorActionEvent::target)
			.returns(List.of(id), OperatorActionEvent::jobs);
	}

	@Test
	void signalThatAJobWaitsForIsShownAndSent() {
		Applications.Work work = this.server.bean(Applications.Work.class);
		String id = parked("approval", "order 7");
		String follower = parked("follow", id);
		JsonNode job = this.server.json("/api/job?id=" + id);
		assertThat(job.path("waitsFor").path("thing").asString()).isEqualTo("signal:approved/order 7");
		assertThat(Instant.parse(job.path("waitsFor").path("until").asString())).isAfter(Instant.now());
		assertThat(job.path("why").asString()).startsWith("It waits for the signal approved about order 7, for");
		JsonNode following = this.server.json("/api/job?id=" + follower);
		assertThat(following.path("waitsFor").path("thing").asString()).isEqualTo(id);
		assertThat(following.path("why").asString()).isEqualTo("It waits for job " + id + ".");
		assertThat(this.server.json("/api/overview").path("totals").path("parked").asInt()).isEqualTo(2);
		assertThat(this.server.json("/api/jobs?state=parked&queue=follow").path("jobs").path(0).path("id").asString())
			.isEqualTo(follower);
		assertThat(this.server.act("send-signal", "{\"id\":\"" + follower + "\"}").statusCode()).isEqualTo(409);
		assertThat(this.server.act("send-signal", "{\"id\":\"none\"}").statusCode()).isEqualTo(404);
		String wish = "{\"id\":\"" + id + "\",\"value\":\"%s\"}";
		assertThat(this.server.act("send-signal", wish.formatted("{")).statusCode()).isEqualTo(400);
		JsonNode sent = Server.json(this.server.act("send-signal", wish.formatted("\\\"yes\\\"")));
		assertThat(sent.path("sent").asString()).isEqualTo("SENT");
		await().until(() -> work.approvals.contains("yes"));
		assertThat(work.actions).filteredOn((act) -> !act.jobs().isEmpty())
			.singleElement()
			.returns("send-signal", OperatorActionEvent::action)
			.returns("signal \"approved/order 7\" of " + id, OperatorActionEvent::target)
			.returns(List.of(id), OperatorActionEvent::jobs);
	}

	@Test
	void parkedJobsAreRunCancelledAndDeleted() {
		List<String> ids = List.of(parked("approval", "a"), parked("approval", "b"), parked("approval", "c"));
		assertThat(this.server.act("retry", ids(ids.subList(0, 1))).statusCode()).isEqualTo(200);
		await().until(() -> state(ids.get(0)) == JobState.WAITING);
		assertThat(this.server.act("cancel", ids(ids.subList(0, 1))).statusCode()).isEqualTo(200);
		assertThat(this.server.act("delete", ids(ids.subList(1, 2))).statusCode()).isEqualTo(200);
		JsonNode all = Server
			.json(this.server.act("cancel", "{\"filter\":{\"state\":\"parked\",\"queue\":\"approval\"}}"));
		assertThat(all.path("count").asInt()).isOne();
		assertThat(this.operations.queue("approval").status().orElseThrow().parked()).isZero();
	}

	private String parked(String name, String payload) {
		String id = this.client.enqueue(name, payload).id();
		await().until(() -> state(id) == JobState.WAITING);
		return id;
	}

	private @Nullable JobState state(String id) {
		return this.client.find(id).map(Job::state).orElse(null);
	}

	@Test
	void chosenJobsAreRetriedOrDeletedAndOthersLeft() {
		List<String> dead = dead(5, "no paper");
		JsonNode deleted = Server.json(this.server.act("delete", ids(dead.subList(0, 2))));
		assertThat(deleted.path("count").asInt()).isEqualTo(2);
		assertThat(this.inspector.count(JobFilter.of((only) -> only.states(JobState.DEAD)), 9, Instant.now()).number())
			.isEqualTo(3);
		JsonNode half = Server.json(this.server.act("delete", ids(List.of(dead.get(0), dead.get(2)))));
		assertThat(half.path("count").asInt()).isOne();
		assertThat(half.path("of").asInt()).isEqualTo(2);
		assertThat(Server.json(this.server.act("retry", ids(List.of(dead.get(3))))).path("count").asInt()).isOne();
		assertThat(this.server.act("delete", ids(List.of("none"))).statusCode()).isEqualTo(404);
		assertThat(this.server.act("retry", ids(List.of("a/b c\\\"")))).returns(404, HttpResponse::statusCode);
		assertThat(this.server.act("cancel", ids(List.of(dead.get(4)))).statusCode()).isEqualTo(409);
	}

	@Test
	void deadJobsAreGroupedByWhatTheirErrorsHaveInCommon() {
		Instant before = Instant.now().minusMillis(5);
		dead(1, "Order 17 of 3f2504e0-4f89-41d3-9a0c-0305e82c3301 was declined");
		List<String> others = dead(2, "Order 18 of 3f2504e0-4f89-41d3-9a0c-0305e82c3302 was declined");
		dead(1, "no paper");
		JsonNode deaths = this.server.json("/api/dead");
		assertThat(deaths.path("complete").asBoolean()).isTrue();
		assertThat(deaths.path("causeCount").asInt()).isEqualTo(2);
		JsonNode group = deaths.path("causes").path(0);
		assertThat(group.path("error").asString())
			.isEqualTo("java.lang.IllegalStateException: Order <number> of <id> was declined");
		assertThat(group.path("frame").asString()).isEqualTo("dev.jobs.dashboard.Applications$Work.fail");
		assertThat(group.path("count").asInt()).isEqualTo(3);
		assertThat(group.path("messages").asInt()).isEqualTo(2);
		assertThat(Instant.parse(group.path("firstDied").asString())).isAfter(before);
		assertThat(Instant.parse(group.path("lastDied").asString()))
			.isAfterOrEqualTo(group.path("firstDied").asString());
		assertThat(group.path("queues").path("fail").asInt()).isEqualTo(3);
		assertThat(group.path("bars").valueStream().mapToInt(JsonNode::asInt).sum()).isEqualTo(3);
		assertThat(others).contains(group.path("latest").path("id").asString());
		String cause = group.path("id").asString();
		JsonNode page = this.server.json("/api/jobs?cause=" + cause + "&limit=2&newestFirst=true");
		assertThat(page.path("jobs")).allSatisfy((job) -> assertThat(job.path("error").asString()).contains("Order"));
		assertThat(this.server.json("/api/dead?cause=" + cause).path("causes").size()).isOne();
		JsonNode retried = Server.json(this.server.act("delete", "{\"cause\":\"" + cause + "\"}"));
		assertThat(retried.path("count").asInt()).isEqualTo(3);
		assertThat(this.server.json("/api/dead").path("count").path("number").asInt()).isOne();
	}

	@Test
	void groupIsActedOnBeyondWhatIsLookedAt() {
		JobStore store = this.server.bean(JobStore.class);
		dead(1, "no ink");
		String oldest = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		this.operations.queue("fail").pause();
		int all = Deaths.MOST_LOOKED_AT + 200;
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		store.enqueue(IntStream.range(0, all)
			.mapToObj((i) -> NewJob.of("of-many-" + i, "fail", ("\"order " + i + "\"").getBytes(StandardCharsets.UTF_8),
					now))
			.toList(), now);
		this.operations.queue("fail").resume();
		await().atMost(Duration.ofSeconds(60))
			.until(() -> this.inspector.count(JobFilter.of((only) -> only.states(JobState.DEAD)), 10_000, Instant.now())
				.number() == all + 1);
		JsonNode deaths = this.server.json("/api/dead");
		assertThat(deaths.path("complete").asBoolean()).isFalse();
		assertThat(deaths.path("searched").asInt()).isEqualTo(Deaths.MOST_LOOKED_AT);
		String cause = deaths.path("causes").path(0).path("id").asString();
		assertThat(this.server.act("resolve", "{\"cause\":\"" + oldest + "\"}").statusCode()).isEqualTo(200);
		assertThat(Server.json(this.server.act("delete", "{\"cause\":\"" + cause + "\"}")).path("count").asInt())
			.isEqualTo(all);
	}

	@Test
	void jobsAreFoundByWhatIsInTheirErrors() {
		List<String> dead = dead(3, "no paper");
		dead(1, "no ink");
		this.client.enqueue("nightly", "no paper", (options) -> options.delay(Duration.ofHours(1)));
		JsonNode found = this.server.json("/api/jobs?error=No%20Paper");
		assertThat(found.path("jobs").valueStream().map((job) -> job.path("id").asString()))
			.containsExactlyInAnyOrderElementsOf(dead);
		assertThat(found.has("count")).isFalse();
		assertThat(this.server.json("/api/jobs?error=no&queue=nightly").path("jobs").size()).isZero();
		assertThat(Server.json(this.server.act("delete", "{\"filter\":{\"state\":\"dead\",\"error\":\"no paper\"}}"))
			.path("count")
			.asInt()).isEqualTo(3);
		assertThat(this.server.json("/api/dead").path("count").path("number").asInt()).isOne();
	}

	@Test
	void attemptsShowWhenTheyBeganAndWhereTheyRan() {
		Instant before = Instant.now().minusMillis(5);
		String id = dead(1, "no paper").get(0);
		JsonNode job = this.server.json("/api/job?id=" + id);
		JsonNode attempt = job.path("trail").path("attempts").path(0);
		assertThat(Instant.parse(attempt.path("startedAt").asString())).isAfter(before)
			.isBeforeOrEqualTo(attempt.path("endedAt").asString());
		assertThat(attempt.path("worker").asString())
			.isEqualTo(this.server.json("/api/overview").path("workers").path(0).path("id").asString());
		assertThat(job.path("attempt").asInt()).isOne();
		assertThat(job.path("maxAttempts").asInt()).isOne();
		JsonNode waiting = this.server.json("/api/job?id=" + later());
		assertThat(waiting.path("maxAttempts").asInt()).isEqualTo(12);
	}

	@Test
	void jobIsEnqueuedAgainWithAnotherPayload(CapturedOutput output) {
		this.operations.queue("nightly").pause();
		String id = this.client
			.enqueue("nightly", "{\"a\":1}".getBytes(StandardCharsets.UTF_8),
					(options) -> options.delay(Duration.ofHours(1)).tags("red").header("tenant", "7"))
			.id();
		HttpResponse<String> answer = this.server.act("enqueue",
				"{\"id\":\"" + id + "\",\"payload\":\"{\\\"secret\\\":2}\"}");
		String copy = Server.json(answer).path("id").asString();
		assertThat(this.client.find(copy)).hasValueSatisfying((job) -> {
			assertThat(new String(job.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"secret\":2}");
			assertThat(job.tags()).containsExactly("red");
			assertThat(job.headers()).containsEntry("tenant", "7");
			assertThat(job.state()).isEqualTo(JobState.READY);
		});
		assertThat(this.client.find(id)).isPresent();
		assertThat(this.server.bean(Applications.Work.class).actions).singleElement()
			.returns("enqueue", OperatorActionEvent::action)
			.returns("a copy of job " + id, OperatorActionEvent::target)
			.returns(List.of(copy), OperatorActionEvent::jobs);
		assertThat(this.server.act("enqueue", "{\"id\":\"none\",\"payload\":\"1\"}").statusCode()).isEqualTo(404);
		for (String payload : List.of("\"{\\\"secret\\\"\"", "\"\"", "7", "null", "[]")) {
			assertThat(this.server.act("enqueue", "{\"id\":\"" + id + "\",\"payload\":" + payload + "}").statusCode())
				.as(payload)
				.isEqualTo(400);
		}
		assertThat(output.getAll()).doesNotContain("secret");
		this.operations.queue("nightly").resume();
	}

	@Test
	void allMatchesAreRetriedOrDeletedWithExactCounts() {
		dead(3, "no paper");
		dead(2, "no ink");
		JsonNode groups = this.server.json("/api/dead").path("causes");
		assertThat(groups.valueStream().map((group) -> group.path("count").asInt())).containsExactly(3, 2);
		assertThat(groups.path(1).path("error").asString()).contains("no ink");
		String cause = groups.path(1).path("id").asString();
		assertThat(Server.json(this.server.act("delete", "{\"cause\":\"" + cause + "\"}")).path("count").asInt())
			.isEqualTo(2);
		assertThat(Server.json(this.server.act("retry", "{\"filter\":{\"state\":\"dead\",\"queue\":\"none\"}}"))
			.path("count")
			.asInt()).isZero();
		assertThat(Server.json(this.server.act("retry", "{\"filter\":{\"state\":\"dead\",\"queue\":\"fail\"}}"))
			.path("count")
			.asInt()).isEqualTo(3);
		later();
		later();
		assertThat(
				Server.json(this.server.act("cancel", "{\"filter\":{\"state\":\"scheduled\",\"queue\":\"nightly\"}}"))
					.path("count")
					.asInt())
			.isEqualTo(2);
	}

	@Test
	void waitingJobsAreRescheduledOrMovedByTheirIdsOrInTheBackground() {
		Instant dueAt = Instant.parse("2999-01-01T00:00:00Z");
		String dead = dead(1, "no paper").get(0);
		String one = later();
		String other = later();
		String ids = "{\"ids\":[\"" + one + "\",\"" + dead + "\"],";
		String nightly = "{\"filter\":{\"queue\":\"nightly\"},";
		for (String wish : List.of("reschedule " + ids + "\"dueAt\":\"" + dueAt + "\"}",
				"move " + ids + "\"toLane\":\"tenant 7\"}")) {
			JsonNode answer = Server.json(this.server.act(wish.split(" ")[0], wish.substring(wish.indexOf('{'))));
			assertThat(answer.path("count").asInt()).as(wish).isOne();
			assertThat(answer.path("of").asInt()).as(wish).isEqualTo(2);
		}
		assertThat(this.client.find(one)).hasValueSatisfying((job) -> {
			assertThat(job.dueAt()).isEqualTo(dueAt);
			assertThat(job.lane()).isEqualTo("tenant 7");
		});
		assertThat(this.client.find(other)).hasValueSatisfying((job) -> assertThat(job.lane()).isNull());
		for (String wish : List.of("reschedule " + nightly + "\"dueAt\":\"" + dueAt.plusSeconds(60) + "\"}",
				"move " + nightly + "\"toLane\":\"a, 7 changed\"}")) {
			JsonNode answer = Server.json(this.server.act(wish.split(" ")[0], wish.substring(wish.indexOf('{'))));
			assertThat(answer.path("of").asInt()).as(wish).isEqualTo(2);
			assertThat(answer.path("bulk").asString()).as(wish).isNotEmpty();
		}
		for (String id : List.of(one, other)) {
			await().atMost(Duration.ofSeconds(30))
				.until(() -> this.client.find(id)
					.filter((job) -> "a, 7 changed".equals(job.lane()) && job.dueAt().equals(dueAt.plusSeconds(60)))
					.isPresent());
		}
		assertThat(this.server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::target)
			.containsExactly("2 jobs by id to 2999-01-01T00:00:00Z", "2 jobs by id to \"tenant 7\"",
					"all jobs of {\"queue\":\"nightly\"} to 2999-01-01T00:01:00Z, in the background",
					"all jobs of {\"queue\":\"nightly\"} to \"a, 7 changed\", in the background");
		String lane = "\"toLane\":\"" + "x".repeat(200) + "\"}";
		for (String selection : List.of("{\"ids\":[\"" + one + "\"],", nightly)) {
			HttpResponse<String> refused = this.server.act("move", selection + lane);
			assertThat(refused.statusCode()).isEqualTo(400);
			assertThat(Server.json(refused).path("error").asString()).contains("The lane 'xxx", "is not valid");
		}
		assertThat(this.server.act("move", "{\"ids\":[\"" + dead + "\"],\"toLane\":\"a\"}").statusCode())
			.isEqualTo(409);
		assertThat(this.server.act("move", "{\"filter\":{\"state\":\"dead\"},\"toLane\":\"a\"}").statusCode())
			.isEqualTo(400);
	}

	@Test
	void jobsMovedToAnEmptyLaneWaitInNone() {
		String one = later();
		String other = later();
		this.server.act("move", "{\"filter\":{\"queue\":\"nightly\"},\"toLane\":\"left\"}");
		await().atMost(Duration.ofSeconds(30)).until(() -> lane(one).isPresent() && lane(other).isPresent());
		// It reads its list again, and would find the job that is moved meanwhile.
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.operations.bulkActions()
				.stream()
				.noneMatch((action) -> action.state() == BulkStatus.State.RUNNING));
		this.server.act("move", "{\"ids\":[\"" + one + "\"],\"toLane\":\"\"}");
		assertThat(lane(one)).isEmpty();
		this.server.act("move", "{\"filter\":{\"queue\":\"nightly\"},\"toLane\":\"\"}");
		await().atMost(Duration.ofSeconds(30)).until(() -> lane(other).isEmpty());
		assertThat(this.server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::target)
			.contains("1 job by id to no lane", "all jobs of {\"queue\":\"nightly\"} to no lane, in the background");
	}

	private Optional<String> lane(String id) {
		return this.client.find(id).map(Job::lane);
	}

	@Test
	void jobsFoundByTheirErrorAreRescheduledOnceEach() {
		this.client.enqueueAll(IntStream.range(0, 250).mapToObj((i) -> JobRequest.named("fails-at-first")).toList());
		JobFilter retrying = JobFilter.of((only) -> only.name("fails-at-first").retrying(true));
		await().atMost(Duration.ofSeconds(30)).until(() -> this.operations.jobs(retrying).count(1000).number() == 250);
		JsonNode answer = Server.json(
				this.server.act("reschedule", "{\"filter\":{\"state\":\"retrying\",\"error\":\"not yet\"},\"dueAt\":\""
						+ Instant.now().plus(Duration.ofMinutes(30)) + "\"}"));
		assertThat(answer.path("count").asInt()).isEqualTo(250);
		assertThat(answer.path("of").asInt()).isEqualTo(250);
	}

	@Test
	void ambiguousActionChangesNothing() {
		dead(2, "no paper");
		for (String filter : List.of("{\"name\":\"none\"}", "{\"state\":[\"dead\"]}", "{\"queue\":7}", "{}",
				"{\"state\":\"\"}", "{\"state\":null}", "{\"state\":\"scheduled\",\"queue\":null}",
				"{\"state\":\"scheduled\",\"state\":\"dead\"}", "{\"state\":\"dead\",\"state\":null}")) {
			for (String act : List.of("delete", "cancel")) {
				assertThat(this.server.act(act, "{\"filter\":" + filter + "}").statusCode()).as(act + filter)
					.isEqualTo(400);
			}
		}
		assertThat(this.server.act("delete", "{\"filter\":{\"queue\":\"fail\"}}").statusCode()).isEqualTo(400);
		assertThat(this.server.act("delete", "{\"filter\":{\"error\":\"no paper\"}}").statusCode()).isEqualTo(400);
		String dead = this.server.json("/api/jobs?state=dead").path("jobs").path(0).path("id").asString();
		for (String body : List.of("{\"ids\":[\"" + dead + "\"],\"filter\":{\"state\":\"dead\"}}",
				"{\"ids\":[\"none\"],\"ids\":[\"" + dead + "\"]}",
				"{\"cause\":\"none\",\"filter\":{\"state\":\"dead\"}}")) {
			assertThat(this.server.act("delete", body).statusCode()).as(body).isEqualTo(400);
		}
		for (String filter : List.of("{}", "{\"state\":\"scheduled\"}")) {
			assertThat(this.server.act("retry", "{\"filter\":" + filter + "}").statusCode()).isEqualTo(400);
		}
		assertThat(this.server.json("/api/dead").path("count").path("number").asInt()).isEqualTo(2);
	}

	@Test
	void fieldThatIsUnknownNullOrNoTextIsRefusedByItsName() {
		String id = dead(2, "no paper").get(0);
		String cause = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		for (String wish : List.of("retry {'cause':'" + cause + "','queue':'fail'}",
				"delete {'cause':'" + cause + "','queue':'fail'}", "retry {'ids':['" + id + "']}",
				"delete {'ids':['" + id + "']}", "cancel {'ids':['" + id + "']}",
				"delete {'filter':{'state':'dead','queue':'fail'}}",
				"reschedule {'ids':['" + id + "'],'dueAt':'2999-01-01T00:00:00Z'}",
				"reschedule {'filter':{'queue':'fail'},'dueAt':'2999-01-01T00:00:00Z'}",
				"move {'ids':['" + id + "'],'toLane':'a'}", "move {'filter':{'queue':'fail'},'toLane':'a'}",
				"pause {'queue':'fail'}", "pause {'queue':'fail','lane':'a'}",
				"limit {'queue':'nightly','lane':'a','limit':2}", "weight {'queue':'nightly','lane':'a','weight':2}",
				"stop {'bulk':'none'}", "resume {'bulk':'none'}", "pause {'schedule':'nightly'}",
				"resume {'queue':'fail'}", "limit {'queue':'nightly','limit':2}",
				"weight {'queue':'nightly','weight':2}", "attempts {'queue':'nightly','attempts':2}",
				"rate {'queue':'nightly','rate':'2/1s'}", "lanes-rate {'queue':'nightly','rate':'2/1s'}",
				"concurrency {'pool':'default','concurrency':2}", "quiet {'worker':'none'}",
				"trigger {'schedule':'nightly'}", "drop {'schedule':'nightly'}",
				"put {'schedule':'made-here','cron':'@hourly','zone':'UTC','job':'nightly','payload':'1','until':'2999-01-01T00:00:00Z','jitter':'1s','overlap':'skip'}",
				"enqueue {'id':'" + id + "','payload':'1'}", "resolve {'cause':'" + cause + "','queue':'fail'}",
				"reopen {'cause':'" + cause + "'}")) {
			String act = wish.substring(0, wish.indexOf(' '));
			ObjectNode body = (ObjectNode) JsonMapper.shared()
				.readTree(wish.substring(act.length()).replace('\'', '"'));
			for (String unknown : List.of("Queue", "name", "queu", "")) {
				assertRefused(act, body.deepCopy().put(unknown, "none"), unknown);
			}
			for (String field : List.copyOf(body.propertyNames())) {
				for (String odd : List.of("null", "7.5", "true", "{\"a\":1}", "[\"none\",7]", "[]", "\"a\\u0000\"")) {
					if (!(Set.of("limit", "weight", "attempts", "rate", "concurrency").contains(field)
							&& odd.equals("null"))) {
						assertRefused(act, body.deepCopy().set(field, JsonMapper.shared().readTree(odd)), field);
					}
				}
				if (!field.equals("payload")) {
					assertRefused(act, body.deepCopy().put(field, " "), field);
				}
			}
		}
		for (String act : Wish.ACTIONS) {
			assertThat(this.server.act(act, "{}").statusCode()).as(act).isEqualTo(400);
		}
		assertRefused("delete", JsonNodeFactory.instance.objectNode().put("queue", "fail"), "ids");
		for (String selection : List.of("{'ids':['" + id + "']}", "{'filter':{'queue':'fail'}}")) {
			ObjectNode body = (ObjectNode) JsonMapper.shared().readTree(selection.replace('\'', '"'));
			assertRefused("reschedule", body, "dueAt");
			assertRefused("reschedule", body.deepCopy().put("dueAt", "tomorrow"), "dueAt");
			assertRefused("move", body, "toLane");
			assertRefused("move", body.deepCopy().put("dueAt", "2999-01-01T00:00:00Z"), "dueAt");
			assertRefused("cancel", body.deepCopy().put("toLane", "a"), "toLane");
		}
		assertRefused("pause", JsonNodeFactory.instance.objectNode().put("queue", "fail").put("schedule", "nightly"),
				"queue");
		assertThat(this.server.json("/api/dead").path("count").path("number").asInt()).isEqualTo(2);
		assertThat(paused("fail")).isFalse();
		assertThat(this.server.bean(Applications.Work.class).actions).isEmpty();
	}

	private void assertRefused(String act, JsonNode wish, String field) {
		HttpResponse<String> answer = this.server.act(act, wish.toString());
		assertThat(answer.statusCode()).as("%s %s: %s", act, wish, answer.body()).isEqualTo(400);
		assertThat(Server.json(answer).path("error").asString()).as("%s %s", act, wish).contains("'" + field + "'");
	}

	@Test
	void causeThatNoJobHasIsNotFoundAndNotLogged(CapturedOutput output) {
		dead(1, "no paper");
		String cause = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		for (String wish : List.of("{\"cause\":\"evil cause, 3 changed: id1, id2\"}",
				"{\"cause\":\"" + cause + "\",\"queue\":\"nightly\"}")) {
			assertThat(this.server.act("delete", wish).statusCode()).as(wish).isEqualTo(404);
		}
		assertThat(this.server.bean(Applications.Work.class).actions).isEmpty();
		assertThat(output.getAll()).doesNotContain("Dashboard: delete by");
		assertThat(this.server.json("/api/dead").path("count").path("number").asInt()).isOne();
	}

	@Test
	void causeIsResolvedAndReopened() {
		String version = this.server.context().getEnvironment().getProperty("spring.application.version");
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.server.get("/api/activity?limit=1000").body().contains("\"version " + version + "\""));
		dead(1, "no paper");
		JsonNode group = this.server.json("/api/dead").path("causes").path(0);
		assertThat(group.path("firstVersion").asString()).isEqualTo(version);
		assertThat(group.path("lastVersion").asString()).isEqualTo(version);
		String cause = "{\"cause\":\"" + group.path("id").asString() + "\"";
		for (String act : List.of("resolve", "reopen")) {
			for (String wish : List.of("{\"cause\":\"none\"}", cause + ",\"queue\":\"nightly\"}")) {
				assertThat(this.server.act(act, wish).statusCode()).as(act + wish).isEqualTo(404);
			}
		}
		assertThat(this.server.bean(Applications.Work.class).actions).isEmpty();
		assertThat(this.server.act("resolve", cause + ",\"queue\":\"fail\"}").statusCode()).isEqualTo(200);
		group = this.server.json("/api/dead").path("causes").path(0);
		assertThat(Instant.parse(group.path("resolvedAt").asString()))
			.isAfterOrEqualTo(group.path("lastDied").asString());
		assertNoted("resolve", group);
		assertThat(this.server.act("reopen", cause + "}").statusCode()).isEqualTo(200);
		assertThat(this.server.json("/api/dead").path("causes").path(0).has("resolvedAt")).isFalse();
		assertNoted("reopen", group);
	}

	private void assertNoted(String action, JsonNode group) {
		JsonNode note = this.server.json("/api/activity?limit=1").path("notes").path(0);
		assertThat(note.path("surface").asString()).isEqualTo("Dashboard");
		assertThat(note.path("action").asString()).isEqualTo(action);
		assertThat(note.path("by").asString()).isEqualTo("127.0.0.1");
		assertThat(note.path("target").asString())
			.isEqualTo("cause " + group.path("id").asString() + " \"" + group.path("error").asString() + "\"");
	}

	@Test
	void errorOfAJobForgesNoPartOfAnAuditLine(CapturedOutput output) {
		List<String> dead = dead(1, "boom, two changed: aaaa, bbbb, \"1 changed");
		String cause = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		this.server.act("delete", JsonNodeFactory.instance.objectNode().put("cause", cause).toString());
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("Dashboard: delete by"))
			.singleElement(STRING)
			.endsWith("all jobs that died of \"java.lang.IllegalStateException: boom, two changed: aaaa, bbbb, "
					+ "\\\"1 changed\", 1 changed: " + dead.get(0));
	}

	@Test
	void queueOfAHandlerIsPausedBeforeItsFirstJob() {
		assertThat(this.server.act("pause", "{\"queue\":\"long\"}").statusCode()).isEqualTo(200);
		assertThat(this.server.act("resume", "{\"queue\":\"long\"}").statusCode()).isEqualTo(200);
	}

	@Test
	void queueIsPausedAndResumed() {
		later();
		assertThat(this.server.act("pause", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(200);
		assertThat(paused("nightly")).isTrue();
		JsonNode paused = this.server.json("/api/queues?name=nightly").path("queues").path(0).at("/settings/paused");
		assertThat(paused.path("by").asString())
			.isEqualTo(this.server.bean(Applications.Work.class).actions.get(0).user());
		assertThat(Instant.parse(paused.path("at").asString())).isBeforeOrEqualTo(Instant.now());
		assertThat(this.server.act("resume", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(200);
		assertThat(paused("nightly")).isFalse();
		assertThat(this.server.act("pause", "{\"queue\":\"none\"}").statusCode()).isEqualTo(404);
	}

	@Test
	void limitOfAQueueIsSetAndRemoved() {
		later();
		assertThat(this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":2}").statusCode()).isEqualTo(200);
		assertThat(limit("nightly")).isEqualTo(2);
		assertThat(this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":null}").statusCode()).isEqualTo(200);
		assertThat(limit("nightly")).isEqualTo(-1);
		for (String limit : List.of("-1", "-2", "0", "1.5", "\"2\"", "99999999999", "{}")) {
			assertThat(this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":" + limit + "}").statusCode())
				.as(limit)
				.isEqualTo(400);
		}
		assertThat(this.server.act("limit", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(400);
		assertThat(this.server.act("limit", "{\"queue\":\"none\",\"limit\":2}").statusCode()).isEqualTo(404);
		assertThat(limit("nightly")).isEqualTo(-1);
		assertThat(this.server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::target)
			.containsExactly("queue nightly to 2", "queue nightly to none");
		assertThat(this.server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::jobs)
			.containsOnly(List.of());
	}

	@Test
	void numbersThatOperatorsSetForWorkersAreShownUntilTheyAreRemoved() {
		later();
		for (String wish : List.of("weight {'queue':'nightly','weight':5}", "attempts {'queue':'nightly','attempts':3}",
				"rate {'queue':'nightly','rate':'100/1m burst 10'}", "lanes-rate {'queue':'nightly','rate':'5/1s'}",
				"concurrency {'pool':'default','concurrency':7}", "pause {'pool':'default'}")) {
			assertThat(act(wish).statusCode()).as(wish).isEqualTo(200);
		}
		JsonNode queue = this.server.json("/api/queues?name=nightly").path("queues").path(0).path("settings");
		assertThat(queue.path("weight").path("value").asInt()).isEqualTo(5);
		assertThat(queue.path("weight").path("configured").asInt()).isOne();
		assertThat(queue.path("weight").path("by").asString())
			.isEqualTo(this.server.bean(Applications.Work.class).actions.get(0).user());
		assertThat(queue.path("attempts").path("value").asInt()).isEqualTo(3);
		assertThat(queue.path("rate").path("value").asString()).isEqualTo("100/1m burst 10");
		assertThat(queue.path("rateOfLanes").path("value").asString()).isEqualTo("5/1s");
		JsonNode pool = this.server.json("/api/pools").path("pools").path(0).path("settings");
		assertThat(pool.path("concurrency").path("value").asInt()).isEqualTo(7);
		assertThat(pool.path("paused").path("value").asBoolean()).isTrue();
		for (String wish : List.of("weight {'queue':'nightly','weight':null}",
				"attempts {'queue':'nightly','attempts':null}", "concurrency {'pool':'default','concurrency':null}",
				"rate {'queue':'nightly','rate':null}", "lanes-rate {'queue':'nightly','rate':null}",
				"resume {'pool':'default'}")) {
			assertThat(act(wish).statusCode()).as(wish).isEqualTo(200);
		}
		assertThat(this.inspector.operatorSettings()).isEmpty();
		for (String wish : List.of("weight {'queue':'nightly','weight':0}",
				"attempts {'queue':'nightly','attempts':100001}", "rate {'queue':'nightly','rate':'2'}",
				"lanes-rate {'queue':'nightly','rate':'2'}", "concurrency {'pool':'default'}")) {
			assertThat(act(wish).statusCode()).as(wish).isEqualTo(400);
		}
		for (String wish : List.of("weight {'queue':'none','weight':1}", "concurrency {'pool':'none','concurrency':1}",
				"pause {'pool':'none'}", "quiet {'worker':'none'}", "resume {'worker':'none'}")) {
			assertThat(act(wish).statusCode()).as(wish).isEqualTo(404);
		}
		assertThat(this.server.bean(Applications.Work.class).actions)
			.extracting((action) -> action.action() + " " + action.target())
			.containsExactly("weight queue nightly to 5", "attempts queue nightly to 3",
					"rate queue nightly to 100/1m burst 10", "lanes-rate queue nightly to 5/1s",
					"concurrency pool default to 7", "pause pool default", "weight queue nightly to none",
					"attempts queue nightly to none", "concurrency pool default to none", "rate queue nightly to none",
					"lanes-rate queue nightly to none", "resume pool default");
	}

	@Test
	void workerIsQuietUntilItIsResumed() {
		await().atMost(Duration.ofSeconds(30)).until(() -> !this.operations.workers().isEmpty());
		String id = this.operations.workers().get(0).id();
		assertThat(act("quiet {'worker':'" + id + "'}").statusCode()).isEqualTo(200);
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			JsonNode worker = this.server.json("/api/overview").path("workers").path(0);
			assertThat(worker.path("quiet").path("value").asBoolean()).isTrue();
			assertThat(worker.path("info").path("pools").path(0).path("concurrency").asInt()).isZero();
		});
		String waiting = this.client.enqueue("fail", "x", (options) -> options.expiresIn(Duration.ofMinutes(90))).id();
		assertThat(this.server.json("/api/job?id=" + waiting).path("why").asString())
			.startsWith("Each worker that serves it is quiet")
			.contains("It expires in 89 minutes");
		assertThat(act("cancel {'ids':['" + waiting + "']}").statusCode()).isEqualTo(200);
		assertThat(act("resume {'worker':'" + id + "'}").statusCode()).isEqualTo(200);
		assertThat(this.inspector.operatorSettings()).isEmpty();
	}

	private HttpResponse<String> act(String wish) {
		String act = wish.substring(0, wish.indexOf(' '));
		return this.server.act(act, wish.substring(act.length()).replace('\'', '"'));
	}

	private int limit(String name) {
		return this.inspector.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow()
			.limit();
	}

	private boolean paused(String name) {
		return this.inspector.queues(Instant.now())
			.stream()
			.anyMatch((queue) -> queue.name().equals(name) && queue.paused());
	}

	@Test
	void scheduleIsShownWithItsNextTicksAndRunNow() {
		await().atMost(Duration.ofSeconds(30)).until(() -> schedule().isObject());
		JsonNode schedule = schedule();
		assertThat(schedule.path("expression").asString()).isEqualTo("0 30 2 * * MON-FRI");
		assertThat(schedule.path("zone").asString()).isEqualTo("Europe/Vienna");
		assertThat(schedule.path("ticks").size()).isEqualTo(5);
		this.operations.queue("nightly").pause();
		assertThat(Server.json(this.server.act("trigger", "{\"schedule\":\"nightly\"}")).path("count").asInt()).isOne();
		assertThat(this.server.json("/api/jobs?state=ready&queue=nightly").path("count").path("number").asLong())
			.isOne();
		this.operations.queue("nightly").resume();
		assertThat(this.server.act("trigger", "{\"schedule\":\"none\"}").statusCode()).isEqualTo(404);
	}

	@Test
	void overriddenScheduleIsShownAndReset() {
		await().atMost(Duration.ofSeconds(30)).until(() -> schedule().isObject());
		assertThat(this.server.act("drop", "{\"schedule\":\"nightly\"}").statusCode()).isEqualTo(409);
		this.operations.schedule("nightly").put((put) -> put.cron("0 0 4 * * *").job("nightly", null));
		assertThat(schedule().path("expression").asString()).isEqualTo("0 0 4 * * *");
		assertThat(schedule().path("overrides").asString()).isEqualTo("Europe/Vienna 0 30 2 * * MON-FRI");
		assertThat(schedule().path("ticks").size()).isEqualTo(1);
		assertThat(this.server.act("drop", "{\"schedule\":\"nightly\"}").statusCode()).isEqualTo(200);
		assertThat(schedule().path("expression").asString()).isEqualTo("0 30 2 * * MON-FRI");
		assertThat(schedule().path("put").asBoolean()).isFalse();
	}

	@Test
	void scheduleIsCreatedChangedAndDropped() {
		String put = "{\"schedule\":\"made-here\",\"cron\":\"0 0 4 * * *\",\"job\":\"nightly\",\"payload\":\"7\"}";
		assertThat(Server.json(this.server.act("put", put)).path("outcome").asString()).isEqualTo("NEW");
		assertThat(Server.json(this.server.act("put", put)).path("outcome").asString()).isEqualTo("UNCHANGED");
		assertThat(Server
			.json(this.server.act("put",
					"{\"schedule\":\"made-here\",\"cron\":\"@hourly\",\"zone\":\"Europe/Vienna\"}"))
			.path("outcome")
			.asString()).isEqualTo("CHANGED");
		ScheduleRequest stored = this.operations.schedule("made-here").request().orElseThrow();
		assertThat(stored.getJob().getName()).isEqualTo("nightly");
		assertThat(stored.getJob().getPayload()).isEqualTo("7".getBytes(StandardCharsets.UTF_8));
		assertThat(Server.json(this.server.act("put", "{\"schedule\":\"made-here\",\"cron\":\"never\"}"))
			.path("error")
			.asString()).contains("never");
		assertThat(this.server.act("drop", "{\"schedule\":\"made-here\"}").statusCode()).isEqualTo(200);
	}

	@Test
	void scheduleIsPausedAloneAndShowsItsRuns() {
		await().atMost(Duration.ofSeconds(30)).until(() -> schedule().isObject());
		assertThat(this.server.act("pause", "{\"schedule\":\"nightly\"}").statusCode()).isEqualTo(200);
		assertThat(schedule().path("paused").asBoolean()).isTrue();
		assertThat(paused("nightly")).isFalse();
		assertThat(this.server.act("resume", "{\"schedule\":\"nightly\"}").statusCode()).isEqualTo(200);
		assertThat(schedule().path("paused").asBoolean()).isFalse();
		assertThat(this.server.act("pause", "{\"schedule\":\"none\"}").statusCode()).isEqualTo(404);
		assertThat(this.server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::target)
			.containsExactly("schedule nightly", "schedule nightly");
		Instant tick = Instant.parse("2100-01-01T02:30:00Z");
		this.operations.queue("nightly").pause();
		this.server.bean(JobStore.class)
			.fireTicks(List.of(Tick.of(new NewSchedule("nightly", "", "nightly"), tick,
					NewJob.of("of-a-tick", "nightly", new byte[0], tick))), tick);
		JsonNode run = schedule().path("runs").path(0);
		assertThat(run.path("fate").asString()).isEqualTo("WAITING");
		assertThat(run.path("jobId").asString()).isEqualTo("of-a-tick");
		this.operations.job("of-a-tick").delete();
		assertThat(schedule().path("runs").path(0).path("fate").asString()).isEqualTo("ENDED");
		this.operations.queue("nightly").resume();
	}

	@Test
	void unreadableScheduleIsShownAsBrokenAndOneWithoutTicksAsNever() {
		JobStore store = this.server.bean(JobStore.class);
		List<String> dates = List.of("2027-01-03", "2027-01-31", "2027-02-28");
		for (String date : dates) {
			Instant tick = Instant.parse(date + "T00:00:00Z");
			store.fireTicks(List.of(Tick.of(new NewSchedule("a-broken-one", "UTC 0 0 0 L-28 * *", "nightly"), tick,
					NewJob.of("of-" + date, "nightly", new byte[0], tick))), tick);
		}
		store.fireTicks(List.of(Tick.of(new NewSchedule("a-never", "UTC 0 0 30 2 *", "nightly"), Instant.now(), null)),
				Instant.now());
		JsonNode broken = schedule("a-broken-one");
		assertThat(broken.has("expression")).isFalse();
		assertThat(broken.path("definition").asString()).isEqualTo("UTC 0 0 0 L-28 * *");
		assertThat(broken.path("runs").size()).isEqualTo(3);
		assertThat(broken.path("ticks").size()).isZero();
		JsonNode never = schedule("a-never");
		assertThat(never.path("expression").asString()).isEqualTo("0 0 30 2 *");
		assertThat(never.has("next")).isFalse();
		dates.forEach((date) -> this.operations.job("of-" + date).delete());
	}

	private JsonNode schedule() {
		return schedule("nightly");
	}

	private JsonNode schedule(String name) {
		for (JsonNode schedule : this.server.json("/api/schedules").path("schedules")) {
			if (schedule.path("name").asString().equals(name)) {
				return schedule;
			}
		}
		return MissingNode.getInstance();
	}

	private static String otherAt(String token, int index) {
		return token.substring(0, index) + ((token.charAt(index) == 'A') ? 'B' : 'A') + token.substring(index + 1);
	}

	@Test
	void actionThatNoOwnPageSentChangesNothing() {
		String id = dead(1, "no paper").get(0);
		String body = ids(List.of(id));
		String token = this.server.token();
		String own = this.server.origin();
		assertThat(this.server.post("/api/delete", body, "Origin", own).statusCode()).isEqualTo(403);
		for (String wrong : List.of("x".repeat(43), token.substring(0, 42), token + "x", otherAt(token, 42),
				otherAt(token, 21), otherAt(token, 0))) {
			assertThat(this.server.post("/api/delete", body, "Origin", own, Gate.TOKEN_HEADER, wrong).statusCode())
				.as(wrong)
				.isEqualTo(403);
		}
		for (String cookie : List.of("jobs-csrf=", "jobs-csrf=" + token, "other=" + token,
				"jobs-csrf=" + "x".repeat(43), "jobs-csrf")) {
			for (String header : List.of(token, "x".repeat(43), "")) {
				assertThat(this.server
					.postWithoutCookies("/api/delete", body, "Origin", own, "Cookie", cookie, Gate.TOKEN_HEADER, header)
					.statusCode()).as(cookie).isEqualTo(403);
			}
		}
		assertThat(this.server.postWithoutCookies("/api/delete", body, "Origin", own, Gate.TOKEN_HEADER, token)
			.statusCode()).isEqualTo(403);
		assertThat(this.server.post("/api/delete", body, Gate.TOKEN_HEADER, token).statusCode()).isEqualTo(403);
		for (String origin : List.of("https://evil.example", "null", own + ".evil.example", "http://localhost:1")) {
			assertThat(this.server.post("/api/delete", body, "Origin", origin, Gate.TOKEN_HEADER, token).statusCode())
				.as(origin)
				.isEqualTo(403);
		}
		for (String site : List.of("cross-site", "same-site", "none")) {
			assertThat(this.server
				.post("/api/delete", body, "Origin", own, "Sec-Fetch-Site", site, Gate.TOKEN_HEADER, token)
				.statusCode()).as(site).isEqualTo(403);
		}
		HttpResponse<String> get = this.server.get("/api/delete?ids=" + id);
		assertThat(get.statusCode()).isEqualTo(405);
		assertThat(get.headers().firstValue("Allow")).contains("POST");
		assertThat(this.server.post("/api/jobs", body, "Origin", own, Gate.TOKEN_HEADER, token).statusCode())
			.isEqualTo(405);
		assertThat(this.client.find(id)).isPresent();
		assertThat(this.server.bean(Applications.Work.class).actions).isEmpty();
		assertThat(this.server.post("/api/delete", body, "Origin", own, Gate.TOKEN_HEADER, token).statusCode())
			.isEqualTo(200);
	}

	@Test
	void bodyThatMakesNoSenseIsRefused() {
		for (String body : List.of("", "[]", "null", "{", "{}", "{\"ids\":[]}", "{\"ids\":[1]}", "{\"ids\":\"a\"}",
				"{\"filter\":3}", "{\"ids\":[\"a\\u0000b\"]}", "{\"cause\":\"\\u0000\"}",
				"{\"filter\":{\"state\":\"dead\",\"text\":\"\\u0000\"}}",
				"{\"filter\":{\"state\":\"dead\",\"queue\":\"\\u0000\"}}", "{\"queue\":\"\\u0000\",\"cause\":\"a\"}")) {
			assertThat(this.server.act("delete", body).statusCode()).as(body).isEqualTo(400);
		}
		assertThat(this.server.act("pause", "{\"queue\":\"\\u0000\"}").statusCode()).isEqualTo(400);
		assertThat(this.server.act("trigger", "{\"schedule\":\"\\u0000\"}").statusCode()).isEqualTo(400);
		assertThat(this.server.act("delete", "{\"ids\":[\"\\ud800\"]}").statusCode()).isEqualTo(404);
		assertThat(this.server.act("delete", " ".repeat(DashboardRequest.LONGEST_BODY + 1)).statusCode())
			.isEqualTo(413);
	}

	@Test
	void nobodyWhoMayNotActMakesTheServerWaitForABody() throws IOException {
		String token = Gate.TOKEN_HEADER + ": " + this.server.token() + "\r\n";
		String json = "Content-Type: application/json\r\n";
		String own = "Sec-Fetch-Site: same-origin\r\n";
		assertThat(statusOfRequestWithoutItsBody("GET", "/api/overview", json)).contains("200");
		assertThat(statusOfRequestWithoutItsBody("POST", "/api/jobs", json)).contains("405");
		assertThat(statusOfRequestWithoutItsBody("PUT", "/api/delete", json + own + token)).contains("405");
		assertThat(statusOfRequestWithoutItsBody("POST", "/api/delete", json)).contains("403");
		assertThat(statusOfRequestWithoutItsBody("POST", "/api/delete", json + own)).contains("403");
	}

	private String statusOfRequestWithoutItsBody(String method, String path, String headers) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.server.uri("").getPort())) {
			socket.setSoTimeout(15_000);
			socket.getOutputStream()
				.write((method + " " + this.server.uri(path).getPath() + " HTTP/1.1\r\nHost: "
						+ this.server.uri("").getAuthority() + "\r\nContent-Length: 200000\r\n" + headers + "\r\n{")
					.getBytes(StandardCharsets.UTF_8));
			return String
				.valueOf(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
					.readLine());
		}
	}

	@Test
	void bodyThatIsNotJsonByItsTypeIsRefused() {
		for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "application/jsonp",
				"nonsense")) {
			HttpRequest.Builder request = HttpRequest.newBuilder(this.server.uri("/api/pause"))
				.headers("Sec-Fetch-Site", "same-origin", Gate.TOKEN_HEADER, this.server.token(), "Content-Type", type)
				.POST(HttpRequest.BodyPublishers.ofString("{\"queue\":\"nightly\"}"));
			assertThat(this.server.send(request).statusCode()).as(type).isEqualTo(415);
		}
		assertThat(paused("nightly")).isFalse();
		assertThat(this.server
			.send(HttpRequest.newBuilder(this.server.uri("/api/pause"))
				.headers("Sec-Fetch-Site", "same-origin", Gate.TOKEN_HEADER, this.server.token(), "Content-Type",
						"Application/JSON ; charset=utf-8")
				.POST(HttpRequest.BodyPublishers.ofString("{\"queue\":\"nightly\"}")))
			.statusCode()).isEqualTo(200);
		this.operations.queue("nightly").resume();
	}

	@Test
	void preflightOfAnotherSiteAllowsNothing() {
		HttpRequest.Builder preflight = HttpRequest.newBuilder(this.server.uri("/api/retry"))
			.headers("Origin", "https://evil.example", "Access-Control-Request-Method", "POST",
					"Access-Control-Request-Headers", "content-type,x-jobs-csrf")
			.method("OPTIONS", HttpRequest.BodyPublishers.noBody());
		assertThat(this.server.send(preflight).headers().map().keySet())
			.noneMatch((name) -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"));
	}

	@Test
	void queueOfANameThatIsNotValidCannotBePaused(CapturedOutput output) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		String queue = "odd name, 1 changed: \u00e4";
		this.server.bean(JobStore.class).enqueue(List.of(NewJob.of("of-odd-queue", queue, new byte[0], now)), now);
		String wish = JsonNodeFactory.instance.objectNode().put("queue", queue).toString();
		assertThat(this.server.json("/api/queues?name=odd").path("queues").path(0).path("name").asString())
			.isEqualTo(queue);
		for (String act : List.of("pause", "resume", "limit")) {
			HttpResponse<String> answer = this.server.act(act,
					act.equals("limit") ? wish.replace("}", ",\"limit\":1}") : wish);
			assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
		}
		assertThat(this.server.bean(Applications.Work.class).actions).isEmpty();
		assertThat(output.getAll()).doesNotContain("Dashboard: pause by");
	}

	@Test
	void timesAtTheirEndsOverflowNowhere() {
		String running = this.client.enqueue("long", "holds the limit").id();
		this.operations.queue("long").limit(1);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.client.find(running).filter((job) -> job.state() == JobState.RUNNING).isPresent());
		Instant first = Instant.ofEpochMilli(Long.MIN_VALUE);
		Instant last = Instant.ofEpochMilli(Long.MAX_VALUE);
		this.server.bean(JobStore.class)
			.enqueue(
					List.of(NewJob.of("of-the-past", "long", new byte[0], first),
							NewJob.of("of-the-future", "long", new byte[0], last)),
					Instant.now().truncatedTo(ChronoUnit.MILLIS));
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.server.get("/api/overview").body()).contains("\"alerts\"", "“long”"));
		for (String path : List.of("/api/jobs", "/api/jobs?newestFirst=true", "/api/queue?name=long",
				"/api/queues?name=long", "/api/job?id=of-the-past", "/api/job?id=of-the-future", "/api/stats",
				"/api/statistics", "/api/dead")) {
			HttpResponse<String> answer = this.server.get(path);
			assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
		}
		this.operations.jobs(JobFilter.of((only) -> only.name("long").states(JobState.READY, JobState.SCHEDULED)))
			.delete();
		this.operations.queue("long").removeLimit();
		this.client.cancel(running);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.client.find(running).isEmpty());
	}

	@Test
	void definitionOfAScheduleThatIsEndlessIsCut() {
		this.server.bean(JobStore.class)
			.fireTicks(List.of(Tick.of(new NewSchedule("an-endless-one", "UTC " + "x".repeat(400_000), "nightly"),
					Instant.now(), null)), Instant.now());
		assertThat(this.server.get("/api/schedules").body()).hasSizeLessThan(50_000);
		assertThat(schedule("an-endless-one").has("expression")).isFalse();
		assertThat(schedule("an-endless-one").path("definition").asString()).startsWith("UTC xxx").endsWith("…");
	}

	@Test
	void everyActionIsLoggedAndPublished() {
		List<String> dead = dead(2, "no paper");
		this.server.act("delete", ids(dead));
		assertThat(this.server.bean(Applications.Work.class).actions).singleElement()
			.returns("dashboard", OperatorActionEvent::surface)
			.returns("127.0.0.1", OperatorActionEvent::user)
			.returns("delete", OperatorActionEvent::action)
			.returns("2 jobs by id", OperatorActionEvent::target)
			.returns(dead, OperatorActionEvent::jobs)
			.returns(true, OperatorActionEvent::complete);
	}

	@Test
	void exactlyTheChangedJobsAreLogged(CapturedOutput output) {
		List<String> ids = new ArrayList<>(IntStream.range(0, 20).mapToObj((i) -> "none-" + i).toList());
		List<String> dead = dead(3, "no paper");
		ids.addAll(dead);
		this.server.act("delete", ids(ids));
		List<String> waiting = IntStream.range(0, 250).mapToObj((i) -> later()).toList();
		this.server.act("cancel", "{\"filter\":{\"queue\":\"nightly\"}}");
		List<String> more = dead(2, "no \nforged ink");
		String cause = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		this.server.act("delete", JsonNodeFactory.instance.objectNode().put("cause", cause).toString());
		List<OperatorActionEvent> acts = this.server.bean(Applications.Work.class).actions;
		assertThat(acts).extracting(OperatorActionEvent::action).containsExactly("delete", "cancel", "delete");
		assertThat(acts.get(0).jobs()).isEqualTo(dead);
		assertThat(acts.get(1).jobs()).containsExactlyInAnyOrderElementsOf(waiting);
		assertThat(acts.get(1).target()).isEqualTo("all jobs of {\"queue\":\"nightly\"}");
		assertThat(acts.get(2).jobs()).containsExactlyInAnyOrderElementsOf(more);
		assertThat(acts.get(2).target()).startsWith("all jobs that died of \"java.lang.IllegalStateException: no ");
		List<String> lines = output.getAll().lines().filter((line) -> line.contains("Dashboard: ")).toList();
		for (OperatorActionEvent act : acts) {
			for (String id : act.jobs()) {
				assertThat(lines).filteredOn((line) -> line.contains(id))
					.singleElement(STRING)
					.contains("Dashboard: " + act.action() + " by 127.0.0.1: ");
			}
		}
		assertThat(lines).noneMatch((line) -> line.contains("none-")).noneMatch((line) -> line.startsWith("forged"));
	}

	@Test
	void statsHaveExactlyTheirFields() {
		dead(2, "no paper");
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			HttpResponse<String> response = this.server.get("/api/stats");
			assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
			JsonNode stats = Server.json(response);
			assertThat(stats.propertyNames()).containsExactlyInAnyOrder("queues", "totals");
			JsonNode queue = stats.path("queues")
				.valueStream()
				.filter((it) -> it.path("queue").asString().equals("fail"))
				.findFirst()
				.orElseThrow();
			assertThat(queue.propertyNames()).containsExactlyInAnyOrder("queue", "pushed", "processed", "failed",
					"retried", "pending", "throughput");
			assertThat(queue.path("failed").asLong()).isGreaterThanOrEqualTo(2);
			assertThat(queue.path("pending").asLong()).isNotNegative();
			assertThat(stats.path("totals").propertyNames()).containsExactlyInAnyOrder("pushed", "processed", "failed",
					"retried", "pending", "throughput");
		});
	}

	@Test
	void statisticsHaveAValueForEachStep() {
		JsonNode statistics = this.server.json("/api/statistics?range=1h");
		assertThat(statistics.path("times").size()).isEqualTo(60);
		assertThat(statistics.path("waited").path("p99").size()).isEqualTo(60);
		for (String range : List.of("3h", "12h", "2d")) {
			assertThat(this.server.json("/api/statistics?range=" + range).path("succeeded").size()).as(range)
				.isGreaterThan(59);
		}
		assertThat(this.server.get("/api/statistics?range=9y").statusCode()).isEqualTo(400);
	}

}
